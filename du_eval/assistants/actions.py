"""Custom actions: what the engine asks of them, and what they give back."""

from __future__ import annotations

import time
from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol
from uuid import uuid4

from msgspec import Struct, field
from msgspec.structs import replace

from du_eval.conversation import Conversation

TOO_SLOW = "its custom actions are too slow to try other commands"


class ActionCall(Struct, frozen=True):
    """A custom action that is due, and the dialogue it is due in."""

    name: str
    slots: Mapping[str, object] = field(default_factory=dict)
    message: str = ""
    sender: str = "default"
    metadata: Mapping[str, object] = field(default_factory=dict)
    history: Conversation = Conversation()
    active_flow: str | None = None
    understood: tuple[object, ...] = ()
    """What each message of the user was taken for, in order."""


class ActionResult(Struct, frozen=True):
    """What an action did: events such as `{"event": "slot", …}`, and messages such as `{"text": …}`."""

    events: tuple[Mapping[str, object], ...] = ()
    responses: tuple[Mapping[str, object], ...] = ()


class ActionError(Exception):
    """An action that was run and failed, with its traceback where there is one."""

    def __init__(self, reason: str, trace: str = "") -> None:
        super().__init__(reason)
        self.trace = trace or reason


class ActionNotRunError(ActionError):
    """An action that was not run, so that it is unknown what it would have done."""


class Actions(Protocol):
    """Runs custom actions."""

    def run(self, call: ActionCall) -> ActionResult | None:
        """Return what the action did; None where it is not known here, ActionError where it failed."""
        ...


class Setting(Struct, frozen=True):
    """What an action may know besides the state."""

    actions: Actions
    sender: str = "default"
    metadata: Mapping[str, object] | None = None
    history: Conversation = Conversation()
    understood: tuple[object, ...] = ()


def name_session() -> str:
    """Return a sender that no dialogue had before: actions may have stored something for an earlier one."""
    return uuid4().hex


class NoActions:
    """Knows no action."""

    def run(self, call: ActionCall) -> ActionResult | None:  # noqa: ARG002
        """Return nothing."""
        return None


class StubbedActions(Struct, frozen=True):
    """Actions whose results are written down."""

    results: Mapping[str, ActionResult]

    def run(self, call: ActionCall) -> ActionResult | None:
        """Return the result that is written down."""
        return self.results.get(call.name)


class FirstOf:
    """Asks several sources in turn; the first that knows the action runs it."""

    def __init__(self, sources: Iterable[Actions]) -> None:
        self._sources = tuple(sources)

    def run(self, call: ActionCall) -> ActionResult | None:
        """Return the first result."""
        for source in self._sources:
            result = source.run(call)
            if result is not None:
                return result
        return None


class RehearsedActions:
    """Runs the actions of many ways through one dialogue, for some seconds at most.

    Each way has its own sender, so what an action stores on one is not seen on others.
    """

    def __init__(
        self, actions: Actions, seconds: float, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._actions = actions
        self._seconds = seconds
        self._clock = clock
        self._spent = 0.0
        self._results: dict[str, ActionResult | ActionError | None] = {}
        self._ran: dict[tuple[object, ...], list[ActionCall]] = {}
        self._missing: set[str] = set()

    @property
    def is_used_up(self) -> bool:
        """Tell whether actions took all the time they may take."""
        return self._spent >= self._seconds

    def run(self, call: ActionCall) -> ActionResult | None:
        """Return what the action did, now or before; None, in no time, for one that does not exist."""
        if call.name in self._missing:
            return None
        key = repr((call.understood, call.name, call.message, sorted(_flatten(call.slots).items())))
        if key not in self._results:
            self._results[key] = self._run_new(call)
        found = self._results[key]
        if found is None:
            self._missing.add(call.name)
        if isinstance(found, ActionError):
            raise found
        return found

    def _run_new(self, call: ActionCall) -> ActionResult | ActionError | None:
        """Run an action after those that ran before it on the same way."""
        way = call.understood
        if way not in self._ran:
            known = (way[:size] for size in range(len(way) - 1, -1, -1) if way[:size] in self._ran)
            session = name_session()
            self._ran[way] = [replace(one, sender=session) for one in self._ran.get(next(known, ()), ())]
            for before in self._ran[way]:
                self._run_timed(before)
        ran = self._ran[way]
        ran.append(replace(call, sender=ran[0].sender if ran else name_session()))
        return self._run_timed(ran[-1])

    def _run_timed(self, call: ActionCall) -> ActionResult | ActionError | None:
        if self.is_used_up:
            return ActionNotRunError(TOO_SLOW)
        start = self._clock()
        try:
            return self._actions.run(call)
        except ActionError as error:
            return error
        finally:
            self._spent += self._clock() - start


def _flatten(slots: Mapping[str, object]) -> dict[str, object]:
    """Return slots as a plain dictionary; a chain of them looks up each name anew when it is read whole."""
    layers = reversed(slots.maps) if isinstance(slots, ChainMap) else (slots,)
    return {name: value for layer in layers for name, value in layer.items()}
