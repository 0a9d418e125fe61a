"""What is tested: suites, cases and steps, each with its place in a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct, field

from du_eval.statistics.success import SuccessRatio

PLACEHOLDER = "placeholder_generated_answer"
"""The bot step that accepts any single generated message."""

NOTHING: Mapping[str, object] = MappingProxyType({})


class ExpectedText(NamedTuple):
    """One expected command as it is written in the file; tuples, because there are very many."""

    text: str
    line: int


class UserStep(NamedTuple):
    """What the user says, and the command lists of which one must be predicted."""

    text: str
    alternatives: tuple[tuple[ExpectedText, ...], ...]
    line: int
    metadata: Mapping[str, object] = NOTHING


class BotStep(NamedTuple):
    """What the bot says: a response by its name (`utter`), a literal text (`bot`), or one in other words."""

    line: int
    text: str | None = None
    response: str | None = None


Step = UserStep | BotStep


class Fixture(Struct, frozen=True):
    """Slots that are set before the first user message."""

    name: str
    slots: Mapping[str, object]


class StubbedAction(Struct, frozen=True):
    """What a custom action does when it is stubbed."""

    name: str
    events: tuple[Mapping[str, object], ...] = ()
    responses: tuple[Mapping[str, object], ...] = ()


class TestCase(Struct, frozen=True):
    """One conversation with its expectations."""

    __test__ = False  # pytest: not a test class

    name: str
    file: str
    line: int
    steps: tuple[Step, ...]
    fixtures: tuple[Fixture, ...] = ()
    metadata: Mapping[str, object] = field(default_factory=lambda: NOTHING)
    stubs: Mapping[str, StubbedAction] = field(default_factory=dict)
    success_ratio: SuccessRatio | None = None
    """How many of how many samples must pass; None where the run decides."""

    @property
    def id(self) -> str:
        """The name under which reports list the case."""
        return f"{self.file}::{self.name}"

    @property
    def user_steps(self) -> tuple[UserStep, ...]:
        """The steps that are judged."""
        return tuple(step for step in self.steps if isinstance(step, UserStep))


class TestSuite(Struct, frozen=True):
    """All cases of a run, in the order of files and lines."""

    __test__ = False  # pytest: not a test class

    cases: tuple[TestCase, ...]
    warnings: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[TestCase]:
        return iter(self.cases)

    def __len__(self) -> int:
        return len(self.cases)

    @property
    def files(self) -> tuple[str, ...]:
        """The files that hold the cases, in order."""
        return tuple(dict.fromkeys(case.file for case in self.cases))
