"""`du-eval validate`: check suites, assistants and agent cases without running anything."""

from __future__ import annotations

import os
import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from du_eval.agents.document import HOCON_SUFFIXES, SUFFIXES
from du_eval.agents.select import Selection, list_unknown_connections, select_cases
from du_eval.assembly.kinds import is_bare_assistant, read_kind, take_end_to_end
from du_eval.cli.edge import out, say_all
from du_eval.cli.generated import Given, with_settings
from du_eval.endtoend.load import list_unknown_names, load_end_to_end
from du_eval.errors import AssistantError, ConfigError, SuiteError, tell_count
from du_eval.settings.commands import TestSettings
from du_eval.trust.reading import read_file

if TYPE_CHECKING:
    from du_eval.assembly import Assistants


@with_settings(
    TestSettings, "paths", "assistant", "syntax", "additional_commands", "remove_default_commands",
    "check_flows", "select", "deselect",
)  # fmt: skip
def validate(
    list_cases: Annotated[bool, typer.Option("--list", help="List the selected cases.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Treat warnings as errors.")] = False,
    json_output: Annotated[bool, typer.Option("--json", help="Print the problems as JSON.")] = False,
    *,
    given: Given,
) -> None:
    """Check suites, assistants, end-to-end tests and agent cases without running them.

    Examples:
      du-eval validate

      du-eval validate my_tests --assistant my_bot --list

      du-eval validate my_agent_cases

    """
    lines = _validate(given, lists=list_cases, is_strict=strict)
    if json_output:
        deque(lines, 0)
        out({"problems": []})
        return
    for line in lines:
        out(f"{line}\n")


def _validate(given: Given, *, lists: bool, is_strict: bool) -> Iterator[str]:
    """Yield what was found to be valid; raise with all problems of all files."""
    from du_eval.assembly import Assistants, build_session, settle
    from du_eval.trust.effects import JUDGING

    paths = given.get("paths", [])
    if paths and are_agent_cases(paths):
        selection = Selection(tuple(paths), given.get("select", ""), tuple(given.get("deselect", ())))
        yield from validate_agents(selection, lists=lists, is_strict=is_strict)
        return
    config = settle(TestSettings, given, os.environ, uses=JUDGING).config
    endtoend, others = take_end_to_end(config.paths)
    bare = [path for path in others if is_bare_assistant(path)]
    for path in bare:
        yield from _validate_assistant(path, is_strict=is_strict)
    others = [path for path in others if path not in bare]
    if endtoend:
        yield from validate_end_to_end(
            endtoend, Assistants(config.assistant), lists=lists, is_strict=is_strict
        )
    if not others:
        return
    session = build_session(config.model_copy(update={"paths": others}))
    _tell_warnings(session.warnings, is_strict=is_strict)
    suite = session.suite
    steps = sum(len(case.user_steps) for case in suite)
    yield from (case.id for case in suite if lists)
    known = Counter(found.path if (found := session.assistants.of(case)) else "none" for case in suite)
    bots = ", ".join(f"{path} ({tell_count(count, 'case')})" for path, count in known.items())
    counts = f"{tell_count(len(suite), 'test case')}, {tell_count(steps, 'user step')}"
    files = tell_count(len(suite.files), "file")
    yield f"valid: {counts} in {files}; assistant: {bots}"


def _validate_assistant(path: str, *, is_strict: bool) -> Iterator[str]:
    from du_eval.assembly import Assistants

    bots = Assistants(path)
    assistant = bots.for_file(path)
    if assistant is None:
        raise AssistantError(bots.problems)
    _tell_warnings(assistant.warnings, is_strict=is_strict)
    flows = tell_count(len(assistant.user_flows), "flow")
    yield f"valid: assistant with {flows} in {path}; it has no test cases"


_CASE = re.compile(r"""^[ \t]*+(?:\{[ \t]*+)?["']?interactions["']?[ \t]*[:=]""", re.MULTILINE)


def are_agent_cases(paths: Sequence[str]) -> bool:
    """Tell whether paths name agent cases; refuse a mix of them with suites."""
    found = [_holds_cases(Path(path.partition("::")[0])) for path in paths]
    if any(found) and not all(found):
        raise ConfigError("some of these paths are agent cases and some are suites: check them separately")
    return any(found)


def _holds_cases(path: Path) -> bool:
    if path.is_dir():
        files = [file for file in sorted(path.rglob("*")) if file.suffix in SUFFIXES and file.is_file()]
        case = next(filter(_is_case, files), None)
        suite = next(filter(read_kind, files), None) if case else None
        if suite is not None:
            raise ConfigError(
                f"{path} holds agent cases ({case}) and suites ({suite}): check them separately"
            )
        return case is not None
    return path.is_file() and _is_case(path)


def _is_case(file: Path) -> bool:
    if file.suffix in HOCON_SUFFIXES:
        return True
    try:
        return _CASE.search(read_file(file).decode("utf-8")) is not None
    except (OSError, UnicodeDecodeError):
        return False


def validate_agents(selection: Selection, *, lists: bool, is_strict: bool) -> Iterator[str]:
    """Load agent cases, and yield what there is; raise with all problems of all files."""
    selected = select_cases(selection)
    warnings = (*selected.warnings, *list_unknown_connections(selected.cases))
    _tell_warnings(warnings, is_strict=is_strict)
    yield from (f"{case.file}::{case.name}" for case in selected.cases if lists)
    interactions = sum(len(case.interactions) for case in selected.cases)
    kinds = dict.fromkeys(connection.kind for case in selected.cases for connection in case.connections)
    counts = f"{tell_count(len(selected.cases), 'agent case')}, {tell_count(interactions, 'interaction')}"
    yield f"valid: {counts}; connections: {', '.join(kinds)}"


def validate_end_to_end(
    files: Sequence[str], assistants: Assistants, *, lists: bool, is_strict: bool
) -> Iterator[str]:
    """Load end-to-end tests, and yield what there is; raise with all problems of all files."""
    suite = load_end_to_end(files)
    warnings = [*suite.warnings, *list_unknown_names(suite.cases, assistants.for_file)]
    if assistants.problems:
        raise AssistantError(assistants.problems)
    _tell_warnings(warnings, is_strict=is_strict)
    yield from (case.id for case in suite.cases if lists)
    yield f"valid: {tell_count(len(suite.cases), 'end-to-end case')} in {tell_count(len(files), 'file')}"


def _tell_warnings(warnings: Sequence[object], *, is_strict: bool) -> None:
    say_all("warning", warnings)
    if is_strict and warnings:
        raise SuiteError(f"{tell_count(len(warnings), 'warning')}: --strict allows none")
