"""There are four outcomes, and a whole is as bad as its worst part."""

from __future__ import annotations

import pytest

from du_eval.runs.outcome import Outcome, combine

PASSED, FAILED, UNDECIDED, ERRORED = Outcome


@pytest.mark.parametrize(
    ("outcome", "is_judged"), [(PASSED, True), (FAILED, True), (UNDECIDED, False), (ERRORED, False)]
)
def test_only_what_was_judged_enters_a_rate(outcome: Outcome, is_judged: bool) -> None:
    assert outcome.is_judged is is_judged


@pytest.mark.parametrize(
    ("parts", "whole"),
    [
        ((PASSED, PASSED), PASSED),
        ((PASSED, UNDECIDED), UNDECIDED),
        ((UNDECIDED, ERRORED), ERRORED),
        ((ERRORED, UNDECIDED, FAILED, PASSED), FAILED),
        ((), PASSED),
    ],
)
def test_a_failed_part_fails_the_whole_and_an_open_part_leaves_it_open(
    parts: tuple[Outcome, ...], whole: Outcome
) -> None:
    assert combine(parts) is whole
