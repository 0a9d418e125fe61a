"""`du-eval protocol`: the persona protocol, judged by rules, by a model or by a person."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from du_eval.cli.edge import ending_politely, out, reporting_errors, say
from du_eval.cli.more_reports import write_page
from du_eval.cli.options_report import Html
from du_eval.errors import ExitCode

if TYPE_CHECKING:
    from du_eval.assembly.protocol_run import ProtocolRun
    from du_eval.quality.protocol.run import ProtocolReport
    from du_eval.runs.store import StoredRun

app = typer.Typer(help="Test a persona chatbot by the eight criteria.", no_args_is_help=True)
RunsDir = Annotated[
    Path | None,
    typer.Option("--runs-dir", help="Where runs are kept (default .du-eval/protocol).", show_default=False),
]
Judge = Annotated[
    str | None,
    typer.Option(help="A chat model as judge, e.g. openai/gpt-4o-mini.", show_default=False),
]
BaseUrl = Annotated[str | None, typer.Option(help="The endpoint of the judge.", show_default=False)]
Similarity = Annotated[
    str | None, typer.Option(help="auto (default), tfidf or a model folder.", show_default=False)
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write the report as JSON, besides the kept one.")
]


@app.callback()
def _group() -> None:
    """Test a persona chatbot by the eight criteria."""


@app.command()
def run(
    bot: Annotated[
        str | None,
        typer.Option(
            "--bot",
            "-b",
            help="Any chatter, e.g. persona (default), echo, local-model, http:URL, or a YAML file.",
            show_default=False,
        ),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            "--language", "-l", help="en (default), ru, or a YAML file of your own.", show_default=False
        ),
    ] = None,
    dialogues: Annotated[
        int | None, typer.Option("--dialogues", "-n", min=1, help="How many (default 3).", show_default=False)
    ] = None,
    blocks: Annotated[
        str | None,
        typer.Option(
            help="Only these blocks, e.g. open,closed; greeting and farewell stay.", show_default=False
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(help="The same seed gives the same dialogues (default 0).", show_default=False),
    ] = None,
    plan: Annotated[
        str | None, typer.Option(help="A YAML file with the order of the blocks.", show_default=False)
    ] = None,
    concurrency: Annotated[
        int | None,
        typer.Option("--concurrency", min=1, help="Dialogues held at once (default 4).", show_default=False),
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option("--timeout", min=0.001, help="Seconds for a reply (default 60).", show_default=False),
    ] = None,
    judge_model: Judge = None,
    base_url: BaseUrl = None,
    similarity: Similarity = None,
    label: Annotated[
        str | None, typer.Option("--label", help="A name of the run, for people.", show_default=False)
    ] = None,
    output: Output = None,
    annotate: Annotated[
        Path | None, typer.Option(help="Judge by hand; keep the answers in this file.")
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option(
            "--resume",
            metavar="[RUN]",
            help="Continue a run (default: the last one); asks nothing twice.",
            show_default=False,
        ),
    ] = None,
    runs_dir: RunsDir = None,
    html: Html = None,
) -> None:
    """Hold protocol dialogues with a bot and report the eight criteria.

    The run is kept: every reply is written down at once, and --resume goes on where a run ended. Exit codes:
    0 done, 2 wrong input, 3 the bot failed to answer at times, 130 interrupted.

    Examples:
      du-eval protocol run --language ru --bot persona

      du-eval protocol run --bot local-model --blocks open,closed -n 1

      du-eval protocol run --bot echo --annotate answers.jsonl

      du-eval protocol run --resume

    """
    given = {
        "bot": bot, "language": language, "dialogues": dialogues, "seed": seed, "plan": plan,
        "judge_model": judge_model, "base_url": base_url, "similarity": similarity, "label": label,
        "blocks": tuple(filter(None, blocks.replace(" ", "").split(","))) if blocks else None,
        "concurrency": concurrency, "timeout_seconds": timeout,
    }  # fmt: skip
    with reporting_errors():
        report, data, code = _run(given, resume, runs_dir)
        if annotate is not None and code is not ExitCode.INTERRUPTED:
            data |= {"agreement": _annotate(report, annotate)}
        if output is not None:
            from du_eval.reports.files import json_text, write

            write(output, json_text(data))
            say(f"report: {output}")
        write_page(html, data, report.bot)
        raise typer.Exit(code)


def _run(
    given: dict[str, Any], resume: str | None, runs_dir: Path | None
) -> tuple[ProtocolReport, dict[str, Any], ExitCode]:
    """Return the report of a run, the same as plain data, and how it ended."""
    from du_eval.assembly.protocol import judged_protocol
    from du_eval.assembly.protocol_run import ROOT, begun_protocol
    from du_eval.reports.quality_protocol import protocol_text

    kept = begun_protocol(given, resume, runs_dir or ROOT, os.environ)
    for note in kept.notes:
        say(f"note: {note}")
    try:
        dialogues, is_interrupted = _held(kept)
    finally:
        kept.closed()
    if not dialogues:
        say("interrupted before the bot said anything")
        raise typer.Exit(ExitCode.INTERRUPTED)
    report = asyncio.run(judged_protocol(kept.settings, dialogues, os.environ))
    data = kept.ended(report, is_interrupted=is_interrupted)
    out(protocol_text(report))
    say(f"run {kept.stored.id} kept in {kept.stored.folder}")
    if is_interrupted:
        where = "" if runs_dir is None else f" --runs-dir {runs_dir}"
        say(f"interrupted; continue with: du-eval protocol run --resume {kept.stored.id}{where}")
        return report, data, ExitCode.INTERRUPTED
    failed = any(outcome in {"error", "timeout"} for one in report.dialogues for outcome in one.outcomes)
    return report, data, ExitCode.ERRORED if failed else ExitCode.PASSED


def _held(kept: ProtocolRun) -> tuple[list[Any], bool]:
    """Return the dialogues, and whether they are only what there was before an interruption."""
    from du_eval.assembly.protocol import held_protocol, kept_protocol

    done = 0
    is_watched = sys.stderr.isatty()

    def count() -> None:
        nonlocal done
        done += 1
        if is_watched:
            print(f"\r{done} of at most {kept.stored.manifest.steps} replies", end="", file=sys.stderr)

    try:
        with ending_politely():
            return asyncio.run(held_protocol(kept.settings, kept.bot, kept.journal, count)), False
    except KeyboardInterrupt:
        return asyncio.run(kept_protocol(kept.settings, kept.journal)), True
    finally:
        if is_watched and done:
            print("\r\033[K", end="", file=sys.stderr)


@app.command()
def annotate(
    run: Annotated[str, typer.Argument(help="Its id, the start of its id, its folder, or last.")] = "last",
    answers: Annotated[
        Path | None,
        typer.Option("--answers", help="Where your answers are kept (default: with the run)."),
    ] = None,
    criteria: Annotated[
        str | None,
        typer.Option(help="Only these, e.g. open_ended,repeating (default: all but repeating)."),
    ] = None,
    judge_model: Judge = None,
    base_url: BaseUrl = None,
    similarity: Similarity = None,
    runs_dir: RunsDir = None,
) -> None:
    """Judge the replies of a kept run by hand, and print how far the judge agrees.

    Examples:
      du-eval protocol annotate last

      du-eval protocol annotate last --criteria emotion_supporting

    """
    from du_eval.assembly.protocol_run import ROOT, find_protocol

    chosen = {"judge_model": judge_model, "base_url": base_url, "similarity": similarity}
    with reporting_errors():
        stored = find_protocol(run, runs_dir or ROOT)
        report = _again(stored, {key: value for key, value in chosen.items() if value is not None})
        _annotate(report, answers or stored.folder / "annotations.jsonl", criteria)


@app.command()
def language(
    name: Annotated[str, typer.Argument(help="en or ru, or a file of your own, which is checked.")] = "en",
) -> None:
    """Print the file of a language, to write another one after its model.

    Examples:
      du-eval protocol language en > my_language.yml

    """
    from du_eval.quality.protocol.model import load_protocol, protocol_text_of

    with reporting_errors():
        load_protocol(name)
        out(protocol_text_of(name))


def _again(stored: StoredRun, chosen: dict[str, Any]) -> ProtocolReport:
    """Return the report of a kept run, judged anew; the bot is not asked."""
    from contextlib import closing
    from dataclasses import replace

    from du_eval.assembly.protocol import judged_protocol, kept_protocol
    from du_eval.assembly.protocol_run import kept_settings

    settings = replace(kept_settings(stored), **chosen)
    with closing(stored.journal()) as journal:
        dialogues = asyncio.run(kept_protocol(settings, journal))
    return asyncio.run(judged_protocol(settings, dialogues, os.environ))


def _annotate(report: ProtocolReport, kept: Path, criteria: str | None = None) -> list[dict[str, Any]]:
    """Ask a person, print how far the judge agrees, and return that as data."""
    from dataclasses import asdict

    from du_eval.quality.protocol.annotate import agreements, asked_items
    from du_eval.quality.protocol.annotate import annotate as annotated
    from du_eval.reports.quality_protocol import agreement_text

    names = tuple(filter(None, (criteria or "").replace(" ", "").split(",")))
    person = annotated(asked_items(report.judged, names), kept, input, say)
    found = agreements(report.judged, person)
    out("\nagreement of the person and the judge\n" + agreement_text(found))
    return [asdict(one) for one in found]
