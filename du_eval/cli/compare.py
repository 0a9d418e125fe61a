"""`du-eval compare`: what changed between runs, and whether that is more than chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from du_eval.cli.edge import out, say
from du_eval.cli.generated import with_options
from du_eval.settings.reading import CompareOptions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from du_eval.assembly.history import Loaded
    from du_eval.experiments.decision import Decision
    from du_eval.runs.comparison import Comparison

    Compared = list[tuple[Comparison, Decision, Loaded]]

_PRINTED = "-"
"""The name of a file that is the console."""


@with_options(CompareOptions)
def compare(options: CompareOptions) -> None:
    """Compare runs step by step: better, worse, or just chance.

    The runs must be of the same kind: command tests, end-to-end tests, agent cases, quality, protocol or
    metrics. Only what both runs did is compared; conversations are the unit of chance. Given more than two
    runs, each is compared with the first one.

    Examples:
      du-eval compare before.json after.json

      du-eval compare 20260131-120000 last --margin 0.01 --markdown

      du-eval compare baseline.json small.json large.json -o comparison.html

      du-eval compare old_bot/run.json new_bot/run.json

    """
    from du_eval.assembly.history import load_any
    from du_eval.errors import InputError
    from du_eval.reports.files import write

    if len(options.runs) < 2:
        raise InputError("compare needs at least two runs: du-eval compare before.json after.json")
    baseline, *others = (load_any(name, options.runs_dir) for name in options.runs)
    found = _compare_all(baseline, others, options)
    if options.same_suite and not all(one.overlap.is_complete for one, _, _ in found):
        raise InputError("the suites of the runs differ, and --same-suite does not allow that")
    for file, form in _list_files(options):
        text = _render(baseline, found, form, options.link)
        if file == _PRINTED:
            out(text)
        else:
            write(file, text)
            say(f"{_NAMES.get(form, 'comparison')} written to {file}")


def _compare_all(baseline: Loaded, others: list[Loaded], options: CompareOptions) -> Compared:
    """Return each run compared with the first one, and what to do about it."""
    from du_eval.assembly.history import make_rerun_command
    from du_eval.experiments.deciding import decide_runs
    from du_eval.reports.official import count_alike
    from du_eval.runs.comparison import compare_with_baseline
    from du_eval.statistics.verdict import Criteria

    first, *rest = count_alike([run.record for run in (baseline, *others)])
    criteria = Criteria(options.alpha, options.margin, options.seed)
    return [
        (one, decide_runs(one, baseline.run, other.run, make_rerun_command(baseline, other)), other)
        for one, other in zip(compare_with_baseline(first, rest, criteria), others, strict=True)
    ]


_NAMES = {"html": "page", "comment": "comment"}
_FORMS = {".json": "json", ".html": "html", ".md": "markdown"}


def _list_files(options: CompareOptions) -> Iterator[tuple[str, str]]:
    """Yield what is written or printed, and in which form; printed is what goes nowhere else."""
    for file in options.output_file:
        yield file, "json" if options.json_output else _FORMS.get(file[file.rfind(".") :], "text")
    if not options.output_file and options.markdown != _PRINTED:
        yield _PRINTED, "json" if options.json_output else "text"
    for named, form in (
        (options.markdown, "markdown"),
        (options.comment, "comment"),
        (options.html, "html"),
    ):
        if named:
            yield named, form


def _render(baseline: Loaded, found: Compared, form: str, link: str) -> str:
    from du_eval.reports.renderers.markdown import link_markdown, render_markdown
    from du_eval.reports.views.comparison import view_comparison

    if form == "json":
        from du_eval.reports.comparison_data import comparison_data
        from du_eval.reports.files import json_text

        data = [comparison_data(one, decision) for one, decision, _ in found]
        return json_text(data[0] if len(data) == 1 else {"comparisons": data})
    if form == "comment":
        from du_eval.reports.comparison_text import describe_method
        from du_eval.reports.views.decision import view_comment

        comments = [
            view_comment(decision, (baseline.run, other.run), describe_method(one))
            for one, decision, other in found
        ]
        return "\n".join(
            [*map(render_markdown, comments), *([link_markdown("Whole report", link)] if link else [])]
        )
    views = [view_comparison(one, decision) for one, decision, _ in found]
    if form == "html":
        from du_eval.reports.renderers.page import render_page

        runs = [baseline, *(other for _, _, other in found)]
        return render_page([*views, *(run.view for run in reversed(runs) if run.run)])
    if form == "markdown":
        return "\n".join(map(render_markdown, views))
    from du_eval.reports.renderers.terminal import render_terminal

    return "\n".join(map(render_terminal, views))
