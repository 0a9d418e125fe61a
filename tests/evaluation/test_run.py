"""A run asks every step with its own history, and keeps what went wrong apart from what was wrong."""

from __future__ import annotations

import asyncio
import signal
import threading
from pathlib import Path

import pytest

from du_eval.assistants.model import Assistant, Collect, Flow, Response, ResponseVariation, Slot
from du_eval.commands import SetSlot, StartFlow
from du_eval.generators.base import Prediction, Request
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Status
from du_eval.suites.model import BotStep, Fixture
from tests.evaluation.running import any_of, bot, case, run, said, user


def outcomes(result) -> list[str]:
    return [step.outcome.value for step in result.results()]


def test_each_step_is_asked_with_the_history_of_the_file_whatever_was_predicted_before() -> None:
    seen: dict[str, list[str]] = {}

    def answer(request: Request) -> str:
        seen[request.message] = said(request)
        return "CancelFlow()"

    run(
        case(
            "c",
            bot("Hello"),
            user("one", "StartFlow(a)"),
            bot("Which?"),
            user("two", "SetSlot(x, 1)"),
            user("three", "CancelFlow()"),
        ),
        answer=answer,
    )
    assert seen == {
        "one": ["B:Hello"],
        "two": ["B:Hello", "U:one", "B:Which?"],
        "three": ["B:Hello", "U:one", "B:Which?", "U:two"],
    }


def test_a_request_holds_nothing_about_what_is_expected() -> None:
    requests: list[Request] = []
    run(
        case("c", user("hi", "StartFlow(secret_flow)")), answer=lambda request: requests.append(request) or ""
    )
    assert "secret_flow" not in repr(requests[0])


def test_a_wrong_step_does_not_poison_the_next() -> None:
    result = run(
        case("c", user("one", "StartFlow(a)"), user("two", "CancelFlow()")), answer=lambda _: "CancelFlow()"
    )
    assert outcomes(result) == ["failed", "passed"]


def test_results_come_in_suite_order_whatever_finishes_first() -> None:
    async def answer(request: Request) -> str:
        await asyncio.sleep(0.02 if request.message == "slow" else 0)
        return "CancelFlow()"

    result = run(
        case("first", user("slow", "CancelFlow()")),
        case("second", user("quick", "CancelFlow()")),
        answer=answer,
    )
    assert [found.name for found in result.cases] == ["first", "second"]


def test_no_more_steps_are_asked_at_once_than_allowed() -> None:
    lock, running, most = threading.Lock(), [0], [0]

    async def answer(request: Request) -> str:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        await asyncio.sleep(0.001)
        with lock:
            running[0] -= 1
        return ""

    run(*[case(f"c{n}", user("hi", "CancelFlow()")) for n in range(12)], answer=answer, concurrency=3)
    assert most[0] == 3


def test_a_crash_is_neither_a_pass_nor_a_fail() -> None:
    def answer(request: Request) -> str:
        raise RuntimeError("no network")

    result = run(case("c", user("hi", "CancelFlow()")), answer=answer)
    assert outcomes(result) == ["errored"]
    assert "no network" in next(result.results()).error
    assert result.cases[0].outcome is Outcome.ERRORED


def test_a_case_with_a_failed_and_an_errored_step_has_failed() -> None:
    def answer(request: Request) -> str:
        if request.message == "crash":
            raise RuntimeError
        return ""

    result = run(case("c", user("crash", "CancelFlow()"), user("wrong", "CancelFlow()")), answer=answer)
    assert result.cases[0].outcome is Outcome.FAILED


def test_no_expected_command_is_an_expectation_like_any_other() -> None:
    assert outcomes(run(case("c", user("hm")), answer=lambda _: "")) == ["passed"]
    assert outcomes(run(case("c", user("hm")), answer=lambda _: "CancelFlow()")) == ["failed"]


