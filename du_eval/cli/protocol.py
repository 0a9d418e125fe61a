"""`du-eval protocol`: the persona protocol, judged by rules or by models."""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from du_eval.cli.edge import out, say
from du_eval.cli.generated import Given, with_settings
from du_eval.errors import ExitCode
from du_eval.protocol.settings import ProtocolSettings

if TYPE_CHECKING:
    from du_eval.protocol.record import ProtocolRun

app = typer.Typer()


@app.command()
@with_settings(ProtocolSettings)
def run(given: Given) -> ExitCode:
    """Hold protocol dialogues with a bot and report the eight criteria.

    The run is kept: every reply is saved at once, and --resume continues an interrupted run. Exit codes:
    0 done, 1 a figure is below --fail-under, 2 invalid input, 3 some replies are missing, 130 interrupted.

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
            "note: -n sets how many dialogues are held at once; "
            f"--dialogues sets how many in all ({config.dialogues})"
        )
    return end_run(run_protocol(config), config, Showing(is_quiet=not config.details))


def run_protocol(config: ProtocolSettings) -> ProtocolRun:
    """Hold, judge and keep the dialogues."""
    from du_eval.assembly import protocol as parts
    from du_eval.cli.ending import finish, open_activity, recall_if_interrupted
    from du_eval.cli.progress import Progress
    from du_eval.protocol.model import load_protocol

    parts.check_judges(config, os.environ)
    bot = parts.build_bot(config.bot, load_protocol(config.language), os.environ)
    opening = parts.describe_protocol(config)
    with open_activity(config, opening) as begun:
        opened = parts.extend(begun, opening, config) if config.resume else begun
        journal = opened.journal
        with Progress(opening.steps, enabled=sys.stderr.isatty()) as progress:
            count = partial(progress.step, "replies at most")
            dialogues, status = recall_if_interrupted(
                lambda: parts.complete_protocol(config, bot, journal, count),
                lambda: parts.recall_protocol(config, journal),
            )
        if not dialogues:
            say("interrupted before the bot said anything")
            raise KeyboardInterrupt
    return finish(opened, parts.judge_protocol(config, dialogues, os.environ, status, journal), config)


@app.command()
def language(
    name: Annotated[str, typer.Argument(help="en, ru, or a file of your own to check.")] = "en",
) -> None:
    """Print a language file, as a template for your own.

    Examples:
      du-eval protocol language en > my_language.yml

    """
    from du_eval.protocol.model import load_protocol, read_protocol_text

    load_protocol(name)
    out(read_protocol_text(name))
