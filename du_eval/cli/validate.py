"""`du-eval validate`: check suites, assistants and agent cases without running anything."""

from __future__ import annotations

import os
from collections import Counter
from typing import Annotated, Any

import typer

from du_eval.cli.edge import out, reporting_errors, say
from du_eval.cli.generated import with_settings
from du_eval.settings.commands import TestSettings


@with_settings(
    TestSettings, "paths", "assistant", "syntax", "additional_commands", "remove_default_commands",
    "check_flows", "select", "deselect",
)  # fmt: skip
def validate(
    list_cases: Annotated[bool, typer.Option("--list", help="List the selected cases.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings are errors.")] = False,
    *,
    given: dict[str, Any],
) -> None:
    """Check suites, assistants, end-to-end tests and agent cases without running them.

    Examples:
      du-eval validate

      du-eval validate my_tests --assistant my_bot --list

      du-eval validate my_agent_cases

    """
    from du_eval.agents.select import Selection
    from du_eval.assembly import build_session, settle
    from du_eval.cli.validate_agents import are_agent_cases, validate_agents
    from du_eval.cli.validate_endtoend import take_end_to_end, validate_end_to_end
    from du_eval.errors import SuiteError
    from du_eval.trust.effects import JUDGING

    with reporting_errors():
        paths = given.get("paths", [])
        if paths and are_agent_cases(paths):
            selection = Selection(tuple(paths), given.get("select", ""), tuple(given.get("deselect", ())))
            validate_agents(selection, lists=list_cases, is_strict=strict)
            return
        config = settle(TestSettings, given, os.environ, uses=JUDGING).config
        endtoend, others = take_end_to_end(config.paths)
        if endtoend:
            validate_end_to_end(endtoend, lists=list_cases, is_strict=strict)
        if not others:
            return
        session = build_session(config.model_copy(update={"paths": others}))
        for warning in session.warnings:
            say(f"warning: {warning}")
        if strict and session.warnings:
            raise SuiteError(f"{len(session.warnings)} warnings, and --strict makes them errors")
        suite = session.suite
        steps = sum(len(case.user_steps) for case in suite)
        for case in suite if list_cases else ():
            out(f"{case.id}\n")
        known = Counter(found.path if (found := session.assistants.of(case)) else "none" for case in suite)
        bots = ", ".join(f"{path} ({count} cases)" for path, count in known.items())
        counts = f"{len(suite)} test cases, {steps} user steps in {len(suite.files)} files"
        out(f"valid: {counts}; assistant: {bots}\n")
