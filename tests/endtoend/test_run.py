"""End-to-end cases: what passes, what fails, and what cannot be judged."""

import textwrap
from pathlib import Path

import pytest

from du_eval.assistants.actions import ActionCall, ActionResult
from du_eval.assistants.load import load_assistant
from du_eval.endtoend.load import load_end_to_end
from du_eval.endtoend.results import PlayedCase
from du_eval.endtoend.run import EndToEndRunner
from du_eval.errors import GeneratorError, SuiteError
from du_eval.generators.answers import AnswerReader
from du_eval.generators.base import Request
from du_eval.generators.function import FunctionGenerator
from du_eval.parsers.command_parser import CommandParser
from du_eval.runs.outcome import Outcome
from tests.assistants.workshop import ESTIMATE, write_workshop

UNDERSTOOD = {
    "fix": "StartFlow(repair)",
    "chain": "SetSlot(part, chain)",
    "40": "SetSlot(price_limit, 40)",
    "yes": "SetSlot(agreed, true)",
    "hours": "StartFlow(hours)",
    "stop": "CancelFlow()",
    "which": "Clarify(hours, rent)",
    "rent": "StartFlow(rent)",
}


def understand(request: Request) -> str:
    if request.message == "boom":
        raise GeneratorError("no answer today")
    return UNDERSTOOD.get(request.message, "")


def outcome(tmp_path: Path, steps: str, *, head: str = "", actions=ESTIMATE) -> PlayedCase:
    file = tmp_path / "cases.yml"
    body = textwrap.indent(textwrap.dedent(steps).strip("\n"), "      ")
    file.write_text(f"{head}test_cases:\n  - test_case: c\n    steps:\n{body}\n", encoding="utf-8")
    assistant = load_assistant(write_workshop(tmp_path / "bot"))
    parser = CommandParser.default()
    runner = EndToEndRunner(
        FunctionGenerator(understand), AnswerReader(parser, parser.registry), lambda _: assistant, actions
    )
    (found,) = runner.run(load_end_to_end([file]))
    return found


def test_every_run_of_a_case_is_a_session_of_its_own_for_its_actions(tmp_path: Path) -> None:
    senders = []

    class Noting:
        def run(self, call: ActionCall) -> ActionResult | None:
            senders.append(call.sender)
            return ESTIMATE.run(call)

    steps = "- user: fix\n- user: chain\n- user: '40'\n- user: fix\n- user: chain\n- user: '40'"
    for _ in range(2):
        outcome(tmp_path, steps, actions=Noting())
    half = len(senders) // 2
    assert half
    assert len({*senders[:half]}) == len({*senders[half:]}) == 1
    assert len({*senders}) == 2


def test_bot_utter_and_slot_steps_pass_in_any_order_with_more_said(tmp_path: Path) -> None:
    found = outcome(
        tmp_path,
        """
        - user: hours
        - utter: utter_can_do_something_else
        - bot: We close at six.
        - user: fix
        - user: chain
        - slot_was_set:
            - part: chain
            - part
        - slot_was_not_set:
            - part: brake
            - price_limit
        """,
    )
    assert found.verdict is Outcome.PASSED, found.findings


def test_what_is_missing_is_found_with_its_line(tmp_path: Path) -> None:
    found = outcome(
        tmp_path,
        """
        - user: hours
        - utter: utter_staff
        - bot: Something else.
        - slot_was_set:
            - part: chain
        """,
    )
    assert found.verdict is Outcome.FAILED
    assert [(finding.line, finding.expected) for finding in found.findings] == [
        (5, "the bot says utter_staff"),
        (6, "the bot says 'Something else.'"),
        (8, "slot was set: part = chain"),
    ]
    assert "utter_hours: 'We are open until six.'" in found.findings[0].found
    assert found.findings[2].found == "part was not touched"


HOLDS = [
    "flow_started: repair",
    "flow_started: {operator: any, flow_ids: [rent, repair]}",
    "action_executed: action_estimate",
    "slot_was_set: [{name: part, value: chain}, {name: price_limit, value: 40}, {name: can_repair}]",
    "slot_was_not_set: [{name: part, value: brake}, {name: agreed}]",
    "bot_uttered: {utter_name: utter_ask_agreed}",
    "bot_uttered: {text_matches: 'for [0-9.]+'}",
    "bot_uttered: {utter_name: utter_ask_agreed, text_matches: Repair the chain}",
    "bot_did_not_utter: {utter_name: utter_hours}",
    "bot_did_not_utter: {text_matches: beyond}",
]
FAILS = [
    "flow_started: rent",
    "flow_started: {operator: all, flow_ids: [rent, repair]}",
    "flow_completed: {flow_id: repair}",
    "flow_cancelled: {flow_id: repair}",
    "action_executed: action_other",
    "slot_was_set: [{name: part, value: brake}]",
    "slot_was_set: [{name: agreed}]",
    "slot_was_not_set: [{name: part}]",
    "bot_uttered: {utter_name: utter_hours}",
    "bot_uttered: {text_matches: '^chain'}",
    "bot_uttered: {buttons: [{title: Yes, payload: 'yes'}]}",
    "bot_did_not_utter: {text_matches: chain}",
    "pattern_clarification_contains: [rent]",
]


@pytest.mark.parametrize("assertion", HOLDS)
def test_an_assertion_that_holds(tmp_path: Path, assertion: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        UNDERSTOOD, "all", "StartFlow(repair)\nSetSlot(part, chain)\nSetSlot(price_limit, 40)"
    )
    found = outcome(tmp_path, f"- user: all\n  assertions:\n    - {assertion}")
    assert found.verdict is Outcome.PASSED, found.findings


