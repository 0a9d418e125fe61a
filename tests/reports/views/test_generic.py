"""The view of a run of any activity."""

from __future__ import annotations

from msgspec.structs import replace

from du_eval.reports.sections import Diff, Entries, Facts, Figures, Table, Tone
from du_eval.reports.views.generic import (
    list_about,
    make_entries,
    make_headline,
    make_outcome_table,
    view_any,
)
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Case, Head, Run, Status
from tests.growth import assert_grows_evenly
from tests.reports.viewed import make_result, make_run


def test_the_headline_counts_cases_and_has_the_tone_of_the_worst() -> None:
    run = replace(make_run(), head=Head("talk"))
    assert make_headline(run).text == "2 of 5 cases passed, 1 failed, 1 errored, 1 undecided"
    assert make_headline(run).tone is Tone.BAD
    assert make_headline(replace(run, cases=run.cases[:1])).tone is Tone.GOOD
    assert make_headline(replace(run, cases=run.cases[2:3])).tone is Tone.OPEN
    assert make_headline(replace(run, cases=())).tone is Tone.OPEN


def test_a_case_that_was_not_asked_to_its_end_has_not_errored() -> None:
    run = make_run(Status.STOPPED)
    whole, *_ = run.cases
    cut = replace(whole, name="cut", length=9)
    found = make_headline(
        replace(run, cases=(whole, cut), head=replace(run.head, stopped="no money", planned=4))
    )
    assert found.text == "Not finished (1 of 4 cases, stopped: no money). So far: 1 of 1 cases passed"


def test_a_run_that_was_not_finished_is_never_good() -> None:
    run = make_run(Status.INTERRUPTED)
    found = make_headline(replace(run, cases=run.cases[:1]))
    assert found.tone is Tone.OPEN
    assert found.text == "Not finished (1 of 7 cases, interrupted). So far: 1 of 1 cases passed"


def test_a_run_without_verdicts_says_what_was_measured() -> None:
    case = Case("a.txt", "a", (make_result("a", 1, None),))
    found = make_headline(Run(Head("metrics"), (case,)), "files")
    assert found.text == "1 files measured"


def test_who_was_tested_is_told() -> None:
    assert dict(list_about(make_run())) == {
        "activity": "talk", "subject": "a bot", "model": "m-1", "label": "first", "started": "2026-01-01 10:11",
        "took": "4.50 s", "spent": "12 calls, cost 0.5", "run": "20260101-000000-000-abcd",
    }  # fmt: skip


def test_every_result_is_an_entry_with_an_id_of_its_own() -> None:
    entries = make_entries(make_run()).entries
    assert len({entry.id for entry in entries}) == len(entries) == 11
    bad = next(entry for entry in entries if entry.id == "suite.yml::bad::2")
    assert (bad.place, bad.case, bad.message) == ("suite.yml:12", "suite.yml::bad", "true: it is not so")
    assert bad.facets == (("case", "suite.yml::bad"), ("check", "true"))
    checks, facts = bad.detail
    assert isinstance(checks, Table)
    assert checks.rows[1] == ("true", Outcome.FAILED, 0.25, "it is not so", "judge/1")
    assert facts == Facts((("reply", "fine"), ("mood", "calm")), "Details")


def test_what_was_expected_stands_beside_what_came() -> None:
    result = replace(
        make_result("a", 1, Outcome.FAILED), expected=("x", "y"), actual=("z",), mistakes=("omission",)
    )
    (entry,) = make_entries(Run(Head("talk"), (Case("a.yml", "a", (result,)),))).entries
    assert (entry.expected, entry.actual) == ("x\ny", "z")
    assert Diff(("x", "y"), ("z",), ("expected", "actual")) in entry.detail
    assert ("kind", "omission") in entry.facets


def test_a_failed_sample_of_a_case_that_passed_is_excused() -> None:
    entries = [entry for entry in make_entries(make_run()).entries if entry.case.endswith("moody")]
    assert [entry.is_failure for entry in entries] == [False, False, False]
    assert [entry.is_excused for entry in entries] == [False, True, False]
    assert [entry.facet("sample") for entry in entries] == ["1", "2", "3"]


def test_entries_of_a_long_conversation_take_time_that_grows_with_its_length() -> None:
    def list_all(size: int) -> object:
        results = tuple(make_result("a", number, Outcome.FAILED) for number in range(size))
        return make_entries(Run(Head("talk"), (Case("a.yml", "a", results),)))

    assert_grows_evenly(list_all, 400)


def test_a_case_that_failed_as_a_whole_has_an_entry() -> None:
    run = Run(Head("e2e"), (Case("a.yml", "one", (), line=3, failure="a turn is missing"),))
    (entry,) = make_entries(run).entries
    assert (entry.outcome, entry.place, entry.message) == (Outcome.FAILED, "a.yml:3", "a turn is missing")


def test_cases_are_listed_the_worst_first_and_filter_the_entries() -> None:
    table = make_outcome_table(make_run())
    assert [row[0] for row in table.rows] == ["failed", "errored", "undecided", "passed", "passed"]
    cases = {
        value for entry in make_entries(make_run()).entries for name, value in entry.facets if name == "case"
    }
    assert {row[1] for row in table.rows} == cases
    assert table.columns[1].facet == "case"


def test_the_view_has_figures_entries_and_all_figures() -> None:
    view = view_any(make_run())
    assert [type(section) for section in view.sections] == [Figures, Entries, Table, Table]
    assert view.title == "first"
    assert view.notes == ("one reply was empty",)
    first, *_, last = view.sections
    assert isinstance(first, Figures)
    assert isinstance(last, Table)
    assert [figure.name for figure in first.figures] == ["accuracy"]
    assert [row[0] for row in last.rows] == ["accuracy", "latency.p50"]
    assert last.is_minor
