"""Rewrites that change what is right: a message is taken back, or names another value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random

from du_eval.commands.base import Command
from du_eval.commands.flows import CancelFlow, StartFlow
from du_eval.commands.slots import SetSlot
from du_eval.evaluation.expectations import ExpectationReader
from du_eval.suites.model import ExpectedText, TestCase, TestSuite, UserStep

KINDS = ("cancel", "value-swap")
Places = frozenset[tuple[str, str, int]]
"""File, case and number of the rewritten steps."""


@dataclass(frozen=True)
class Rewriter:
    """Rewrites at most one step a case, and ends the case there; the new expectation is known."""

    reader: ExpectationReader
    spell: Callable[[Command], str]
    seed: int = 0

    def rewritten(self, suite: TestSuite, kind: str) -> tuple[TestSuite, Places]:
        """Return the cases that can be rewritten, and which steps were."""
        values = self._values(suite)
        cases, places = [], set()
        for case in suite:
            random = Random(f"{self.seed}|{kind}|{case.id}")  # noqa: S311 - no secret
            options = list(self._options(case, kind, values, random))
            if options:
                number, index, step = random.choice(options)
                cases.append(replace(case, steps=(*case.steps[:index], step)))
                places.add((case.file, case.name, number))
        return TestSuite(tuple(cases), suite.warnings), frozenset(places)

    def _options(
        self, case: TestCase, kind: str, values: dict[str, list[str]], random: Random
    ) -> Iterator[tuple[int, int, UserStep]]:
        number, is_started = 0, False
        for index, step in enumerate(case.steps):
            if not isinstance(step, UserStep):
                continue
            number += 1
            commands = self.reader.alternatives(step)[0]
            found = (
                self._cancelled(step, commands, is_started=is_started)
                if kind == "cancel"
                else self._swapped(step, commands, values, random)
            )
            if found is not None and len(step.alternatives) == 1:
                yield number, index, found
            is_started = is_started or any(isinstance(command, StartFlow) for command in commands)

    def _cancelled(
        self, step: UserStep, commands: tuple[Command, ...], *, is_started: bool
    ) -> UserStep | None:
        """Return the message taken back, where it only answers a question of a flow."""
        if not is_started or not commands or not all(isinstance(command, SetSlot) for command in commands):
            return None
        text = f"{step.text.rstrip(' .!?')} ... no, forget it, please cancel"
        return step._replace(text=text, alternatives=((ExpectedText(self.spell(CancelFlow()), step.line),),))

    def _swapped(
        self, step: UserStep, commands: tuple[Command, ...], values: dict[str, list[str]], random: Random
    ) -> UserStep | None:
        """Return the message with another value of a slot, where the value stands in it once."""
        for command in commands:
            if not isinstance(command, SetSlot) or step.text.count(str(command.value)) != 1:
                continue
            others = [value for value in values.get(command.slot, ()) if value != str(command.value)]
            if len(str(command.value)) > 2 and others:
                new = random.choice(others)
                expected = [SetSlot(command.slot, new) if other is command else other for other in commands]
                texts = tuple(ExpectedText(self.spell(other), step.line) for other in expected)
                return step._replace(text=step.text.replace(str(command.value), new), alternatives=(texts,))
        return None

    def _values(self, suite: TestSuite) -> dict[str, list[str]]:
        """Return the values of each slot that stand literally in a message of the suite."""
        found: dict[str, dict[str, None]] = {}
        for case in suite:
            for step in case.user_steps:
                for command in self.reader.alternatives(step)[0]:
                    if isinstance(command, SetSlot) and str(command.value) in step.text:
                        found.setdefault(command.slot, {})[str(command.value)] = None
        return {slot: list(values) for slot, values in found.items()}
