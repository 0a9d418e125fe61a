"""A running Rasa server as a generator, against a server that speaks its protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.calling import Caller
from tests.generators.rasa_bot import RasaBot
from tests.reading import read_run

SUITE = """\
fixtures:
  - rich:
      - funds: 1000
test_cases:
  - test_case: transfer
    fixtures: [rich]
    steps:
      - user: send money
        commands: [StartFlow(transfer)]
      - utter: utter_ask_recipient
      - user: to Ann
        commands: ["SetSlot(recipient, Ann)"]
      - utter: utter_ask_amount
      - user: forty
        commands: ["SetSlot(amount, 40)"]
      - utter: utter_done
      - user: /stop
        commands: []
"""


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Caller:
    return Caller(capsys)


@pytest.fixture(autouse=True)
def _suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "suite.yml").write_text(SUITE)
    monkeypatch.chdir(tmp_path)


def result(call: Caller, bot: RasaBot, *more: str) -> dict[str, Any]:
    answer = call("test", "suite.yml", "-g", "rasa", "--url", bot.url, "--json", "--no-output", *more)
    data: dict[str, Any] = read_run(answer.out)
    return data


def test_each_step_is_asked_after_the_history_that_the_suite_gives_it(call: Caller) -> None:
    with RasaBot() as bot:
        found = result(call, bot)
    assert found["steps"] == {"passed": 4, "failed": 0, "errored": 0}
    asked = {text: (flow, slots) for text, flow, slots in bot.understood}
    assert asked["send money"] == (None, {"funds": 1000})
    assert asked["to Ann"] == ("transfer", {"funds": 1000})
    assert asked["forty"] == ("transfer", {"funds": 1000, "recipient": "Ann"})
    assert asked["\u200b/stop"] == ("transfer", {"funds": 1000, "recipient": "Ann", "amount": "40"})


def test_the_history_holds_the_words_of_the_user_and_not_the_payload(call: Caller) -> None:
    with RasaBot() as bot:
        result(call, bot)
    (last,) = [events for name, events in bot.trackers.items() if name.endswith("-3-sample-1")]
    assert [event["text"] for event in last if event["event"] == "user"] == [
        "send money",
        "to Ann",
        "forty",
        "\u200b/stop",
    ]


def test_commands_prompts_and_tokens_come_by_component(call: Caller) -> None:
    with RasaBot() as bot:
        found = result(call, bot, "--output-prompt")
    step = found["test_cases"][0]["steps"][0]
    assert dict(step["components"]) == {
        "LLMCommandGenerator": ["StartFlow(transfer)"],
        "NLUCommandAdapter": [],
    }
    assert step["prompts"][0]["prompt_tokens"] == 9
    assert step["prompts"][0]["latency_seconds"] == 0.1


def test_without_recording_the_final_commands_are_read(call: Caller) -> None:
    with RasaBot(records=False) as bot:
        assert result(call, bot)["steps"]["passed"] == 4


def test_a_turn_that_the_server_mistakes_is_corrected_in_the_history_of_later_steps(call: Caller) -> None:
    with RasaBot(mistakes={"send money": [{"command": "cancel flow"}]}) as bot:
        found = result(call, bot)
    assert [step["outcome"] for step in found["test_cases"][0]["steps"]] == [
        "failed",
        "passed",
        "passed",
        "passed",
    ]
    assert {text: flow for text, flow, _ in bot.understood}["to Ann"] == "transfer"
    assert "POST /conversations/*/execute" in bot.requests


def test_a_history_that_cannot_be_built_makes_the_step_errored(call: Caller) -> None:
    with RasaBot(mistakes={"send money": [{"command": "cancel flow"}]}, accepts_parse_data=False) as bot:
        found = result(call, bot)
    assert [step["outcome"] for step in found["test_cases"][0]["steps"]] == [
        "failed",
        "errored",
        "errored",
        "errored",
    ]
    assert (
        "does not understand 'send money' as StartFlow(transfer)"
        in found["test_cases"][0]["steps"][1]["error"]
    )


def test_the_token_authenticates_and_a_wrong_one_is_told_without_showing_it(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    with RasaBot(token="right-token") as bot:
        monkeypatch.setenv("RASA_TOKEN", "right-token")
        assert result(call, bot)["steps"]["passed"] == 4
        monkeypatch.setenv("RASA_TOKEN", "wrong-token")
        found = result(call, bot)
    assert found["steps"]["errored"] == 4
    error = found["test_cases"][0]["steps"][0]["error"]
    assert "HTTP 401: NotAuthenticated" in error
    assert "wrong-token" not in error


def test_corrections_that_the_server_makes_of_slots_count_as_slots(call: Caller) -> None:
    corrected = [{"command": "correct slot", "corrected_slots": [{"name": "amount", "value": 40}]}]
    with RasaBot(records=False, mistakes={"forty": corrected}) as bot:
        assert result(call, bot)["test_cases"][0]["steps"][2]["outcome"] == "passed"


def test_an_error_of_the_server_s_own_model_is_no_wrong_prediction(call: Caller) -> None:
    with RasaBot(
        mistakes={"forty": [{"command": "error", "error_type": "rasa_internal_error_default"}]}
    ) as bot:
        step = result(call, bot)["test_cases"][0]["steps"][2]
    assert step["outcome"] == "errored"
    assert "rasa_internal_error_default" in step["error"]
