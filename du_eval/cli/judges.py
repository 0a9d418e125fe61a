"""`du-eval judges`: how good judges are, and where their models come from."""

from __future__ import annotations

from typing import Annotated

import typer

from du_eval.cli.edge import out, reporting_errors
from du_eval.judges.tasks import Role

app = typer.Typer(help="Measure judges on labelled replies.", no_args_is_help=True)

RoleName = Annotated[Role, typer.Argument(help="What is judged.", show_default=False)]
LabelledFile = Annotated[
    str, typer.Argument(help="Labelled replies: a JSON object a line.", show_default=False)
]
JudgeName = Annotated[
    str, typer.Option("--judge", help="`rules`, or the class path of your own judge, my_module:MyJudge.")
]


@app.callback()
def _group() -> None:
    """Measure judges on labelled replies."""


@app.command()
def measure(
    role: RoleName,
    labelled: LabelledFile,
    judge: JudgeName = "rules",
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure a judge on labelled replies: how much it decides, and how often that is right.

    Examples:
      du-eval judges measure yes_no my_labels.jsonl

      du-eval judges measure answers my_labels.jsonl --json

    """
    from du_eval.assembly.judges import build_judge
    from du_eval.judges.labelled import read_labelled
    from du_eval.judges.measure import measure_judge
    from du_eval.reports.files import json_text
    from du_eval.reports.judge_quality import quality_data, quality_text

    with reporting_errors():
        found = measure_judge(role, build_judge(role, judge), read_labelled(labelled, role))
        out(json_text(quality_data(found)) if json_output else quality_text(found))
