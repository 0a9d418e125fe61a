"""A run of agent cases from its options to its exit code."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

import typer

from du_eval import __version__
from du_eval.agents.assessor import assess, name_modes
from du_eval.agents.detail import KIND, AgentExtra, CaseModes, Talk
from du_eval.agents.pipeline import run_cases
from du_eval.agents.record import FIGURES, record_agent
from du_eval.agents.results import AgentRun, SampleResult
from du_eval.agents.select import Selection
from du_eval.assembly import settle
from du_eval.assembly.agent_journals import AgentKeeper, open_agents
from du_eval.assembly.finding import find_last, run_store
from du_eval.cli.agent_options import AgentOptions, PreparedCases, prepare_cases
from du_eval.cli.edge import ending_politely, say
from du_eval.cli.ending import Wanted, end_run
from du_eval.cli.progress import Progress
from du_eval.errors import ConfigError, ExitCode
from du_eval.llm.secrets import HIDDEN, public_url
from du_eval.reports.agents_transcript import write_transcripts
from du_eval.reports.views.agent import view_agent
from du_eval.runs.figures import check_thresholds, parse_thresholds
from du_eval.runs.record import Head, Run
from du_eval.runs.store import RunStore, require_own
from du_eval.settings.commands import TestSettings

Given = Mapping[str, Any]
ENDINGS = (".json", ".xml", ".html", ".md", ".xlsx", ".txt")
_NOT_KEPT = frozenset(
    {
        "resume", "retry_errors", "runs_dir", "no_journal", "journal", "json_output", "quiet", "verbose",
        "output_file", "transcripts", "label", "html", "junitxml", "markdown", "fail_under",
    }
)  # fmt: skip
_IDENTITY = ("agents", "connection", "model", "gist_votes", "gist_threshold", "similarity", "toxicity")
"""What decides about answers and verdicts: a run that goes on must keep it."""


def run_to_the_end(context: typer.Context, given: Given, *, names_modes: bool = False) -> ExitCode:
    """Run the cases that the options name, print and write what came of it; return the exit code."""
    _check(given)
    store = run_store(
        settle(TestSettings, {"runs_dir": given["runs_dir"]}, os.environ, uses={"runs_dir"}).config
    )
    given = _recall(context, given, store)
    before = find_last(KIND.name, str(store.root)) if given["html"] and not given["resume"] else None
    run = _run(given, store, names_modes=names_modes)
    wanted = Wanted(
        json_output=given["json_output"],
        quiet=given["quiet"],
        shows_passed=given["verbose"],
        output_file=tuple(given["output_file"] or ()),
        html=given["html"],
        markdown=given["markdown"],
        junitxml=given["junitxml"],
        fail_under=given["fail_under"],
        compared_with=before,
    )
    code = end_run(run, KIND, view_agent(run), wanted)
    if given["transcripts"] is not None:
        write_transcripts(run, Path(given["transcripts"]))
    return code


def _check(given: Given) -> None:
    """Raise where an option cannot be followed, before anybody is asked."""
    if given["journal"] is not None:
        raise ConfigError(
            "--journal is gone: runs are kept in .du-eval/runs; --runs-dir names another folder"
        )
    if given["retry_errors"] and not given["resume"]:
        raise ConfigError("--retry-errors needs --resume: it takes the errored samples of a run again")
    if not given["paths"] and not given["resume"]:
        raise ConfigError("name case files or folders, or continue a run with --resume")
    for file in given["output_file"] or ():
        if PurePath(file).suffix.lower() not in ENDINGS:
            raise ConfigError(f"--output-file {file} ends with none of {', '.join(ENDINGS)}")
    if given["fail_under"] is not None:
        check_thresholds(parse_thresholds(given["fail_under"]), FIGURES)


def _recall(context: typer.Context, given: Given, store: RunStore) -> Given:
    """Return the options, those that were not given from the run that goes on."""
    if not given["resume"]:
        return given
    stored = store.find(given["resume"], KIND.name)
    require_own(stored, os.environ)
    known = {
        name: value
        for name, value in stored.manifest.settings.items()
        if name in given and HIDDEN not in str(value) and not _is_given(context, name)
    }
    return {**given, **known, "resume": str(stored.folder)}


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def _run(given: Given, store: RunStore, *, names_modes: bool) -> Run[Talk, AgentExtra]:
    options = AgentOptions.of(given)
    selection = Selection(tuple(given["paths"]), given["keyword"], tuple(given["deselect"] or ()))
    prepared = prepare_cases(options, selection, given["samples"])
    for warning in prepared.warnings:
        say(f"warning: {warning}")
    keeper = None
    if not given["no_journal"]:
        opening = open_agents(prepared.cases, _list_settings(given), _IDENTITY, given["label"] or "")
        keeper = AgentKeeper(store, opening, __version__, given["resume"])
    run = _ask(prepared, keeper, given)
    modes = assess(run)
    if names_modes and options.model and modes:
        modes = asyncio.run(_name(modes, options))
    planned = sum(len(case.connections) for case in prepared.cases)
    agents = ", ".join(dict.fromkeys(case.agent for case in prepared.cases))
    named = {"model": options.model} if options.model else {}
    head = Head(KIND.name, subject=agents, label=given["label"] or "", planned=planned, settings=named)
    return _keep(record_agent(run, modes, head), keeper)


def _list_settings(given: Given) -> dict[str, Any]:
    """Return what a run that goes on must know, without anything secret."""
    found = {
        name: str(value) if isinstance(value, Path) else value
        for name, value in given.items()
        if name not in _NOT_KEPT and value not in (None, "")
    }
    if "base_url" in found:
        found["base_url"] = _hide(found["base_url"])
    if "server" in found:
        found["server"] = [_hide(one) for one in found["server"]]
    return found


def _hide(url: str) -> str:
    """Return an address; one with a secret in it is marked, so that nobody goes on with a part of it."""
    shown = public_url(url)
    return url if shown.rstrip("/") == url.rstrip("/") else f"{shown} {HIDDEN}"


def _ask(prepared: PreparedCases, keeper: AgentKeeper | None, given: Given) -> AgentRun:
    total = sum(case.ratio.of * len(case.connections) for case in prepared.cases)
    is_watched = sys.stderr.isatty() and total > 1 and not (given["quiet"] or given["json_output"])
    with ending_politely(), Progress(total, enabled=is_watched) as progress:

        def advance(_: SampleResult) -> None:
            progress.step("samples")

        setting = replace(
            prepared.setting,
            takes_all_samples=given["all_samples"],
            open_journal=keeper.open_journal if keeper else None,
            retries_errors=given["retry_errors"],
            on_sample=advance,
        )
        return run_cases(prepared.cases, setting)


async def _name(modes: tuple[CaseModes, ...], options: AgentOptions) -> tuple[CaseModes, ...]:
    """Let the chat model name the modes."""
    model = options.chat()
    try:
        return await name_modes(modes, model, model.model)
    finally:
        await model.aclose()


def _keep(record: Run[Talk, AgentExtra], keeper: AgentKeeper | None) -> Run[Talk, AgentExtra]:
    if keeper is None:
        return record
    for note in keeper.opened.notes:
        say(f"note: {note}")
    kept = keeper.opened.end(record, KIND)
    say(f"run {kept.head.id} kept in {keeper.opened.stored.folder}")
    if kept.unfinished:
        say(f"continue it with: du-eval agent --resume {kept.head.id}")
    return kept
