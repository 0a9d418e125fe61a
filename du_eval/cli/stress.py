"""`du-eval stress`: how a generator copes with more flows, similar flows, and flows in other words."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from du_eval.cli import options
from du_eval.cli.edge import out, reporting_errors, say
from du_eval.cli.option_groups import split, with_options
from du_eval.cli.options_model import ModelOptions, model_flags

if TYPE_CHECKING:
    from du_eval.reports.sections import View


@with_options(ModelOptions)
def stress(
    paths: options.Paths = None,
    flows: Annotated[
        str, typer.Option("--flows", metavar="N,N", help="Sizes of the catalogue.")
    ] = "5,20,50,100,200",
    changes: Annotated[
        str,
        typer.Option(
            "--changes", help="What to try: distractors (by size), near (duplicates), shuffle, paraphrase."
        ),
    ] = "distractors,near,shuffle,paraphrase",
    distractors: Annotated[
        list[str] | None,
        typer.Option(
            "--distractors",
            metavar="DIR",
            help="An assistant whose flows are added instead of the packaged ones. Repeatable.",
            show_default=False,
        ),
    ] = None,
    generator: Annotated[
        str | None, typer.Option("-g", "--generator", help="Who predicts, as in test.", show_default=False)
    ] = None,
    assistant: options.Assistant = None,
    syntax: options.Syntax = None,
    expression: options.Expression = None,
    concurrency: Annotated[
        int | None,
        typer.Option("-n", "--concurrency", help="Steps asked at once (default 8).", show_default=False),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="The seed of drawn flows and orders.")] = 0,
    markdown: Annotated[
        Path | None, typer.Option("--markdown", help="Write the report as Markdown.", show_default=False)
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write the report as a page.", show_default=False)
    ] = None,
    *,
    more: dict[str, Any],
) -> None:
    """Test with growing and changed catalogues of flows.

    The suite is asked once for each size, and once for each other change. Dialogues and expectations stay
    the same; every case keeps the flows it needs. Foreign flows that mean the same as one of the assistant's
    own are left out.

    Examples:
      du-eval stress dialogue_understanding_tests/bank --flows 5,20,50

      du-eval stress suite -g llm --model gpt-4o-mini --flows 20,100 --changes distractors --html stress.html

      du-eval stress suite --distractors ../other_assistant --flows 40

    """
    from du_eval.assembly import build_generator, build_session, settle
    from du_eval.assembly.stressing import measure_stress, plan_stress
    from du_eval.reports.views.stress import view_stress

    with reporting_errors():
        (model_options,) = split(more, ModelOptions)
        own = {
            "paths": paths,
            "generator": generator,
            "assistant": assistant,
            "syntax": syntax,
            "select": expression,
            "concurrency": concurrency,
        }
        config = settle(own | model_flags(model_options), os.environ).config
        plan = plan_stress(flows, changes, distractors or (), seed)
        session = build_session(config)
        asked = build_generator(config, session.evaluator.parser, session.evaluator.budget)
        found = measure_stress(session, asked, plan)
        about = (
            ("generator", str(getattr(asked, "name", ""))),
            ("cases", str(found.cases)),
            ("seed", str(seed)),
            ("signature", found.signature),
        )
        _write(view_stress(found.points, found.confused, about), markdown, html)
        if found.stopped:
            say(f"not all catalogues were tried: {found.stopped}")
            raise typer.Exit(3)


def _write(view: View, markdown: Path | None, html: Path | None) -> None:
    from du_eval.reports.files import write
    from du_eval.reports.renderers.markdown import render_markdown
    from du_eval.reports.renderers.page import render_page
    from du_eval.reports.renderers.terminal import render_terminal

    out(render_terminal(view))
    if markdown:
        write(str(markdown), render_markdown(view))
    if html:
        write(str(html), render_page([view]))
