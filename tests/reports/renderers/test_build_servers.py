"""Reports for build servers: JUnit and annotations of GitHub."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from du_eval.errors import ExitCode
from du_eval.reports.renderers.junit import render_github, render_junit
from du_eval.reports.sections import Note, Tone, add_ruling, make_entry_id
from du_eval.reports.views.generic import view_any
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Case, Head, Key, Result, Run, Status
from du_eval.runs.ruling import Ruling
from tests.reports.viewed import make_run, make_step, make_view

FAILED = ExitCode.FAILED
NO_GATE = Ruling(ExitCode.PASSED)


def read(run: Run, view=None, ruling: Ruling = NO_GATE) -> ET.Element:
    return ET.fromstring(render_junit(run, view or view_any(run), ruling))


def test_each_case_is_a_test_case_and_the_counts_are_those_of_the_cases() -> None:
    root = read(make_run())
    suite = root.find("testsuite")
    assert suite is not None
    assert {key: suite.get(key) for key in ("name", "tests", "failures", "errors")} == {
        "name": "suite.yml", "tests": "5", "failures": "1", "errors": "2",
    }  # fmt: skip
    kinds = {case.get("name"): [(one.tag, one.get("type")) for one in case] for case in root.iter("testcase")}
    assert kinds == {
        "good": [], "bad": [("failure", "failed")], "open": [("error", "undecided")],
        "down": [("error", "errored")], "moody": [],
    }  # fmt: skip


def test_a_message_says_what_was_expected_and_what_was_predicted() -> None:
    key = Key("suite.yml", "a contact", 1)
    run = Run(Head("test"), (Case("suite.yml", "a contact", (Result(key, Outcome.FAILED, None),)),))
    step = make_step(4, id=make_entry_id(key))
    found = read(run, make_view(step)).find(".//failure")
    assert found is not None
    assert found.get("message") == (
        "'her name is Ada': expected SetSlot(name, Ada), StartFlow(add_contact),"
        " predicted SetSlot(name, ada), StartFlow(add_contact)"
    )
    assert "    bot: What is the name?" in (found.text or "")


def test_build_servers_show_the_cause_of_a_failure() -> None:
    key = Key("suite.yml", "a contact", 1)
    run = Run(Head("test"), (Case("suite.yml", "a contact", (Result(key, Outcome.FAILED, None),)),))
    step = make_step(4, id=make_entry_id(key), detail=(Note("cause: truncated", Tone.OPEN),))
    found = read(run, make_view(step)).find(".//failure")
    assert found is not None
    assert "cause: truncated" in (found.text or "").splitlines()


def test_an_unfinished_run_has_an_error_of_its_own() -> None:
    found = read(make_run(Status.INTERRUPTED)).find(".//testcase[@name='the whole run']/error")
    assert found is not None
    assert found.get("message") == "the run was not finished: 5 of 7 cases, interrupted"
    assert read(make_run()).find(".//testcase[@name='the whole run']") is None


def test_a_case_that_failed_as_a_whole_says_why() -> None:
    run = Run(Head("e2e"), (Case("a.yml", "one", (), line=3, failure="a turn is missing\x00"),))
    found = read(run).find(".//failure")
    assert found is not None
    assert found.get("message") == "'one': a turn is missing�"


def test_annotations_stand_at_the_lines_of_what_did_not_pass() -> None:
    text = render_github(
        make_view(make_step(4, case="a, b: c", message="50 %\nwrong"), make_step(5, Outcome.PASSED)),
        FAILED,
    )
    assert text == (
        "::error file=suite/contacts.yml,line=4,title=a%2C b%3A c::'her name is Ada': 50 %25%0Awrong\n"
    )


def test_there_is_an_error_if_and_only_if_the_run_did_not_pass() -> None:
    good = make_view(make_step(4, is_excused=True), headline=Note("all passed", Tone.GOOD))
    assert render_github(good, ExitCode.PASSED) == ""
    stopped = make_view(make_step(4, Outcome.PASSED), headline=Note("Not finished (3 of 5)", Tone.OPEN))
    assert render_github(stopped, ExitCode.ERRORED) == "::error title=du-eval::Not finished (3 of 5)\n"
    for outcome in (Outcome.FAILED, Outcome.ERRORED, Outcome.UNDECIDED):
        view = make_view(make_step(4, outcome), headline=Note("bad", Tone.BAD))
        assert render_github(view, FAILED).startswith("::error file")
        assert render_github(view, ExitCode.PASSED).startswith("::warning file")


@pytest.mark.parametrize(
    ("code", "level", "element"),
    [
        (ExitCode.PASSED, None, None),
        (FAILED, "error", "failure"),
        (ExitCode.ERRORED, "error", "error"),
    ],
)
def test_build_servers_show_what_a_gate_says(code: ExitCode, level: str | None, element: str | None) -> None:
    ruling = Ruling(code, ("gate: it is so",))
    told = render_github(add_ruling(make_view(headline=Note("fine", Tone.GOOD)), ruling), code)
    assert told == (f"::{level} title=du-eval::Gate: it is so\n" if level else "")
    case = read(make_run(), ruling=ruling).find(".//testcase[@name='gate']")
    assert case is not None
    assert [(one.tag, one.get("message")) for one in case] == (
        [(element, "gate: it is so")] if element else []
    )


def test_many_annotations_end_with_a_number() -> None:
    text = render_github(make_view(*(make_step(number) for number in range(60))), FAILED)
    assert text.count("::error file") == 50
    assert "::notice title=du-eval::10 more did not pass\n" in text
