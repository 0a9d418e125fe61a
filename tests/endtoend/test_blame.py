"""Whose fault a failed case is: other commands make it pass, or none do."""

import textwrap
from pathlib import Path

import pytest

from du_eval.assistants.actions import ActionCall, ActionResult, Actions, NoActions
from du_eval.assistants.load import load_assistant
from du_eval.commands.flows import SetSlot
from du_eval.endtoend.load import load_end_to_end
from du_eval.endtoend.results import Fault, PlayedCase
from du_eval.endtoend.run import EndToEndRunner
from du_eval.errors import GeneratorError
from du_eval.generators.answers import AnswerReader
from du_eval.generators.base import Request
from du_eval.generators.function import FunctionGenerator
from du_eval.parsers.command_parser import CommandParser
from du_eval.runs.outcome import Outcome
from tests.assistants.workshop import ESTIMATE, write_workshop


def run(tmp_path: Path, steps: str, understood: dict[str, str], *, actions: Actions = ESTIMATE) -> PlayedCase:
    def understand(request: Request) -> str:
        if understood.get(request.message) == "error":
            raise GeneratorError("no answer today")
        return understood.get(request.message, "")

    file = tmp_path / "cases.yml"
    body = textwrap.indent(textwrap.dedent(steps).strip("\n"), "      ")
    file.write_text(f"test_cases:\n  - test_case: c\n    steps:\n{body}\n", encoding="utf-8")
    assistant = load_assistant(write_workshop(tmp_path / "bot"))
    parser = CommandParser.default()
    runner = EndToEndRunner(
        FunctionGenerator(understand),
        AnswerReader(parser, parser.registry),
        lambda _: assistant,
        actions,
        actions,
    )
    (found,) = runner.run(load_end_to_end([file]))
    return found


def needs(found: PlayedCase) -> list[list[str] | None]:
    return [
        None if blame.needs is None else [command.to_dsl() for command in blame.needs]
        for blame in found.blames
    ]


@pytest.mark.parametrize(
    ("steps", "understood", "expected"),
    [
        ("- user: my chain\n- utter: utter_ask_part", "Clarify(hours, rent)", ["StartFlow(repair)"]),
        ("- user: my chain\n- utter: utter_ask_part", "", ["StartFlow(repair)"]),
        (
            "- user: chain\n- utter: utter_ask_price_limit",
            "StartFlow(hours)",
            ["StartFlow(repair)", "SetSlot(part, chain)"],
        ),
        (
            "- user: fix my chain\n- slot_was_set:\n    - part: chain\n- utter: utter_ask_price_limit",
            "StartFlow(repair)",
            ["StartFlow(repair)", "SetSlot(part, chain)"],
        ),
        (
            "- user: chain for 40\n- utter: utter_ask_agreed",
            "StartFlow(repair)\nSetSlot(part, chain)",
            ["StartFlow(repair)", "SetSlot(part, chain)", "SetSlot(price_limit, 40)"],
        ),
        (
            "- user: a\n  assertions:\n    - pattern_clarification_contains: [rent, hours]",
            "StartFlow(rent)",
            ["Clarify(hours, rent)"],
        ),
        (
            "- user: a\n- slot_was_not_set:\n    - part",
            "StartFlow(repair)\nSetSlot(part, x)",
            ["StartFlow(repair)"],
        ),
        (
            "- user: a\n  assertions: [flow_started: pattern_cannot_handle, bot_uttered: {utter_name: utter_cannot_handle}]",
            "StartFlow(rent)",
            ["CannotHandle(cannot_handle_not_supported)"],
        ),
    ],
)
def test_the_smallest_change_of_commands_that_passes_is_found(
    tmp_path: Path, steps: str, understood: str, expected: list[str]
) -> None:
    text = steps.split("\n", maxsplit=1)[0].removeprefix("- user: ")
    found = run(tmp_path, steps, {text: understood})
    assert found.verdict is Outcome.FAILED
    assert needs(found) == [expected]
    assert found.fault is Fault.UNDERSTANDING


def test_what_no_commands_can_bring_is_the_fault_of_flow_or_test(tmp_path: Path) -> None:
    found = run(tmp_path, "- user: hours\n- bot: We never close.", {"hours": "StartFlow(hours)"})
    assert found.fault is Fault.FLOW_OR_TEST
    assert needs(found) == [None]
    assert found.blames[0].tried > 20


