"""`du-eval protocol`: the persona protocol, judged by rules or by models."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from du_eval.cli.edge import ending_politely, out, say, say_all
from du_eval.cli.generated import Given, with_settings
from du_eval.errors import ExitCode
from du_eval.protocol.settings import ProtocolSettings

if TYPE_CHECKING:
    from du_eval.assembly.protocol import ProtocolSession
    from du_eval.protocol.criteria import ProtocolDialogue
    from du_eval.protocol.record import ProtocolRun

app = typer.Typer()


@app.command()
@with_settings(ProtocolSettings)
def run(given: Given) -> ExitCode:
    """Hold protocol dialogues with a bot and report the eight criteria.

    The run is kept: every reply is written down at once, and --resume goes on where a run ended. Exit codes:
    0 done, 1 a figure is below --fail-under, 2 wrong input, 3 the bot failed to answer at times,
    130 interrupted.

    Examples:
      du-eval protocol run --language ru --bot persona

      du-eval protocol run --bot local-model --blocks open,closed --dialogues 1

      du-eval protocol run --bot echo --judges llm --judge-model openai/gpt-4o-mini

      du-eval protocol run --bot echo --fail-under closed_ended=0.8,repeating=0.1 --html protocol.html

      du-eval protocol run --resume

    """
    from du_eval.cli.ending import Showing, end_run, settle_activity

    config = settle_activity(ProtocolSettings, given).config
    if "concurrency" in given and "dialogues" not in given:
        say(
            f"note: -n is how many dialogues are held at once; --dialogues N holds N (now {config.dialogues})"
        )
    held = run_protocol(config)
    if held is None:
        return ExitCode.INTERRUPTED
    return end_run(held, config, Showing(is_quiet=not config.details))


def run_protocol(config: ProtocolSettings) -> ProtocolRun | None:
    """Hold, judge and keep the dialogues; None where nothing was said before an interruption."""
    from du_eval.assembly.protocol import begin_protocol, judge_protocol
    from du_eval.protocol.record import KIND
    from du_eval.runs.record import Status

    session = begin_protocol(config, os.environ)
    say_all("note", session.notes)
    try:
        dialogues, is_interrupted = _held(session)
    except BaseException:
        session.opened.discard_if_empty()
        raise
    if not dialogues:
        session.opened.discard_if_empty()
        say("interrupted before the bot said anything")
        return None
    status = Status.INTERRUPTED if is_interrupted else Status.FINISHED
    judged = judge_protocol(session.settings, dialogues, os.environ, status, session.opened.journal)
    kept = session.opened.end(judged, KIND)
    stored = session.opened.stored
    say(f"run {stored.id} kept in {stored.folder}")
    if is_interrupted:
        is_usual = config.runs_dir == ProtocolSettings.model_fields["runs_dir"].default
        where = "" if is_usual else f" --runs-dir {config.runs_dir}"
        say(f"interrupted; continue with: du-eval protocol run --resume {stored.id}{where}")
    return kept


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
    name: Annotated[str, typer.Argument(help="en, ru, or a file of your own to check.")] = "en",
) -> None:
    """Print the file of a language, to write another one after its model.

    Examples:
      du-eval protocol language en > my_language.yml

    """
    from du_eval.protocol.model import load_protocol, protocol_text_of

    load_protocol(name)
    out(protocol_text_of(name))
