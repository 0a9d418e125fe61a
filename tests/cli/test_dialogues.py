"""`du-eval e2e` and `du-eval flows`, and replay options of `du-eval test`, at the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml

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
    assert "5 of 5 test cases passed" in answer.out
    assert json.loads(report.read_text(encoding="utf-8"))["summary"]["figures"] == {"accuracy.cases": 1.0}


def test_the_yaml_report_has_the_official_keys(call: Caller, tmp_path: Path) -> None:
    report = tmp_path / "report.yml"
    call("e2e", f"{BANK}/tests", "--output-file", str(report), "-q")
    found = yaml.safe_load(report.read_text(encoding="utf-8"))
    assert (found["number_of_passed_tests"], found["number_of_failed_tests"]) == (5, 0)
    refused = call("report", str(report), "-o", str(tmp_path / "page.html"))
    assert refused.code == 2
    assert "--output-file x.json" in refused.err


def test_a_run_that_goes_on_asks_nothing_twice(
    call: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "counting.py").write_text(
        "asked = []\n\ndef understand(request):\n    asked.append(request.message)\n"
        "    return 'StartFlow(send_money)'\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    file = tmp_path / "cases.yml"
    steps = "    steps:\n      - user: send money\n      - utter: utter_ask_payee\n"
    file.write_text(f"test_cases:\n  - test_case: c\n{steps}", encoding="utf-8")
    kept = ("--runs-dir", str(tmp_path / "runs"))
    first = call("e2e", str(file), "--assistant", BANK, "-g", "counting:understand", *kept)
    again = call("e2e", "--resume", *kept)
    import counting  # type: ignore[import-not-found]

    assert counting.asked == ["send money"]
    assert (again.code, again.out) == (first.code, first.out)
    other = call("e2e", "--resume", *kept, "--similarity", "tfidf")
    assert other.code == 2
    assert "cannot continue with different settings" in other.err


def test_a_gate_decides_about_the_exit_code(call: Caller, tmp_path: Path) -> None:
    kept = ("--runs-dir", str(tmp_path))
    assert call("e2e", f"{BANK}/tests", *kept, "-q", "--fail-under", "accuracy.cases=0.9").code == 0
    unknown = call("e2e", f"{BANK}/tests", *kept, "--fail-under", "accuracy=0.9")
    assert unknown.code == 2
    assert "unknown figure 'accuracy'" in unknown.err


def test_a_gate_names_the_cases_that_were_selected(call: Caller, tmp_path: Path) -> None:
    kept = ("--runs-dir", str(tmp_path), "--fail-under", "accuracy.cases=0")
    told = "gate passed on the cases of -k cancel: accuracy.cases=0\n"
    assert call("e2e", f"{BANK}/tests", "-k", "cancel", *kept).err.endswith(told)
    assert call("rescore", "last", *kept).err.endswith(told)
    assert call("e2e", f"{BANK}/tests", "--shard", "1/2", *kept).code == 0
    assert "gate passed on 1 of 2 shards" in call("rescore", "last", *kept).err


def test_a_failed_case_shows_what_was_expected_and_the_conversation(call: Caller, tmp_path: Path) -> None:
    file = tmp_path / "cases.yml"
    text = "test_cases:\n  - test_case: c\n    steps:\n      - user: Send money to Astrid\n      - bot: No.\n"
    file.write_text(text, encoding="utf-8")
    answer = call("e2e", str(file), "--assistant", BANK, "--no-output")
    assert answer.code == 1
    assert "line 5: the bot says 'No.'" in answer.out
    assert "-- WHOSE FAULT --\nline 4: " in answer.out
    assert "user: Send money to Astrid  (understood as StartFlow(send_money)" in answer.out
    assert "expected: the bot says 'No.'  (did not hold)" in answer.out


def test_a_case_that_stops_is_errored_and_says_where(call: Caller, tmp_path: Path) -> None:
    file = tmp_path / "cases.yml"
    text = "test_cases:\n  - test_case: c\n    steps:\n      - user: tell me my balance\n      - utter: utter_what_next\n"
    file.write_text(text, encoding="utf-8")
    answer = call("e2e", str(file), "--assistant", BANK, "--no-output")
    assert answer.code == 3
    assert "ERRORS: TEST CASES WITHOUT AN ANSWER" in answer.out
    assert "the effect of the custom action" in answer.out


def test_one_case_can_be_selected_by_its_name(call: Caller) -> None:
    answer = call("e2e", f"{BANK}/tests/e2e_test_cases.yml::the balance", "--no-output", "--json")
    assert [case["name"] for case in json.loads(answer.out)["cases"]] == ["the balance"]


def test_end_to_end_tests_without_an_assistant_cannot_be_judged(call: Caller, tmp_path: Path) -> None:
    file = tmp_path / "cases.yml"
    file.write_text("test_cases:\n  - test_case: c\n    steps:\n      - user: hi\n", encoding="utf-8")
    answer = call("e2e", str(file), "--no-output")
    assert answer.code == 3
    assert "name one with --assistant" in answer.out


def test_end_to_end_cases_are_left_out_and_divided_like_those_of_test(call: Caller) -> None:
    rest = ("--no-output", "-q")
    first = call("e2e", f"{BANK}/tests", "--shard", "1/2", *rest).out
    second = call("e2e", f"{BANK}/tests", "--shard", "2/2", *rest).out
    assert ("3 of 3 test cases passed" in first, "2 of 2 test cases passed" in second) == (True, True)
    unknown = call("e2e", f"{BANK}/tests", "--deselect", "no_such_case")
    assert "--deselect 'no_such_case' matches no test case" in unknown.err


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
        if "criterion" in body["messages"][0]["content"]:
            return '{"reason": "no documents", "label": "does not meet"}'
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
    assert "0.00: no documents (judge: chat:j/1)" in judged.out
    assert models == ["m", "m", "j"]


STOPPING = """\
import asyncio, signal
from pathlib import Path

