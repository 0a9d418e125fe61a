"""Judges are measured on labelled replies: what they decide, and how often that is right."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from du_eval.errors import InputError
from du_eval.judges.judge import Cascade, ScriptedJudge
from du_eval.judges.labelled import read_labelled
from du_eval.judges.measure import Quality, measure_judge
from du_eval.judges.opinion import Opinion
from du_eval.judges.rules import RulesJudge
from du_eval.judges.tasks import LABELS, ClosedTask, Role, Task, TurnTask
from du_eval.reports.judge_quality import encode_judge_quality, render_judge_quality

OURS = Path(__file__).parent / "labelled"


def write(folder: Path, *rows: dict[str, object]) -> str:
    file = folder / "labelled.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(file)


def closed(label: str, reply: str = "Well.", question: str = "Is it?") -> dict[str, object]:
    return {"question": question, "reply": reply, "label": label}


def measure_closed(folder: Path, said: dict[str, str | None], *rows: dict[str, object]) -> Quality:
    def answer(task: object) -> str | None:
        assert isinstance(task, ClosedTask)
        return said[task.reply]

    return measure_judge(Role.YES_NO, ScriptedJudge(answer), read_labelled(write(folder, *rows), Role.YES_NO))


def test_what_is_undecided_is_not_right_but_does_not_count_as_decided(tmp_path: Path) -> None:
    said = {"a": "yes", "b": None, "c": "yes", "d": "no"}
    rows = [closed("yes", "a"), closed("no", "b"), closed("no", "c"), closed("no", "d")]
    found = measure_closed(tmp_path, said, *rows)
    assert (found.n, found.accuracy.value, found.decided.value) == (4, 0.5, 0.75)
    assert found.accuracy_of_decided.value == pytest.approx(2 / 3)
    assert found.confusion == {("no", "no"): 1, ("no", "unclear"): 1, ("no", "yes"): 1, ("yes", "yes"): 1}


def test_a_judge_that_cannot_tell_is_right_about_an_unclear_reply(tmp_path: Path) -> None:
    found = measure_closed(
        tmp_path, {"a": None, "b": "unclear"}, closed("unclear", "a"), closed("unclear", "b")
    )
    assert found.accuracy.value == 1
    assert found.decided.value == 0
    assert found.accuracy_of_decided.value is None


def test_precision_and_recall_of_a_label_have_their_own_n(tmp_path: Path) -> None:
    said = {"a": "yes", "b": "yes", "c": "no"}
    found = measure_closed(tmp_path, said, closed("yes", "a"), closed("no", "b"), closed("yes", "c"))
    yes = found.labels["yes"]
    assert (yes.n, yes.precision.value, yes.recall.value) == (2, 0.5, 0.5)
    assert yes.precision.interval is not None
    assert "signature: intervals:clustered-wilson:0.95" in render_judge_quality(found)
    assert encode_judge_quality(found)["method"] == "clustered-wilson:0.95"


def test_repeated_questions_are_measured_by_dialogue_and_by_turn(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        {"turns": ["Why?", "Why?"], "label": [False, True]},
        {"turns": ["Who?", "When?", "Fine."], "label": [False, False, False]},
    )

    def answer(task: object) -> str:
        assert isinstance(task, TurnTask)
        return "true" if task.turn in {*task.earlier, "When?"} else "false"

    rows = read_labelled(file, Role.REPEATED_QUESTIONS)
    found = measure_judge(Role.REPEATED_QUESTIONS, ScriptedJudge(answer), rows)
    assert found.n == 2
    assert (found.labels["true"].precision.value, found.labels["true"].recall.value) == (0.5, 1.0)
    assert found.turns is not None
    assert (found.turns.n, found.turns.accuracy.value) == (5, 0.8)
    assert "line 2, turn 2: false, said true" in render_judge_quality(found)


def test_a_cascade_asks_the_next_judge_only_about_what_is_open() -> None:
    asked: list[object] = []

    def second(task: object) -> str:
        asked.append(task)
        return "no"

    first = ScriptedJudge(lambda task: "yes" if task == ClosedTask("?", "yes") else None, "first/1")
    cascade = Cascade((first, ScriptedJudge(second, "second/1")))
    found = cascade.judge([ClosedTask("?", "yes"), ClosedTask("?", "hm")])
    assert [one.label for one in found] == ["yes", "no"]
    assert [one.judge for one in found] == ["first/1", "second/1"]
    assert asked == [ClosedTask("?", "hm")]
    assert cascade.name == "first/1 > second/1"


def test_an_unsure_opinion_gives_way_to_a_later_one_but_not_to_none() -> None:
    class Unsure:
        name = "unsure/1"

        def judge(self, tasks: Sequence[Task]) -> list[Opinion]:
            return [Opinion("yes", "perhaps", self.name, 0.6) for _ in tasks]

    def decide(label: str | None) -> str | None:
        return Cascade((Unsure(), ScriptedJudge(lambda _: label))).judge([ClosedTask("?", "x")])[0].label

    assert decide("no") == "no"
    assert decide(None) == "yes"


def test_everything_wrong_with_a_file_is_said_at_once(tmp_path: Path) -> None:
    file = write(tmp_path, closed("yes"), {"question": "x", "label": "yes"}, closed("yep"))
    with pytest.raises(InputError) as caught:
        read_labelled(file, Role.YES_NO)
    assert [(problem.line, problem.message) for problem in caught.value.problems] == [
        (2, "without reply"),
        (3, "the label 'yep'"),
    ]
    with pytest.raises(InputError, match="cannot be read"):
        read_labelled(str(tmp_path / "none.jsonl"), Role.YES_NO)


@pytest.mark.parametrize("role", list(Role))
def test_the_data_of_a_measurement_has_the_promised_keys(role: Role, tmp_path: Path) -> None:
    rows: dict[Role, dict[str, object]] = {
        Role.ANSWERS: {"question": "Where?", "gold": "Rome", "reply": "Rome.", "label": "right"},
        Role.YES_NO: closed("yes", "Yes."),
        Role.COHERENCE: {"context": ["Hi"], "reply": "Hi", "label": "incoherent"},
        Role.REPEATED_QUESTIONS: {"turns": ["Hi"], "label": [False]},
        Role.TOXICITY: {"reply": "Hi", "label": "fine"},
        Role.GIST: {"criterion": "It greets.", "response": "Hi", "label": "meets"},
        Role.STUTTER: {"reply": "Hi", "label": "fine"},
        Role.PROTOCOL: {"criterion": "open_question", "utterance": "Why?", "reply": "Why?", "label": "bad"},
    }
    found = measure_judge(role, RulesJudge(role), read_labelled(write(tmp_path, rows[role]), role))
    data = encode_judge_quality(found)
    assert {"n", "accuracy", "decided", "accuracy_of_decided", "labels", "judge"} <= set(data)
    assert set(found.labels) == set(LABELS[role])
    assert found.judge.split("/")[1].isdecimal()
    assert data["decided"] == (0 if role is Role.GIST else 1)


@pytest.mark.parametrize(
    ("role", "right", "of_decided"),
    [("yes_no", 0.85, 0.99), ("answers", 0.95, 0.95), ("stutter", 0.97, 0.97), ("toxicity", 0.9, 0.9)],
)
def test_our_own_sentences_are_judged_as_before(role: str, right: float, of_decided: float) -> None:
    chosen = Role(role)
    found = measure_judge(chosen, RulesJudge(chosen), read_labelled(str(OURS / f"{role}.jsonl"), chosen))
    assert found.n > 100
    assert found.accuracy.value is not None
    assert found.accuracy_of_decided.value is not None
    assert found.accuracy.value >= right
    assert found.accuracy_of_decided.value >= of_decided