def test_each_turn_is_blamed_as_if_those_before_had_been_understood(tmp_path: Path) -> None:
    found = run(
        tmp_path,
        "- user: fix it\n- utter: utter_ask_part\n- user: chain\n- utter: utter_ask_price_limit",
        {"fix it": "StartFlow(hours)", "chain": "SetSlot(part, chain)"},
    )
    assert needs(found) == [["StartFlow(repair)"]]
    assert [record.messages[0].response for record in found.repaired] == [
        "utter_ask_part",
        "utter_ask_price_limit",
    ]


def test_a_slot_that_was_filled_too_early_is_found_in_the_turn_that_did_it(tmp_path: Path) -> None:
    found = run(
        tmp_path,
        """
        - user: fix my chain for 5
        - slot_was_set:
            - part: chain
        - user: '40'
        - slot_was_set:
            - price_limit: 40
        - user: never said
        - utter: utter_ask_agreed
        """,
        {
            "fix my chain for 5": "StartFlow(repair)\nSetSlot(part, chain)\nSetSlot(price_limit, 40)",
            "40": "SetSlot(price_limit, 40)",
            "never said": "SkipQuestion()",
        },
    )
    assert found.verdict is Outcome.FAILED
    assert needs(found) == [["StartFlow(repair)", "SetSlot(part, chain)"]]
    assert found.blames[0].line == 4


def test_an_action_that_nobody_knows_leaves_the_fault_unknown(tmp_path: Path) -> None:
    found = run(
        tmp_path,
        "- user: fix\n- utter: utter_no_repair",
        {"fix": "StartFlow(repair)\nSetSlot(part, chain)"},
        actions=NoActions(),
    )
    assert found.verdict is Outcome.FAILED
    assert found.fault in {Fault.UNKNOWN, Fault.FLOW_OR_TEST}


def test_a_failed_case_whose_actions_are_too_slow_to_run_again_has_an_unknown_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("du_eval.endtoend.run._SECONDS_OF_ACTIONS", 0.0)
    steps = """
        - user: my chain for 20
        - utter: utter_hours
    """
    commands = "StartFlow(repair)\nSetSlot(part, chain)\nSetSlot(price_limit, 20)"
    found = run(tmp_path, steps, {"my chain for 20": commands})
    assert found.verdict is Outcome.FAILED
    assert found.fault is Fault.UNKNOWN
    assert "too slow" in found.blames[0].reason


def test_a_replay_that_stops_is_errored_whatever_its_turn_lacks(tmp_path: Path) -> None:
    found = run(
        tmp_path,
        "- user: fix\n- utter: utter_ask_agreed",
        {"fix": "StartFlow(repair)\nSetSlot(part, chain)\nSetSlot(price_limit, 40)"},
        actions=NoActions(),
    )
    assert found.verdict is Outcome.ERRORED
    assert not found.findings
    assert not found.blames
    assert "action_estimate" in found.error


def test_a_turn_that_failed_before_the_replay_stopped_stays_failed(tmp_path: Path) -> None:
    found = run(
        tmp_path,
        "- user: hours\n- utter: utter_staff\n- user: fix\n- utter: utter_ask_agreed",
        {"hours": "StartFlow(hours)", "fix": "StartFlow(repair)\nSetSlot(part, a)\nSetSlot(price_limit, 40)"},
        actions=NoActions(),
    )
    assert found.verdict is Outcome.FAILED
    assert "action_estimate" in found.error


def test_a_message_without_an_answer_gets_a_proposal_and_stays_errored(tmp_path: Path) -> None:
    found = run(tmp_path, "- user: boom\n- utter: utter_ask_part", {"boom": "error"})
    assert found.verdict is Outcome.ERRORED
    assert needs(found) == [["StartFlow(repair)"]]


def test_actions_run_once_on_each_way_while_commands_are_searched(tmp_path: Path) -> None:
    class Counting:
        def __init__(self) -> None:
            self.calls: list[str] = []

        def run(self, call: ActionCall) -> ActionResult | None:
            self.calls.append(repr((call.sender, call.name, sorted(call.slots.items()))))
            return ActionResult()

    actions = Counting()
    run(
        tmp_path,
        "- user: chain 40\n- utter: utter_hours",
        {"chain 40": "StartFlow(repair)\nSetSlot(part, chain)\nSetSlot(price_limit, 40)"},
        actions=actions,
    )
    assert len(set(actions.calls)) == len(actions.calls)
    assert len(actions.calls) > 20


