"""What the files below a path are: end-to-end tests, command tests, or an assistant alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from du_eval.assistants.files import is_assistant
from du_eval.parsers.text_files import list_yaml_files
from du_eval.trust.reading import read_file

_KEY = r"(?:^[ \t]*+|[-{{,][ \t]*+)[\"']?(?:{})[\"']?[ \t]*:"
_CASES = re.compile(r"^[\"']?test_cases[\"']?\s*:", re.MULTILINE)
_EXPECTATIONS = re.compile(_KEY.format("commands|any_of"), re.MULTILINE)
_DIALOGUE = re.compile(_KEY.format("assertions|slot_was_set|slot_was_not_set|bot|utter"), re.MULTILINE)


def take_end_to_end(paths: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the end-to-end files below some paths, and the other paths; a mixed folder is taken apart."""
    endtoend: list[str] = []
    others: list[str] = []
    for path in paths:
        place = Path(path.partition("::")[0])
        kinds = {
            str(file): read_kind(file) for file in (list_yaml_files(place) if place.is_dir() else [place])
        }
        found = [file for file, kind in kinds.items() if kind == "e2e"]
        endtoend += found
        others += [file for file, kind in kinds.items() if kind == "test"] if found else [path]
    return endtoend, others


def read_kind(file: Path) -> str:
    """Return what a file is; a dialogue without a single expected command is an end-to-end test."""
    try:
        text = read_file(file).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return ""
    if not _CASES.search(text):
        return ""
    return "test" if _EXPECTATIONS.search(text) or not _DIALOGUE.search(text) else "e2e"


def is_bare_assistant(path: str) -> bool:
    """Tell whether a path is the folder of an assistant, without a test case in it."""
    place = Path(path)
    return place.is_dir() and is_assistant(place) and not any(map(read_kind, list_yaml_files(place)))
