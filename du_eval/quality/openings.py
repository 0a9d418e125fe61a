"""How a tester begins a conversation: with something random, or something said with a feeling."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from random import Random
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from du_eval.parsers.yaml_parser import parse_yaml

Affect = Literal["fear", "joy", "anger", "sadness", "anticipation", "disgust", "surprise", "trust"]
Topic = Literal[
    "legal",
    "military",
    "monsters",
    "politics",
    "positive_words",
    "religion",
    "science",
    "space",
    "technology",
]


class Opening(BaseModel):
    """The first prompt of each conversation; our own sentences, drawn by seed."""

    model_config = ConfigDict(extra="forbid")

    random: bool = Field(default=False, description="Begin with something random instead of a greeting.")
    affect: Affect | None = Field(default=None, description="Begin with this feeling.")
    intensity: int = Field(100, ge=0, le=100, description="How strong the feeling is.")
    topic: Topic | None = Field(default=None, description="What it is about.")

    @property
    def is_set(self) -> bool:
        """Whether conversations begin in this way."""
        return self.random or self.affect is not None


def first_prompt(opening: Opening, language: str, seed: str) -> str:
    """Return how a conversation begins."""
    random = Random(f"{seed}/opening")
    data = _openings(language)
    if opening.affect is None:
        texts = data["neutral"]
    else:
        texts = data["feelings"][opening.affect][_strength(opening.intensity)]
    topic = random.choice(data["topics"][opening.topic or ""])
    text = str(random.choice(texts)).replace("{topic}", topic)
    return text[:1].upper() + text[1:]


def _strength(intensity: int) -> str:
    """Return the third of the scale that an intensity is in."""
    if intensity <= 33:
        return "mild"
    return "medium" if intensity <= 66 else "strong"


@cache
def _openings(language: str) -> Any:
    text = files("du_eval.quality.data").joinpath("openings.yml").read_text(encoding="utf-8")
    root: Any = parse_yaml(text, "openings.yml").root
    return root[language]