def test_what_buttons_send_is_not_changed(tmp_path: Path) -> None:
    found = run(tmp_path, "- user: /SetSlots(part=chain)\n- utter: utter_hours", {})
    assert found.fault is Fault.FLOW_OR_TEST
    assert found.blames[0].reason == "the message states its commands itself"


def test_what_nothing_checks_may_be_the_answer_that_a_later_turn_needs(tmp_path: Path) -> None:
    steps = """
        - user: my bike
          assertions:
            - flow_started: repair
        - user: saddle
        - user: "40"
        - user: "yes"
          assertions:
            - bot_uttered: {utter_name: utter_repairing}
        """
    wrong = {"my bike": "StartFlow(repair)", "saddle": "StartFlow(hours)", "yes": "SetSlot(agreed, True)"}
    found = run(tmp_path, steps, wrong)
    assert found.fault is Fault.UNDERSTANDING
    assert needs(found)[:2] == [["SetSlot(part, saddle)"], ["SetSlot(price_limit, 40)"]]


def test_an_answer_to_the_open_question_that_nothing_checks_is_left_as_it_is(tmp_path: Path) -> None:
    steps = """
        - user: my bike
          assertions:
            - flow_started: repair
        - user: saddle
        - user: 40 or so
        - user: "yes"
          assertions:
            - bot_uttered: {utter_name: utter_repairing}
        """
    understood = {
        "my bike": "StartFlow(repair)",
        "saddle": "StartFlow(hours)",
        "40 or so": "SetSlot(price_limit, 41)",
        "yes": "SetSlot(agreed, True)",
    }
    found = run(tmp_path, steps, understood)
    assert [blame.user for blame in found.blames] == ["saddle"]


def test_no_way_around_a_missing_action_is_made_up_by_emptying_slots(tmp_path: Path) -> None:
    steps = """
        - user: at most 40
        - slot_was_set:
            - price_limit: 40
        - user: chain
        - slot_was_set:
            - part: chain
        """
    understood = {"at most 40": "StartFlow(repair)\nSetSlot(price_limit, 40)", "chain": "StartFlow(hours)"}
    found = run(tmp_path, steps, understood, actions=NoActions())
    assert found.fault is Fault.UNKNOWN
    assert "action_estimate" in found.blames[0].reason


def test_an_answer_to_the_open_question_that_leads_to_a_missing_action_leaves_the_fault_unknown(
    tmp_path: Path,
) -> None:
    steps = """
        - user: fix my chain
        - utter: utter_ask_price_limit
        - user: "40"
        - utter: utter_ask_agreed
        """
    understood = {"fix my chain": "StartFlow(repair)\nSetSlot(part, chain)"}
    found = run(tmp_path, steps, understood, actions=NoActions())
    assert found.fault is Fault.UNKNOWN
    assert "action_estimate" in found.blames[0].reason


def test_an_unchecked_message_may_have_asked_for_the_flow_that_a_later_turn_needs(tmp_path: Path) -> None:
    steps = """
        - user: please repair my Saddle
        - user: "40"
        - user: "no"
        - utter: utter_left_alone
        """
    found = run(tmp_path, steps, {})
    assert found.fault is Fault.UNDERSTANDING
    assert needs(found) == [
        ["StartFlow(repair)", "SetSlot(part, Saddle)"],
        ["SetSlot(price_limit, 40)"],
        ["SetSlot(agreed, False)"],
    ]


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("It makes noise. Please look, since around 3pm", "It makes noise. Please look, since around 3pm"),
        ("I would say it is the Rohloff", "Rohloff"),
        ("the one with number 17 on it", "17"),
    ],
)
def test_a_free_answer_is_the_whole_message_unless_a_name_or_number_stands_out(
    tmp_path: Path, said: str, value: str
) -> None:
    steps = f"""
        - user: fix it
        - utter: utter_ask_part
        - user: "{said}"
        - utter: utter_ask_price_limit
        """
    found = run(tmp_path, steps, {"fix it": "StartFlow(repair)"})
    (blame,) = found.blames
    assert blame.needs == (SetSlot("part", value),)


def test_a_correction_of_a_free_text_is_the_whole_message(tmp_path: Path) -> None:
    steps = """
        - user: fix my chain
        - utter: utter_ask_price_limit
        - user: no wait, it is more of a wheel thing
        - utter: utter_corrected_previous_input
        """
    found = run(tmp_path, steps, {"fix my chain": "StartFlow(repair)\nSetSlot(part, chain)"})
    (blame,) = found.blames
    assert blame.needs == (SetSlot("part", "no wait, it is more of a wheel thing"),)
