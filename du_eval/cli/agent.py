"""`du-eval agent` and `du-eval assess`: agent cases from their settings to an exit code."""

from __future__ import annotations

import asyncio
import os
import re
import ssl
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from du_eval.agents.settings import AgentSettings
from du_eval.cli.edge import ending_politely, out, say, say_all
from du_eval.cli.generated import Given, with_settings
from du_eval.errors import ConfigError, ExitCode, InputError

if TYPE_CHECKING:
    from du_eval.agents.record import AgentRun, CaseModes
    from du_eval.assembly.agents import PreparedCases
    from du_eval.runs.keeping import OpenRun
    from du_eval.runs.record import Head


SERVE = "serve-example"
_UNSAFE = re.compile(r"[^\w.-]+")
_IDENTITY = ("agents", "connection", "model", "gist_votes", "gist_threshold", "similarity", "toxicity")
"""What decides about answers and verdicts: a run that goes on must keep it."""


@with_settings(AgentSettings)
def agent(given: Given) -> ExitCode:
    """Run agent cases (HOCON, YAML or JSON) and report what passed.

    Exit codes: 0 all passed, 1 some failed, 2 invalid input, 3 some could not be judged, 4 a report could not
    be written, 5 nothing selected, 130 interrupted.

    Examples:
      du-eval agent serve-example

      du-eval agent examples/agents

      du-eval agent cases/ -k "music and not slow" --server http://localhost:8080 --html report.html

      du-eval agent cases/ --fail-under passed.cases=0.9 --label "new prompt"

      du-eval agent --resume

    """
    from du_eval.assembly import settle

    if given.get("paths", [""])[0] == SERVE:
        own = {key: value for key, value in given.items() if key != "paths"}
        serve_example(settle(AgentSettings, own, os.environ).config)
        return ExitCode.PASSED
    return _run_to_the_end(given)


@with_settings(AgentSettings)
def assess(given: Given) -> ExitCode:
    """Run all samples of each case, and group the failures by cause.

    This is du-eval agent --all-samples, and a chat model (--model) names the modes; without one they are
    named by rules and similarity.

    Examples:
      du-eval assess examples/agents/ratio/opening_hours.hocon --samples 20

    """
    return _run_to_the_end({**given, "all_samples": True}, names_modes=True)


def _run_to_the_end(given: Mapping[str, object], *, names_modes: bool = False) -> ExitCode:
    """Run the cases that the options name, print and write what came of it; return the exit code."""
    from du_eval.agents.record import FIGURES, KIND
    from du_eval.assembly.finding import find_last
    from du_eval.cli.ending import Showing, end_run, settle_activity
    from du_eval.runs.figures import check_thresholds, parse_thresholds

    config = settle_activity(AgentSettings, given).config
    if not config.paths:
        raise ConfigError("name case files or folders, or continue a run with --resume")
    if config.fail_under is not None:
        check_thresholds(parse_thresholds(config.fail_under), FIGURES)
    before = find_last(KIND.name, config.runs_dir) if config.html and not config.resume else None
    run = run_agents(config, names_modes=names_modes)
    showing = Showing(is_quiet=config.quiet, shows_passed=config.verbose, compared_with=before)
    code = end_run(run, config, showing)
    if config.transcripts is not None:
        _write_transcripts(run, Path(config.transcripts))
    return code


def _write_transcripts(run: AgentRun, folder: Path) -> None:
    """Write the dialogue of each sample to a file of its own."""
    from du_eval.reports.files import write
    from du_eval.reports.renderers.terminal import render_entry
    from du_eval.reports.views.agent import view_agent

    for result, entry in zip(run.results(), view_agent(run).entries(), strict=True):
        names = (_UNSAFE.sub("_", name) for name in (result.key.case, result.detail.connection))
        write(folder.joinpath(*names, f"sample_{result.key.sample}.txt"), render_entry(entry))


