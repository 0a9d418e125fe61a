"""Modes of failure, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from du_eval.agents.assessor import Assessment
from du_eval.agents.results import Outcome
from du_eval.reports.agents_numbers import percent


def render_assessment(assessments: tuple[Assessment, ...]) -> str:
    """Return how often each case passed, and in which ways it failed."""
    lines: list[str] = []
    for one in assessments:
        case = one.result
        count, passed = len(case.samples), case.count(Outcome.PASSED)
        lines += [f"{case.case.file} ({case.connection.name}), agent '{case.case.agent}'"]
        lines += [f"  {passed} of {count} samples passed: {percent(case.pass_rate)}"]
        lines += _counts(one)
        if count == 1:
            lines += ["  one sample says little: take more with --samples, or with success_ratio in the case"]
        if one.modes:
            lines += ["", "  modes of failure, the most frequent first:", *mode_lines(one, examples=3)]
        lines += [""]
    return "\n".join(lines)


def _counts(one: Assessment) -> Iterator[str]:
    case = one.result
    failed, errored = case.count(Outcome.FAILED), case.count(Outcome.ERRORED)
    ratio = case.case.ratio
    yield f"  {failed} failed, {errored} errored; {ratio.need} of {ratio.samples} must pass"
    yield f"  the case has {case.outcome}" + (" and is flaky" if case.is_flaky else "")


def mode_lines(one: Assessment, examples: int) -> Iterator[str]:
    """Yield the modes of a case with examples and acceptance criteria."""
    not_passed = sum(sample.outcome is not Outcome.PASSED for sample in one.result.samples)
    for number, mode in enumerate(one.modes, 1):
        share = f"{100 * mode.samples / not_passed:.1f} %" if not_passed else ""
        kind = "errors" if mode.is_error else "failures"
        yield f"  {number}. {mode.samples} of {not_passed} samples not passed ({share}), {mode.count} {kind}"
        yield f"     mode ({mode.named_by}): {mode.name}"
        for text in mode.examples[:examples]:
            yield f"     example: {_line(text)}"
        for criterion in mode.criteria[:5]:
            where = f" (interaction {mode.interaction})" if mode.interaction else ""
            yield f"     expected{where}: {mode.subject or 'the agent'} {_line(criterion, is_quoted=False)}"


def _line(text: str, *, is_quoted: bool = True) -> str:
    shown = json.dumps(text, ensure_ascii=False)
    shown = shown if is_quoted else shown[1:-1].replace('\\"', '"')
    return shown if len(shown) <= 300 else f"{shown[:300]}…"


def modes_value(one: Assessment) -> list[dict[str, Any]]:
    """Return the modes of a case as plain values."""
    return [asdict(mode) for mode in one.modes]
