"""Labels of people are kept with a run, and its rates are corrected by them."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from du_eval.errors import InputError
from du_eval.runs.annotation import (
    Annotation,
    JudgedText,
    append_annotation,
    measure_annotators,
    read_annotations,
    settle_labels,
)
from du_eval.runs.correcting import calibrate_run, correct_run
from du_eval.runs.figures import Direction
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Head, Key, Run

PASSED, FAILED, UNDECIDED = Outcome.PASSED, Outcome.FAILED, Outcome.UNDECIDED
EMPTY: Run[None, None] = Run(Head("quality"), ())


def text(number: int, outcome: Outcome = PASSED, **more: object) -> JudgedText:
    key = Key(case=f"talk {number}", step=1)
    return replace(JudgedText(key, "polite", "Is it polite?", f"reply {number}", outcome), **more)  # type: ignore[arg-type]


def say(one: JudgedText, label: Outcome, by: str = "me") -> Annotation:
    return Annotation(one.id, one.check, label, by)


def test_answers_are_kept_line_by_line_and_the_last_word_counts(tmp_path: Path) -> None:
    file = tmp_path / "annotations.jsonl"
    assert read_annotations(file) == []
    for label in (PASSED, FAILED):
        append_annotation(file, say(text(1), label))
    append_annotation(file, say(text(1), PASSED, "anna"))
    assert {(one.by, one.label) for one in read_annotations(file)} == {("me", FAILED), ("anna", PASSED)}


def test_every_damaged_line_is_named(tmp_path: Path) -> None:
    file = tmp_path / "annotations.jsonl"
    file.write_text('{"text": "a"}\nno json\n', encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_annotations(file)
    assert f"{file}:1" in str(caught.value)
    assert f"{file}:2" in str(caught.value)


def test_people_who_disagree_settle_nothing_and_a_majority_does() -> None:
    one, other = text(1), text(2)
    said = [say(one, PASSED, "a"), say(one, FAILED, "b"), say(other, FAILED, "a"), say(other, UNDECIDED, "b")]
    assert settle_labels(said) == {one.id: UNDECIDED, other.id: FAILED}
    assert settle_labels([*said, say(one, FAILED, "c")])[one.id] is FAILED


def test_agreement_of_two_people_is_that_beyond_chance() -> None:
    texts = [text(number) for number in range(4)]
    first = [say(one, PASSED if number < 2 else FAILED, "a") for number, one in enumerate(texts)]
    same = [replace(one, by="b") for one in first]
    opposite = [replace(one, by="b", label=FAILED if one.label is PASSED else PASSED) for one in first]
    assert measure_annotators([*first, *same]) == (4, 1.0)
    assert measure_annotators([*first, *opposite]) == (4, -1.0)
    assert measure_annotators(first) == (0, None)


def test_a_judge_that_passes_everything_is_corrected_by_labels_of_a_part() -> None:
    texts = [text(number) for number in range(100)]
    labels = [say(one, PASSED if number % 2 else FAILED) for number, one in enumerate(texts[:40])]
    found = correct_run(EMPTY, texts, labels)
    (rate,) = found.corrections
    assert (rate.raw.value, rate.corrected.value, rate.labelled.n) == (1.0, 0.5, 40)
    assert rate.method == "ppi++"
    figure = found.figure("polite.corrected")
    assert figure is not None
    assert figure.value == 0.5
    again = correct_run(found, texts, labels)
    assert len(again.figures) == 1


def test_the_raw_rate_says_how_far_undecided_replies_could_move_it() -> None:
    texts = [*(text(number) for number in range(8)), text(8, UNDECIDED), text(9, UNDECIDED)]
    (rate,) = correct_run(EMPTY, texts, [say(texts[0], PASSED)]).corrections
    assert rate.raw.bounds is not None
    assert (rate.raw.bounds.low, rate.raw.bounds.high) == (0.8, 1.0)


def test_where_less_is_better_the_rate_counts_failures() -> None:
    texts = [text(number, FAILED if number < 3 else PASSED, counted=FAILED) for number in range(10)]
    (rate,) = correct_run(EMPTY, texts, [say(texts[0], FAILED)]).corrections
    assert rate.raw.value == 0.3
    assert rate.labelled.value == 1.0
    assert rate.better is Direction.LOWER


def test_a_label_holds_for_its_reply_only() -> None:
    one = text(1)
    changed = replace(one, reply="something else")
    assert correct_run(EMPTY, [changed], [say(one, PASSED)]).corrections[0].labelled.n == 0


def test_labels_of_another_run_correct_by_how_often_the_judge_was_right_there() -> None:
    others = [text(n, PASSED if n % 4 else FAILED, judge="j/1") for n in range(80)]
    labels = {one.id: (FAILED if n % 8 == 1 else one.outcome) for n, one in enumerate(others)}
    here = [text(100 + n, PASSED if n % 4 else FAILED, judge="j/1") for n in range(200)]
    (rate,) = calibrate_run(EMPTY, here, others, labels).corrections
    assert rate.method == "rogan-gladen"
    assert rate.corrected.value is not None
    assert 0.58 < rate.corrected.value < 0.68
    another = [replace(one, judge="j/2") for one in here]
    assert calibrate_run(EMPTY, another, others, labels).corrections == ()
