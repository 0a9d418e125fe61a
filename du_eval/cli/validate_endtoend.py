"""The part of `du-eval validate` that checks end-to-end tests."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from du_eval.cli.edge import out, say
from du_eval.endtoend.load import load_end_to_end
from du_eval.errors import SuiteError

_KEY = r"(?:^\s*|[-{{,]\s*)[\"']?(?:{})[\"']?\s*:"
_CASES = re.compile(r"^[\"']?test_cases[\"']?\s*:", re.MULTILINE)
_EXPECTATIONS = re.compile(_KEY.format("commands|any_of"), re.MULTILINE)
_DIALOGUE = re.compile(_KEY.format("assertions|slot_was_set|slot_was_not_set|bot|utter"), re.MULTILINE)


def take_end_to_end(paths: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the end-to-end files below some paths, and the other paths; a mixed folder is taken apart."""
    endtoend: list[str] = []
    others: list[str] = []
    for path in paths:
        place = Path(path.partition("::")[0])
        files = (
            sorted(file for file in place.rglob("*") if file.suffix in {".yml", ".yaml"} and file.is_file())
            if place.is_dir()
            else [place]
        )
        kinds = {str(file): _kind(file) for file in files}
        found = [file for file, kind in kinds.items() if kind == "e2e"]
        endtoend += found
        others += [file for file, kind in kinds.items() if kind == "test"] if found else [path]
    return endtoend, others


def _kind(file: Path) -> str:
    """Return what a file is; a dialogue without a single expected command is an end-to-end test."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return ""
    if not _CASES.search(text):
        return ""
    return "test" if _EXPECTATIONS.search(text) or not _DIALOGUE.search(text) else "e2e"


def validate_end_to_end(files: Sequence[str], *, lists: bool, is_strict: bool) -> None:
    """Load end-to-end tests, and say what there is; raise with all problems of all files."""
    suite = load_end_to_end(files)
    for warning in suite.warnings:
        say(f"warning: {warning}")
    if is_strict and suite.warnings:
        raise SuiteError(f"{len(suite.warnings)} warnings, and --strict makes them errors")
    for case in suite.cases if lists else ():
        out(f"{case.id}\n")
    out(f"valid: {len(suite.cases)} end-to-end cases in {len(files)} files\n")
