"""Stubs of custom actions: which hold for a case, and which hold for none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from du_eval.errors import Problem, did_you_mean
from du_eval.suites.model import StubbedAction


def stubs_of(case: str, file: str, stubs: Mapping[str, Any]) -> dict[str, StubbedAction]:
    """Return the stubs that hold for a case: those of the case before those of the file."""
    scopes = ("", Path(file).name, scope_of(case))
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


def scope_of(case: str) -> str:
    """Return how a stub names a case."""
    return case.replace(" ", "_")


def idle_stubs(file: str, stubs: Mapping[str, Any], cases: Sequence[str]) -> Iterator[Problem]:
    """Yield a warning for each stub whose key names neither the file nor one of its cases."""
    known = [Path(file).name, *map(scope_of, cases)]
    lines = getattr(stubs, "lines", {})
    for key in stubs:
        scope, _, action = key.rpartition("::")
        if scope and scope not in known:
            hint = did_you_mean(scope, known) or f"write {action}, {known[0]}::{action} or CASE::{action}"
            message = f"the stub '{key}' is never used: there is no case '{scope}' in this file"
            yield Problem(file, lines.get(key, 0), message, hint)
