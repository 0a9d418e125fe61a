"""What our own bots and our tester say, by language."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from msgspec import Struct, convert

from du_eval.parsers.yaml_parser import parse_yaml


class Phrases(Struct, frozen=True):
    """The sentences of one language."""

    yes: str
    no: str
    unknown: str
    it_is: str
    told: str
    """Said when something was told; with the number of the turn."""
    heard: str
    unclear: str
    insults: tuple[str, ...]
    statements: tuple[str, ...]
    nagging: tuple[str, str]
    nag: str
    own: tuple[str, ...]
    """What a bot says about itself where it must say something."""
    turned: Mapping[str, str]
    """Words that change when a question is given back to whoever asked it."""
    small_talk: tuple[str, ...]


@cache
def phrases_of(language: str) -> Phrases:
    """Return what is said in a language."""
    text = files(__package__).joinpath("phrases.yml").read_text(encoding="utf-8")
    return convert(parse_yaml(text, "phrases.yml").root[language], Phrases)
