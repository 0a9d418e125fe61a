"""Which expected thing became which predicted one, over a whole run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from du_eval.commands.base import Command
from du_eval.commands.flows import Clarify, SetSlot, StartFlow
from du_eval.evaluation.step import JudgedStep
from du_eval.evaluation.taxonomy import Mistake, Residual

NOTHING = "(nothing)"
"""Stands for the other side of an omission or an insertion."""


class SlotMistake(Struct, frozen=True, omit_defaults=True):
    """A wrong value of a slot, and how often it came."""

    slot: str
    expected: str
    predicted: str
    count: int
    distance: float


class ConfusionTable(Struct, frozen=True, omit_defaults=True):
    """The mistakes of a run as rows, the most frequent first."""

    kinds: tuple[tuple[str, int, int], ...] = ()
    """Kind, how often it occurs, in how many steps."""
    commands: tuple[tuple[str, str, int], ...] = ()
    """Expected, predicted, how often."""
    flows: tuple[tuple[str, str, int], ...] = ()
    """Right ones too, so that a reader sees how often a flow was understood."""
    slots: tuple[tuple[str, str, int], ...] = ()
    """Slots that were filled in place of others with the right value."""
    values: tuple[SlotMistake, ...] = ()


def tabulate_confusion(steps: Iterable[JudgedStep]) -> ConfusionTable:
    """Return the mistakes of some steps as rows."""
    judged = [(step, step.detail.live.residuals) for step in steps]
    residuals = [residual for _, found in judged for residual in found]
    kinds = Counter(residual.kind for residual in residuals)
    places = Counter(kind for _, found in judged for kind in {residual.kind for residual in found})
    ranked = sorted(kinds.items(), key=lambda item: (-item[1], item[0]))
    return ConfusionTable(
        tuple((kind.value, count, places[kind]) for kind, count in ranked),
        _rank(pair for residual in residuals for pair in _command_pair(residual)),
        _rank(pair for step, found in judged for pair in _flow_pairs(step, found)),
        _rank(pair for residual in residuals for pair in _slot_pair(residual)),
        _values(residuals),
    )


def _rank(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str, int], ...]:
    ranked = sorted(Counter(pairs).items(), key=lambda item: (-item[1], item[0]))
    return tuple((expected, predicted, count) for (expected, predicted), count in ranked)


def _command_pair(residual: Residual) -> Iterator[tuple[str, str]]:
    if residual.kind is not Mistake.ERRORED:
        yield _name(residual.expected), _name(residual.predicted)


def _name(command: Command | None) -> str:
    return command.name if command else NOTHING


def _flow_pairs(step: JudgedStep, found: Sequence[Residual]) -> Iterator[tuple[str, str]]:
    for expected, predicted in step.detail.live.diff.matched:
        if isinstance(expected, StartFlow):
            yield expected.flow, _flow(predicted)
    for residual in found:
        sides = (residual.expected, residual.predicted)
        if any(isinstance(side, StartFlow) for side in sides):
            yield _flow(residual.expected), _flow(residual.predicted)


def _flow(command: Command | None) -> str:
    if isinstance(command, StartFlow):
        return command.flow
    if isinstance(command, Clarify):
        return "(clarify)"
    return f"({command.name})" if command else NOTHING


def _slot_pair(residual: Residual) -> Iterator[tuple[str, str]]:
    if isinstance(residual.expected, SetSlot) and isinstance(residual.predicted, SetSlot):
        yield residual.expected.slot, residual.predicted.slot


def _values(residuals: Iterable[Residual]) -> tuple[SlotMistake, ...]:
    counted: Counter[tuple[str, str, str, float]] = Counter()
    for residual in residuals:
        expected, predicted = residual.expected, residual.predicted
        is_value = residual.kind is Mistake.WRONG_VALUE
        if is_value and isinstance(expected, SetSlot) and isinstance(predicted, SetSlot):
            distance = residual.distance or 0.0
            counted[expected.slot, str(expected.value), str(predicted.value), distance] += 1
    ranked = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return tuple(
        SlotMistake(slot, expected, predicted, count, distance)
        for (slot, expected, predicted, distance), count in ranked
    )