def test_one_of_several_alternatives_is_enough() -> None:
    step = any_of("money", ("StartFlow(a)",), ("Clarify(a, b)",))
    assert outcomes(run(case("c", step), answer=lambda _: "Clarify(b, a)")) == ["passed"]
    assert outcomes(run(case("c", step), answer=lambda _: "StartFlow(a)")) == ["passed"]


def test_where_no_alternative_fits_the_nearest_one_is_reported() -> None:
    step = any_of("money", ("CancelFlow()", "ChitChat()"), ("StartFlow(a)", "SetSlot(x, 1)"))
    found = next(run(case("c", step), answer=lambda _: "StartFlow(a)").results())
    assert found.detail.live.expected == (StartFlow("a"), SetSlot("x", "1"))
    assert found.detail.live.diff.missing == (SetSlot("x", "1"),)


def test_text_that_is_no_command_is_kept() -> None:
    found = next(
        run(case("c", user("hi", "CancelFlow()")), answer=lambda _: "CancelFlow()\nHope this helps").results()
    )
    assert found.outcome is Outcome.PASSED
    assert found.detail.unparsed == ("Hope this helps",)


def test_predictions_may_come_by_component() -> None:
    prediction = Prediction(components={"nlu": ("CancelFlow()",), "llm": "StartFlow(a)"})
    found = next(
        run(case("c", user("hi", "CancelFlow()", "StartFlow(a)")), answer=lambda _: prediction).results()
    )
    assert found.outcome is Outcome.PASSED
    assert [name for name, _ in found.detail.components] == ["nlu", "llm"]


def test_a_custom_comparison_that_crashes_makes_the_step_errored() -> None:
    class Odd(StartFlow):
        def __eq__(self, other: object) -> bool:
            raise ValueError("cannot compare")

        __hash__ = StartFlow.__hash__

    found = next(run(case("c", user("hi", "StartFlow(a)")), answer=lambda _: [Odd("a")]).results())
    assert found.outcome is Outcome.ERRORED
    assert "cannot compare" in found.error


ASSISTANT = Assistant(
    path="bot",
    flows={"send": Flow("send", "send money", collects=(Collect("amount"),))},
    slots={"amount": Slot("amount", "float")},
    responses={"utter_ask_amount": Response("utter_ask_amount", (ResponseVariation("How much?"),))},
)


def test_a_predicted_flow_that_the_assistant_lacks_stays_and_is_marked() -> None:
    found = next(
        run(
            case("c", user("hi", "StartFlow(send)")), answer=lambda _: "StartFlow(sned)", assistant=ASSISTANT
        ).results()
    )
    assert found.detail.live.predicted == (StartFlow("sned"),)
    assert found.detail.unknown_flows == ("sned",)


def test_generators_are_told_where_the_dialogue_stands() -> None:
    states = []
    run(
        case(
            "c",
            user("send money", "StartFlow(send)"),
            BotStep(1, response="utter_ask_amount"),
            user("50", "SetSlot(amount, 50)"),
            fixtures=(Fixture("f", {"vip": True}),),
        ),
        answer=lambda request: states.append(request) or "",
        assistant=ASSISTANT,
        concurrency=1,
    )
    assert states[0].state.slots == {"vip": True}
    assert (states[1].state.active_flow, states[1].state.asked_slot) == ("send", "amount")
    assert states[1].history.turns[-1].text == "How much?"


def test_values_are_compared_in_the_types_of_the_assistant() -> None:
    result = run(
        case("c", user("50", "SetSlot(amount, 50)")),
        answer=lambda _: "SetSlot(amount, 50.0)",
        assistant=ASSISTANT,
    )
    assert outcomes(result) == ["passed"]


def test_the_official_policy_does_not_evaluate_steps_without_expected_commands_and_says_so() -> None:
    result = run(
        case("c", user("hm"), user("x", "CancelFlow()")), answer=lambda _: "CancelFlow()", policy="rasa"
    )
    assert outcomes(result) == ["passed"]
    assert "1 steps expect no command" in result.notes[0]


