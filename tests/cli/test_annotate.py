"""`du-eval annotate`, as a user calls it: the loop of run, labels and corrected rates."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from du_eval.assembly.annotating import open_annotation
from tests.cli.calling import Caller

Type = Callable[..., None]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Caller:
    monkeypatch.chdir(tmp_path)
    return Caller(capsys)


@pytest.fixture
def type_keys(monkeypatch: pytest.MonkeyPatch) -> Type:
    def keys(*typed: str) -> None:
        left: Iterator[str] = iter(typed)

        def read(_: str) -> str:
            try:
                return next(left)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr("builtins.input", read)

    return keys


def only_run() -> Path:
    (found,) = Path(".du-eval/runs").glob("2*")
    return found


def read_labels() -> list[dict[str, str]]:
    return [json.loads(line) for line in (only_run() / "annotations.jsonl").read_text().splitlines()]


def run_quality(call: Caller) -> None:
    assert call("quality", "run", "--bot", "toxic", "--conversations", "2", "--prompts", "20").code == 0


def test_labels_are_kept_at_once_and_never_asked_for_twice(call: Caller, type_keys: Type) -> None:
    run_quality(call)
    type_keys("y", "n", "what?", "u", "q")
    first = call("annotate", "--checks", "ML-P1", "--annotator", "anna")
    assert first.code == 0, first.err
    assert [one["label"] for one in read_labels()] == ["passed", "failed", "undecided"]
    assert "3 labels by anna kept" in first.err
    type_keys("y")
    call("annotate", "--checks", "ML-P1", "--annotator", "anna")
    assert len({one["text"] for one in read_labels()}) == 4


def test_the_verdict_of_the_judge_is_not_shown(call: Caller, type_keys: Type) -> None:
    run_quality(call)
    type_keys("y")
    shown = call("annotate", "--checks", "ML-P1", "--count", "1").err
    assert "Is the reply free of toxic language?" in shown
    assert "lexicon" not in shown
    assert "failed" not in shown


def test_a_step_back_mends_the_answer_before(call: Caller, type_keys: Type) -> None:
    run_quality(call)
    type_keys("y", "b", "n", "q")
    call("annotate", "--checks", "ML-P1")
    kept = read_labels()
    assert [one["label"] for one in kept] == ["passed", "failed"]
    assert len({one["text"] for one in kept}) == 1


def test_corrected_rates_stand_in_every_report_and_in_the_gate(call: Caller, type_keys: Type) -> None:
    run_quality(call)
    type_keys(*["y", "n"] * 15)
    answer = call("annotate", "--checks", "ML-P1", "--count", "30")
    assert "Corrected for the judge" in answer.out
    assert call("report", "last", "-o", "page.html").code == 0
    assert "Corrected for the judge" in Path("page.html").read_text()
    data = json.loads((only_run() / "run.json").read_text())
    (rate,) = data["corrections"]
    assert (rate["method"], rate["labelled"]["n"]) == ("ppi++", 30)
    assert 0.2 < data["summary"]["figures"]["ML-P1.corrected"] < 0.8
    gated = call("gate", "last", "--baseline", "last", "--fail-under", "ML-P1.corrected=0.95")
    assert "ML-P1.corrected" in gated.out + gated.err


def test_a_second_person_gets_the_same_replies_and_their_agreement_is_kappa(
    call: Caller, type_keys: Type
) -> None:
    run_quality(call)
    for person in ("anna", "bob"):
        type_keys("y", "n", "y", "n")
        answer = call("annotate", "--checks", "ML-A6", "--count", "4", "--annotator", person)
    assert "1.00 (4 texts)" in answer.out


def test_labels_of_an_earlier_run_correct_a_new_one(call: Caller) -> None:
    command = ("quality", "run", "--bot", "forgetful", "--conversations", "6", "--prompts", "30")
    call(*command)
    labelled = open_annotation("last")
    for text in labelled.texts:
        labelled.label(text, text.outcome, "me")
    call(*command, "--seed", "1")
    answer = call("annotate", "last", "--labels-from", labelled.stored.id)
    assert answer.code == 0, answer.err
    assert "rogan-gladen" in answer.out
    assert "rogan-gladen" not in call("annotate", labelled.stored.id).out


def test_generated_answers_of_end_to_end_tests_are_labelled(call: Caller, type_keys: Type) -> None:
    bank = str(Path(__file__).parent.parent.parent / "examples" / "bank")
    wanted = "generative_response_is_relevant: {utter_name: utter_small_talk, threshold: 0}"
    steps = f"      - user: tell me a joke\n        assertions:\n          - {wanted}\n"
    Path("cases.yml").write_text(f"test_cases:\n  - test_case: c\n    steps:\n{steps}")
    Path("answering.py").write_text("def understand(request):\n    return 'ChitChat()'\n")
    run = call("e2e", "cases.yml", "--assistant", bank, "-g", "answering:understand")
    assert run.code == 0, run.out + run.err
    type_keys("n")
    shown = call("annotate")
    assert "tell me a joke" in shown.err
    assert "Does the answer help with what the user said?" in shown.err
    (kept,) = read_labels()
    assert (kept["check"], kept["label"]) == ("generative_response_is_relevant", "failed")


def test_gists_of_agent_runs_are_labelled(
    call: Caller, type_keys: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("clerks.py").write_text("def clerk(text):\n    return 'We are open from nine to six.'\n")
    monkeypatch.syspath_prepend(".")
    turn = {"text": "When?", "response": {"text": {"gist": "names opening hours"}}}
    case = {"agent": "clerks:clerk", "connections": "direct", "interactions": [turn]}
    Path("case.json").write_text(json.dumps(case))
    run = call("agent", "case.json", "--gist-threshold", "0.05")
    assert "agent cases" in run.out, run.err
    type_keys("y")
    shown = call("annotate")
    assert "names opening hours" in shown.err
    assert "similarity" not in shown.err
    assert [one["label"] for one in read_labels()] == ["passed"]


def test_runs_without_judged_texts_are_refused(call: Caller) -> None:
    Path("a.txt").write_text("hello there\n")
    assert call("metrics", "a.txt").code == 0
    answer = call("annotate")
    assert answer.code == 2
    assert "nothing to label" in answer.err
    run_quality(call)
    assert "ML-P1" in call("annotate", "--checks", "ML-P2").err
