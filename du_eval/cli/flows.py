"""`du-eval flows`: the flows of an assistant, and what a suite never tests."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from du_eval.cli.edge import out, say
from du_eval.cli.generated import Given, with_settings
from du_eval.errors import AssistantError, did_you_mean
from du_eval.settings.commands import TestSettings

if TYPE_CHECKING:
    from du_eval.evaluation.coverage import Coverage


class Diagram(StrEnum):
    """The kinds of diagrams."""

    MERMAID = "mermaid"
    SVG = "svg"


@with_settings(TestSettings, "paths", "assistant", "syntax", "actions", "action_endpoint", "skip_validation")
def flows(
    diagram: Annotated[
        Diagram | None,
        typer.Option("--diagram", help="Draw the steps of the flows instead.", show_default=False),
    ] = None,
    flow: Annotated[
        list[str] | None, typer.Option("--flow", help="Only this flow. Repeatable.", show_default=False)
    ] = None,
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="Write to a file instead of standard output.")
    ] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    *,
    given: Given,
) -> None:
    """Show the flows, and what a suite never tests.

    Test files are replayed with their gold commands; without any, only the flows are shown.

    Examples:
      du-eval flows dialogue_understanding_tests/bank

      du-eval flows --assistant examples/bank --diagram mermaid --flow send_money

      du-eval flows dialogue_understanding_tests/bank --diagram svg -o flows.svg

    """
    from du_eval.assembly import settle
    from du_eval.assembly.catalogues import build_coverage
    from du_eval.assembly.kinds import is_bare_assistant
    from du_eval.reports.files import write
    from du_eval.trust.effects import JUDGING

    config = settle(TestSettings, given, os.environ, uses=JUDGING).config
    has_suite = "paths" in given or "assistant" not in given
    if "assistant" not in given and len(config.paths) == 1 and is_bare_assistant(config.paths[0]):
        config, has_suite = config.model_copy(update={"assistant": config.paths[0]}), False
    found = build_coverage(config, with_suite=has_suite)
    text = _rendered(_narrowed(found, flow or []), diagram, as_json=json_output)
    if output:
        write(output, text)
        say(f"written to {output}")
    else:
        out(text)


def _narrowed(coverage: Coverage, wanted: list[str]) -> Coverage:
    from msgspec.structs import replace

    known = [found.flow.id for found in coverage.flows]
    for name in wanted:
        if name not in known:
            hint = did_you_mean(name, known) or f"choose from {', '.join(known)}"
            raise AssistantError(f"the assistant {coverage.assistant.path} has no flow '{name}' ({hint})")
    if not wanted:
        return coverage
    return replace(coverage, flows=tuple(found for found in coverage.flows if found.flow.id in wanted))


def _rendered(coverage: Coverage, diagram: Diagram | None, *, as_json: bool) -> str:
    from du_eval.reports.catalogue_graph import mermaid
    from du_eval.reports.catalogue_svg import svg
    from du_eval.reports.catalogue_text import catalogue_text, encode_catalogue
    from du_eval.reports.files import json_text

    if as_json:
        return json_text(encode_catalogue(coverage))
    if diagram is None:
        return catalogue_text(coverage)
    draw = mermaid if diagram is Diagram.MERMAID else svg
    return draw(coverage.flows, has_suite=coverage.has_suite)
