import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from du_eval.assistants.actions import ActionResult
from du_eval.assistants.load import load_assistant
from du_eval.assistants.model import Assistant
from du_eval.evaluation.compare import EXACT
from du_eval.evaluation.exposure import ExposureGap
from du_eval.evaluation.pipeline import Evaluator
from du_eval.evaluation.record import TestRun
from du_eval.evaluation.replay import Replay
from du_eval.generators.base import Request
from du_eval.generators.function import FunctionGenerator
from du_eval.parsers.command_parser import CommandParser
from du_eval.reports.renderers.terminal import render_terminal
from du_eval.reports.views.test import view_test
from du_eval.runs.outcome import Outcome
from du_eval.suites.model import BotStep, StubbedAction, TestCase, TestSuite
from tests.assistants.workshop import write_workshop
from tests.evaluation.running import any_of, case, user

GOOD = {
    "action_estimate": StubbedAction(
        "action_estimate", ({"event": "slot", "name": "can_repair", "value": True},)
    )
}


@pytest.fixture
def assistant(tmp_path: Path) -> Assistant:
    return load_assistant(write_workshop(tmp_path / "bot"))


def utter(name: str) -> BotStep:
    return BotStep(1, response=name)


def run(*cases: TestCase, assistant: Assistant | None, answer=lambda _: "", **options) -> TestRun:
    evaluator = Evaluator(CommandParser.default(), EXACT, lambda _: assistant, 4, **options)
    return evaluator.run(TestSuite(cases), FunctionGenerator(answer, "answer"))


def replay_case(one: TestCase, assistant: Assistant, **options) -> Replay | None:
    return Evaluator(CommandParser.default(), **options).planner.plan(one, assistant).replay


def repair(*extra: BotStep) -> TestCase:
    return case(
        "c",
        user("fix my bike", "StartFlow(repair)"),
        *extra,
        user("the chain", "SetSlot(part, chain)"),
        utter("utter_ask_price_limit"),
        user("40", "SetSlot(price_limit, 40)"),
        BotStep(1, text="Repair the chain for 40.0?"),
        stubs=GOOD,
    )


def test_bot_steps_that_agree_are_counted_and_nothing_is_said(assistant: Assistant) -> None:
    replay = replay_case(repair(utter("utter_ask_part")), assistant)
    assert replay is not None
    assert (replay.checked, replay.differing, replay.differences) == (3, 0, ())


def test_a_bot_step_that_differs_is_found_and_later_steps_are_still_asked(assistant: Assistant) -> None:
    found = run(repair(utter("utter_hours")), assistant=assistant)
    assert found.extra is not None
    assert found.extra.bot is not None
    difference = found.extra.bot.differences[0].difference
    assert (difference.expected, difference.said) == (("utter_hours",), ("utter_ask_part",))
    assert (difference.missing, difference.surplus) == ((0,), (0,))
    assert len(list(found.results())) == 3


def test_a_message_that_the_file_does_not_have_is_found(assistant: Assistant) -> None:
    replay = replay_case(repair(), assistant)
    assert replay is not None
    assert replay.differing == 0
    assert replay.differences[0].surplus == (0,)


def test_a_case_may_stop_before_the_bot_does(assistant: Assistant) -> None:
    last = case("c", user("when", "StartFlow(hours)"), utter("utter_hours"))
    replay = replay_case(last, assistant)
    assert replay is not None
    assert replay.differences == ()


def test_a_case_without_any_bot_step_has_nothing_to_check(assistant: Assistant) -> None:
    silent = case("c", user("when", "StartFlow(hours)"), user("fix", "StartFlow(repair)"))
    replay = replay_case(silent, assistant)
    assert replay is not None
    assert replay.differences == ()


def test_any_wording_of_a_response_is_right(assistant: Assistant) -> None:
    second = case("c", user("when", "StartFlow(hours)"), BotStep(1, text="We close at six."))
    replay = replay_case(second, assistant)
    assert replay is not None
    assert replay.differing == 0


