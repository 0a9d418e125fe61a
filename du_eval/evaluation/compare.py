"""Expected against predicted commands, by a named policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from du_eval.assistants.model import Slot
from du_eval.commands.base import Command
from du_eval.commands.flows import Clarify, SetSlot
from du_eval.evaluation.results import CommandDiff
from du_eval.evaluation.slot_values import is_same_value

Commands = Sequence[Command]


class MatchPolicy(Protocol):
    """Compares the commands of one step."""

    def diff(self, expected: Commands, components: Sequence[Commands]) -> tuple[CommandDiff, bool]:
        """Return the differences, and whether the step passes."""
        ...


@dataclass(frozen=True, slots=True)
class ExactPolicy:
    """Types and arguments match exactly, order is irrelevant, one prediction meets one expectation."""

    slots: Mapping[str, Slot] = field(default_factory=dict)

    def diff(self, expected: Commands, components: Sequence[Commands]) -> tuple[CommandDiff, bool]:
        """Pair as many commands as can be paired; whatever is left is a difference."""
        predicted = [command for commands in components for command in commands]
        found = paired(expected, predicted, self._fulfils)
        return found, found.is_empty

    def _fulfils(self, expected: Command, predicted: Command) -> bool:
        if type(expected) is SetSlot and type(predicted) is SetSlot and expected.slot in self.slots:
            is_same_slot = expected.slot == predicted.slot
            return is_same_slot and is_same_value(self.slots[expected.slot], expected.value, predicted.value)
        return expected.matches(predicted)


@dataclass(frozen=True, slots=True)
class RasaPolicy:
    """The comparison of the official tool: duplicates go, presence counts, slot values ignore case."""

    def diff(self, expected: Commands, components: Sequence[Commands]) -> tuple[CommandDiff, bool]:
        """Look each command up in the other list."""
        predicted = [command for commands in components for command in _without_duplicates(commands)]
        matched, missing = [], []
        for command in expected:
            partner = next((other for other in predicted if _rasa_equal(command, other)), None)
            if partner is None:
                missing.append(command)
            else:
                matched.append((command, partner))
        unexpected = [
            other for other in predicted if not any(_rasa_equal(other, command) for command in expected)
        ]
        passes = len(expected) == len(predicted) and not missing
        return CommandDiff(tuple(matched), tuple(missing), tuple(unexpected)), passes


def _without_duplicates(commands: Commands) -> list[Command]:
    """Return each different command once; a custom one may be comparable without being hashable."""
    found: list[Command] = []
    for command in commands:
        if command not in found:
            found.append(command)
    return found


def _rasa_equal(first: Command, second: Command) -> bool:
    if isinstance(first, Clarify) and isinstance(second, Clarify):
        return not first.options or first.options == second.options
    if isinstance(first, SetSlot) and isinstance(second, SetSlot):
        return first.slot == second.slot and str(first.value).lower() == str(second.value).lower()
    return first == second


def paired(
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
