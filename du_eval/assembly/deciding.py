"""Runs that end as soon as they are decided: settings into the plan of such a run."""

from __future__ import annotations

from pathlib import PurePath

from du_eval.assembly.finding import find_run
from du_eval.evaluation.aggregate import evaluated
from du_eval.evaluation.record import record_test
from du_eval.evaluation.results import RunResult
from du_eval.evaluation.sequential_run import UntilDecided
from du_eval.runs.records import RunRecord, reduce_run
from du_eval.settings.commands import TestSettings
from du_eval.statistics.verdict import Criteria


def until_decided(config: TestSettings) -> UntilDecided | None:
    """Return the plan of a run against another one, if the settings ask for it."""
    if config.against is None:
        return None
    baseline = reduce_run(find_run(config.against, config.runs_dir), PurePath(config.against).stem)
    criteria = Criteria(config.alpha, config.margin, config.seed)
    return UntilDecided(baseline, _record, criteria, config.batch)


def _record(run: RunResult) -> RunRecord:
    return reduce_run(record_test(evaluated(run)), "this run")
