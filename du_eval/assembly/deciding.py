"""What settings of command tests ask for beyond the answers: goals, thresholds, an early end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath

from du_eval.assembly import Session, build_parser
from du_eval.assembly.finding import find_run
from du_eval.evaluation.aggregate import Evaluation, evaluated
from du_eval.evaluation.expectations import ExpectationReader
from du_eval.evaluation.figures import known_figures, thresholds_of
from du_eval.evaluation.goals import measure_goals
from du_eval.evaluation.record import record_test
from du_eval.evaluation.results import RunResult
from du_eval.evaluation.sequential_run import UntilDecided
from du_eval.runs.records import RunRecord, reduce_run
from du_eval.settings.commands import TestSettings
from du_eval.settings.sources import Settled
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


def with_goals(evaluation: Evaluation, session: Session) -> Evaluation:
    """Return the evaluation with the figures of the dialogue state, if the settings ask for them."""
    if not session.config.goals:
        return evaluation
    cases = {(case.file, case.line): case for case in session.suite}
    pairs = [(cases[result.file, result.line], result) for result in evaluation.run.cases]
    reader = ExpectationReader(session.evaluator.parser)
    return replace(evaluation, goals=measure_goals(pairs, reader, session.assistants.of))


def check_fail_under(settled: Settled[TestSettings]) -> None:
    """Raise where `fail_under` names an unknown measure or command, wherever it was set."""
    text = settled.config.fail_under
    if text is None:
        return
    origin = settled.origins["fail_under"]
    shown = "--fail-under" if origin == "flag" else f"{origin}: fail_under"
    commands = [command.name for command in build_parser(settled.config).registry]
    thresholds_of(text, known_figures(commands), shown)