def run_agents(config: AgentSettings, *, names_modes: bool = False) -> AgentRun:
    """Ask, judge and keep the cases that the settings name."""
    from du_eval.agents.record import KIND, AgentExtra
    from du_eval.assembly.agents import describe_agents, prepare_cases
    from du_eval.assembly.selection import name_selected
    from du_eval.cli.ending import finish, open_activity
    from du_eval.runs.record import Head

    prepared = prepare_cases(config)
    say_all("warning", prepared.warnings)
    planned = sum(len(case.connections) for case in prepared.cases)
    agents = ", ".join(dict.fromkeys(case.agent for case in prepared.cases))
    named = {"model": config.model} if config.model else {}
    part = name_selected(config)
    label = config.label or ""
    head = Head(KIND.name, subject=agents, label=label, planned=planned, part=part, settings=named)
    identity = config.model_dump(mode="json", include=set(_IDENTITY))
    opening = describe_agents(prepared.cases, identity)
    with open_activity(config, opening) if config.journal else nullcontext() as opened:
        run = _ask(prepared, opened, config, head)
    if names_modes and config.model and run.extra and run.extra.modes:
        run = replace(run, extra=AgentExtra(asyncio.run(_name(run.extra.modes, config))))
    return finish(opened, run, config) if opened else run


def _ask(prepared: PreparedCases, opened: OpenRun | None, config: AgentSettings, head: Head) -> AgentRun:
    from du_eval.agents.pipeline import run_cases
    from du_eval.assembly.apart import sample_apart
    from du_eval.cli.progress import Progress

    total = sum(case.ratio.of * len(case.connections) for case in prepared.cases)
    is_watched = sys.stderr.isatty() and total > 1 and not (config.quiet or config.json_output)
    bar = Progress(total, enabled=is_watched)
    with ending_politely(), sample_apart(config) as apart, bar as progress:
        setting = replace(
            prepared.setting,
            takes_all_samples=config.all_samples,
            open_journal=(lambda: opened.journal) if opened else None,
            retries_errors=config.retry_errors,
            on_sample=partial(progress.step, "samples"),
            apart=apart,
        )
        return run_cases(prepared.cases, setting, head)


async def _name(modes: tuple[CaseModes, ...], config: AgentSettings) -> tuple[CaseModes, ...]:
    """Let the chat model name the modes."""
    from du_eval.agents.record import name_modes
    from du_eval.assembly.agents import build_agent_chat

    model = build_agent_chat(config)
    try:
        return await name_modes(modes, model, model.model)
    finally:
        await model.aclose()


def serve_example(config: AgentSettings) -> None:
    """Run the example server until it is interrupted."""
    from du_eval.agents.connect import parse_server_options
    from du_eval.agents.example_server import ExampleServer, Listening

    places = parse_server_options(config.server) or {"http": {}}
    if len(places) > 1:
        raise InputError("the example server listens at one address: give one --server")
    ((scheme, place),) = places.items()
    tls = _make_tls(config) if scheme == "https" else None
    listening = Listening(place.get("host", "127.0.0.1"), place.get("port", 8080), tls)
    try:
        asyncio.run(_serve(ExampleServer(), listening, scheme))
    except OSError as error:
        raise InputError(f"cannot listen at {listening.host}:{listening.port}: {error.strerror}") from error
    except KeyboardInterrupt:
        say("stopped")


async def _serve(server: Any, listening: Any, scheme: str) -> None:
    from du_eval.agents.example_server import serve

    runner, port = await serve(server, listening)
    names = ", ".join(server.agents)
    out(f"the example server listens at {scheme}://{listening.host}:{port} (stop it with Ctrl-C)\n")
    out(f"agents: {names}\n")
    try:
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()


def _make_tls(config: AgentSettings) -> ssl.SSLContext:
    if config.certificate is None:
        raise InputError(
            "an https server needs --certificate, and --private-key if the key is in its own file"
        )
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(config.certificate, config.private_key)
    except (OSError, ssl.SSLError) as error:
        raise InputError(f"the certificate {config.certificate} cannot be used: {error}") from error
    return context
