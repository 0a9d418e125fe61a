"""`du-eval protocol`: the persona protocol, judged by rules or by models."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from du_eval.cli.edge import ending_politely, out, reporting_errors, say
from du_eval.cli.option_groups import with_options
from du_eval.cli.options_judges import PanelOptions, read_judge_flags
from du_eval.cli.options_report import DetailOptions, EndOptions, ReportOptions
from du_eval.errors import ExitCode

if TYPE_CHECKING:
    from du_eval.assembly.protocol_run import ProtocolSession
    from du_eval.protocol.record import ProtocolRun
    from du_eval.protocol.talk import ProtocolDialogue

app = typer.Typer(help="Test a persona chatbot by the eight criteria.", no_args_is_help=True)
RUNS_DIR = ".du-eval/runs"
Similarity = Annotated[
    str | None, typer.Option(help="auto (default), tfidf or a model folder.", show_default=False)
]


class ProtocolOptions(EndOptions):
    """Options of the end of a run, with `-o` for its report file."""

    output_file: Annotated[
        str | None,
        typer.Option(
            "--output-file",
            "--output",
            "-o",
            metavar="FILE",
            help="Write a report: .json (the whole run), .md, .html, .xml or .xlsx.",
            show_default=False,
        ),
    ] = None


@app.callback()
def _group() -> None:
    """Test a persona chatbot by the eight criteria."""


@app.command()
@with_options(PanelOptions, ReportOptions, ProtocolOptions, DetailOptions)
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
            "--language", "-l", help="ru (default), en, or a YAML file of your own.", show_default=False
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
    similarity: Similarity = None,
    resume: Annotated[
        str | None,
        typer.Option(
            "--resume",
            metavar="[RUN]",
            help="Continue a run (default: the last one); asks nothing twice.",
            show_default=False,
        ),
    ] = None,
    *,
    more: dict[str, Any],
) -> None:
    """Hold protocol dialogues with a bot and report the eight criteria.

    The run is kept: every reply is written down at once, and --resume goes on where a run ended. Exit codes:
    0 done, 1 a figure is below --fail-under, 2 wrong input, 3 the bot failed to answer at times,
    130 interrupted.

    Examples:
      du-eval protocol run --language ru --bot persona

      du-eval protocol run --bot local-model --blocks open,closed -n 1

      du-eval protocol run --bot echo --judges llm --judge-model openai/gpt-4o-mini

      du-eval protocol run --bot echo --fail-under closed_ended=0.8,repeating=0.1 --html protocol.html

      du-eval protocol run --resume

    """
    given = {
        "bot": bot, "language": language, "dialogues": dialogues, "seed": seed, "plan": plan,
        "similarity": similarity,
        "blocks": tuple(filter(None, blocks.replace(" ", "").split(","))) if blocks else None,
        "concurrency": concurrency, "timeout_seconds": timeout,
    }  # fmt: skip
    flags = read_judge_flags(more)
    given |= {key if key == "judges" else f"judge_{key}": value for key, value in flags.items()}
    with reporting_errors():
        code = _run(given, resume, more)
    raise typer.Exit(code)


def _run(given: dict[str, Any], resume: str | None, more: dict[str, Any]) -> ExitCode:
    from du_eval.assembly.protocol import judged_protocol
    from du_eval.assembly.protocol_run import ProtocolPlace, begin_protocol

    place = ProtocolPlace(Path(more["runs_dir"] or RUNS_DIR), more["label"] or "", resume)
    session = begin_protocol(given, place, os.environ)
    for note in session.notes:
        say(f"note: {note}")
    try:
        dialogues, is_interrupted = _held(session)
    except BaseException:
        session.opened.discard_if_empty()
        raise
    if not dialogues:
        session.opened.discard_if_empty()
        say("interrupted before the bot said anything")
        return ExitCode.INTERRUPTED
    report = asyncio.run(judged_protocol(session.settings, dialogues, os.environ))
    kept = session.end(report, is_interrupted=is_interrupted)
    stored = session.opened.stored
    say(f"run {stored.id} kept in {stored.folder}")
    if is_interrupted:
        where = "" if more["runs_dir"] is None else f" --runs-dir {more['runs_dir']}"
        say(f"interrupted; continue with: du-eval protocol run --resume {stored.id}{where}")
    return _end(kept, more)


def _end(run: ProtocolRun, more: dict[str, Any]) -> ExitCode:
    from du_eval.cli.ending import end_run, want
    from du_eval.protocol.detail import KIND
    from du_eval.reports.views.protocol import view_protocol

    return end_run(run, KIND, view_protocol(run), want({**more, "quiet": not more["details"]}))


def _held(session: ProtocolSession) -> tuple[list[ProtocolDialogue], bool]:
    """Return the dialogues, and whether they are only what there was before an interruption."""
    from du_eval.assembly.protocol import held_protocol, kept_protocol

    done = 0
    is_watched = sys.stderr.isatty()
    journal = session.opened.journal

    def count() -> None:
        nonlocal done
        done += 1
        if is_watched:
            most = session.opened.stored.manifest.steps
            print(f"\r{done} of at most {most} replies", end="", file=sys.stderr)

    try:
        with ending_politely():
            return asyncio.run(held_protocol(session.settings, session.bot, journal, count)), False
    except KeyboardInterrupt:
        return asyncio.run(kept_protocol(session.settings, journal)), True
    finally:
        if is_watched and done:
            print("\r\033[K", end="", file=sys.stderr)


@app.command()
def language(
    name: Annotated[str, typer.Argument(help="en or ru, or a file of your own, which is checked.")] = "en",
) -> None:
    """Print the file of a language, to write another one after its model.

    Examples:
      du-eval protocol language en > my_language.yml

    """
    from du_eval.protocol.model import load_protocol, protocol_text_of

    with reporting_errors():
        load_protocol(name)
        out(protocol_text_of(name))
