"""The report at a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from du_eval.reports.renderers.terminal import TerminalStyle, render_terminal
from du_eval.reports.sections import Column, Diff, Look, Note, Table, Tone, Transcript
from du_eval.reports.views.generic import view_any
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Status
from tests.reports.viewed import make_run, make_step, make_view

GOLDEN = Path(__file__).with_name("terminal.txt")
ERRORED = make_step(8, Outcome.ERRORED, message="the model is down", detail=())


def test_the_report_looks_as_recorded() -> None:
    view = make_view(make_step(4), make_step(7, Outcome.PASSED), ERRORED)
    assert render_terminal(view, TerminalStyle(80)) == GOLDEN.read_text(encoding="utf-8")


def test_an_unfinished_run_says_so_first() -> None:
    text = render_terminal(view_any(make_run(Status.INTERRUPTED)))
    assert text.startswith("Not finished: 5 of 7 cases, interrupted\n\n")
    assert "Not finished" in text.rstrip().split("\n")[-1]
    assert not render_terminal(make_view(headline=Note("Undecided", Tone.OPEN))).startswith("Undecided")


def test_a_long_headline_is_wrapped_and_has_no_frame() -> None:
    headline = Note("Undecided: " + "the data fit both a difference and none " * 4, Tone.OPEN)
    *_, before, last = (
        render_terminal(make_view(headline=headline), TerminalStyle(80)).rstrip("\n").split("\n")
    )
    assert "=" not in before + last
    assert len(before) <= 80


def test_cells_of_several_lines_take_several_lines() -> None:
    columns = (Column("where"), Column("expected", Look.CODE))
    text = render_terminal(
        make_view(sections=(Table("Changes", columns, (("a.yml:1", "Skip()\nCancelFlow()"),)),))
    )
    assert "where    expected\na.yml:1  Skip()\n         CancelFlow()\n" in text


def test_quiet_leaves_out_what_did_not_pass_but_not_the_figures() -> None:
    text = render_terminal(make_view(make_step(4), ERRORED), TerminalStyle(80, is_quiet=True))
    assert "failure starting" not in text
    assert "the model is down" not in text
    assert "step accuracy" in text
    assert "1 of 2 test cases passed" in text.rstrip().split("\n")[-1]


def test_escape_sequences_and_reversed_text_are_shown() -> None:
    hostile = "\x1b[2J\x1b]0;owned\x07 \u202egnirts\u202c [bold]x[/bold] :smile:"
    step = make_step(4, title=hostile, place=hostile, case=hostile, message=hostile, facets=())
    view = make_view(step, headline=Note(hostile, Tone.OPEN), notes=(hostile,), signature=hostile)
    text = render_terminal(view, TerminalStyle(100))
    assert not set(text) & set("\x1b\x07\u202e\u202c")
    assert "'\\x1b[2J\\x1b]0;owned\\x07 \\u202egnirts\\u202c [bold]x[/bold] :smile:'" in text


def test_values_that_differ_only_in_unicode_form_are_told_apart() -> None:
    diff = Diff(("SetSlot(name, Zo\u00eb)",), ("SetSlot(name, Zoe\u0308)",))
    text = render_terminal(make_view(make_step(4, detail=(diff,))))
    assert "SetSlot(name, Zo\\xeb) | SetSlot(name, Zoe\\u0308)" in text


def test_what_fits_into_no_two_columns_stands_below_each_other() -> None:
    name = "SetSlot(a_very_long_slot_name_that_has_no_place_to_cut_it_at_all, True)"
    text = render_terminal(make_view(make_step(4, detail=(Diff((name,), (name + "x",)),))), TerminalStyle(60))
    assert (
        "-- EXPECTED --\nSetSlot(\n  a_very_long_slot_name_that_has_no_place_to_cut_it_at_all,\n  True)\n-- PREDICTED --"
        in text
    )


def test_nothing_expected_and_nothing_predicted_is_said() -> None:
    text = render_terminal(make_view(make_step(4, detail=(Diff((), ("Skip()",)),))))
    assert "(nothing)      | Skip()" in text
    text = render_terminal(make_view(make_step(4, detail=(Diff(("Skip()",), ()),))))
    assert "Skip()         | (nothing)" in text


def test_samples_of_a_step_are_shown_once() -> None:
    steps = [make_step(4, id=f"one{end}", facets=(("sample", end[1:] or "1"),)) for end in ("", "@2")]
    passed = make_step(9, Outcome.PASSED, id="one@3", facets=(("sample", "3"),))
    text = render_terminal(make_view(*steps, passed))
    assert text.count("== failure starting") == 1
    assert "2 of 3 samples did not pass; this is sample 1" in text


def test_a_failure_that_its_ratio_allows_is_no_failure() -> None:
    assert "FAILURES" not in render_terminal(make_view(make_step(4, is_excused=True)))
    assert "moody" not in render_terminal(view_any(make_run())).split("Cases")[0]


@pytest.mark.parametrize("shows_texts", [True, False])
def test_prompts_are_shown_when_asked_for(shows_texts: bool) -> None:
    text = render_terminal(make_view(make_step(4)), TerminalStyle(80, shows_texts=shows_texts))
    assert "-- UNPARSED --\nI think so\n" in text
    assert ("-- PROMPT --\nYou are a bot.\nAnswer.\n" in text) == shows_texts


def test_errors_are_told_by_reason_with_the_first_places() -> None:
    errors = [replace(ERRORED, id=str(number), place=f"a.yml:{number}") for number in range(7)]
    text = render_terminal(make_view(*errors))
    assert "7 x the model is down" in text
    assert text.count("a.yml:") == 5
    assert "... and 2 more" in text


def test_colours_come_only_when_asked_for() -> None:
    view = make_view(make_step(4))
    assert "\x1b[" not in render_terminal(view, TerminalStyle(80))
    assert "\x1b[1;31m" in render_terminal(view, TerminalStyle(80, colour=True))


def test_an_entry_without_a_conversation_says_what_was_expected() -> None:
    step = make_step(4, expected="a", actual="b", message="too short")
    step = replace(step, detail=tuple(one for one in step.detail if not isinstance(one, Diff | Transcript)))
    text = render_terminal(make_view(step))
    assert (
        "== failed: 'her name is Ada'\n   suite/contacts.yml:4\n   too short\n   expected: a\n   came    : b\n"
        in text
    )


def test_notes_stand_apart_from_tables_but_not_from_each_other() -> None:
    table = Table("Cases", (Column("case"),), (("one",),))
    text = render_terminal(make_view(sections=(table, Note("first"), Note("second"))))
    assert "\none\n\nfirst\nsecond\n\n" in text


def test_a_long_table_is_cut_unless_it_says_what_became_of_each_case() -> None:
    rows = tuple((f"flow {number}",) for number in range(30))
    text = render_terminal(make_view(sections=(Table("Flows", (Column("flow"),), rows),)))
    assert "flow 19\n... and 10 more\n" in text
    cases = Table("Cases", (Column("outcome", Look.OUTCOME),), ((Outcome.PASSED,),) * 30)
    assert render_terminal(make_view(sections=(cases,))).count("\npassed") == 30


def test_of_a_huge_answer_only_the_beginning_is_printed() -> None:
    diff = Diff(("StartFlow(a)",), ("x" * 400_000,))
    text = render_terminal(make_view(make_step(4, title="y" * 50_000, detail=(diff,))), TerminalStyle(80))
    assert len(text) < 40_000
    assert "... and 40," in text
    assert "StartFlow(a)" in text
    assert "more characters (the page of du-eval report has everything)" in text


def test_a_huge_cell_does_not_make_a_table_huge() -> None:
    table = Table("Changes", (Column("where"), Column("what")), (("a.yml:1", "z" * 400_000),) * 3)
    assert len(render_terminal(make_view(sections=(table,)))) < 20_000