async def understand(request):
    mark = Path(__file__).with_name("stopped")
    if request.message == "stop" and not mark.exists():
        mark.write_text("", encoding="utf-8")
        signal.raise_signal(signal.SIGINT)
        await asyncio.sleep(5)
    return "StartFlow(send_money)"
"""


def test_an_interrupted_run_keeps_what_is_finished_and_goes_on(
    call: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "stopping.py").write_text(STOPPING, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    file = tmp_path / "cases.yml"
    cases = [
        f"  - test_case: {word}\n    steps:\n      - user: {word}\n" for word in ("send", "stop", "more")
    ]
    file.write_text("test_cases:\n" + "".join(cases), encoding="utf-8")
    kept = ("--runs-dir", str(tmp_path / "runs"))
    first = call("e2e", str(file), "--assistant", BANK, "-g", "stopping:understand", "-n", "1", *kept)
    assert first.code == 130, first.err
    assert "Not finished: 1 of 3 cases, interrupted" in first.out
    assert "continue with: du-eval e2e --resume " in first.err
    again = call("e2e", "--resume", *kept)
    assert again.code == 0, again.err
    assert "3 of 3 test cases passed" in again.out


def test_the_traceback_of_an_action_that_fails_is_printed(
    call: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_actions.py").write_text(
        "class FetchBalance:\n    def name(self):\n        return 'action_fetch_balance'\n\n"
        "    def run(self, dispatcher, tracker, domain):\n        return 1 / 0\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    file = tmp_path / "cases.yml"
    steps = "    steps:\n      - user: tell me my balance\n      - utter: utter_what_next\n"
    file.write_text(f"test_cases:\n  - test_case: c\n{steps}", encoding="utf-8")
    kept = ("--runs-dir", str(tmp_path / "runs"))
    answer = call("e2e", str(file), "--assistant", BANK, "--actions", "broken_actions", *kept)
    assert answer.code == 3
    assert "-- TRACEBACK OF THE ACTION IN 'C' --" in answer.out
    assert "return 1 / 0" in answer.out
