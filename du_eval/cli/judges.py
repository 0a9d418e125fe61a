"""`du-eval judges`: how good judges are, and where their models come from."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from du_eval.cli.edge import out, say
from du_eval.judges.tasks import Role
from du_eval.runs.engine import EngineName, EngineSettings

app = typer.Typer()

RoleName = Annotated[Role, typer.Argument(help="What is judged.", show_default=False)]
LabelledFile = Annotated[
    str, typer.Argument(help="Labelled replies: one JSON object per line.", show_default=False)
]
JudgeName = Annotated[
    str,
    typer.Option(
        "--judge", help="rules, models, models:NAME, llm, a chain such as rules>llm, or my_module:MyJudge."
    ),
]
ChatName = Annotated[str, typer.Option("--model", help="The chat model of the judge llm.")]
Address = Annotated[str, typer.Option("--base-url", help="The endpoint of that model.")]
WhichEngine = Annotated[
    EngineName, typer.Option(help="Where the work is done: processes on this machine, or a Ray cluster.")
]
Votes = Annotated[int, typer.Option("--votes", min=1, help="Number of votes of the model per reply.")]


@app.command()
def measure(
    role: RoleName,
    labelled: LabelledFile,
    judge: JudgeName = "rules",
    model: ChatName = "",
    base_url: Address = "",
    votes: Votes = 1,
    engine: WhichEngine = EngineName.LOCAL,
    workers: Annotated[int, typer.Option(min=1, help="Number of processes.")] = 1,
    ray_address: Annotated[
        str, typer.Option(help="auto or HOST:PORT of a cluster; empty: one on this machine.")
    ] = "",
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure a judge on labelled replies: how much it decides, and how often it is right.

    Examples:
      du-eval judges measure yes_no my_labels.jsonl

      du-eval judges measure answers my_labels.jsonl --workers 2 --json

      du-eval judges measure gist my_labels.jsonl --judge "rules>llm" --model gpt-4o-mini

    """
    from du_eval.assembly.apart import JudgePlan, judge_apart
    from du_eval.assembly.judges import JudgeOptions, list_spent
    from du_eval.judges.labelled import read_labelled
    from du_eval.judges.measure import measure_judge
    from du_eval.reports.judge_quality import encode_judge_quality, render_judge_quality

    options = JudgeOptions(judge, model, base_url, votes, dict(os.environ))
    where = EngineSettings(engine, workers, ray_address)
    where.check()
    with judge_apart(JudgePlan(role, judge, options), where) as chosen:
        found = measure_judge(role, chosen, read_labelled(labelled, role))
    out(encode_judge_quality(found) if json_output else render_judge_quality(found))
    for line in list_spent([chosen]):
        say(line)


@app.command()
def fetch(
    roles: Annotated[
        list[Role] | None, typer.Argument(help="Roles whose models are downloaded (default: all).")
    ] = None,
) -> None:
    """Download the local models of judges to the cache of their library.

    Examples:
      du-eval judges fetch yes_no answers

    """
    from du_eval.assembly.judges import fetch_models

    for line in fetch_models(roles or list(Role)):
        out(f"{line}\n")
