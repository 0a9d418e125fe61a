"""`du-eval history`: figures from run to run."""

from __future__ import annotations

from du_eval.cli.edge import out, say
from du_eval.cli.generated import with_options
from du_eval.settings.reading import HistoryOptions


@with_options(HistoryOptions)
def history(options: HistoryOptions) -> None:
    """Show how figures changed over the kept runs.

    Each activity and each suite has a table of its own, with what changed from run to run: model, prompt,
    commit, suite. Runs of another version of a suite are not compared. --runs-dir names a folder with runs or
    reports.
    Name runs with du-eval test --label "new prompt".

    Examples:
      du-eval history

      du-eval history --figure f1.set_slot --figure accuracy -o trend.svg

      du-eval history --runs-dir nightly --kind agent

      du-eval history --suite tests/bank --label nightly

    """
    from du_eval.assembly.activities import Kinds
    from du_eval.assembly.finding import find_store
    from du_eval.assembly.history import summarise_runs as kept
    from du_eval.errors import InputError
    from du_eval.reports.files import write
    from du_eval.reports.trend import draw_trends, group_trends, render_trends

    kind, label, suite = options.kind, options.label, options.suite
    if kind is not None and kind not in Kinds():
        raise InputError(f"unknown kind of run '{kind}' (choose from: {', '.join(Kinds())})")
    runs = [
        run
        for run in kept(options.runs_dir, _warn)
        if (kind is None or run.get("kind", "test") == kind)
        and (label is None or run.get("label") == label)
        and (suite is None or suite in str(run.get("suite", "")))
    ][-options.last :]
    trends = group_trends(runs, options.figures)
    if options.json_output:
        out({"runs": runs})
    elif not runs:
        out(f"no runs to show in {find_store(options.runs_dir).root}\n")
    else:
        out(render_trends(trends))
    if options.output_file is not None:
        write(options.output_file, draw_trends(trends))
        say(f"plot written to {options.output_file}")


def _warn(message: str) -> None:
    say(f"warning: {message}")
