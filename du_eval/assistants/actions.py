"""Custom actions: what the engine asks of them, and what they give back."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from msgspec import Struct, field

from du_eval.conversation import Conversation

TOO_SLOW = "its custom actions take too long to try other commands"


class ActionCall(Struct, frozen=True):
    """A custom action that is due, and the dialogue it is due in."""

    name: str
    slots: Mapping[str, object] = field(default_factory=dict)
    message: str = ""
    sender: str = "default"
    metadata: Mapping[str, object] = field(default_factory=dict)
    history: Conversation = Conversation()
    active_flow: str | None = None


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


class RememberedActions:
    """Runs an action once for the same slots and message, and all actions for no more than some seconds."""

    def __init__(
        self, actions: Actions, seconds: float, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._actions = actions
        self._seconds = seconds
        self._clock = clock
        self._spent = 0.0
        self._results: dict[str, ActionResult | ActionError | None] = {}

    @property
    def is_used_up(self) -> bool:
        """Tell whether actions took all the time they may take."""
        return self._spent >= self._seconds

    def run(self, call: ActionCall) -> ActionResult | None:
        """Return what the action did, now or before."""
        key = repr((call.name, call.message, sorted(call.slots.items())))
        if key not in self._results:
            if self.is_used_up:
                raise ActionNotRunError(TOO_SLOW)
            start = self._clock()
            try:
                self._results[key] = self._actions.run(call)
            except ActionError as error:
                self._results[key] = error
            self._spent += self._clock() - start
        found = self._results[key]
        if isinstance(found, ActionError):
            raise found
        return found
