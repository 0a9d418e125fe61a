"""`du-eval stress`: how a generator copes with more flows, similar flows, and flows in other words."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from du_eval.cli.edge import say
from du_eval.cli.generated import Given, with_settings
from du_eval.errors import ExitCode
from du_eval.settings.commands import TestSettings
from du_eval.settings.shared import GeneratorSettings

_OPTIONS = ("paths", "generator", "assistant", "syntax", "select", "concurrency", "seed", "markdown", "html")


@with_settings(TestSettings, *_OPTIONS, "embedding", *GeneratorSettings.model_fields)
def stress(
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
    *,
    given: Given,
) -> ExitCode:
    """Test with larger and changed catalogues of flows.

    The suite is run once for each size and once for each other change. Dialogues and expectations stay the
    same, and every case keeps the flows it needs. Added flows that mean the same as one of the assistant's
    own are left out.

    Examples:
      du-eval stress dialogue_understanding_tests/bank --flows 5,20,50

      du-eval stress suite -g llm --model gpt-4o-mini --flows 20,100 --changes distractors --html stress.html

      du-eval stress suite --distractors ../other_assistant --flows 40

    """
    from du_eval.assembly import build_generator, build_session, settle
    from du_eval.assembly.catalogues import measure_stress, plan_stress
    from du_eval.cli.ending import Showing, print_view, write_view
    from du_eval.reports.views.stress import view_stress

    config = settle(TestSettings, given, os.environ).config
    plan = plan_stress(flows, changes, distractors or (), config.seed)
    session = build_session(config)
    asked = build_generator(config, session.evaluator.parser, session.evaluator.budget)
    found = measure_stress(session, asked, plan)
    about = (
        ("generator", str(getattr(asked, "name", ""))),
        ("cases", str(found.cases)),
        ("seed", str(config.seed)),
        ("signature", found.signature),
    )
    view = view_stress(found.points, found.confused, about)
    print_view(view, Showing())
    write_view(view, config)
    if found.stopped:
        say(f"not all catalogues were tried: {found.stopped}")
        return ExitCode.ERRORED
    return ExitCode.PASSED
