"""Thresholds of figures: met, missed, or open because of what was not judged."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from du_eval.assembly.deciding import list_figures
from du_eval.errors import ConfigError, InputError
from du_eval.runs.figures import (
    Direction,
    Figure,
    check_thresholds,
    judge_thresholds,
    parse_thresholds,
)
from du_eval.runs.outcome import Outcome
from du_eval.statistics.clusters import proportion
from du_eval.statistics.intervals import Interval, Measurement


def judge(figure: Figure, text: str) -> Outcome:
    (found,) = judge_thresholds([figure], parse_thresholds(text))
    return found.met


def test_thresholds_know_which_direction_is_better() -> None:
    figures = [
        Figure("accuracy", Measurement(0.5, 2)),
        Figure("repeating", Measurement(0.5, 2), better=Direction.LOWER),
        Figure("nothing", Measurement(None, 0)),
    ]
    missed = judge_thresholds(figures, parse_thresholds("accuracy=60%, repeating=0.4, nothing=0, other=1"))
    assert [one.met for one in missed] == [Outcome.FAILED] * 4
    assert [one.reason for one in missed] == [
        "accuracy is 0.5000, and must be at least 0.6",
        "repeating is 0.5000, and must be at most 0.4",
        "nothing is undefined, and must be at least 0",
        "the run has no figure 'other'; known figures: accuracy, repeating, nothing",
    ]
    met = judge_thresholds(figures, parse_thresholds("accuracy=0.5,repeating=0.5"))
    assert [one.met for one in met] == [Outcome.PASSED] * 2


def test_a_threshold_without_its_file_names_the_figures_of_all_files() -> None:
    names = [f"{metric}@responses/step-{step}.txt" for metric in ("bleu-1", "length") for step in (1, 2)]
    figures = [Figure(name, Measurement(0.5, 2)) for name in names]
    (missed,) = judge_thresholds(figures, parse_thresholds("bleu-1=0.1"))
    assert missed.reason == f"the run has no figure 'bleu-1'; known figures: {names[0]}, {names[1]}"


def test_a_threshold_is_open_only_where_what_was_not_judged_could_reverse_it() -> None:
    accuracy = Figure("accuracy", replace(proportion(232, 242), missing=110))
    assert judge(accuracy, "accuracy=0.9") is Outcome.UNDECIDED
    assert judge(accuracy, "accuracy=0.6") is Outcome.PASSED
    assert judge(accuracy, "accuracy=0.99") is Outcome.FAILED
    assert judge(Figure("accuracy", proportion(9, 10)), "accuracy=0.9") is Outcome.PASSED
    (found,) = judge_thresholds([accuracy], parse_thresholds("accuracy=0.9"))
    assert found.reason == (
        "accuracy is between 0.66 and 0.97, as 110 were not judged, and must be at least 0.9"
    )


def test_bounds_of_a_figure_that_should_be_low_decide_the_other_way_round() -> None:
    repeating = Figure("repeating", replace(proportion(1, 8), missing=2), better=Direction.LOWER)
    assert [judge(repeating, f"repeating={most}") for most in (0.05, 0.2, 0.3)] == [
        Outcome.FAILED,
        Outcome.UNDECIDED,
        Outcome.PASSED,
    ]


def test_a_figure_of_which_nothing_was_judged_is_open_and_not_missed() -> None:
    assert judge(Figure("accuracy", Measurement(None, 0, missing=5)), "accuracy=0.9") is Outcome.UNDECIDED
    assert judge(Figure("accuracy", Measurement(None, 0)), "accuracy=0.9") is Outcome.FAILED


def test_f1_is_bounded_by_what_its_counts_could_have_become() -> None:
    f1 = Figure("f1.macro", Measurement(0.9, 50, missing=4, possible=Interval(0.7, 0.92)))
    assert [judge(f1, f"f1.macro={least}") for least in (0.7, 0.8, 0.95)] == [
        Outcome.PASSED,
        Outcome.UNDECIDED,
        Outcome.FAILED,
    ]


@pytest.mark.parametrize("text", ["", "accuracy", "accuracy=much", "accuracy=nan", "accuracy=-inf"])
def test_a_threshold_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="--fail-under"):
        parse_thresholds(text)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("acuracy=0.9", "did you mean 'accuracy'"),
        ("f1.set_slt=0.9", "did you mean 'f1.set_slot'"),
        ("f1.bananas=0.9", "known figures: f1.macro, f1.micro, f1.weighted, f1.set_slot"),
        ("zzz=0.9", "known figures: accuracy, accuracy.cases"),
    ],
)
def test_an_unknown_figure_is_an_error_that_names_a_near_one(text: str, hint: str) -> None:
    with pytest.raises(ConfigError, match=hint):
        check_thresholds(parse_thresholds(text), list_figures(["set slot"]))


def test_all_unknown_figures_are_named_at_once() -> None:
    with pytest.raises(ConfigError, match=r"(?s)'acuracy'.*'f1.x'"):
        check_thresholds(parse_thresholds("acuracy=0.9,f1.x=1"), list_figures(["set slot"]))
