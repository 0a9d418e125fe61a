"""The persona protocol as data: blocks of utterances, topics, persona facts and words, by language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from typing import Any

from du_eval.errors import InputError, Problem
from du_eval.parsers.yaml_parser import parse_yaml

LANGUAGES = ("en", "ru")
_BLOCKS = ("open", "closed", "general", "support", "emotion", "topic")
_KEYS = (
    "names", "greetings", "farewells", "hello_words", "bye_words", "blocks", "polarity",
    "positive", "negative", "topics", "persona",
)  # fmt: skip


class Criterion(StrEnum):
    """What the protocol measures."""

    NAME = "user_name_retention"
    HELLO_BYE = "hello_bye"
    REPEATING = "repeating"
    OPEN = "open_ended"
    CLOSED = "closed_ended"
    DIALOG = "dialog_supporting"
    EMOTION = "emotion_supporting"
    TOPIC = "topic_switch_trying"


@dataclass(frozen=True, slots=True)
class OpenFact:
    """What an answer to an open persona question may be about, and what would contradict the persona."""

    topic: tuple[str, ...]
    says: str = ""
    contradicts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Protocol:
    """Everything that is said in one language, and by which words replies are read."""

    language: str
    names: Mapping[str, tuple[str, ...]]
    greetings: tuple[str, ...]
    farewells: tuple[str, ...]
    hello_words: tuple[str, ...]
    bye_words: tuple[str, ...]
    blocks: Mapping[str, tuple[str, ...]]
    polarity: Mapping[str, str]
    positive: tuple[str, ...]
    negative: tuple[str, ...]
    topics: Mapping[str, tuple[str, ...]]
    closed: Mapping[str, str]
    open: Mapping[str, OpenFact]


def load_protocol(language_or_file: str) -> Protocol:
    """Return the protocol of a language that we ship, or of a file."""
    path = Path(language_or_file)
    if language_or_file in LANGUAGES:
        name = f"{language_or_file}.yml"
        text = files("du_eval.quality.protocol.data").joinpath(name).read_text(encoding="utf-8")
    elif path.is_file():
        name, text = str(path), path.read_text(encoding="utf-8-sig")
    else:
        known = ", ".join(LANGUAGES)
        raise InputError(
            f"there is no protocol for '{language_or_file}' (known are {known}; a file is a language too)"
        )
    return _protocol(parse_yaml(text, name).root, name)


def _protocol(root: Any, file: str) -> Protocol:
    data = root if isinstance(root, dict) else {}
    problems = [Problem(file, 1, f"'{key}' is missing") for key in _KEYS if not data.get(key)]
    blocks = data.get("blocks") or {}
    problems += [
        Problem(file, 1, f"the block '{name}' is missing") for name in _BLOCKS if not blocks.get(name)
    ]
    if problems:
        raise InputError(problems)
    persona = data["persona"]
    return Protocol(
        language=str(data.get("language", file)),
        names={name: tuple(forms) for name, forms in data["names"].items()},
        **{key: tuple(data[key]) for key in ("greetings", "farewells", "hello_words", "bye_words")},
        blocks={name: tuple(blocks[name]) for name in _BLOCKS},
        polarity=dict(data["polarity"]),
        positive=tuple(data["positive"]),
        negative=tuple(data["negative"]),
        topics={name: tuple(words) for name, words in data["topics"].items()},
        closed=dict(persona.get("closed") or {}),
        open={question: _open(fact) for question, fact in (persona.get("open") or {}).items()},
    )


def _open(data: Mapping[str, Any]) -> OpenFact:
    return OpenFact(
        tuple(data.get("topic") or ()), str(data.get("says", "")), tuple(data.get("contradicts") or ())
    )
