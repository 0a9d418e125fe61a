"""An evaluation together with the figures of the dialogue state, where they are asked for."""

from __future__ import annotations

from dataclasses import replace

from du_eval.assembly import Session
from du_eval.evaluation.aggregate import Evaluation
from du_eval.evaluation.expectations import ExpectationReader
from du_eval.evaluation.goals import measure_goals


def with_goals(evaluation: Evaluation, session: Session) -> Evaluation:
    """Return the evaluation with the figures of the dialogue state, if the settings ask for them."""
    if not session.config.goals:
        return evaluation
    cases = {(case.file, case.line): case for case in session.suite}
    pairs = [(cases[result.file, result.line], result) for result in evaluation.run.cases]
    reader = ExpectationReader(session.evaluator.parser)
    return replace(evaluation, goals=measure_goals(pairs, reader, session.assistants.of))
