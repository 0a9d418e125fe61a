"""Options of runs: samples, budgets, portions of a suite, and where runs are kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import typer


def _option(*names: str, **settings: Any) -> Any:
    return typer.Option(*names, show_default=False, **settings)


class RunOptions:
    """Options of `du-eval test` that concern the run as a whole."""

    panel_name: ClassVar[str] = "Run"

    samples: Annotated[int | None, _option("--samples", help="Ask each case so often (default 1).")] = None
    success_ratio: Annotated[
        str | None,
        _option("--success-ratio", metavar="M/N", help="How many samples of a case must pass: 2/3."),
    ] = None
    all_samples: Annotated[
        bool, _option("--all-samples", help="Do not stop a case once its ratio is decided.")
    ] = False
    max_calls: Annotated[int | None, _option("--max-calls", help="Send at most so many requests.")] = None
    max_cost: Annotated[float | None, _option("--max-cost", help="Stop when so much money is spent.")] = None
    max_error_rate: Annotated[
        float | None,
        _option("--max-error-rate", help="Stop when a larger share of steps errors (from 20 on)."),
    ] = None
    maxfail: Annotated[int | None, _option("--maxfail", help="Stop after so many failed cases.")] = None
    exit_first: Annotated[bool, _option("-x", help="Stop after the first failed case.")] = False
    last_failed: Annotated[
        bool, _option("--lf", "--last-failed", help="Only cases that did not pass in the last run.")
    ] = False
    failed_first: Annotated[
        bool, _option("--ff", "--failed-first", help="First the cases that did not pass in the last run.")
    ] = False
    shard: Annotated[str | None, _option("--shard", metavar="I/N", help="Only part I of N: 1/4.")] = None
    sample: Annotated[int | None, _option("--sample", help="So many cases, drawn at random with --seed.")] = (
        None
    )
    resume: Annotated[
        str | None,
        _option(
            "--resume", metavar="[RUN]", help="Continue a run (default: the last one); asks nothing twice."
        ),
    ] = None
    retry_errors: Annotated[
        bool, _option("--retry-errors", help="Continue a run, and ask its errored steps again.")
    ] = False
    runs_dir: Annotated[
        str | None, _option("--runs-dir", help="Where runs are kept (default .du-eval/runs).")
    ] = None
    against: Annotated[
        str | None,
        _option(
            "--against",
            metavar="RUN",
            help="Ask in batches, and stop as soon as it is sound that this run is better, worse or equal.",
        ),
    ] = None
    batch: Annotated[int | None, _option("--batch", help="Cases in a batch of --against (default 25).")] = (
        None
    )
    alpha: Annotated[
        float | None, _option("--alpha", help="The chance of a wrong verdict of --against (default 0.05).")
    ] = None
    margin: Annotated[
        float | None, _option("--margin", help="A difference that does not matter (default 0.02).")
    ] = None
    perturb: Annotated[
        str | None,
        _option(
            "--perturb",
            metavar="KINDS",
            help="Ask again with changed messages: typos,swaps,drops,replace,synonyms,case,fillers, or "
            "rewritten ones: cancel,value-swap.",
        ),
    ] = None
    levels: Annotated[
        str | None,
        _option("--levels", help="Shares of words that --perturb changes (default 0,0.1,0.2,0.4)."),
    ] = None
    perturb_history: Annotated[
        bool, _option("--perturb-history", help="With --perturb: change earlier messages as well.")
    ] = False
    no_journal: Annotated[bool, _option("--no-journal", help="Do not keep this run.")] = False


def run_flags(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that these options give."""
    flags = dict(given)
    flags["journal"] = False if flags.pop("no_journal") else None
    if flags.pop("exit_first"):
        flags["maxfail"] = 1
    for key in ("all_samples", "last_failed", "failed_first", "retry_errors", "perturb_history"):
        flags[key] = flags[key] or None
    return flags
