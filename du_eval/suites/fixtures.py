"""What surrounds the steps of a case: fixtures, and stubs of custom actions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from du_eval.errors import InputError, Problem, did_you_mean
from du_eval.parsers.text_files import read_text_file
from du_eval.parsers.yaml_parser import YamlMap, parse_yaml
from du_eval.suites.model import Fixture, StubbedAction


def find_stubs(case: str, file: str, stubs: Mapping[str, Any]) -> dict[str, StubbedAction]:
    """Return the stubs that hold for a case: those of the case before those of the file."""
    scopes = ("", Path(file).name, name_scope(case))
    ranked: dict[str, tuple[int, StubbedAction]] = {}
    for key, value in stubs.items():
        scope, _, action = key.rpartition("::")
        if scope not in scopes:
            continue
        rank = scopes.index(scope)
        if action not in ranked or ranked[action][0] <= rank:
            stub = StubbedAction(
                action, tuple(value.get("events") or ()), tuple(value.get("responses") or ())
            )
            ranked[action] = (rank, stub)
    return {action: stub for action, (_, stub) in ranked.items()}


def name_scope(case: str) -> str:
    """Return how a stub names a case."""
    return case.replace(" ", "_")


def list_idle_stubs(file: str, stubs: Mapping[str, object], cases: Sequence[str]) -> Iterator[Problem]:
    """Yield a warning for each stub whose key names neither the file nor one of its cases."""
    known = [Path(file).name, *map(name_scope, cases)]
    lines = getattr(stubs, "lines", {})
    for key in stubs:
        scope, _, action = key.rpartition("::")
        if scope and scope not in known:
            hint = did_you_mean(scope, known) or f"write {action}, {known[0]}::{action} or CASE::{action}"
            message = f"the stub '{key}' is never used: there is no case '{scope}' in this file"
            yield Problem(file, lines.get(key, 0), message, hint)


TYPED_KEYS = frozenset({"fixtures", "metadata", "stub_custom_actions"})
_LEVELS = 12


def list_fixtures_in(root: YamlMap) -> dict[str, Fixture]:
    """Return the fixtures that a file defines, by name."""
    found: dict[str, Fixture] = {}
    for entry in root.get("fixtures") or ():
        for name, slots in entry.items():
            merged = {slot: value for item in slots for slot, value in item.items()}
            found.setdefault(name, Fixture(name, merged))
    return found


def inherit_fixtures(folder: Path, problems: list[Problem]) -> dict[str, Fixture]:
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
        return list_fixtures_in(root) if isinstance(root, YamlMap) else {}
    except InputError as error:
        told = error.problems
    except (AttributeError, TypeError) as error:
        hint = "write a list of names, each with a list of slots and values"
        told = (Problem(str(file), 0, f"the fixtures cannot be read: {error}", hint),)
    problems.extend(problem for problem in told if problem not in problems)
    return {}
