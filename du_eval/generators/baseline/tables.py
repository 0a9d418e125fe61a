"""Word lists of the baseline, kept in text files beside the code."""

from __future__ import annotations

import re
from importlib.resources import files


def read_table(name: str) -> dict[str, list[str]]:
    """Return the lines of a file by section; sections begin with `[name]`, comments with `#`."""
    sections: dict[str, list[str]] = {}
    current: list[str] = []
    for line in files(__package__).joinpath(name).read_text(encoding="utf-8").splitlines():
        if line.startswith("[") and line.endswith("]"):
            current = sections.setdefault(line[1:-1], [])
        elif line and not line.startswith("#"):
            current.append(line)
    return sections


def join_alternatives(lines: list[str]) -> str:
    """Return the phrases of some lines as alternatives of a regular expression."""
    return "|".join(phrase.strip() for line in lines for phrase in line.split(" | "))


def compile_phrases(lines: list[str]) -> re.Pattern[str]:
    """Return a pattern that finds any phrase of some lines, as whole words."""
    return re.compile(rf"(?<![\w-])(?:{join_alternatives(lines)})(?![\w-])", re.IGNORECASE)