def test_differences_fail_a_case_only_when_that_is_wanted(assistant: Assistant) -> None:
    def gold(request: Request) -> str:
        return {"fix my bike": "StartFlow(repair)", "the chain": "SetSlot(part, chain)"}.get(
            request.message, "SetSlot(price_limit, 40)"
        )

    wrong = repair(utter("utter_hours"))
    assert run(wrong, assistant=assistant, answer=gold).cases[0].outcome is Outcome.PASSED
    assert run(wrong, assistant=assistant, answer=gold, strict_bot=True).cases[0].outcome is Outcome.FAILED


def test_generators_get_the_replayed_state_and_texts(assistant: Assistant) -> None:
    requests: list[Request] = []
    run(
        repair(utter("utter_ask_part")),
        assistant=assistant,
        answer=lambda request: requests.append(request) or "",
    )
    last = max(requests, key=lambda request: request.place.step)
    assert last.state.is_replayed
    assert (last.state.active_flow, last.state.asked_slot) == ("repair", "price_limit")
    assert last.state.slots["part"] == "chain"


def test_an_unknown_action_marks_the_rest_of_the_case(assistant: Assistant) -> None:
    requests: list[Request] = []
    unstubbed = case(
        "c",
        user("fix the chain for 40", "StartFlow(repair)", "SetSlot(part, chain)", "SetSlot(price_limit, 40)"),
        utter("utter_ask_agreed"),
        user("yes", "SetSlot(agreed, yes)"),
        utter("utter_repairing"),
    )
    result = run(unstubbed, assistant=assistant, answer=lambda request: requests.append(request) or "")
    replay = replay_case(unstubbed, assistant)
    assert replay is not None
    assert "action_estimate" in replay.stopped
    assert (replay.stopped_at, replay.checked, replay.unchecked) == (1, 0, 2)
    assert "1 case could not be replayed to the end" in result.notes[0]
    last = max(requests, key=lambda request: request.place.step)  # functions are asked at the same time
    assert not last.state.is_replayed
    assert last.state.asked_slot == "agreed"


def gap_of(result: TestRun) -> ExposureGap | None:
    return result.extra.gap if result.extra else None


def as_text(result: TestRun) -> str:
    return render_terminal(view_test(result))


def test_the_console_and_the_record_tell_about_the_bots_side(assistant: Assistant) -> None:
    result = run(repair(utter("utter_hours")), assistant=assistant)
    text = as_text(result)
    assert re.search(r"utter_hours +.*utter_ask_part", text)
    assert "bot steps: 1 of 3 differ" in text
    extra = result.extra
    assert extra is not None
    assert extra.bot is not None
    assert (extra.bot.checked, extra.bot.differing) == (3, 1)
    assert extra.bot.differences[0].difference.expected[0] == "utter_hours"


