"""`du-eval quality`: two chatters talk, every reply is assessed."""

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
from du_eval.cli.progress import Progress
from du_eval.errors import ExitCode, InputError

if TYPE_CHECKING:
    from du_eval.assembly.quality_run import Session
    from du_eval.quality.config import QualityConfig
    from du_eval.quality.dialogue import Dialogue, Exchange

app = typer.Typer(help="Test a chatbot as a partner in conversation.", no_args_is_help=True)
_ROOT = Path(".du-eval/quality")


@app.callback()
def _group() -> None:
    """Test a chatbot as a partner in conversation."""


ConfigFile = Annotated[str | None, typer.Argument(help="A YAML file with settings.", show_default=False)]


@app.command()
def run(
    config: ConfigFile = None,
    bot: Annotated[str | None, typer.Option("--bot", "-b", help="The bot under test, e.g. echo.")] = None,
    conversations: Annotated[int | None, typer.Option("--conversations", "-n", help="How many.")] = None,
    prompts: Annotated[int | None, typer.Option(help="How many prompts a conversation has.")] = None,
    language: Annotated[str | None, typer.Option("--language", "-l", help="en or ru.")] = None,
    seed: Annotated[int | None, typer.Option(help="The same seed gives the same prompts.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The folder for the results.")] = None,
    resume: Annotated[
        str | None,
        typer.Option(
            "--resume",
            "--continue",
            metavar="[RUN]",
            help="Continue a run (default: the last one): its folder or id; holds no conversation twice.",
            show_default=False,
        ),
    ] = None,
    compat: Annotated[str | None, typer.Option(help="`emely`: formulas of the original tests.")] = None,
    html: Html = None,
) -> None:
    """Hold conversations with injected tests, assess every reply, write the results.

    Examples:
      du-eval quality run

      du-eval quality run my_bot.yaml --conversations 50 -o results

      du-eval quality run --resume

    """
    with reporting_errors():
        overrides = {
            "bot": bot, "conversations": conversations, "prompts": prompts, "seed": seed, "compat": compat,
            "language": language,
        }  # fmt: skip
        _run(config, overrides, output, resume, html)


def _run(
    config: str | None, overrides: dict[str, Any], output: Path | None, resume: str | None, html: str | None
) -> None:
    from du_eval.assembly.quality_run import begin, prepared, report_of, resumed
    from du_eval.reports.quality_files import write_conversations, write_quality
    from du_eval.reports.quality_text import quality_text
    from du_eval.reports.quality_xlsx import Shown

    session = resumed(resume, overrides, _ROOT) if resume else begin(config, overrides, output, _ROOT)
    assessing = prepared(session)
    dialogues, is_interrupted = _held(session)
    if not session.config.analyse:
        write_conversations(dialogues, session.folder, session.config.save_folder)
        say(f"conversations, without an assessment: {session.folder}")
        raise typer.Exit(ExitCode.INTERRUPTED if is_interrupted else ExitCode.PASSED)
    report = report_of(session, assessing, dialogues)
    show = session.config.show
    shown = Shown(show.interpretations, show.details, show.binary)
    write_quality(report, session.folder, shown)
    if session.config.save_conversations:
        write_conversations(dialogues, session.folder, session.config.save_folder)
    out(quality_text(report))
    say(f"results: {session.folder}")
    _page(html, report, session.folder.name)
    raise typer.Exit(ExitCode.INTERRUPTED if is_interrupted else _code(report))


def _held(session: Session) -> tuple[list[Dialogue], bool]:
    """Return the dialogues, and whether they are only what there was before an interruption."""
    from du_eval.assembly.quality_run import Watching, hold_all, kept_dialogues

    try:
        with ending_politely(), _Bar(session.config) as bar:
            watching = Watching(say, bar.on_exchange, bar.on_dialogue)
            return asyncio.run(hold_all(session, os.environ, watching)), False
    except KeyboardInterrupt:
        say("interrupted: what follows counts only the replies that were there")
        say(f"continue with: du-eval quality run --resume {session.folder}")
        return asyncio.run(kept_dialogues(session)), True


