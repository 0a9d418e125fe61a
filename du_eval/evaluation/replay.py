"""Replay a case against its assistant: the state before each step, and what the bot says after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field

from du_eval.assistants.actions import (
    ActionResult,
    Actions,
    FirstOf,
    NoActions,
    Setting,
    StubbedActions,
    name_session,
)
from du_eval.assistants.model import Assistant
from du_eval.commands.base import Command
from du_eval.conversation import Conversation
from du_eval.suites.model import PLACEHOLDER, BotStep, TestCase, UserStep

if TYPE_CHECKING:  # a suite without an assistant needs no engine
    from du_eval.assistants.engine.engine import Advance, Engine
    from du_eval.assistants.engine.events import BotMessage
    from du_eval.assistants.engine.state import EngineState


class BotDifference(Struct, frozen=True, omit_defaults=True):
    """A turn in which the bot says something else than the file expects."""

    line: int
    user: str
    expected: tuple[str, ...]
    said: tuple[str, ...]
    missing: tuple[int, ...] = ()
    """Which of the expected messages are not said."""
    surplus: tuple[int, ...] = ()
    """Which of the messages that are said the file does not have."""


class WithoutEffect(Struct, frozen=True):
    """An expected command that changes nothing in the replay: perhaps a mistake in the file."""

    line: int
    command: Command
    reason: str


class Replay(Struct, frozen=True):
    """What the replay of one case found."""

    checked: int = 0
    """Bot steps that were compared."""
    differences: tuple[BotDifference, ...] = ()
    stopped: str = ""
    """Why the replay could not go on; empty where it reached the end."""
    stopped_at: int | None = None
    """The number of the user step in which it stopped, from 1."""
    unchecked: int = 0
    """Bot steps behind that point."""
    stopped_line: int = 0
    without_effect: tuple[WithoutEffect, ...] = ()

    @property
    def differing(self) -> int:
        """The number of bot steps that differ."""
        return sum(len(difference.missing) for difference in self.differences)


class GoldExchange(Struct, frozen=True):
    """A user step, and the bot steps behind it; before the first user step there is none."""

    user: UserStep | None
    bot: tuple[BotStep, ...]
    is_last: bool = False


def exchanges(case: TestCase) -> tuple[GoldExchange, ...]:
    """Return the steps of a case, grouped by user step."""
    found: list[GoldExchange] = []
    user: UserStep | None = None
    said: list[BotStep] = []
    for step in case.steps:
        if isinstance(step, BotStep):
            said.append(step)
            continue
        if user is not None or said:
            found.append(GoldExchange(user, tuple(said)))
        user, said = step, []
    return (*found, GoldExchange(user, tuple(said), is_last=True))


class Stage(Struct, frozen=True):
    """Where cases are replayed: engines, and whoever runs custom actions that are not stubbed."""

    actions: Actions = field(default_factory=NoActions)
    _engines: dict[str, Engine] = field(default_factory=dict)

    def engine(self, assistant: Assistant) -> Engine:
        """Return the engine of an assistant."""
        if assistant.path not in self._engines:
            from du_eval.assistants.engine.engine import Engine  # noqa: PLC0415 - see above

            self._engines[assistant.path] = Engine(assistant)
        return self._engines[assistant.path]

    def setting(self, case: TestCase) -> Setting:
        """Return what custom actions of a case get to know; its stubs come first."""
        results = {name: ActionResult(stub.events, stub.responses) for name, stub in case.stubs.items()}
        return Setting(FirstOf((StubbedActions(results), self.actions)), name_session(), case.metadata)


class CaseReplay:
    """Follows one case; one use."""

    def __init__(self, case: TestCase, assistant: Assistant, stage: Stage) -> None:
        self._case = case
        self._engine = stage.engine(assistant)
        self._has_bot_steps = any(isinstance(step, BotStep) for step in case.steps)
        self._differences: list[BotDifference] = []
        self._without_effect: list[WithoutEffect] = []
        self._checked = self._unchecked = self._number = 0
        self._stopped_at: int | None = None
        self._stopped_line = 0
        slots = {slot: value for fixture in case.fixtures for slot, value in fixture.slots.items()}
        self._setting = stage.setting(case)
        self.start = self._engine.start(slots, self._setting)

    def turn(
        self,
        state: EngineState,
        step: UserStep,
        commands: Sequence[Command],
        history: Conversation = Conversation(),
    ) -> Advance:
        """Let the user speak; the history is for custom actions."""
        case = self._setting
        setting = Setting(case.actions, case.sender, step.metadata or case.metadata, history)
        return self._engine.turn(state, commands, step.text, setting)

    def check(self, exchange: GoldExchange, advance: Advance) -> tuple[BotMessage | None, ...]:
        """Compare what the bot says with the file; return the message behind each bot step that agrees."""
        self._number += exchange.user is not None
        line = exchange.user.line if exchange.user else self._case.line
        self._without_effect += [
            WithoutEffect(line, event.command, event.reason) for event in advance.ignored
        ]
        if advance.state.stopped and self._stopped_at is None:
            self._stopped_at, self._stopped_line = self._number, line
        partners, surplus = compare_messages(exchange.bot, advance.messages, is_open_end=exchange.is_last)
        missing = tuple(index for index, partner in enumerate(partners) if partner is None)
        if advance.state.stopped:
            self._checked += len(partners) - len(missing)
            self._unchecked += len(missing)
            return partners
        self._checked += len(partners)
        if missing or (surplus and self._has_bot_steps):
            self._differences.append(
                BotDifference(
                    line,
                    exchange.user.text if exchange.user else "",
                    tuple(_shown(step) for step in exchange.bot),
                    tuple(str(message) for message in advance.messages),
                    missing,
                    surplus,
                )
            )
        return partners

    def result(self, state: EngineState) -> Replay:
        """Return what was found."""
        return Replay(
            self._checked,
            tuple(self._differences),
            state.stopped,
            self._stopped_at,
            self._unchecked,
            self._stopped_line,
            tuple(self._without_effect),
        )


def _shown(step: BotStep) -> str:
    return step.response if step.response is not None else repr(step.text)


def agrees(step: BotStep, message: BotMessage) -> bool:
    """Tell whether a message is what a bot step expects; a generated one may be anything."""
    if message.is_generated or step.response == PLACEHOLDER:
        return True
    if step.response is not None:
        return step.response == message.response
    return step.text == message.text or step.text in message.wordings


def compare_messages(
    expected: Sequence[BotStep], said: Sequence[BotMessage], *, is_open_end: bool
) -> tuple[tuple[BotMessage | None, ...], tuple[int, ...]]:
    """Return the partner of each bot step in order, and the messages left over.

    At the end of a case the file may stop before the bot does.
    """
    pairs = _same_order(expected, said) or _longest_pairing(expected, said)
    partners = tuple(said[pairs[index]] if index in pairs else None for index in range(len(expected)))
    paired = set(pairs.values())
    end = max(paired, default=-1) + 1 if is_open_end else len(said)
    if is_open_end and len(pairs) < len(expected):
        end = len(said)
    return partners, tuple(index for index in range(end) if index not in paired)


def _same_order(expected: Sequence[BotStep], said: Sequence[BotMessage]) -> dict[int, int]:
    """Return the pairing of the usual case: as many messages as steps, and each agrees."""
    if len(expected) != len(said) or not all(map(agrees, expected, said)):
        return {}
    return {index: index for index in range(len(said))}


def _longest_pairing(expected: Sequence[BotStep], said: Sequence[BotMessage]) -> dict[int, int]:
    """Return a longest pairing that keeps the order, by dynamic programming."""
    rows, columns = len(expected), len(said)
    lengths = [[0] * (columns + 1) for _ in range(rows + 1)]
    for row in range(rows - 1, -1, -1):
        for column in range(columns - 1, -1, -1):
            best = max(lengths[row + 1][column], lengths[row][column + 1])
            if agrees(expected[row], said[column]):
                best = max(best, lengths[row + 1][column + 1] + 1)
            lengths[row][column] = best
    pairs: dict[int, int] = {}
    row = column = 0
    while row < rows and column < columns:
        here = lengths[row][column]
        if agrees(expected[row], said[column]) and here == lengths[row + 1][column + 1] + 1:
            pairs[row] = column
            row, column = row + 1, column + 1
        elif here == lengths[row + 1][column]:
            row += 1
        else:
            column += 1
    return pairs
