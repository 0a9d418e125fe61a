"""Two runs are compared step by step, and the verdict says no more than the data allow."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from du_eval.experiments.deciding import decide_runs
from du_eval.experiments.decision import Advice
from du_eval.reports.renderers.markdown import render_markdown
from du_eval.reports.renderers.terminal import render_terminal
from du_eval.reports.views.comparison import view_comparison
from du_eval.runs.comparison import Comparison, compare_runs, compare_with_baseline, correct_verdict
from du_eval.runs.gates import find_unasked, judge_comparison
from du_eval.runs.outcome import Outcome
from du_eval.runs.records import RunRecord, StepRecord
from du_eval.statistics.counts import Counts
from du_eval.statistics.verdict import Criteria, Verdict


def as_text(comparison: Comparison) -> str:
    return render_terminal(view_comparison(comparison))


def as_markdown(comparison: Comparison) -> str:
    return render_markdown(view_comparison(comparison))


def record(outcomes: str, *, name: str = "run", file: str = "suite.yml", per_case: int = 1) -> RunRecord:
    """Return a run: p passed, f failed, e errored."""
    words = {"p": "passed", "f": "failed", "e": "errored"}
    return RunRecord(
        name,
        tuple(
            StepRecord(
                file,
                f"case {number // per_case}",
                number % per_case + 1,
                f"message {number}",
                words[letter],
                question=f"q{number}",
                line=number + 1,
                counts={} if letter == "e" else {"set slot": Counts(letter == "p", 0, letter == "f", 1)},
                predicted=("SetSlot(a, 1)",) if letter == "p" else (),
                expected=("SetSlot(a, 1)",),
                mistakes=("omission",) if letter == "f" else (),
            )
            for number, letter in enumerate(outcomes)
        ),
        policy="exact",
    )


def test_newly_failing_and_newly_passing_steps_are_listed() -> None:
    found = compare_runs(record("ppff"), record("pfpf"))
    assert [change.after.message for change in found.worse] == ["message 1"]
    assert [change.after.message for change in found.better] == ["message 2"]
    assert found.mistakes == {"omission": (2, 2)}


@pytest.mark.parametrize(("longest", "is_told"), [(4, False), (60, True)])
def test_conversations_far_longer_than_most_are_warned_of(longest: int, is_told: bool) -> None:
    def lengthen(run: RunRecord) -> RunRecord:
        steps = [
            replace(step, case="long", step=number) if number >= 240 else step
            for number, step in enumerate(run.steps)
        ]
        return replace(run, steps=tuple(steps))

    before, after = (lengthen(record(one + "p" * (239 + longest), per_case=4)) for one in "pf")
    told = "warning: a few conversations have far more user steps than most"
    assert (told in as_text(compare_runs(before, after))) is is_told


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ("p" * 90 + "f" * 10, "p" * 100, Verdict.IMPROVED),
        ("p" * 100, "p" * 90 + "f" * 10, Verdict.REGRESSED),
        ("p" * 1000, "p" * 1000, Verdict.EQUIVALENT),
        ("p" * 10, "p" * 9 + "f", Verdict.UNDECIDED),
    ],
)
def test_the_verdict_is_the_word_that_the_data_allow(before: str, after: str, verdict: Verdict) -> None:
    assert compare_runs(record(before), record(after)).verdict is verdict


def test_an_undecided_comparison_says_how_much_more_would_decide() -> None:
    found = compare_runs(record("p" * 20), record("p" * 18 + "ff"))
    assert found.more_needed is not None
    assert f"about {found.more_needed:,} more" in as_text(found)


def test_ten_failures_in_one_conversation_are_one_event() -> None:
    found = compare_runs(record("p" * 100, per_case=10), record("p" * 90 + "f" * 10, per_case=10))
    assert found.mcnemar_p is not None
    assert found.mcnemar_p < 0.01
    assert found.verdict is Verdict.UNDECIDED


def test_steps_that_errored_or_were_changed_are_counted_and_not_compared() -> None:
    before, after = record("ppppp"), record("ppepp")
    steps = list(after.steps)
    steps[0] = replace(steps[0], question="changed")
    steps[4] = replace(steps[4], case="another", question="new")
    found = compare_runs(before, replace(after, steps=tuple(steps)))
    overlap = found.overlap
    assert (overlap.common, overlap.asked_otherwise, overlap.not_judged) == (2, 1, 1)
    assert (overlap.only_before, overlap.only_after) == (1, 1)
    assert "the suites differ" in as_text(found)


def test_a_suite_whose_folder_was_renamed_is_the_same_suite() -> None:
    found = compare_runs(record("pp", file="old/a/suite.yml"), record("pf", file="new/a/suite.yml"))
    assert found.overlap.common == 2
    assert found.overlap.moved == ("old/a", "new/a")


def test_two_cases_of_one_name_stay_apart() -> None:
    steps = record("pf").steps
    twins = tuple(
        replace(step, case="same", step=1, question="q", variant=str(n)) for n, step in enumerate(steps)
    )
    found = compare_runs(RunRecord("a", twins), RunRecord("b", twins))
    assert found.overlap.common == 2
    assert not found.worse


def test_repeated_samples_of_a_step_are_one_step_with_a_share() -> None:
    step = record("p").steps[0]
    both = (step, replace(step, sample=2, outcome="failed"))
    found = compare_runs(RunRecord("a", (step,)), RunRecord("b", both))
    assert found.rates == (1.0, 0.5)
    assert found.mcnemar_p is None


def test_runs_without_common_steps_have_no_verdict() -> None:
    found = compare_runs(record("pp"), RunRecord("empty", ()))
    assert found.verdict is Verdict.UNDECIDED
    assert "no judged user steps in common" in as_text(found)


def test_many_runs_against_a_baseline_are_corrected_for_being_many() -> None:
    baseline, worse = record("p" * 60), record("p" * 53 + "f" * 7)
    alone = compare_with_baseline(baseline, [worse])[0]
    others = [record("p" * (7 * number) + "f" * 7 + "p" * (53 - 7 * number)) for number in range(7)]
    among = compare_with_baseline(baseline, [worse, *others])[0]
    assert alone.verdict is Verdict.REGRESSED
    assert among.adjusted_p is not None
    assert alone.accuracy is not None
    assert among.adjusted_p > 4 * alone.accuracy.p
    assert among.verdict is not Verdict.REGRESSED


def test_runs_that_answer_like_the_baseline_cost_the_others_nothing() -> None:
    baseline, worse = record("p" * 60), record("p" * 53 + "f" * 7)
    alone, among = (
        compare_with_baseline(baseline, [worse, *(record("p" * 60) for _ in range(count))])[0]
        for count in (0, 9)
    )
    assert alone.accuracy is not None
    assert among.adjusted_p == pytest.approx(alone.accuracy.p)


def test_runs_that_answer_alike_need_no_statistics() -> None:
    found = compare_runs(record("ppf"), record("ppf"))
    assert found.is_unchanged
    assert found.verdict is Verdict.EQUIVALENT
    assert found.more_needed is None
    assert "no change: both runs answered all 3 user steps alike" in as_text(found)
    assert judge_comparison(found, 0.0).outcome is Outcome.PASSED


def test_other_answers_that_are_just_as_wrong_are_a_change() -> None:
    before = record("ppf")
    steps = tuple(replace(step, predicted=("CancelFlow()",)) for step in before.steps)
    found = compare_runs(before, replace(before, steps=steps))
    assert not found.is_unchanged
    assert found.verdict is Verdict.UNDECIDED


def test_errors_that_could_reverse_a_gate_leave_it_without_a_verdict() -> None:
    alike = compare_runs(record("p" * 300), record("p" * 200 + "e" * 100))
    result = judge_comparison(alike, 0.05)
    assert result.outcome is Outcome.UNDECIDED
    assert "100 user steps were not judged, and could reverse it" in result.reason
    assert "between -0.333 and +0.000" in result.reason
    few = compare_runs(record("p" * 299 + "f"), record("p" * 299 + "e"))
    assert judge_comparison(few, 0.05).outcome is Outcome.PASSED
    bad = compare_runs(record("p" * 300), record("p" * 150 + "f" * 100 + "e" * 50))
    assert judge_comparison(bad, 0.05).outcome is Outcome.FAILED


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ("p" * 60, "p" * 30 + "e" * 30, Verdict.UNDECIDED),
        ("p" * 60, "p" * 40 + "f" * 10 + "e" * 10, Verdict.REGRESSED),
        ("p" * 30 + "f" * 30, "e" * 10 + "p" * 28 + "f" * 22, Verdict.UNDECIDED),
        ("p" * 300, "p" * 299 + "e", Verdict.EQUIVALENT),
    ],
)
def test_a_verdict_holds_only_if_errors_could_not_reverse_it(
    before: str, after: str, verdict: Verdict
) -> None:
    found = compare_runs(record(before), record(after))
    assert found.verdict is verdict
    assert found.is_reversible == (verdict is Verdict.UNDECIDED)
    if found.is_reversible:
        assert (found.is_unchanged, found.more_needed) == (False, None)
        assert Verdict.EQUIVALENT not in {one.verdict for one in found.commands}
        assert "were not judged, and could reverse it: with them, the change lies" in as_text(found)
        assert correct_verdict(found, 0.0001) is found
        assert decide_runs(found).advice is Advice.WAIT


def test_errors_in_the_baseline_could_reverse_a_gate_as_well() -> None:
    found = compare_runs(record("e" * 100 + "p" * 200), record("f" * 100 + "p" * 200))
    assert judge_comparison(found, 0.05).outcome is Outcome.UNDECIDED


def test_a_gate_without_a_verdict_says_what_would_decide() -> None:
    result = judge_comparison(compare_runs(record("p" * 60), record("p" * 58 + "ff")), 0.02)
    assert result.outcome is Outcome.UNDECIDED
    assert "more user steps would decide" in result.reason


def test_a_command_that_got_worse_is_named_after_correction() -> None:
    found = compare_runs(record("p" * 100), record("p" * 80 + "f" * 20))
    (command,) = found.commands
    assert command.f1.name == "set slot"
    assert command.verdict is Verdict.REGRESSED


def test_markdown_shows_user_text_and_does_not_act_on_it() -> None:
    before, after = record("p"), record("f")
    text = "<img src=x> | [a](http://b) @me `x` **b**"
    steps = tuple(replace(step, message=text) for step in after.steps)
    shown = as_markdown(compare_runs(before, replace(after, steps=steps)))
    assert "@me" not in shown


@pytest.mark.parametrize(
    ("after", "outcome"),
    [
        ("p" * 400, Outcome.PASSED),
        ("p" * 360 + "f" * 40, Outcome.FAILED),
        ("p" * 394 + "f" * 6, Outcome.UNDECIDED),
    ],
)
def test_a_gate_fails_only_on_a_proven_fall(after: str, outcome: Outcome) -> None:
    comparison = compare_runs(record("p" * 400), record(after), Criteria(margin=0.02))
    assert judge_comparison(comparison, 0.02).outcome is outcome


def test_a_command_called_like_an_average_is_compared_as_a_command() -> None:
    def named(run: RunRecord) -> RunRecord:
        steps = (replace(step, counts={"macro": step.counts["set slot"]}) for step in run.steps)
        return replace(run, steps=tuple(steps))

    found = compare_runs(named(record("ppff")), named(record("pppf")))
    assert [change.f1.name for change in found.commands] == ["macro"]
    assert set(found.averages) == {"macro", "micro"}


def test_steps_of_the_baseline_that_were_not_asked_allow_no_verdict() -> None:
    missing = find_unasked(compare_runs(record("p" * 12), record("p" * 4)).overlap, "user steps")
    assert missing.tell(0.6) == (
        "8 of 12 user steps of the baseline were not asked (suite.yml::case 4, suite.yml::case 5, "
        "suite.yml::case 6, 5 more); --max-errors 0.667 would allow that"
    )
    assert missing.tell(0.667) == ""
    assert find_unasked(compare_runs(record("p" * 4), record("p" * 12)).overlap, "user steps").tell(0.0) == ""


def test_a_run_without_anything_judged_passes_no_gate() -> None:
    found = judge_comparison(compare_runs(record("pp"), record("ee")), 0.02)
    assert (found.outcome, found.is_by_errors) == (Outcome.UNDECIDED, True)


def test_what_errored_in_both_runs_bounds_the_difference_too() -> None:
    found = compare_runs(record("ppe"), record("ppe"))
    assert found.bounds is not None
    worst, best = found.bounds
    assert (worst.value, best.value) == (pytest.approx(-1 / 3), pytest.approx(1 / 3))


OUTCOMES = st.text("pfe", max_size=8)


@given(OUTCOMES, OUTCOMES, st.booleans(), st.integers(1, 3))
@settings(deadline=None, max_examples=80)
def test_a_comparison_says_something_only_about_what_both_runs_judged(
    one: str, other: str, is_same_suite: bool, per_case: int
) -> None:
    before = record(one, per_case=per_case)
    steps = record(other, per_case=per_case).steps
    if not is_same_suite:
        steps = tuple(
            replace(step, case=f"new {step.case}", question=f"new {step.question}") for step in steps
        )
    found = compare_runs(before, RunRecord("after", steps, policy="exact"))
    judged = sum("e" not in pair for pair in zip(one, other, strict=False)) if is_same_suite else 0
    gate = judge_comparison(found, 0.02)
    assert as_text(found)
    assert as_markdown(found)
    assert found.overlap.common == judged
    assert (found.accuracy is None) == (not judged)
    if not judged:
        assert (found.verdict, found.rates) == (Verdict.UNDECIDED, None)
        assert (gate.outcome, gate.is_by_errors) == (Outcome.UNDECIDED, True)
    if found.bounds is not None:
        worst, best = found.bounds
        assert -1 <= worst.value <= best.value <= 1


def test_a_single_shared_question_is_counted_in_the_singular() -> None:
    one = record("p")
    assert compare_runs(one, one).shared == "the only question they share"
