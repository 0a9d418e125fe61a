"""What is wrong with the expectations of a suite is told once, and before anything is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from du_eval.assistants.model import CATEGORICAL, FLOAT, Assistant, Slot
from du_eval.commands import Syntax, default_commands
from du_eval.compat.policies import parse_commands
from du_eval.errors import InputError
from du_eval.evaluation.expectations import ExpectationReader, list_expectation_problems
from du_eval.parsers.command_parser import CommandParser
from du_eval.suites.load import load_suite
from tests.suites.writing import write

BOT = Assistant("bot", slots={"size": Slot("size", CATEGORICAL, ("small", "large")), "n": Slot("n", FLOAT)})


def problems(
    folder: Path, text: str, syntax: Syntax = Syntax.CALLS, bot: Assistant | None = None
) -> list[str]:
    suite = load_suite([write(folder, suite=text)])
    reader = ExpectationReader(CommandParser(default_commands(), syntax))
    found = list_expectation_problems(suite, reader, lambda _: bot)
    return [f"{problem.line}: {problem.message} ({problem.hint})" for problem in found]


def suite(*commands: str, after: str = "") -> str:
    steps = "".join(f"  - user: m\n    commands: ['{command}']\n" for command in commands)
    return f"test_cases:\n- test_case: a\n  steps:\n{steps}{after}"


def test_a_suite_in_another_syntax_gets_one_message(tmp_path: Path) -> None:
    text = suite(*["start flow x", "cancel flow"] * 50)
    assert problems(tmp_path, text) == [
        "5: 100 commands are written in the syntax 'phrases', not in 'calls' (use --syntax phrases)"
    ]


def test_a_mistake_in_another_syntax_is_still_a_mistake(tmp_path: Path) -> None:
    assert len(problems(tmp_path, suite("start flow x", "nonsense"))) == 2


def test_calls_are_recognised_where_phrases_are_meant(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, suite("StartFlow(x)"), Syntax.PHRASES)
    assert found == "5: 1 command is written in the syntax 'calls', not in 'phrases' (use --syntax calls)"


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (
            "SetSlot(size, larg)",
            "5: the slot 'size' takes one of small, large, not 'larg' (did you mean 'large'?)",
        ),
        ("SetSlot(n, fifty)", "5: the slot 'n' takes a number, not 'fifty' ()"),
    ],
)
def test_a_value_that_a_slot_can_never_hold_is_a_mistake(tmp_path: Path, command: str, told: str) -> None:
    assert problems(tmp_path, suite(command), bot=BOT) == [told]


@pytest.mark.parametrize(
    "command", ["SetSlot(size, Large)", "SetSlot(size, None)", "SetSlot(n, 5e3)", "SetSlot(x, y)"]
)
def test_a_value_that_fits_is_none(tmp_path: Path, command: str) -> None:
    bot = Assistant("bot", slots={**BOT.slots, "x": Slot("x")})
    assert problems(tmp_path, suite(command), bot=bot) == []


@pytest.mark.parametrize(
    "response", ["utter_categorical_slot_rejection", "utter_ask_size", "utter_invalid_size"]
)
def test_a_value_that_the_bot_refuses_is_meant(tmp_path: Path, response: str) -> None:
    text = suite("SetSlot(size, huge)", after=f"  - utter: {response}\n")
    assert problems(tmp_path, text, bot=BOT) == []


def test_a_call_in_brackets_is_not_cut_at_its_comma(tmp_path: Path) -> None:
    text = (
        "test_cases:\n- test_case: a\n  steps:\n"
        "  - {user: m, commands: [Clarify(a, b), SetSlot(x, y,z)]}\n"
        "  - {user: m, any_of: [[StartFlow(a)], [Clarify(a, b)]]}\n"
    )
    (case,) = load_suite([write(tmp_path, suite=text)])
    first, second = case.user_steps
    assert [expected.text for expected in first.alternatives[0]] == ["Clarify(a, b)", "SetSlot(x, y,z)"]
    assert [[expected.text for expected in group] for group in second.alternatives] == [
        ["StartFlow(a)"],
        ["Clarify(a, b)"],
    ]


def test_steps_may_be_written_once_and_used_often(tmp_path: Path) -> None:
    text = (
        "test_cases:\n- test_case: a\n  steps: &steps\n  - &hello\n    user: m\n    commands: [ChitChat()]\n"
        "- test_case: b\n  steps: *steps\n- test_case: c\n  steps:\n  - <<: *hello\n    user: n\n"
    )
    one, other, third = load_suite([write(tmp_path, suite=text)])
    assert one.user_steps == other.user_steps
    assert (third.user_steps[0].text, third.user_steps[0].alternatives) == (
        "n",
        one.user_steps[0].alternatives,
    )


@pytest.mark.parametrize("given", [123, b"StartFlow(a)", ["StartFlow(a)"], {}])
def test_only_text_is_parsed(given: object) -> None:
    with pytest.raises(InputError, match=f"parse_commands reads a string, not {type(given).__name__}"):
        parse_commands(given)  # type: ignore[arg-type]
