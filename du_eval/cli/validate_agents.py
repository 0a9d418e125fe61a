"""The part of `du-eval validate` that checks agent cases."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from du_eval.agents.document import HOCON_SUFFIXES, SUFFIXES
from du_eval.agents.select import Selection, select_cases
from du_eval.cli.edge import out, say
from du_eval.errors import ConfigError, SuiteError

_CASE = re.compile(r"""^\s*\{?\s*["']?interactions["']?\s*[:=]""", re.MULTILINE)


def are_agent_cases(paths: Sequence[str]) -> bool:
    """Tell whether paths name agent cases; refuse a mix of them with suites."""
    found = [_holds_cases(Path(path.partition("::")[0])) for path in paths]
    if any(found) and not all(found):
        raise ConfigError("some of these paths are agent cases and some are suites: check them one by one")
    return any(found)


def _holds_cases(path: Path) -> bool:
    if path.is_dir():
        files = (file for file in sorted(path.rglob("*")) if file.suffix in SUFFIXES and file.is_file())
        return any(_is_case(file) for file in files)
    return path.is_file() and _is_case(path)


def _is_case(file: Path) -> bool:
    if file.suffix in HOCON_SUFFIXES:
        return True
    try:
        return _CASE.search(file.read_text(encoding="utf-8")) is not None
    except (OSError, UnicodeDecodeError):
        return False


def validate_agents(selection: Selection, *, lists: bool, is_strict: bool) -> None:
    """Load agent cases, and say what there is; raise with all problems of all files."""
    selected = select_cases(selection)
    for warning in selected.warnings:
        say(f"warning: {warning}")
    if is_strict and selected.warnings:
        raise SuiteError(f"{_counted(len(selected.warnings), 'warning')}: --strict allows none")
    for case in selected.cases if lists else ():
        out(f"{case.file}::{case.name}\n")
    interactions = sum(len(case.interactions) for case in selected.cases)
    kinds = dict.fromkeys(connection.kind for case in selected.cases for connection in case.connections)
    counts = f"{_counted(len(selected.cases), 'agent case')}, {_counted(interactions, 'interaction')}"
    out(f"valid: {counts}; connections: {', '.join(kinds)}\n")


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
