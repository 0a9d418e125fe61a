"""The packaged words of the rules."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Any

import yaml


@cache
def read_data(name: str) -> Any:
    """Return the content of a packaged file, which is written by us and not checked again."""
    return yaml.safe_load(files("du_eval.judges.data").joinpath(name).read_text(encoding="utf-8"))


def read_word_set(section: str) -> frozenset[str]:
    """Return a section of the packaged words as a set."""
    return frozenset(str(read_data("words.yml")[section]).split())


@cache
def read_patterns(name: str) -> dict[str, re.Pattern[str]]:
    """Return the sections of a packaged file, each as one pattern of its alternatives."""
    return {section: re.compile("|".join(phrases)) for section, phrases in read_data(name).items()}
