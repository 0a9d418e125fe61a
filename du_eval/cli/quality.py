"""`du-eval quality`: two chatters talk, every reply is assessed."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from du_eval.cli.edge import out, say
from du_eval.cli.generated import Given, with_settings
from du_eval.cli.progress import Progress
from du_eval.errors import ConfigError, ExitCode, InputError, tell_count
from du_eval.quality.config import QualityConfig, read_source
from du_eval.runs.engine import choose_engine
from du_eval.runs.record import Status
from du_eval.settings.shared import WorkSettings

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from du_eval.quality.dialogue import Dialogue, MarkedExchange
    from du_eval.quality.record import QualityRun
    from du_eval.runs.keeping import Opening, OpenRun

app = typer.Typer()


ConfigFile = Annotated[str | None, typer.Argument(help="A YAML file with settings.", show_default=False)]


@app.command()
@with_settings(QualityConfig)
def run(config: ConfigFile = None, *, given: Given) -> ExitCode:
    """Hold conversations with injected tests, assess every reply, and write the results.

    Examples:
      du-eval quality run

      du-eval quality run my_bot.yaml --conversations 50 --fail-under ML-I1=0.8 --html quality.html

      du-eval quality run my_bot.yaml --judges llm --judge-model openai/gpt-4o-mini

      du-eval quality run --resume

    """
    settings = _settle(config, given)
    held = run_quality(settings)
    return ExitCode.PASSED if held is None else _end(held, settings)


def _settle(file: str | None, given: Given) -> QualityConfig:
    """Return the settings of a command: its options, then the file that it names."""
    from du_eval.cli.ending import settle_activity

    folder = next((name for name in given.get("output_file", ()) if not Path(name).suffix), None)
    if folder is not None:
        raise ConfigError(
            f"-o {folder}: -o writes a report file (.json, .html …); "
            f"the folder of the run is --folder {folder}"
        )
    config = settle_activity(QualityConfig, given, [read_source(file)] if file else []).config
    if "concurrency" in given and "conversations" not in given:
        say(
            "note: -n sets how many conversations are held at once; "
            f"--conversations sets how many in all ({config.conversations})"
        )
    return config


def run_quality(config: QualityConfig) -> QualityRun | None:
    """Hold, assess and keep the conversations; None where the settings ask for no assessment."""
    from du_eval.assembly import quality_run as parts
    from du_eval.cli.ending import finish, recall_if_interrupted
    from du_eval.reports.quality_files import write_conversations

    with _open(config, parts.describe_quality(config)) as opened:
        session = parts.QualitySession(config, opened)
        # What judges are missing is found before anybody talks.
        assessing = parts.build_worker(config, opened.journal)
        with _Bar(config) as bar:
            watching = parts.Watching(bar.on_exchange, bar.on_dialogue)
            dialogues, status = recall_if_interrupted(
                lambda: parts.hold_all(session, os.environ, watching), lambda: parts.recall_dialogues(session)
            )
    names: list[str] = []
    if config.save_conversations or not config.analyse:
        names = write_conversations(dialogues, session.folder, config.save_folder)
    if not config.analyse:
        opened.journal.close()
        say(f"conversations (not assessed): {session.folder}")
        if status is Status.INTERRUPTED:
            raise typer.Exit(ExitCode.INTERRUPTED)
        return None
    try:
        assessed = parts.assess_session(session, assessing, dialogues, choose_engine(config), status)
    except KeyboardInterrupt:
        say(
            f"interrupted, all replies are kept; continue with: du-eval quality run --resume {session.folder}"
        )
        raise
    kept = finish(opened, assessed, config)
    if status is Status.FINISHED:  # whoever interrupts waits for the end, and drawing takes its time
        names += _write_files(kept, session.folder, config)
    opened.stored.take_in(names)
    return kept


def _open(config: QualityConfig, opening: Opening) -> AbstractContextManager[OpenRun]:
    from du_eval.cli.ending import open_activity

    return open_activity(
        config, opening, Path(config.folder) if config.folder and not config.resume else None
    )


def _write_files(run: QualityRun, folder: Path, config: QualityConfig) -> list[str]:
    from du_eval.reports.quality_files import Shown, write_quality

    shown = Shown(config.show.interpretations, config.show.details, config.show.binary)
    return write_quality(run, folder, shown)


def _end(run: QualityRun, config: QualityConfig) -> ExitCode:
    from du_eval.cli.ending import Showing, end_run

    return end_run(run, config, Showing(is_quiet=not config.details))


class _Bar(Progress):
    """Counts replies on standard error; silent where nobody watches."""

    def __init__(self, config: QualityConfig) -> None:
        typed = "user" in (config.bot, config.tester)
        super().__init__(config.conversations * config.prompts, enabled=sys.stderr.isatty() and not typed)
        self._prompts, self._seen, self._done, self._silent = config.prompts, 0, 0, 0

    def on_exchange(self, exchange: MarkedExchange) -> None:
        """Count one reply."""
        self._seen += 1
        self._silent += exchange.outcome != "answered"
        self._show(1)

    def on_dialogue(self, _: Dialogue) -> None:
        """Count one conversation; what it had left to say is counted with it."""
        self._done += 1
        left = max(0, self._done * self._prompts - self._seen)
        self._seen += left
        self._show(left)

    def _show(self, count: int) -> None:
        silent = f", {self._silent} without a reply" if self._silent else ""
        self.step(f"replies, {tell_count(self._done, 'conversation')} done{silent}", count)


@app.command()
@with_settings(
    QualityConfig, "compat", "judges", "folder", "label", "details", "json_output", "output_file", "html",
    "junitxml", "markdown", "fail_under", "max_errors", "runs_dir", *WorkSettings.model_fields,
)  # fmt: skip
def assess(
    paths: Annotated[
        list[str],
        typer.Argument(help="Files, folders, patterns or addresses of conversations; - for standard input."),
    ],
    config: Annotated[str | None, typer.Option("--config", "-c", help="A YAML file with settings.")] = None,
    *,
    given: Given,
) -> ExitCode:
    """Assess stored conversations from any source, without a bot.

    Plain text, JSON lines, CSV or Parquet, also compressed with gzip.

    Examples:
      du-eval quality assess saved_conversations

      du-eval quality assess 'logs/2026-*.jsonl.gz' --workers 2

    """
    from du_eval.assembly.quality_run import assess_files
    from du_eval.cli.ending import finish

    settings = _settle(config, given)
    opened, run = assess_files(settings, paths, choose_engine(settings), partial(_open, settings))
    run = finish(opened, run, settings)
    if settings.folder is not None:
        opened.stored.take_in(_write_files(run, Path(settings.folder), settings))
    return _end(run, settings)


@app.command()
def lint(
    files: Annotated[
        list[str] | None, typer.Argument(help="Fact files or folders.", show_default=False)
    ] = None,
) -> ExitCode:
    """Find wrong answers, leaks and unbalanced sets in fact files (default: the built-in ones).

    Examples:
      du-eval quality lint my_facts.yml

    """
    from du_eval.quality.facts.lint import lint as found_in
    from du_eval.quality.facts.load import load_facts, load_packaged_facts

    books = (
        [load_facts(files, with_packaged=False)]
        if files
        else [load_packaged_facts("en"), load_packaged_facts("ru")]
    )
    problems = [problem for book in books for problem in found_in(book)]
    for problem in problems:
        out(f"{problem}\n")
    out(
        f"{tell_count(sum(len(book.facts) for book in books), 'fact')}, "
        f"{tell_count(len(problems), 'problem')}\n"
    )
    return ExitCode.FAILED if problems else ExitCode.PASSED


@app.command()
def schema() -> None:
    """Print the JSON schema of the settings, for editors.

    Examples:
      du-eval quality schema

    """
    from du_eval.assembly.schemas import find_schema

    out(find_schema("quality-config"))


@app.command(hidden=True, context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
def calibrate() -> None:
    """Use `du-eval judges measure` instead."""
    raise InputError(
        "`quality calibrate` is `judges measure` now: du-eval judges measure yes_no my_labels.jsonl"
    )
