"""Fixtures: slots that are set before a dialogue begins, from the file itself or from conftest files."""

from __future__ import annotations

from pathlib import Path

from du_eval.errors import InputError, Problem
from du_eval.parsers.text_files import read_text_file
from du_eval.parsers.yaml_parser import YamlMap, parse_yaml
from du_eval.suites.model import Fixture

TYPED_KEYS = frozenset({"fixtures", "metadata", "stub_custom_actions"})
_LEVELS = 12


def fixtures_in(root: YamlMap) -> dict[str, Fixture]:
    """Return the fixtures that a file defines, by name."""
    found: dict[str, Fixture] = {}
    for entry in root.get("fixtures") or ():
        for name, slots in entry.items():
            merged = {slot: value for item in slots for slot, value in item.items()}
            found.setdefault(name, Fixture(name, merged))
    return found


def inherited_fixtures(folder: Path, problems: list[Problem]) -> dict[str, Fixture]:
    """Return the fixtures of `conftest.yml` or `conftest.yaml` in a folder and in those above it."""
    found: dict[str, Fixture] = {}
    for place in (folder, *folder.resolve().parents)[:_LEVELS]:
        for file in (place / "conftest.yml", place / "conftest.yaml"):
            if file.is_file():
                found = _read(file, problems) | found
    return found


def _read(file: Path, problems: list[Problem]) -> dict[str, Fixture]:
    """Return the fixtures of one file; a problem is noted once, however many suites use the file."""
    try:
        root = parse_yaml(read_text_file(file), str(file), typed=TYPED_KEYS).root
        return fixtures_in(root) if isinstance(root, YamlMap) else {}
    except InputError as error:
        told = error.problems
    except (AttributeError, TypeError) as error:
        hint = "write a list of names, each with a list of slots and values"
        told = (Problem(str(file), 0, f"the fixtures cannot be read: {error}", hint),)
    problems.extend(problem for problem in told if problem not in problems)
    return {}
