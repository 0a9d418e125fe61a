"""`du-eval compare`: what changed between runs, and whether that is more than chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from du_eval.cli import options_compare
from du_eval.cli.edge import out, reporting_errors, say

if TYPE_CHECKING:
    from du_eval.assembly.history import Loaded
    from du_eval.experiments.decision import Decision
    from du_eval.runs.comparison import Comparison


def compare(
    runs: Annotated[
        list[str],
        typer.Argument(
            help="The baseline, then the runs to compare with it: .json files, ids, labels, or last."
        ),
    ],
    alpha: options_compare.Alpha = 0.05,
    margin: options_compare.Margin = 0.02,
    seed: options_compare.Seed = 0,
    same_suite: Annotated[
        bool, typer.Option("--same-suite", help="Refuse to compare runs of different suites.")
    ] = False,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", help="Write to a file: .md, .json, .html, else text."),
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown, for a pull request.")] = False,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    comment: Annotated[
        str | None,
        typer.Option(
            "--comment",
            metavar="FILE",
            help="Write a short comment for a pull request: decision, figures, five changed steps.",
            show_default=False,
        ),
    ] = None,
    link: Annotated[
        str, typer.Option("--link", metavar="URL", help="Where the whole report is, for --comment.")
    ] = "",
    html: options_compare.Html = None,
    runs_dir: options_compare.RunsDir = None,
) -> None:
    """Compare runs step by step: better, worse, or chance.

    Runs of any kind, two of the same: command tests, end-to-end tests, agent cases, quality, protocol and
    metrics. What both runs did is matched; the conversation is the unit of chance. With several runs, each is
    compared with the first one.

    Examples:
      du-eval compare before.json after.json

      du-eval compare 20260131-120000 last --margin 0.01 --markdown

      du-eval compare baseline.json small.json large.json -o comparison.html

      du-eval compare old_bot/run.json new_bot/run.json

    """
    from du_eval.assembly.history import again_command, load_any
    from du_eval.errors import InputError
    from du_eval.experiments.deciding import decide_runs
    from du_eval.reports.official import count_alike
    from du_eval.runs.comparison import compared_with_baseline
    from du_eval.statistics.verdict import Criteria

    with reporting_errors():
        if len(runs) < 2:
            raise InputError("compare needs two runs at least: du-eval compare before.json after.json")
        loaded = [load_any(name, runs_dir) for name in runs]
        first, *others = count_alike([run.record for run in loaded])
        found = compared_with_baseline(first, others, Criteria(alpha, margin, seed))
        if same_suite and not all(one.overlap.is_complete for one in found):
            raise InputError("the suites of the runs differ, and --same-suite refuses that")
        form = _form(output, markdown=markdown, json_output=json_output)
        decisions = [
            decide_runs(one, loaded[0].run, other.run, again_command(loaded[0], other))
            for one, other in zip(found, loaded[1:], strict=True)
        ]
        text = _page(loaded, found, decisions) if form == "html" else _rendered(found, decisions, form)
        if output is None:
            out(text)
        else:
            from du_eval.reports.files import write

            write(output, text)
            say(f"comparison written to {output}")
        if comment is not None:
            from du_eval.reports.files import write
            from du_eval.reports.renderers.markdown import render_markdown
            from du_eval.reports.views.decision import view_comment

            views = [
                view_comment(one, loaded[0].run, other.run, link)
                for one, other in zip(decisions, loaded[1:], strict=True)
            ]
            write(comment, "\n".join(map(render_markdown, views)))
            say(f"comment written to {comment}")
        if html is not None:
            from du_eval.reports.files import write

            write(html, _page(loaded, found, decisions))
            say(f"page written to {html}")


def _form(output: str | None, *, markdown: bool, json_output: bool) -> str:
    if json_output or (output or "").endswith(".json"):
        return "json"
    if (output or "").endswith(".html"):
        return "html"
    return "markdown" if markdown or (output or "").endswith(".md") else "text"


def _page(loaded: list[Loaded], found: list[Comparison], decisions: list[Decision]) -> str:
    from du_eval.reports.renderers.page import render_page
    from du_eval.reports.views.comparison import view_comparison

    views = map(view_comparison, found, decisions)
    return render_page([*views, *(run.view for run in reversed(loaded) if run.run)])


def _rendered(found: list[Comparison], decisions: list[Decision], form: str) -> str:
    if form == "json":
        from du_eval.reports.comparison_data import comparison_data
        from du_eval.reports.files import json_text

        data = [comparison_data(one, decision) for one, decision in zip(found, decisions, strict=True)]
        return json_text(data[0] if len(data) == 1 else {"comparisons": data})
    from du_eval.reports.renderers.markdown import render_markdown
    from du_eval.reports.renderers.terminal import render_terminal
    from du_eval.reports.views.comparison import view_comparison

    render = render_markdown if form == "markdown" else render_terminal
    return "\n".join(render(view_comparison(*pair)) for pair in zip(found, decisions, strict=True))
