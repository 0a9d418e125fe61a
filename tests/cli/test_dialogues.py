"""`du-eval e2e` and `du-eval flows`, and replay options of `du-eval test`, at the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tests.cli.calling import Caller
from tests.llm.chat_server import Behaviour, ChatServer
from tests.reading import read_run

PROJECT = Path(__file__).parent.parent.parent
BANK = "examples/bank"
SUITE = "dialogue_understanding_tests/bank"


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Caller:
    monkeypatch.chdir(PROJECT)
    return Caller(capsys)


def test_the_example_end_to_end_tests_pass(call: Caller, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    answer = call("e2e", f"{BANK}/tests", "--output-file", str(report))
    assert answer.code == 0, answer.out
    assert "0 failed, 5 passed test cases" in answer.out
    assert json.loads(report.read_text(encoding="utf-8"))["number_of_passed_tests"] == 5


def test_a_failed_case_shows_what_was_expected_and_the_conversation(call: Caller, tmp_path: Path) -> None:
    file = tmp_path / "cases.yml"
    text = "test_cases:\n  - test_case: c\n    steps:\n      - user: Send money to Astrid\n      - bot: No.\n"
    file.write_text(text, encoding="utf-8")
    answer = call("e2e", str(file), "--assistant", BANK, "--no-output")
    assert answer.code == 1
    assert f"{file}:5: after 'Send money to Astrid'\n   expected: the bot says 'No.'\n" in answer.out
    assert "whose fault, line 4: " in answer.out
    assert "      understood as StartFlow(send_money)" in answer.out


def test_a_case_that_stops_is_errored_and_says_where(call: Caller, tmp_path: Path) -> None:
    file = tmp_path / "cases.yml"
    text = "test_cases:\n  - test_case: c\n    steps:\n      - user: tell me my balance\n      - utter: utter_what_next\n"
    file.write_text(text, encoding="utf-8")
    answer = call("e2e", str(file), "--assistant", BANK, "--no-output")
    assert answer.code == 3
    assert "stopped: " in answer.out
    assert "nobody knows what the custom action" in answer.out


def test_one_case_can_be_selected_by_its_name(call: Caller) -> None:
    answer = call("e2e", f"{BANK}/tests/e2e_test_cases.yml::the balance", "--no-output", "--json")
    assert [case["test_case"] for case in json.loads(answer.out)["test_cases"]] == ["the balance"]


def test_end_to_end_tests_without_an_assistant_cannot_be_judged(call: Caller, tmp_path: Path) -> None:
    file = tmp_path / "cases.yml"
    file.write_text("test_cases:\n  - test_case: c\n    steps:\n      - user: hi\n", encoding="utf-8")
    answer = call("e2e", str(file), "--no-output")
    assert answer.code == 3
    assert "name one with --assistant" in answer.out


def test_nothing_selected_is_said(call: Caller) -> None:
    assert call("e2e", f"{BANK}/tests", "-k", "no_such_case", "--no-output").code == 5


def test_the_catalogue_lists_flows_and_what_is_never_tested(call: Caller) -> None:
    answer = call("flows", SUITE)
    assert answer.code == 0, answer.err
    assert "verify_pin (by call or link)" in answer.out
    assert "  flows: 11 of 11\n" in answer.out
    assert "    - change_address line 47: 4_collect_address_confirmed, else\n" in answer.out
    assert "    - pattern_cannot_handle\n" in answer.out


def test_without_a_suite_only_the_flows_are_shown(call: Caller) -> None:
    answer = call("flows", "--assistant", BANK)
    assert "11 flows in examples/bank; name test files to see what they cover" in answer.out
    assert "never" not in answer.out


def test_the_catalogue_as_json_names_everything_untested(call: Caller) -> None:
    data = json.loads(call("flows", SUITE, "--json").out)
    flow = next(flow for flow in data["flows"] if flow["id"] == "change_address")
    assert flow["branches"]["untested"] == ["line 47: 4_collect_address_confirmed, else"]
    assert data["responses"]["total"] > data["responses"]["tested"]


def test_a_flow_is_drawn_for_mermaid(call: Caller) -> None:
    text = call("flows", SUITE, "--diagram", "mermaid", "--flow", "change_address").out
    assert text.startswith('flowchart TD\n  subgraph f_change_address["change the postal address"]\n')
    assert '-->|"slots.address_confirmed"| ' in text
    assert '"utter_address_kept"]:::untested' in text


def test_flows_are_drawn_as_svg(call: Caller, tmp_path: Path) -> None:
    target = tmp_path / "flows.svg"
    assert call("flows", SUITE, "--diagram", "svg", "-o", str(target)).code == 0
    root = ET.parse(target).getroot()
    texts = [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "ask payment_amount" in texts
    assert any("stroke-dasharray" in element.attrib for element in root.iter())


def test_an_unknown_flow_is_refused_with_a_hint(call: Caller) -> None:
    answer = call("flows", "--assistant", BANK, "--flow", "send_mony")
    assert answer.code == 2
    assert "did you mean 'send_money'" in answer.err


def test_flows_of_two_assistants_at_once_are_refused(call: Caller) -> None:
    answer = call("flows", "dialogue_understanding_tests")
    assert answer.code == 2
    assert "examples/bank, examples/pizza" in answer.err


@pytest.mark.parametrize("name", ["bank", "pizza"])
def test_the_bot_steps_of_the_example_suites_agree_with_the_replay(call: Caller, name: str) -> None:
    answer = call("test", f"dialogue_understanding_tests/{name}", "--json", "--no-output")
    found = read_run(answer.out)["bot"]
    assert (found["differing"], found["differences"], found["unchecked"]) == (0, [], 0)
    assert found["checked"] > 200


def test_a_bot_step_that_differs_fails_the_case_when_strict(call: Caller, tmp_path: Path) -> None:
    file = tmp_path / "suite.yml"
    file.write_text(
        "test_cases:\n  - test_case: c\n    steps:\n      - user: send money\n        commands: [StartFlow(send_money)]\n"
        "      - utter: utter_ask_payment_amount\n      - user: Ann\n        commands: ['SetSlot(payee, Ann)']\n",
        encoding="utf-8",
    )
    arguments = ("test", str(file), "--assistant", BANK, "--no-output", "--json")
    loose, strict = call(*arguments), call(*arguments, "--strict-bot")
    assert read_run(loose.out)["bot"]["differing"] == 1
    assert read_run(strict.out)["cases"]["failed"] == 1
    assert strict.code == 1


def test_both_histories_are_compared(call: Caller) -> None:
    answer = call("test", SUITE, "--history", "both", "--no-output", "--json", "-k", "corrections")
    gap = read_run(answer.out)["gap"]
    assert gap["gold"]["accuracy"]["value"] >= gap["predicted"]["accuracy"]["value"]
    assert gap["reused"] > 0


def test_an_action_module_that_is_not_there_is_an_input_error(call: Caller) -> None:
    answer = call("test", SUITE, "--actions", "no_such_module", "--no-output")
    assert answer.code == 2
    assert "there is no module 'no_such_module'" in answer.err


def test_an_action_endpoint_that_is_no_address_is_an_input_error(call: Caller) -> None:
    assert call("test", SUITE, "--action-endpoint", "localhost", "--no-output").code == 2


def test_end_to_end_tests_take_the_model_and_the_judge_from_flags(call: Caller, tmp_path: Path) -> None:
    def answer(body: dict[str, Any]) -> str:
        if "single statements" in body["messages"][0]["content"]:
            return '{"statements": [{"text": "no documents", "holds": false}]}'
        return "ChitChat()"

    file = tmp_path / "cases.yml"
    steps = "      - user: hi\n        assertions:\n          - generative_response_is_relevant: {utter_name: utter_small_talk}\n"
    file.write_text(f"test_cases:\n  - test_case: c\n    steps:\n{steps}", encoding="utf-8")
    common = ("e2e", str(file), "--assistant", BANK, "--no-output", "-g", "llm", "--model", "m", "--no-cache")
    with ChatServer(Behaviour(answer)) as server:
        offline = call(*common, "--base-url", server.base_url, "--price", "1000/1000")
        judged = call(*common, "--base-url", server.base_url, "--judge-model", "j")
        models = [body["model"] for body in server.bodies]
    assert "judge of generated answers: offline similarity" in offline.out
    assert "1 request sent, cost" in offline.err
    assert judged.code == 1
    assert "0 of 1 statements hold; not: 'no documents' (judge: j)" in judged.out
    assert models == ["m", "m", "j"]