def test_an_async_action_runs_inside_a_run_and_sees_the_history(
    assistant: Assistant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from du_eval.assistants.python_actions import PythonActions
    from du_eval.evaluation.replay import Stage

    module = "async def action_estimate(tracker):\n    return {'can_repair': len(tracker.events) == 4}\n"
    (tmp_path / "slow_actions.py").write_text(module, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    unstubbed = replace(repair(utter("utter_ask_part")), stubs={})
    stage = Stage(PythonActions("slow_actions"))
    replay = replay_case(unstubbed, assistant, stage=stage)
    assert replay is not None
    assert (replay.stopped, replay.differing, replay.checked) == ("", 0, 3)


def test_expected_commands_without_effect_are_named_with_the_reason(assistant: Assistant) -> None:
    result = run(case("c", user("staff", "StartFlow(staff_only)")), assistant=assistant)
    extra = result.extra
    assert extra is not None
    assert extra.bot is not None
    (found,) = extra.bot.idle
    assert (found.command, found.line) == ("StartFlow(staff_only)", 1)
    assert found.reason == "the guard of the flow 'staff_only' does not hold"


def test_without_an_assistant_nothing_is_replayed() -> None:
    found = run(repair(), assistant=None)
    assert found.extra is not None
    assert found.extra.bot is None


def wrong_first(request: Request) -> str:
    if request.message == "fix my bike":
        return "StartFlow(hours)"
    return (
        f"SetSlot({request.state.asked_slot}, {request.message.removeprefix('the ')})"
        if request.state.asked_slot
        else ""
    )


def test_predicted_history_lets_the_generators_own_commands_drive(assistant: Assistant) -> None:
    seen: dict[int, Request] = {}

    def answer(request: Request) -> str:
        seen[request.place.step] = request
        return wrong_first(request)

    result = run(repair(utter("utter_ask_part")), assistant=assistant, answer=answer, history="predicted")
    assert [step.outcome.value for step in result.cases[0].results] == ["failed"] * 3
    assert seen[2].state.active_flow is None
    assert [turn.response for turn in seen[2].history][-2:] == ["utter_hours", "utter_can_do_something_else"]
    assert "history:predicted" in result.head.signature


def test_both_histories_show_the_gap_and_ask_identical_steps_once(assistant: Assistant) -> None:
    asked: list[str] = []

    def answer(request: Request) -> str:
        asked.append(request.message)
        return wrong_first(request)

    result = run(repair(utter("utter_ask_part")), assistant=assistant, answer=answer, history="both")
    assert len(asked) == 3 + 2
    gap = gap_of(result)
    assert gap is not None
    assert (gap.gold.accuracy.value, gap.predicted.accuracy.value) == (pytest.approx(2 / 3), 0.0)
    assert gap.first_divergences == ((1, 1),)
    assert (gap.reused, gap.asked) == (1, 2)
    assert gap.recovery.value == 0.0
    assert [turn.turn for turn in gap.turns] == [1, 2, 3]
    text = as_text(result)
    assert "66.7 points (" in text
    assert ") of accuracy are lost" in text


def test_a_generator_that_comes_back_is_counted_as_recovered(assistant: Assistant) -> None:
    def late(request: Request) -> str:
        if request.message == "fix my bike":
            return ""
        if request.message == "the chain":
            return (
                "SetSlot(part, chain)"
                if request.state.active_flow
                else "StartFlow(repair)\nSetSlot(part, chain)"
            )
        return "SetSlot(price_limit, 40)"

    gap = gap_of(run(repair(), assistant=assistant, answer=late, history="both"))
    assert gap is not None
    assert gap.recovery.value == 1.0


def test_a_perfect_generator_is_asked_nothing_again(assistant: Assistant) -> None:
    def gold(request: Request) -> str:
        return {"fix my bike": "StartFlow(repair)", "the chain": "SetSlot(part, chain)"}.get(
            request.message, "SetSlot(price_limit, 40)"
        )

    gap = gap_of(run(repair(), assistant=assistant, answer=gold, history="both"))
    assert gap is not None
    assert (gap.value, gap.asked, gap.diverged.value) == (0.0, 0, 0.0)


def test_another_alternative_that_leads_elsewhere_is_a_divergence_but_no_mistake(
    assistant: Assistant,
) -> None:
    either = case(
        "c",
        any_of("go", ("StartFlow(repair)",), ("StartFlow(rent)",)),
        user("the chain", "SetSlot(part, chain)"),
    )
    result = run(either, assistant=assistant, answer=lambda _: "StartFlow(rent)", history="both")
    assert result.cases[0].results[0].outcome is Outcome.PASSED
    assert result.extra is not None
    assert result.extra.drives[0].diverged_at == 1


def test_cases_without_an_assistant_keep_their_gold_history() -> None:
    result = run(repair(), assistant=None, history="both")
    assert "1 case has no assistant" in result.notes[0]
    assert gap_of(result) is None


def test_stubs_come_before_other_actions(assistant: Assistant) -> None:
    from du_eval.assistants.actions import StubbedActions
    from du_eval.evaluation.replay import Stage

    refuses = ActionResult(({"event": "slot", "name": "can_repair", "value": False},))
    stage = Stage(StubbedActions({"action_estimate": refuses}))
    replay = replay_case(repair(utter("utter_ask_part")), assistant, stage=stage)
    assert replay is not None
    assert replay.differing == 0