@pytest.mark.parametrize("assertion", FAILS)
def test_an_assertion_that_does_not_hold(
    tmp_path: Path, assertion: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(
        UNDERSTOOD, "all", "StartFlow(repair)\nSetSlot(part, chain)\nSetSlot(price_limit, 40)"
    )
    found = outcome(tmp_path, f"- user: all\n  assertions:\n    - {assertion}")
    assert found.verdict is Outcome.FAILED
    assert found.findings[0].line == 6
    assert assertion.split(":", maxsplit=1)[0] in found.findings[0].expected


def test_flows_that_end_or_are_cancelled_are_asserted_with_their_step(tmp_path: Path) -> None:
    found = outcome(
        tmp_path,
        """
        - user: hours
          assertions:
            - flow_completed: {flow_id: hours, flow_step_id: 0_utter_hours}
        - user: fix
        - user: stop
          assertions:
            - flow_cancelled: {flow_id: repair, flow_step_id: 0_collect_part}
            - flow_started: pattern_cancel_flow
        - user: which
          assertions:
            - pattern_clarification_contains: [rent, hours]
            - pattern_clarification_contains: [rent a bike, opening hours]
            - pattern_clarification_contains: {operator: any, flow_ids: [rent, repair]}
        """,
    )
    assert found.verdict is Outcome.PASSED, found.findings


def test_with_assertions_nothing_else_judges_the_case(tmp_path: Path) -> None:
    found = outcome(tmp_path, "- user: hours\n  assertions:\n    - flow_started: hours\n- utter: utter_staff")
    assert found.verdict is Outcome.PASSED


def test_ordered_assertions_are_searched_one_behind_the_other(tmp_path: Path) -> None:
    steps = """
        - user: hours
          assertion_order_enabled: {}
          assertions:
            - bot_uttered: {{utter_name: utter_can_do_something_else}}
            - bot_uttered: {{utter_name: utter_hours}}
        """
    assert outcome(tmp_path, steps.format("true")).verdict is Outcome.FAILED
    assert outcome(tmp_path, steps.format("false")).verdict is Outcome.PASSED


def test_a_generator_without_an_answer_makes_the_case_errored(tmp_path: Path) -> None:
    found = outcome(tmp_path, "- user: fix\n- utter: utter_ask_part\n- user: boom\n- utter: utter_x")
    assert found.verdict is Outcome.ERRORED
    assert "'boom' was not understood: no answer today" in found.error
    assert len(found.turns) == 1


def test_an_unknown_action_makes_the_case_errored(tmp_path: Path) -> None:
    from du_eval.assistants.actions import NoActions

    found = outcome(tmp_path, "- user: fix\n- user: chain\n- user: '40'\n- user: 'yes'", actions=NoActions())
    assert found.verdict is Outcome.ERRORED
    assert "action_estimate" in found.error


def test_stubs_fixtures_and_metadata_are_used(tmp_path: Path) -> None:
    head = (
        "stub_custom_actions:\n  c::action_estimate:\n    events: [{event: slot, name: can_repair, value: false}]\n"
        "  action_estimate:\n    events: []\n"
    )
    found = outcome(tmp_path, "- user: fix\n- user: chain\n- user: '40'\n- utter: utter_no_repair", head=head)
    assert found.verdict is Outcome.PASSED, found.findings


def test_buttons_need_no_generator(tmp_path: Path) -> None:
    found = outcome(tmp_path, "- user: fix\n- user: /SetSlots(part=bell)\n- slot_was_set:\n    - part: bell")
    assert found.verdict is Outcome.PASSED, found.findings


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("test_cases:\n  - steps:\n      - user: a\n", "the test case has no name"),
        ("test_cases:\n  - test_case: c\n    steps:\n      - utter: a\n", "has no user step"),
        (
            "stub_custom_actions: {a: {events: true}}\ntest_cases:\n  - {test_case: c, steps: [{user: a}]}\n",
            "'events' must be a list",
        ),
        (
            "stub_custom_actions: {a: {responses: [x]}}\ntest_cases:\n  - {test_case: c, steps: [{user: a}]}\n",
            "an item of 'responses' must be a mapping",
        ),
        (
            "test_cases:\n  - test_case: c\n    steps:\n      - user: a\n        asertions: []\n",
            "did you mean 'assertions'",
        ),
        (
            "test_cases:\n  - test_case: c\n    steps:\n      - bot: a\n        utter: b\n      - user: x\n",
            "at once",
        ),
        (
            "test_cases:\n  - test_case: c\n    fixtures: [f]\n    steps:\n      - user: a\n",
            "fixture 'f' is not defined anywhere",
        ),
        (
            "test_cases:\n  - test_case: c\n    steps:\n      - user: a\n        assertions:\n          - flow_start: x\n",
            "did you mean 'flow_started'",
        ),
        (
            "test_cases:\n  - test_case: c\n    steps:\n      - user: a\n        assertion_order_enabled: true\n",
            "no assertions to keep in order",
        ),
        (
            "test_cases:\n  - test_case: c\n    steps:\n      - slot_was_set: [a]\n        slot_was_not_set: [a]\n",
            "at once",
        ),
        ("cases: []\n", "the key 'test_cases' is missing"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "cases.yml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SuiteError, match=message) as caught:
        load_end_to_end([file])
    assert all(problem.line for problem in caught.value.problems)


def test_an_empty_user_step_is_left_out_with_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "cases.yml"
    file.write_text(
        "test_cases:\n  - test_case: c\n    steps:\n      - user: ' '\n      - user: a\n", encoding="utf-8"
    )
    suite = load_end_to_end([file])
    assert len(suite.cases[0].turns) == 1
    assert "message is empty" in suite.warnings[0]
