"""Scores count what was judged, per step, and say how sure they are."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from du_eval import __version__
from du_eval.commands import CancelFlow, StartFlow
from du_eval.evaluation.aggregate import (
    CommandScores,
    count_flows,
    measure_cases,
    measure_steps,
    slot_counts,
)
from du_eval.evaluation.pipeline import Evaluator
from du_eval.evaluation.record import AskedCase, AskedCases, list_score_figures, record_test
from du_eval.generators.base import Prediction, Prompt, Request
from du_eval.generators.function import FunctionGenerator
from du_eval.parsers.command_parser import CommandParser
from du_eval.runs.outcome import Outcome
from du_eval.runs.schedule import Sampling
from du_eval.statistics.counts import Counts
from du_eval.statistics.f1 import f1_intervals
from du_eval.statistics.intervals import Bounds, Measurement
from du_eval.statistics.success import SuccessRatio
from du_eval.suites.model import TestSuite
from tests.evaluation.running import case, run, user

ANSWERS = {
    "right": "StartFlow(a)",
    "wrong": "StartFlow(b)",
    "double": "StartFlow(a)\nStartFlow(a)",
    "nothing": "",
}


def answer(request: Request) -> str:
    if request.message == "crash":
        raise RuntimeError("down")
    return ANSWERS[request.message]


def again(run, **options):
    """Return a run with figures of the cases that it has now."""
    return record_test(AskedCases([AskedCase(one) for one in run.cases], **options), run.head)


def scored(*messages: str, policy: str = "exact"):
    return run(case("c", *[user(m, "StartFlow(a)") for m in messages]), answer=answer, policy=policy)


def test_a_wrong_flow_is_one_miss_and_one_false_alarm() -> None:
    counts = scored("right", "wrong").extra.commands["start flow"].counts
    assert (counts.tp, counts.fp, counts.fn, counts.total) == (1, 1, 1, 2)


def test_flows_and_slots_are_counted_by_their_names_and_without_errored_steps() -> None:
    answers = {"one": "StartFlow(b)\nSetSlot(x, 1)", "two": "StartFlow(a)\nStartFlow(b)\nSetSlot(x, 2)"}
    steps = [user(message, "StartFlow(a)", "SetSlot(x, 1)") for message in ("one", "two", "crash")]
    result = run(case("c", *steps), answer=lambda one: answers[one.message])
    assert result.cases[0].results[-1].outcome is Outcome.ERRORED
    assert list(count_flows(result.results()).items()) == [
        ("a", Counts(tp=1, fn=1, total=2)),
        ("b", Counts(fp=2)),
    ]
    assert slot_counts(result.results()) == {"x": Counts(tp=1, fp=1, fn=1, total=2)}


def test_a_surplus_prediction_is_a_false_alarm() -> None:
    counts = scored("double").extra.commands["start flow"].counts
    assert (counts.tp, counts.fp, counts.fn) == (1, 1, 0)


def test_errored_steps_enter_no_number() -> None:
    with_crash, without = scored("right", "wrong", "crash"), scored("right", "wrong")
    assert with_crash.extra.commands["start flow"].counts == without.extra.commands["start flow"].counts
    assert with_crash.figure("accuracy").measured.value == without.figure("accuracy").measured.value == 0.5
    assert with_crash.count_results()[Outcome.ERRORED] == 1


def test_errored_steps_bound_every_score_from_all_wrong_to_all_right() -> None:
    found = scored("right", "right", "right", "wrong", "crash")
    score, f1 = found.extra.commands["start flow"], found.figure("f1.micro").measured
    assert score.recall.bounds == Bounds(pytest.approx(3 / 5), pytest.approx(4 / 5), 1)
    assert score.precision.bounds == Bounds(pytest.approx(3 / 5), pytest.approx(4 / 5), 1)
    assert score.f1.bounds == f1.bounds == Bounds(pytest.approx(6 / 10), pytest.approx(8 / 10), 1)
    assert found.figure("accuracy").measured.bounds == Bounds(pytest.approx(3 / 5), pytest.approx(4 / 5), 1)
    whole = scored("right", "wrong").figure("f1.macro").measured
    assert (whole.bounds, whole.possible) == (None, None)


def test_a_lost_step_that_expects_another_command_may_have_given_a_false_positive() -> None:
    result = run(
        case("good", user("right", "StartFlow(a)")), case("bad", user("crash", "CancelFlow()")), answer=answer
    )
    found = result.extra.commands["start flow"]
    assert (found.precision.value, found.recall.value) == (1.0, 1.0)
    assert found.precision.bounds == Bounds(0.5, 1.0, 1)
    assert found.f1.bounds == Bounds(pytest.approx(2 / 3), 1.0, 1)
    assert found.recall.bounds is None


def test_a_command_of_which_nothing_was_judged_is_still_listed_with_its_bounds() -> None:
    found = scored("crash").extra.commands["start flow"]
    assert found.f1.value is None
    assert found.f1.bounds == Bounds(0.0, 1.0, 1)


def test_a_case_that_could_not_be_judged_enters_no_accuracy() -> None:
    evaluation = run(
        case("good", user("right", "StartFlow(a)")),
        case("bad", user("crash", "StartFlow(a)")),
        answer=answer,
    )
    assert (
        evaluation.figure("accuracy.cases").measured.value,
        evaluation.figure("accuracy.cases").measured.n,
    ) == (1.0, 1)
    assert evaluation.count_cases()[Outcome.ERRORED] == 1


def test_what_errored_and_what_was_never_asked_is_missing_from_every_accuracy() -> None:
    result = run(
        case("good", user("right", "StartFlow(a)"), user("wrong", "StartFlow(a)")),
        case("bad", user("crash", "StartFlow(a)")),
        answer=answer,
    )
    never = ((StartFlow("a"), CancelFlow()), (StartFlow("a"),), ())
    found = again(result, unasked=never, unbegun=2)
    assert (found.figure("accuracy.cases").measured.n, found.figure("accuracy.cases").measured.missing) == (
        1,
        3,
    )
    assert (found.figure("accuracy").measured.n, found.figure("accuracy").measured.missing) == (2, 4)
    assert (found.extra.commands["start flow"].f1.n, found.extra.commands["start flow"].f1.missing) == (3, 5)
    assert found.extra.commands["cancel flow"].recall.missing == 1
    assert (found.figure("f1.micro").measured.n, found.figure("f1.micro").measured.missing) == (3, 5)


def test_an_undefined_precision_is_none_and_not_zero() -> None:
    score = scored("nothing").extra.commands["start flow"]
    assert score.precision.value is None
    assert score.recall.value == 0.0


def test_every_rate_has_an_interval_around_it() -> None:
    evaluation = scored("right", "wrong", "right")
    score = evaluation.extra.commands["start flow"]
    for measurement in (
        evaluation.figure("accuracy.cases").measured,
        evaluation.figure("accuracy").measured,
        score.precision,
        score.recall,
    ):
        assert measurement.interval is not None
        assert measurement.interval.low <= (measurement.value or 0) <= measurement.interval.high


def test_nothing_judged_gives_no_accuracy_instead_of_a_division_by_zero() -> None:
    evaluation = scored("crash")
    assert evaluation.figure("accuracy.cases").measured.value is None
    assert evaluation.figure("accuracy").measured.value is None
    assert evaluation.figure("f1.macro").value is None


def test_the_official_policy_counts_every_expectation_of_a_passed_case_as_hit() -> None:
    counts = scored("double", policy="rasa").extra.commands["start flow"].counts
    assert (counts.tp, counts.fp, counts.fn) == (1, 0, 0)


def quirk(policy: str, *more: str):
    """Score a step that expects a command twice and gets it once beside another: the official tool passes it."""
    steps = [user("quirk", "StartFlow(a)", "StartFlow(a)"), *[user(m, "StartFlow(a)") for m in more]]
    answers = {**ANSWERS, "quirk": "StartFlow(a)\nCancelFlow()"}
    return run(case("c", *steps), answer=lambda one: answers[one.message], policy=policy)


def test_the_official_policy_overlooks_surplus_commands_of_a_passed_case() -> None:
    found = quirk("rasa")
    assert found.count_cases()[Outcome.PASSED] == 1
    assert {name: score.counts for name, score in found.extra.commands.items()} == {
        "start flow": Counts(tp=2, total=2)
    }


def test_an_errored_step_lets_the_official_policy_count_its_case_as_a_passed_one() -> None:
    found = quirk("rasa", "crash")
    assert found.count_cases()[Outcome.ERRORED] == 1
    assert found.extra.commands["start flow"].counts == Counts(tp=2, total=2)


def test_nothing_is_missing_from_cases_and_steps_that_were_all_judged() -> None:
    cases = scored("right", "wrong").cases
    assert [measure(cases).missing for measure in (measure_cases, measure_steps)] == [0, 0]
    assert CommandScores({}, {}).skipped == 0


def test_the_official_policy_counts_surplus_commands_of_a_failed_case() -> None:
    found = quirk("rasa", "wrong")
    assert found.count_cases()[Outcome.FAILED] == 1
    assert found.extra.commands["cancel flow"].counts == Counts(fp=1)
    assert found.extra.commands["start flow"].counts == Counts(tp=2, fp=1, fn=1, total=3)


def test_the_exact_policy_counts_surplus_and_missing_commands_of_every_case() -> None:
    found = quirk("exact")
    assert found.extra.commands["cancel flow"].counts == Counts(fp=1)
    assert found.extra.commands["start flow"].counts == Counts(tp=1, fn=1, total=2)


def test_an_errored_sample_leaves_open_only_a_case_whose_ratio_is_not_decided() -> None:
    result = run(case("c", user("right", "StartFlow(a)")), answer=answer)
    (first,) = result.cases[0].results
    second = replace(first, key=replace(first.key, sample=2), outcome=Outcome.ERRORED, error="down")
    for needed, has_errors in ((1, False), (2, True)):
        repeated = replace(result.cases[0], results=(first, second), ratio=SuccessRatio(needed, 2))
        assert (replace(result, cases=(repeated,)).open_results > 0) is has_errors
    assert replace(result, cases=(replace(repeated, ratio=None),)).open_results


def test_latency_percentiles_leave_out_what_was_not_measured() -> None:
    prompt = Prompt("main", component="llm", prompt_tokens=10, completion_tokens=2)
    result = run(
        case("c", user("x", "CancelFlow()")),
        answer=lambda _: Prediction(
            text="CancelFlow()", prompts=(prompt,), latency_seconds=0.5, latencies={"llm": 0.4}
        ),
    )
    evaluation = result
    assert evaluation.extra.quantities["latency"]["total"]["p50"] == pytest.approx(0.5)
    assert evaluation.extra.quantities["latency"]["llm"]["p99"] == pytest.approx(0.4)
    assert evaluation.extra.quantities["prompt tokens"] == {
        "llm": {"p50": 10, "p90": 10, "p99": 10, "max": 10, "first": 10, "n": 1, "total": 10}
    }


def test_an_errored_step_enters_no_percentile_and_a_prompt_without_component_goes_by_its_name() -> None:
    prompts = (Prompt("main", prompt_tokens=10, completion_tokens=2), Prompt("bare"))
    result = run(
        case("c", user("x", "CancelFlow()")),
        answer=lambda _: Prediction(text="CancelFlow()", prompts=prompts, latency_seconds=0.5),
    )
    (step,) = result.cases[0].results
    crashed = replace(step, outcome=Outcome.ERRORED, seconds=9.0, error="down")
    found = again(replace(result, cases=(replace(result.cases[0], results=(step, crashed)),)))
    assert found.extra.quantities["latency"]["total"]["p99"] == 0.5
    assert list(found.extra.quantities["prompt tokens"]) == ["main"]
    assert list(found.extra.quantities["completion tokens"]) == ["main"]


def test_a_run_has_failures_exactly_when_a_case_failed() -> None:
    assert scored("wrong").count_cases()[Outcome.FAILED] == 1
    assert scored("right", "crash").count_cases()[Outcome.FAILED] == 0


def test_the_signature_names_samples_only_where_there_are_several() -> None:
    result = run(case("c", user("right", "StartFlow(a)")), answer=answer)
    assert "samples" not in result.head.signature
    assert "|samples:2|" in again(replace(result, head=replace(result.head, samples=2))).head.signature


def test_the_signature_names_everything_that_makes_the_numbers() -> None:
    signature = run(case("c", user("right", "StartFlow(a)")), answer=answer).head.signature
    assert "match:exact" in signature
    assert "syntax:calls" in signature
    assert "intervals:clustered-wilson+clustered-jaccard@0.95" in signature
    assert "cases:1|" in signature
    assert "history" not in signature
    assert signature.endswith(f"du-eval:{__version__}")


def test_the_signature_names_a_history_that_is_not_the_gold_one() -> None:
    result = run(case("c", user("right", "StartFlow(a)")), answer=answer)
    assert again(result, history="own").head.signature.endswith("|history:own")


def test_a_command_with_the_name_of_an_average_keeps_its_own_numbers() -> None:
    clusters = [{"macro": Counts(tp=1, total=1), "b": Counts(fn=1, total=1)}] * 5
    found = f1_intervals(clusters)
    by_name, averages = found.commands, found.averages
    assert by_name["macro"].high == 1.0
    assert averages["macro"].high < 1.0
    assert (
        averages["macro"]
        == f1_intervals([{"a": one["macro"], "b": one["b"]} for one in clusters]).averages["macro"]
    )

    score = scored("right").extra.commands["start flow"]
    found = list_score_figures(CommandScores({"macro": score}, {"macro": Measurement(0.1, 1)}))
    assert {one.name: one.value for one in found if "macro" in one.name and "f1" in one.name} == {
        "f1.macro": 0.1,
        "f1.command.macro": 1.0,
    }


def test_samples_of_a_step_do_not_make_its_command_surer() -> None:
    cases = [
        case(f"c{number}", user("right", "StartFlow(a)"), user("wrong", "StartFlow(b)"))
        for number in range(6)
    ]
    once, often = (
        Evaluator(CommandParser.default(), sampling=Sampling(samples, asks_all=True)).run(
            TestSuite(tuple(cases)), FunctionGenerator(answer, "answer")
        )
        for samples in (1, 10)
    )
    assert often.figure("accuracy").measured.n == 10 * once.figure("accuracy").measured.n
    assert often.figure("accuracy").measured.interval.width == pytest.approx(
        once.figure("accuracy").measured.interval.width, rel=0.2
    )
    for name in ("precision", "recall", "f1"):
        one, many = (getattr(found.extra.commands["start flow"], name).interval for found in (once, often))
        assert many.width == pytest.approx(one.width, rel=0.2)
