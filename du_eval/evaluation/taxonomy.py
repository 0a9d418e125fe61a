"""What kind of mistake each wrong command is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum

from msgspec import Struct

from du_eval.commands.base import Command
from du_eval.commands.flows import CancelFlow, Clarify, SetSlot, StartFlow
from du_eval.evaluation.compare import CommandDiff
from du_eval.statistics.distance import find_cheapest_assignment, text_distance

Filled = dict[str, object]
"""The slots that earlier steps filled, with their values."""
APART = 1.0
"""The cost from which on two commands are two mistakes, an omission and an insertion, instead of one."""


class Mistake(StrEnum):
    """The classes of mistakes."""

    OMISSION = "omission"
    INSERTION = "insertion"
    WRONG_FLOW = "wrong flow"
    WRONG_SLOT = "wrong slot, right value"
    WRONG_VALUE = "right slot, wrong value"
    CLARIFY_INSTEAD_OF_START = "clarify instead of start"
    START_INSTEAD_OF_CLARIFY = "start instead of clarify"
    WRONG_OPTIONS = "clarify with other options"
    WRONG_ARGUMENTS = "right command, wrong arguments"
    OTHER_COMMAND = "another command"
    MISSED_CANCEL = "missed cancel"
    MISSED_CORRECTION = "missed correction"
    UNPARSED = "unparsed"
    ERRORED = "errored"


class Residual(Struct, frozen=True):
    """One mistake: what was expected, what came instead, and how near it was."""

    kind: Mistake
    expected: Command | None = None
    predicted: Command | None = None
    distance: float | None = None
    """How far a wrong value is from the right one: 0 is equal, 1 all different."""


def list_mistakes(diff: CommandDiff, unparsed: Sequence[str], filled: Filled) -> Iterator[Residual]:
    """Yield the mistakes of a step; what a correction is, the slots that earlier steps filled tell."""
    missing, unexpected = diff.missing, diff.unexpected
    partners = pair_mistakes(missing, unexpected)
    unread = list(unparsed)
    for index, command in enumerate(missing):
        if index in partners:
            yield _substitution(command, unexpected[partners[index]], filled)
        else:
            yield Residual(_omission(command, filled, unread), command)
    for index, command in enumerate(unexpected):
        if index not in partners.values():
            yield Residual(Mistake.INSERTION, None, command)


def pair_mistakes(missing: Sequence[Command], unexpected: Sequence[Command]) -> dict[int, int]:
    """Return which unexpected command stands for which missing one, at the smallest total cost."""
    if not missing or not unexpected:
        return {}
    alone = [APART] * len(missing)
    costs = [[relate(one, other)[1] for other in unexpected] + alone for one in missing]
    columns = find_cheapest_assignment(costs)
    return {
        row: column
        for row, column in enumerate(columns)
        if column < len(unexpected) and costs[row][column] < APART
    }


def relate(expected: Command, predicted: Command) -> tuple[Mistake, float]:
    """Return what a predicted command in the place of an expected one is, and how far it is from it."""
    match expected, predicted:
        case SetSlot(), SetSlot() if expected.slot == predicted.slot:
            return Mistake.WRONG_VALUE, 0.2 + 0.1 * _value_distance(expected, predicted)
        case SetSlot(), SetSlot():
            is_same = str(expected.value).casefold() == str(predicted.value).casefold()
            return Mistake.WRONG_SLOT, 0.4 if is_same else APART + 0.1
        case StartFlow(), StartFlow():
            return Mistake.WRONG_FLOW, 0.4 + 0.1 * text_distance(expected.flow, predicted.flow)
        case StartFlow(), Clarify():
            return Mistake.CLARIFY_INSTEAD_OF_START, 0.5 if expected.flow in predicted.options else 0.6
        case Clarify(), StartFlow():
            return Mistake.START_INSTEAD_OF_CLARIFY, 0.5 if predicted.flow in expected.options else 0.6
    is_alike = type(expected) is type(predicted)
    if isinstance(expected, CancelFlow):
        return Mistake.MISSED_CANCEL, 0.3 if is_alike else 0.95
    if not is_alike:
        return Mistake.OTHER_COMMAND, 0.95
    return Mistake.WRONG_OPTIONS if isinstance(expected, Clarify) else Mistake.WRONG_ARGUMENTS, 0.3


def _value_distance(expected: SetSlot, predicted: SetSlot) -> float:
    return text_distance(str(expected.value).casefold(), str(predicted.value).casefold())


def _substitution(expected: Command, predicted: Command, filled: Filled) -> Residual:
    kind, _ = relate(expected, predicted)
    if kind is not Mistake.WRONG_VALUE:
        return Residual(kind, expected, predicted)
    assert isinstance(expected, SetSlot), "only slots have values"
    assert isinstance(predicted, SetSlot), "only slots have values"
    is_old = expected.slot in filled and str(filled[expected.slot]) == str(predicted.value)
    kind = Mistake.MISSED_CORRECTION if is_old else kind
    return Residual(kind, expected, predicted, _value_distance(expected, predicted))


def _omission(command: Command, filled: Filled, unread: list[str]) -> Mistake:
    """Return the class of a command that nothing stands for; an unread line explains at most one."""
    line = next((line for line in unread if _mentions(line, command)), None)
    if line is not None:
        unread.remove(line)
        return Mistake.UNPARSED
    if isinstance(command, CancelFlow):
        return Mistake.MISSED_CANCEL
    if isinstance(command, SetSlot) and command.slot in filled:
        return Mistake.MISSED_CORRECTION
    return Mistake.OMISSION


def _mentions(line: str, command: Command) -> bool:
    text = line.casefold()
    names = (type(command).__name__, command.name, *map(str, command.arguments().values()))
    return any(len(name) > 2 and name.casefold() in text for name in names)