@pytest.mark.parametrize("count", [1, 2])
def test_an_interrupted_run_keeps_what_was_finished(count: int) -> None:
    async def answer(request: Request) -> str:
        if request.place.step > count:
            signal.raise_signal(signal.SIGINT)
            await asyncio.sleep(5)
        return "CancelFlow()"

    result = run(case("c", *[user(str(n), "CancelFlow()") for n in range(4)]), answer=answer, concurrency=1)
    assert result.head.status is Status.INTERRUPTED
    assert outcomes(result) == ["passed"] * count


def test_commands_of_every_form_survive_the_journal(tmp_path: Path) -> None:
    from contextlib import closing

    from du_eval.commands.flows import CancelFlow, SetSlot, StartFlow
    from du_eval.evaluation.plan import Probe
    from du_eval.evaluation.predict import JournalStore
    from du_eval.generators.base import Place, Prediction, Prompt, Request
    from du_eval.parsers.command_parser import CommandParser
    from du_eval.runs.journal import Journal

    probe = Probe(Request("hi", place=Place("f.yml", "case", 1)), ((),))
    given = Prediction(
        commands=(StartFlow("a"), SetSlot("b", None), CancelFlow(), "text", {"command": "x", "n": 1}),
        components={"one": "said", "two": (StartFlow("c"),)},
        prompts=(Prompt("llm", "user", prompt_tokens=3, cost=0.5),),
        latencies={"l": 1.0},
        finish="stop",
    )
    with closing(Journal.opened(tmp_path / "journal.jsonl", writing=True)) as journal:
        store = JournalStore(journal, CommandParser.default())
        store.keep(probe, given, None)
        found = store.recall(probe)
    assert found == Prediction(
        commands=(
            {"command": "start flow", "flow": "a"},
            {"command": "set slot", "name": "b", "value": None},
            {"command": "cancel flow"},
            "text",
            {"command": "x", "n": 1},
        ),
        components={"one": "said", "two": ({"command": "start flow", "flow": "c"},)},
        prompts=given.prompts,
        latencies={"l": 1.0},
        finish="stop",
    )


def test_numbers_and_mappings_of_other_libraries_survive_the_journal(tmp_path: Path) -> None:
    from contextlib import closing
    from types import MappingProxyType

    import numpy as np

    from du_eval.evaluation.plan import Probe
    from du_eval.evaluation.predict import JournalStore
    from du_eval.generators.base import Prompt
    from du_eval.parsers.command_parser import CommandParser
    from du_eval.runs.journal import Journal

    given = Prediction(
        "a",
        prompts=(Prompt("llm", prompt_tokens=np.int64(3)),),
        latency_seconds=np.float64(0.5),
        latencies=MappingProxyType({"l": np.float32(2)}),
    )
    probe = Probe(Request("hi"), ((),))
    with closing(Journal.opened(tmp_path / "journal.jsonl", writing=True)) as journal:
        store = JournalStore(journal, CommandParser.default())
        store.keep(probe, given, None)
        found = store.recall(probe)
    assert found == Prediction("a", None, {}, (Prompt("llm", prompt_tokens=3),), 0.5, {"l": 2.0})


@pytest.mark.parametrize(
    "damaged",
    [{"text": 1}, {"commands": [1]}, {"commands": "a"}, {"components": {"a": [2]}}, {"prompts": [{}]},
     {"latencies": {"a": "b"}}, {"latency_seconds": "soon"}, {"refusal": []}],
)  # fmt: skip
def test_an_answer_of_another_form_is_an_error(damaged: dict[str, object]) -> None:
    from du_eval.evaluation.predict import decode_answer
    from du_eval.runs.journal import Record
    from du_eval.runs.record import Key

    assert "the kept answer is damaged" in str(decode_answer(Record(Key(), "", damaged)))
