"""What a run comes to for its caller."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from du_eval.errors import ExitCode
from du_eval.runs.figures import Figure
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import AnyRun, Case, Head, Key, Result, Run, Status
from du_eval.runs.ruling import ASKED, VERDICT, find_errors, rule
from du_eval.statistics.intervals import Measurement

OUTCOMES = {"p": Outcome.PASSED, "f": Outcome.FAILED, "e": Outcome.ERRORED, "u": Outcome.UNDECIDED}
HEAD = Head("test", unit="user steps")
PASSED, FAILED, ERRORED = ExitCode.PASSED, ExitCode.FAILED, ExitCode.ERRORED


def make_run(outcomes: str, head: Head = HEAD) -> AnyRun:
    """Return a run with its accuracy: p passed, f failed, e errored, u undecided."""
    cases = tuple(
        Case("a.yml", f"case {place}", (Result(Key("a.yml", f"case {place}", 1), OUTCOMES[letter], None),))
        for place, letter in enumerate(outcomes)
    )
    right, judged = outcomes.count("p"), outcomes.count("p") + outcomes.count("f")
    rate = right / judged if judged else None
    return Run(head, cases, (Figure("accuracy", Measurement(rate, judged, missing=len(outcomes) - judged)),))


@pytest.mark.parametrize(
    ("outcomes", "max_errors", "code"),
    [
        ("pppp", 0.0, PASSED),
        ("pfff", 0.0, FAILED),
        ("ppppppppe", 0.0, ERRORED),
        ("ffffffffe", 0.0, ERRORED),
        ("ppppppppe", 0.1, ERRORED),
        ("ppppppppe", 0.2, PASSED),
        ("ffffffffe", 0.2, FAILED),
        ("ppfe", 1.0, ERRORED),
        ("ppppppppu", 0.0, PASSED),
        ("eeee", 1.0, ERRORED),
    ],
)
def test_errors_allow_no_verdict_unless_so_many_are_allowed_and_cannot_reverse_it(
    outcomes: str, max_errors: float, code: ExitCode
) -> None:
    assert rule(make_run(outcomes), "accuracy=0.6", max_errors).code is code


def test_a_gate_without_verdict_says_what_is_missing_and_how_to_allow_it() -> None:
    found = rule(make_run("p" * 8 + "eeeee"), "accuracy=0.6")
    so_far, told = found.reasons
    assert (
        so_far
        == "gate, so far passed: accuracy is between 0.62 and 1.00, as 5 were not judged, and must be at least 0.6"
    )
    assert told == (
        "gate: no verdict: 5 of 13 user steps errored (a.yml::case 8, a.yml::case 9, a.yml::case 10, 2 more); "
        "--max-errors 0.385 would allow that"
    )
    assert rule(make_run("p" * 8 + "eeeee"), "accuracy=0.6", 0.385).reasons == (
        "gate passed, even with 5 unjudged results counted as failed: accuracy=0.6",
    )


def test_three_cases_are_all_named() -> None:
    told = find_errors(make_run("peee")).tell(0.0)
    assert "(a.yml::case 1, a.yml::case 2, a.yml::case 3); --max-errors" in told


def test_where_cases_are_asked_several_times_samples_have_errored() -> None:
    key = Key("a.yml", "case 0", 1)
    results = tuple(
        Result(replace(key, sample=sample), OUTCOMES["pe"[sample - 1]], None) for sample in (1, 2)
    )
    told = find_errors(Run(Head("agent", unit="agent cases"), (Case("a.yml", "case 0", results),))).tell(0.0)
    assert told == "1 of 2 samples of agent cases errored (a.yml::case 0); --max-errors 0.5 would allow that"


def test_a_gate_that_fails_names_the_figures_that_fell_short_and_no_others() -> None:
    run = make_run("pfff")
    run = replace(run, figures=(*run.figures, Figure("f1.macro", Measurement(0.9, 4))))
    assert rule(run, "accuracy=0.5,f1.macro=0.8").reasons == (
        "gate failed: accuracy is 0.2500, and must be at least 0.5",
    )


@pytest.mark.parametrize("total", [1, 7, 59])
def test_the_share_that_a_message_names_is_enough(total: int) -> None:
    for count in range(1, total + 1):
        missing = find_errors(make_run("e" * count + "p" * (total - count)))
        share = float(missing.tell(0.0).partition("--max-errors ")[2].split()[0])
        assert missing.tell(share) == ""


@pytest.mark.parametrize("max_errors", [0.0, 1.0])
def test_a_run_that_was_stopped_has_no_verdict_whatever_is_allowed(max_errors: float) -> None:
    head = Head("test", status=Status.STOPPED, stopped="2 calls were allowed", planned=9)
    found = rule(make_run("pp", head), "accuracy=0.5", max_errors)
    assert found.code is ERRORED
    assert found.reasons[-1] == (
        "gate: no verdict on an incomplete run (2 of 9 cases, stopped: 2 calls were allowed)"
    )


@pytest.mark.parametrize(
    ("outcomes", "verdict", "fail_under", "code"),
    [
        ("pp", "equivalent", None, PASSED),
        ("pf", "regressed", None, FAILED),
        ("pp", "no verdict", None, ERRORED),
        ("pe", "regressed", None, ERRORED),
        ("pf", "equivalent", "accuracy=0.9", FAILED),
        ("pp", "regressed", "accuracy=0.9", FAILED),
        ("pp", "no verdict", "accuracy=0.9", ERRORED),
        ("ff", "no verdict", "accuracy=0.9", FAILED),
    ],
)
def test_a_comparison_and_thresholds_decide_together(
    outcomes: str, verdict: str, fail_under: str | None, code: ExitCode
) -> None:
    head = Head("test", settings={VERDICT: verdict})
    assert rule(make_run(outcomes, head), fail_under).code is code


@pytest.mark.parametrize(
    ("outcomes", "verdict", "told"),
    [
        ("pf", "regressed", ("compared with the baseline: regressed",)),
        ("pp", "no verdict", ("compared with the baseline: no verdict",)),
        ("pp", "improved", ()),
    ],
)
def test_a_comparison_that_did_not_pass_says_so(outcomes: str, verdict: str, told: tuple[str, ...]) -> None:
    assert rule(make_run(outcomes, Head("test", settings={VERDICT: verdict}))).reasons == told


def test_a_comparison_of_a_run_with_errors_has_no_verdict_and_names_them() -> None:
    found = rule(make_run("pe", Head("test", unit="user steps", settings={VERDICT: "regressed"})))
    assert found.reasons[0].startswith("compared with the baseline: no verdict: 1 of 2 user steps errored")


def test_thresholds_have_no_verdict_where_a_comparison_ended_the_run_early() -> None:
    head = Head("test", settings={VERDICT: "improved", ASKED: "2 of 9 user steps"})
    found = rule(make_run("pp", head), "accuracy=0.5")
    assert (found.code, found.reasons[-1]) == (
        ERRORED,
        "gate: no verdict: --against ended the run after 2 of 9 user steps",
    )


def test_an_interrupted_run_is_nothing_else_and_has_no_verdict() -> None:
    run = make_run("pp", Head("test", status=Status.INTERRUPTED, planned=3))
    assert (rule(run).code, rule(run).reasons) == (130, ())
    gated = rule(run, "accuracy=0.5")
    assert gated.code == 130
    assert gated.reasons[-1] == "gate: no verdict on an incomplete run (2 of 3 cases, interrupted)"


def test_a_run_in_which_nothing_could_be_judged_has_not_passed() -> None:
    assert rule(make_run("")).code is ERRORED
    assert rule(make_run("", replace(HEAD, decides=False))).code is PASSED
