"""`du-eval protocol`: the persona protocol, judged by rules, by a model or by a person."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Annotated, Any

import typer

from du_eval.cli.edge import out, reporting_errors, say
from du_eval.cli.more_reports import write_page
from du_eval.cli.options_report import Html
from du_eval.errors import ExitCode

app = typer.Typer(help="Test a persona chatbot by the eight criteria.", no_args_is_help=True)
Language = Annotated[str, typer.Option("--language", "-l", help="en, ru, or a YAML file of your own.")]


@app.callback()
def _group() -> None:
    """Test a persona chatbot by the eight criteria."""


@app.command()
def run(
    bot: Annotated[
        str, typer.Option("--bot", "-b", help="Any chatter, e.g. persona, echo, local-model.")
    ] = "persona",
    language: Language = "en",
    dialogues: Annotated[int, typer.Option("--dialogues", "-n", min=1, help="How many.")] = 3,
    seed: Annotated[int, typer.Option(help="The same seed gives the same dialogues.")] = 0,
    plan: Annotated[str | None, typer.Option(help="A YAML file with the order of the blocks.")] = None,
    judge_model: Annotated[
        str | None, typer.Option(help="A chat model as judge, e.g. openai/gpt-4o-mini.")
    ] = None,
    base_url: Annotated[str, typer.Option(help="The endpoint of the judge.")] = "",
    similarity: Annotated[str, typer.Option(help="auto, tfidf or a model folder.")] = "auto",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the report as JSON.")] = None,
    annotate: Annotated[
        Path | None, typer.Option(help="Judge by hand; keep the answers in this file.")
    ] = None,
    html: Html = None,
) -> None:
    """Hold protocol dialogues with a bot and report the eight criteria.

    Examples:
      du-eval protocol run --language ru --bot persona

      du-eval protocol run --bot echo --annotate answers.jsonl

    """
    from du_eval.assembly.protocol import ProtocolSettings, run_protocol
    from du_eval.reports.files import json_text, write
    from du_eval.reports.quality_protocol import protocol_data, protocol_text

    with reporting_errors():
        settings = ProtocolSettings(bot, language, dialogues, seed, plan, judge_model, base_url, similarity)
        report = asyncio.run(run_protocol(settings, os.environ))
        out(protocol_text(report))
        data = protocol_data(report)
        if annotate is not None:
            data |= {"agreement": _annotate(report, annotate)}
        if output is not None:
            write(output, json_text(data))
            say(f"report: {output}")
        write_page(html, data, bot)
        failed = any(outcome in {"error", "timeout"} for one in report.dialogues for outcome in one.outcomes)
        raise typer.Exit(ExitCode.ERRORED if failed else ExitCode.PASSED)


def _annotate(report: Any, kept: Path) -> list[dict[str, Any]]:
    from dataclasses import asdict

    from du_eval.quality.protocol.annotate import agreements
    from du_eval.quality.protocol.annotate import annotate as annotated
    from du_eval.reports.quality_protocol import agreement_text

    person = annotated(report.judged, kept, input, say)
    found = agreements(report.judged, person)
    out("\nagreement of the person and the judge\n" + agreement_text(found))
    return [asdict(one) for one in found]
