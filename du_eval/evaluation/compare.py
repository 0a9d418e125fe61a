"""Expected against predicted commands, by a policy."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Protocol

from msgspec import Struct, field

from du_eval.assistants.coercion import coerce_value
from du_eval.assistants.model import BOOL, CATEGORICAL, FLOAT, LIST, Assistant, Slot
from du_eval.commands.base import Command
from du_eval.commands.flows import SetSlot
from du_eval.generators.answers import AnswerTextReader
from du_eval.parsers.command_parser import CommandParser


def is_same_value(slot: Slot, expected: str | None, predicted: str | None) -> bool:
    """Tell whether a slot would hold the same: numbers to the last digit, lists item by item."""
    if expected == predicted:
        return True
    if expected is None or predicted is None:
        return False
    if slot.type == LIST:
        return _items(expected) == _items(predicted)
    values = coerce_value(slot, expected), coerce_value(slot, predicted)
    if type(values[0]) is not type(values[1]) or values[0] != values[1]:
        return False
    return slot.type != FLOAT or _exact(expected) == _exact(predicted)


def _exact(value: str) -> Decimal | str:
    """Return a number with all its digits: a float would make long ones equal that are not."""
    try:
        return Decimal(value.strip())
    except InvalidOperation:
        return value


def _items(value: str) -> list[str]:
    """Return the items of a list, however it is written."""
    text = value.strip()
    if text.startswith(("[", "(")):
        for read in (json.loads, ast.literal_eval):
            try:
                found = read(text)
            except (ValueError, SyntaxError, MemoryError, RecursionError):
                continue
            if isinstance(found, list | tuple):
                return [str(item) for item in found]
        text = text.strip("[]()")
    return [item.strip(" \t'\"") for item in text.split(",")]


_WORDS = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_OPEN = {"true", "false", "yes", "no", "none", "null", ""}
_SHORTEST = 3
_SMALL = 100


def is_in_conversation(value: object, slot: Slot | None, texts: Iterable[str]) -> bool:
    """Tell whether a value, or a part of it, was said; yes where nobody can tell from the words alone.

    Nobody can tell for truth values, categories, small numbers (they may be words), numbers where none was
    written in digits, and values in another script than the conversation.
    """
    text = " ".join(texts).casefold()
    wanted = str(value).casefold().strip()
    if value is None or wanted in _OPEN or (slot is not None and slot.type in {BOOL, CATEGORICAL}):
        return True
    if wanted in text or _compact(wanted) in _compact(text):
        return True
    if _NUMBER.fullmatch(wanted):
        is_open = float(wanted.replace(",", ".")) < _SMALL or not _NUMBER.search(text)
        return is_open or _has_number(wanted, text)
    if wanted.isascii() and not re.search("[a-z]", text):
        return True
    return any(_is_said(word, text) for word in _WORDS.findall(wanted))


def _compact(text: str) -> str:
    return "".join(_WORDS.findall(text))


def _has_number(wanted: str, text: str) -> bool:
    target = float(wanted.replace(",", "."))
    return any(float(found.replace(",", ".")) == target for found in _NUMBER.findall(text))


def _is_said(word: str, text: str) -> bool:
    """Tell whether a word was said, also with another ending."""
    return len(word) >= _SHORTEST and word[: max(_SHORTEST, len(word) - 2)] in text


Commands = Sequence[Command]


class CommandDiff(Struct, frozen=True):
    """Expected against predicted commands, paired one to one."""

    matched: tuple[tuple[Command, Command], ...] = ()
    missing: tuple[Command, ...] = ()
    unexpected: tuple[Command, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Tell whether nothing is missing and nothing is unexpected."""
        return not self.missing and not self.unexpected


class MatchPolicy(Protocol):
    """Compares the commands of one step."""

    def diff(self, expected: Commands, components: Sequence[Commands]) -> tuple[CommandDiff, bool]:
        """Return the differences, and whether the step passes."""
        ...


class ExactPolicy(Struct, frozen=True):
    """Types and arguments match exactly, order is irrelevant, one prediction meets one expectation."""

    slots: Mapping[str, Slot] = field(default_factory=dict)

    def diff(self, expected: Commands, components: Sequence[Commands]) -> tuple[CommandDiff, bool]:
        """Pair as many commands as can be paired; whatever is left is a difference."""
        predicted = [command for commands in components for command in commands]
        found = pair_commands(expected, predicted, self._fulfils)
        return found, found.is_empty

    def _fulfils(self, expected: Command, predicted: Command) -> bool:
        if type(expected) is SetSlot and type(predicted) is SetSlot and expected.slot in self.slots:
            is_same_slot = expected.slot == predicted.slot
            return is_same_slot and is_same_value(self.slots[expected.slot], expected.value, predicted.value)
        return expected.matches(predicted)


def pair_commands(
    expected: Commands, predicted: Commands, fulfils: Callable[[Command, Command], bool]
) -> CommandDiff:
    """Return a largest one-to-one pairing, found by augmenting paths; earlier commands are paired first."""
    if len(expected) == len(predicted) == 1 and fulfils(expected[0], predicted[0]):
        return CommandDiff(matched=((expected[0], predicted[0]),))
    partner: dict[int, int] = {}
    options = [[p for p, other in enumerate(predicted) if fulfils(command, other)] for command in expected]
    for index in range(len(expected)):
        _augment(index, options, partner, set())
    owners = {owner: p for p, owner in partner.items()}
    return CommandDiff(
        matched=tuple((expected[owner], predicted[owners[owner]]) for owner in sorted(owners)),
        missing=tuple(command for index, command in enumerate(expected) if index not in owners),
        unexpected=tuple(command for p, command in enumerate(predicted) if p not in partner),
    )


def _augment(index: int, options: list[list[int]], partner: dict[int, int], visited: set[int]) -> bool:
    for p in options[index]:
        if p not in visited:
            visited.add(p)
            if p not in partner or _augment(partner[p], options, partner, visited):
                partner[p] = index
                return True
    return False


class JudgingPolicy(Struct, frozen=True):
    """One way to judge and count: everything in which the manner of another tool differs."""

    name: str
    match: Callable[[Assistant], MatchPolicy]
    read_with: Callable[[CommandParser, Assistant], AnswerTextReader] | None = None
    """Who reads the text of an answer; None: our own parser."""
    missing: tuple[type[Command], ...] = ()
    """Commands that it does not know."""
    judges_empty_steps: bool = True
    """Judge steps that expect no command."""
    takes_passed_cases_as_right: bool = False
    """Count all that a passed case expects as found."""
    undefined: float | None = None
    """What a figure without anything to count is in the official form of the report."""


def match_exactly(assistant: Assistant) -> ExactPolicy:
    """Return our own comparison, which knows the slots of the assistant."""
    return ExactPolicy(assistant.slots)


EXACT = JudgingPolicy("exact", match_exactly)
