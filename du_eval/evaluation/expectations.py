"""The expected commands of a suite: read, and checked against the assistant."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from msgspec import Struct, field

from du_eval.assistants.coercion import coerce_value, fits
from du_eval.assistants.model import BOOL, FLOAT, Assistant, Slot
from du_eval.assistants.references import is_built_in
from du_eval.commands.base import Command
from du_eval.commands.flows import Clarify, SetSlot, StartFlow
from du_eval.commands.foreign import RequestSlot
from du_eval.commands.syntax import BUILT_IN_SYNTAXES
from du_eval.errors import CommandReadError, Problem, did_you_mean, tell_count
from du_eval.parsers.command_parser import CommandParser
from du_eval.suites.model import PLACEHOLDER, BotStep, ExpectedText, TestCase, TestSuite, UserStep

Alternatives = tuple[tuple[Command, ...], ...]


class UnreadableExpectationError(Exception):
    """An expected command that no command of the vocabulary claims as a whole."""


class ExpectationReader(Struct, frozen=True, eq=False):
    """Reads the expected commands of test files."""

    parser: CommandParser
    _known: dict[str, Command] = field(default_factory=dict)
    """Commands that were read before: suites repeat them."""

    def read(self, text: str) -> Command:
        """Return the one command of a text."""
        if text not in self._known:
            parsed = self.parser.parse(text)
            if len(parsed.commands) != 1 or parsed.unparsed:
                raise UnreadableExpectationError(self._explain(text, len(parsed.commands)))
            self._known[text] = parsed.commands[0]
        return self._known[text]

    def can_read(self, text: str) -> bool:
        """Tell whether a text is one command."""
        try:
            self.read(text)
        except (UnreadableExpectationError, CommandReadError):
            return False
        return True

    def alternatives(self, step: UserStep) -> Alternatives:
        """Return the command lists of a step of which one must be predicted."""
        return tuple(tuple(self.read(expected.text) for expected in group) for group in step.alternatives)

    def _explain(self, text: str, found: int) -> str:
        if found > 1:
            return f"'{text}' contains {found} commands; give each its own entry"
        if found == 1:
            return f"'{text}' is more than a command; write only the command"
        name = re.split(r"[(\s]", text.strip(), maxsplit=1)[0]
        known = {command.__name__: command for command in self.parser.registry}
        if name in known:
            return f"'{text}' is not a valid {name}: check its arguments and brackets"
        near = did_you_mean(name, known) or f"choose from: {', '.join(known)}"
        return f"'{text}' is not a command in the syntax '{self.parser.syntax.name}'; {near}"


def list_expectation_problems(
    suite: TestSuite, reader: ExpectationReader, assistant_of: Callable[[TestCase], Assistant | None]
) -> list[Problem]:
    """Return everything that is wrong with the expectations of a suite."""
    problems: list[Problem] = []
    unreadable: list[tuple[str, Problem]] = []
    for case in suite:
        assistant = assistant_of(case)
        for number, step in enumerate(case.steps):
            if isinstance(step, BotStep):
                problems.extend(_bot_problems(step, case, assistant))
                continue
            for expected in (text for group in step.alternatives for text in group):
                try:
                    command = reader.read(expected.text)
                except (UnreadableExpectationError, CommandReadError) as error:
                    unreadable.append((expected.text, Problem(case.file, expected.line, str(error))))
                else:
                    problems.extend(_command_problems(command, expected, case, assistant))
                    problems.extend(_value_problems(command, expected, case, assistant, number))
    return problems + _spelled_otherwise(unreadable, reader.parser)


def _spelled_otherwise(unreadable: list[tuple[str, Problem]], parser: CommandParser) -> list[Problem]:
    """Return the problems of unreadable texts: one for all where they are written in another syntax."""
    for syntax in BUILT_IN_SYNTAXES.values():
        other = ExpectationReader(CommandParser(parser.registry, syntax))
        if unreadable and syntax != parser.syntax and all(other.can_read(text) for text, _ in unreadable):
            first = min(problem for _, problem in unreadable)
            what = tell_count(len(unreadable), "command is", "commands are")
            message = f"{what} written in the syntax '{syntax.name}', not in '{parser.syntax.name}'"
            return [Problem(first.file, first.line, message, f"use --syntax {syntax.name}")]
    return [problem for _, problem in unreadable]


def _command_problems(
    command: Command, expected: ExpectedText, case: TestCase, assistant: Assistant | None
) -> Iterator[Problem]:
    if assistant is None:
        return
    for kind, name, known in _references(command, assistant):
        if known and name not in known:
            hint = did_you_mean(name, known)
            yield Problem(
                case.file, expected.line, f"the assistant {assistant.path} has no {kind} '{name}'", hint
            )


def _value_problems(
    command: Command, expected: ExpectedText, case: TestCase, assistant: Assistant | None, number: int
) -> Iterator[Problem]:
    """Yield what is wrong with a value that its slot can never hold, unless the bot refuses it on purpose."""
    slot = assistant.slots.get(command.slot) if assistant and isinstance(command, SetSlot) else None
    if slot is None or not isinstance(command, SetSlot) or fits(slot, coerce_value(slot, command.value)):
        return
    if any(_is_refusal(name, slot) for name in _responses_after(case, number)):
        return
    what = {FLOAT: "a number", BOOL: "true or false"}.get(slot.type) or f"one of {', '.join(slot.values)}"
    hint = did_you_mean(str(command.value), slot.values)
    yield Problem(
        case.file, expected.line, f"the slot '{slot.name}' takes {what}, not '{command.value}'", hint
    )


def _responses_after(case: TestCase, number: int) -> Iterator[str]:
    """Yield what the bot says before the next message."""
    for step in case.steps[number + 1 :]:
        if not isinstance(step, BotStep):
            return
        yield step.response or ""


def _is_refusal(response: str, slot: Slot) -> bool:
    return "rejection" in response or "invalid" in response or response == f"utter_ask_{slot.name}"


def _references(command: Command, assistant: Assistant) -> Iterator[tuple[str, str, Collection[str]]]:
    if isinstance(command, StartFlow):
        yield "flow", command.flow, assistant.flows
    elif isinstance(command, Clarify):
        for option in dict.fromkeys(command.options):
            yield "flow", option, assistant.flows
    elif isinstance(command, SetSlot | RequestSlot):
        yield "slot", command.slot, assistant.slots


def _bot_problems(step: BotStep, case: TestCase, assistant: Assistant | None) -> Iterator[Problem]:
    name = step.response
    if assistant is None or name is None or name == PLACEHOLDER or name in assistant.responses:
        return
    if is_built_in(name) or not assistant.responses:
        return
    hint = did_you_mean(name, assistant.responses)
    yield Problem(case.file, step.line, f"the assistant {assistant.path} has no response '{name}'", hint)