def _page(html: str | None, report: Any, name: str) -> None:
    from du_eval.reports.quality_data import quality_data

    if html is not None:
        data = quality_data(report) | {"dialogues": [one.as_data() for one in report.dialogues]}
        write_page(html, data, name)


class _Bar(Progress):
    """Counts replies on standard error; silent where nobody watches."""

    def __init__(self, config: QualityConfig) -> None:
        typed = "user" in (config.bot, config.tester)
        super().__init__(config.conversations * config.prompts, enabled=sys.stderr.isatty() and not typed)
        self._prompts, self._seen, self._done, self._silent = config.prompts, 0, 0, 0

    def on_exchange(self, exchange: Exchange) -> None:
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
        self.step(f"replies, {self._done} conversations done{silent}", count)


def _code(report: Any) -> ExitCode:
    if report.missed:
        return ExitCode.FAILED
    failed = sum(count for name, count in report.outcomes.items() if name in {"error", "timeout"})
    return ExitCode.ERRORED if failed else ExitCode.PASSED


@app.command()
def assess(
    paths: Annotated[list[str], typer.Argument(help="Folders or files with conversations.")],
    config: Annotated[str | None, typer.Option("--config", "-c", help="A YAML file with settings.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The folder for the results.")] = None,
    compat: Annotated[str | None, typer.Option(help="`emely`: formulas of the original tests.")] = None,
    html: Html = None,
) -> None:
    """Assess stored conversations, ours or foreign ones, without a bot.

    Examples:
      du-eval quality assess saved_conversations

    """
    from du_eval.assembly.quality import build_assessing, build_judges
    from du_eval.quality.config import read_config
    from du_eval.quality.pipeline import assess as assessed
    from du_eval.quality.store import load_dialogues
    from du_eval.reports.quality_files import write_quality
    from du_eval.reports.quality_text import quality_text
    from du_eval.reports.quality_xlsx import Shown

    with reporting_errors():
        settings = read_config(config, {"compat": compat})
        dialogues = load_dialogues(paths)
        name = ", ".join(paths)
        report = assessed(dialogues, build_assessing(settings, build_judges(settings)), bot=name)
        if output is not None:
            show = settings.show
            shown = Shown(show.interpretations, show.details, show.binary)
            write_quality(report, output, shown)
            say(f"results: {output}")
        out(quality_text(report))
        _page(html, report, name)
        raise typer.Exit(ExitCode.FAILED if report.missed else ExitCode.PASSED)


@app.command()
def lint(
    files: Annotated[
        list[str] | None, typer.Argument(help="Fact files or folders.", show_default=False)
    ] = None,
) -> None:
    """Find wrong answers, leaks and unbalanced sets in facts; without files, in ours.

    Examples:
      du-eval quality lint my_facts.yml

    """
    from du_eval.quality.facts.lint import lint as found_in
    from du_eval.quality.facts.load import load_facts, packaged_facts

    with reporting_errors():
        books = (
            [load_facts(files, with_packaged=False)]
            if files
            else [packaged_facts("en"), packaged_facts("ru")]
        )
        problems = [problem for book in books for problem in found_in(book)]
        for problem in problems:
            out(f"{problem}\n")
        out(f"{sum(len(book.facts) for book in books)} facts, {len(problems)} problems\n")
        raise typer.Exit(ExitCode.FAILED if problems else ExitCode.PASSED)


@app.command()
def schema() -> None:
    """Print the JSON schema of the settings, for editors.

    Examples:
      du-eval quality schema

    """
    from du_eval.assembly.schemas import schema_of
    from du_eval.reports.files import json_text

    out(json_text(schema_of("quality-config")))


@app.command(hidden=True, context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
def calibrate() -> None:
    """Say the new name: `du-eval judges measure`."""
    with reporting_errors():
        raise InputError(
            "`quality calibrate` is `judges measure` now: du-eval judges measure yes_no my_labels.jsonl"
        )
