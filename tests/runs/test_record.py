"""A run is written and read back as it was, and everything that is no run is refused by name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from du_eval.errors import InputError
from du_eval.runs.figures import Figure
from du_eval.runs.keeping import Opening, open_run
from du_eval.runs.outcome import Outcome, combine
from du_eval.runs.record import Case, Check, Head, Key, Result, Run, Status
from du_eval.runs.report import FORMAT, Kind, decode_run, encode_run, read_run, write_run
from du_eval.runs.store import RunStore
from du_eval.statistics.counts import Counts
from du_eval.statistics.intervals import Interval, Measurement
from du_eval.statistics.success import SuccessRatio


@dataclass(frozen=True, slots=True)
class Words:
    said: str = ""
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Whole:
    remark: str


KIND = Kind("demo", Words, Whole)
KINDS = {"demo": KIND}
OUTCOMES = st.sampled_from(Outcome)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


def result(outcome: Outcome | None, step: int = 1, sample: int = 1) -> Result[Words]:
    return Result(Key("f", "c", step, sample), outcome, Words("hi"))


def case(*outcomes: Outcome, length: int = 0, ratio: SuccessRatio | None = None) -> Case[Words]:
    samples = [result(outcome, 1, number) for number, outcome in enumerate(outcomes, 1)]
    return Case("f", "c", tuple(samples), length=length, ratio=ratio)


def run(*cases: Case[Words], **head: object) -> Run[Words, Whole]:
    figure = Figure("accuracy", Measurement(0.5, 2, Interval(0.1, 0.9), "m"), is_headline=True)
    return Run(Head("demo", **head), cases, (figure,), ("a note",), Whole("all"))  # type: ignore[arg-type]


@given(OUTCOMES, TEXTS, st.integers(0, 9), st.floats(0, 1))
def test_a_run_is_read_back_as_it_was_written(outcome: Outcome, text: str, number: int, score: float) -> None:
    one = Result(
        Key("f", text, number),
        outcome,
        Words(text, (text,)),
        asked=text,
        expected=(text,),
        actual=(),
        mistakes=(text,),
        checks=(Check(text, outcome, score, text), Check("number", None, score)),
        error=text,
        counts={text: Counts(1, 2, 3, 4)},
        seconds=score,
    )
    written = run(Case("f", text, (one,), ratio=SuccessRatio(1, 2)), label=text)
    assert decode_run(b"".join(encode_run(written, KIND)), "run.json", KINDS) == written


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"{", "not JSON"),
        (b"[]", "not a run"),
        (b"{}", "not a run"),
        (b'{"test_cases": []}', "report of du-eval test or e2e 0.1"),
        (b'{"format": "du-eval run/9"}', "update du-eval"),
        (b'{"format": "du-eval run/1", "kind": "other"}', "unknown kind 'other'"),
        (b'{"format": "du-eval run/1", "kind": "demo", "head": {"kind": "demo"}, "cases": [{}]}', "damaged"),
        (b'{"format": "du-eval run/1", "kind": "demo", "head": 3}', "damaged"),
        (b'{"format": "du-eval run/1", "kind": "demo", "head": {"kind": "demo"}, "cases": 3}', "damaged"),
    ],
)
def test_what_is_no_run_is_refused_by_name(tmp_path: Path, content: bytes, told: str) -> None:
    file = tmp_path / "run.json"
    file.write_bytes(content)
    with pytest.raises(InputError, match=told) as error:
        read_run(file, KINDS)
    assert str(file) in str(error.value)


def test_a_run_says_its_format_and_kind(tmp_path: Path) -> None:
    write_run(tmp_path / "run.json", run(case(Outcome.PASSED)), KIND)
    text = (tmp_path / "run.json").read_text(encoding="utf-8")
    assert text.startswith(f'{{"format":"{FORMAT}","kind":"demo"')


@given(st.lists(OUTCOMES, min_size=1))
def test_a_whole_is_failed_if_a_part_failed_and_passed_only_if_all_did(parts: list[Outcome]) -> None:
    found = combine(parts)
    assert (found is Outcome.FAILED) == (Outcome.FAILED in parts)
    assert (found is Outcome.PASSED) == (set(parts) == {Outcome.PASSED})
    if Outcome.FAILED not in parts and Outcome.ERRORED in parts:
        assert found is Outcome.ERRORED


@pytest.mark.parametrize(
    ("outcomes", "ratio", "wanted"),
    [
        ((Outcome.PASSED, Outcome.FAILED), None, Outcome.FAILED),
        ((Outcome.PASSED, Outcome.FAILED), SuccessRatio(1, 2), Outcome.PASSED),
        ((Outcome.FAILED, Outcome.FAILED), SuccessRatio(1, 2), Outcome.FAILED),
        ((Outcome.FAILED, Outcome.ERRORED), SuccessRatio(1, 2), Outcome.ERRORED),
        ((Outcome.FAILED, Outcome.UNDECIDED), SuccessRatio(1, 2), Outcome.UNDECIDED),
        ((Outcome.PASSED, Outcome.UNDECIDED), None, Outcome.UNDECIDED),
        ((), None, Outcome.ERRORED),
    ],
)
def test_the_ratio_decides_about_a_case(
    outcomes: tuple[Outcome, ...], ratio: SuccessRatio | None, wanted: Outcome
) -> None:
    assert case(*outcomes, ratio=ratio).outcome is wanted


def test_a_case_with_missing_results_has_not_passed() -> None:
    assert case(Outcome.PASSED, length=2).outcome is Outcome.ERRORED
    assert case(Outcome.FAILED, length=2).outcome is Outcome.FAILED
    assert Case("f", "c", (result(Outcome.PASSED),), failure="a bot step differs").outcome is Outcome.FAILED


def test_an_unfinished_run_says_how_far_it_came_and_why() -> None:
    assert run(case(Outcome.PASSED)).unfinished == ""
    stopped = run(case(Outcome.PASSED), planned=3, status=Status.STOPPED, stopped="no money is left")
    assert stopped.unfinished == "1 of 3 cases, stopped: no money is left"
    interrupted = run(case(Outcome.PASSED), case(Outcome.PASSED, length=2), status=Status.INTERRUPTED)
    assert interrupted.unfinished == "1 of 2 cases, interrupted"


def test_a_case_whose_samples_leave_it_open_is_not_done() -> None:
    open_case = case(Outcome.PASSED, ratio=SuccessRatio(2, 3))
    assert open_case.is_partial
    assert run(case(Outcome.PASSED), open_case, status=Status.STOPPED, stopped="no money").unfinished == (
        "1 of 2 cases, stopped: no money"
    )
    assert not case(Outcome.ERRORED).is_partial
    assert not case(Outcome.FAILED, length=2).is_partial
    assert case(Outcome.ERRORED, length=2).is_partial


def test_a_kept_run_is_found_again_by_kind_and_one_damaged_run_hides_no_other(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    opened = open_run(store, Opening("demo", "me", label="first"))
    kept = opened.end(run(case(Outcome.PASSED)), KIND)
    assert (kept.head.id, kept.head.label) == (opened.stored.id, "first")
    (tmp_path / "99999999-damaged").mkdir()
    (tmp_path / "99999999-damaged" / "manifest.json").write_text("{}", encoding="utf-8")
    assert [one.id for one in store] == [kept.head.id]
    assert len(list(store.scan())) == 2
    found = store.find("last")
    assert found.read(KINDS) == kept
    assert found.manifest.figures == {"accuracy": 0.5}
    with pytest.raises(InputError, match="of du-eval demo, not of other"):
        store.find(kept.head.id, "other")
    with pytest.raises(InputError, match="no run of du-eval other"):
        store.find("last", "other")


def test_a_run_goes_on_only_with_the_settings_that_decide_about_its_answers(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    opened = open_run(store, Opening("demo", "me", identity={"model": "a"}))
    opened.journal.close()
    with pytest.raises(InputError, match="model: 'a' then, 'b' now"):
        open_run(store, Opening("demo", "me", identity={"model": "b"}), resume="last")
    again = open_run(store, Opening("demo", "me", identity={"model": "a"}), resume="last")
    assert again.stored.id == opened.stored.id
    again.discard_if_empty()
    assert list(store) == []
