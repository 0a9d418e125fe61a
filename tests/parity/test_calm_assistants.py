"""Every public assistant that is at hand: whether it loads, and what becomes of its end-to-end tests.

The tests are run with a generator that understands nothing, so that the table depends on engine and search alone:
`understanding` counts the cases that pass as soon as somebody understands the user.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from du_eval.assistants.load import load_assistant
from du_eval.errors import AssistantError
from tests.cli.calling import Caller

pytestmark = pytest.mark.parity

SAMPLES = "public/agentic-orchestration-samples"
USER_FLOWS = {
    "rasa-calm-demo": 20,
    "rasa-calm-demo-main": 22,
    "rasa-calm-hybrid-demo": 8,
    "public/NikeProductsRasaAssistant": 8,
    "public/calm-guide-code": 3,
    "public/lakera-agent-security/rasa_agent": 24,
    "public/orchestrator-demo": 10,
    "public/rasa-quickstart/template": 3,
    "public/starterpack-insurance-en": 10,
    f"{SAMPLES}/appointment-booking-assistant": 4,
    f"{SAMPLES}/car-purchase-assistant": 8,
}
BROKEN = "public/HR-Connect-RASA-PRO"
"""Its flows name two responses and a slot that its domain does not have."""

TABLE = {
    # tests: passed, errored, and failed because of: understanding, flow or test, unknown
    "rasa-calm-demo/e2e_tests": (3, 0, {"understanding": 77, "flow or test": 8}),
    "rasa-calm-demo-main/e2e_tests": (0, 0, {"understanding": 90, "flow or test": 12, "unknown": 15}),
    "rasa-calm-hybrid-demo/tests": (0, 0, {"understanding": 65}),
    "public/starterpack-insurance-en/tests": (0, 0, {"understanding": 2, "unknown": 6}),
    "public/calm-guide-code/e2e_tests": (0, 0, {"understanding": 6}),
    "public/rasa-quickstart/template/e2e_tests": (0, 0, {"understanding": 6, "flow or test": 2}),
    f"{SAMPLES}/appointment-booking-assistant/e2e_tests": (0, 0, {"understanding": 6, "flow or test": 2}),
    f"{SAMPLES}/car-purchase-assistant/e2e": (0, 0, {"unknown": 4}),
}
ACTIONS = "tests.parity.calm_actions"


@pytest.mark.parametrize("name", USER_FLOWS)
def test_an_assistant_loads(parity_data: Path, name: str) -> None:
    assert len(load_assistant(parity_data / "calm" / name).user_flows) == USER_FLOWS[name]


def test_a_broken_assistant_is_refused_with_its_own_defects_and_loads_without_validation(
    parity_data: Path,
) -> None:
    with pytest.raises(AssistantError) as caught:
        load_assistant(parity_data / "calm" / BROKEN)
    rules = [problem.message.rpartition("[")[2] for problem in caught.value.problems]
    assert rules == ["response-is-defined]", "response-is-defined]", "slot-is-defined]"]
    assert len(load_assistant(parity_data / "calm" / BROKEN, skip_validation=True).warnings) >= 3


@pytest.mark.parametrize("tests", TABLE)
def test_end_to_end_tests_come_out_as_pinned(
    parity_data: Path, capsys: pytest.CaptureFixture[str], tests: str
) -> None:
    folder = parity_data / "calm" / tests
    arguments = ("--assistant", str(folder.parent), "--actions", ACTIONS, "-g", "tests.parity.silent:nothing")
    answer = Caller(capsys)("e2e", str(folder), *arguments, "--no-output", "--json")
    data = json.loads(answer.out)
    cases = data["summary"]["cases"]
    assert (cases["passed"], cases["errored"], data["extra"].get("faults", {})) == TABLE[tests]


def test_no_replay_that_stops_counts_as_failed(parity_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for tests in ("public/starterpack-insurance-en/tests", f"{SAMPLES}/car-purchase-assistant/e2e"):
        folder = parity_data / "calm" / tests
        answer = Caller(capsys)(
            "e2e", str(folder), "--assistant", str(folder.parent), "--no-output", "--json"
        )
        for case in json.loads(answer.out)["cases"]:
            (result,) = case["results"]
            findings = result["detail"].get("findings", ())
            assert (case["outcome"] == "failed") is any(not one.get("is_error") for one in findings)
            assert bool(result.get("error")) is (case["outcome"] == "errored")
