"""Custom actions written in Python: classes with `name` and `run`, or plain functions."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import Any

from du_eval.assistants.actions import ActionCall, ActionError, ActionResult
from du_eval.errors import PluginError
from du_eval.plugins import load_module, load_object

_KNOWN_ARGUMENTS = frozenset({"dispatcher", "tracker", "domain", "slots"})


class Dispatcher:
    """Collects what an action says; has the method that actions of CALM assistants call."""

    def __init__(self) -> None:
        self.messages: list[dict[str, object]] = []

    def utter_message(
        self, text: str | None = None, *, response: str | None = None, **details: object
    ) -> None:
        """Say a text, or a response of the domain."""
        given: dict[str, object] = {"text": text, "response": response, **details}
        self.messages.append({key: value for key, value in given.items() if value is not None})


class Tracker:
    """Shows an action the dialogue; has the members that actions of CALM assistants use."""

    def __init__(self, call: ActionCall) -> None:
        self.sender_id = call.sender
        self.slots: dict[str, object] = dict(call.slots)
        self.latest_message: dict[str, object] = {"text": call.message, "metadata": dict(call.metadata)}
        self.active_flow = call.active_flow
        self.events = [{"event": str(turn.speaker), "text": turn.text} for turn in call.history]

    def get_slot(self, name: str) -> Any:
        """Return the value of a slot, or None."""
        return self.slots.get(name)

    def current_slot_values(self) -> dict[str, object]:
        """Return all slots."""
        return dict(self.slots)


class PythonActions:
    """Runs actions of the user's own module."""

    def __init__(self, path: str) -> None:
        self._actions = _actions_in(path)
        if not self._actions:
            raise PluginError(
                f"'{path}' defines no action: neither a class with name() and run(), nor a function"
            )

    @property
    def names(self) -> tuple[str, ...]:
        """The actions that are defined, sorted."""
        return tuple(sorted(self._actions))

    def run(self, call: ActionCall) -> ActionResult | None:
        """Run an action; whatever it raises becomes an ActionError."""
        action = self._actions.get(call.name)
        if action is None:
            return None
        dispatcher, tracker = Dispatcher(), Tracker(call)
        known = {"dispatcher": dispatcher, "tracker": tracker, "domain": {}, "slots": tracker.slots}
        try:
            answer = action(**{name: known[name] for name in _arguments(action)})
            answer = _finished(answer) if inspect.isawaitable(answer) else answer
        except Exception as error:
            raise ActionError(f"{type(error).__name__}: {error}") from error
        return ActionResult(_events(answer, call.name), tuple(dispatcher.messages))


def _finished(answer: Any) -> Any:
    """Wait for an async action in a thread of its own: the caller may be inside an event loop."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(asyncio.run, _awaited(answer)).result()


async def _awaited(answer: Any) -> Any:
    return await answer


def _arguments(action: Callable[..., Any]) -> list[str]:
    return [name for name in inspect.signature(action).parameters if name in _KNOWN_ARGUMENTS]


def _events(answer: Any, name: str) -> tuple[Mapping[str, object], ...]:
    """Return the events of an answer: a list of events, or slots with their values."""
    if answer is None:
        return ()
    if isinstance(answer, Mapping):
        if "event" in answer:
            return (answer,)
        return tuple({"event": "slot", "name": slot, "value": value} for slot, value in answer.items())
    if isinstance(answer, Iterable) and not isinstance(answer, str):
        events = tuple(answer)
        if all(isinstance(event, Mapping) and "event" in event for event in events):
            return events
    raise ActionError(f"'{name}' returned {answer!r}; expected slots with values, or a list of events")


def _actions_in(path: str) -> dict[str, Callable[..., Any]]:
    target = load_object(path) if ":" in path else load_module(path)
    if isinstance(target, ModuleType):
        return dict(_named(vars(target).values(), target.__name__))
    return dict(_named([target], getattr(target, "__module__", "")))


def _named(values: Iterable[Any], module: str) -> Iterable[tuple[str, Callable[..., Any]]]:
    """Yield the classes with name and run, and the functions that take what an action gets."""
    for value in values:
        if getattr(value, "__module__", None) != module or getattr(value, "__name__", "_").startswith("_"):
            continue
        if inspect.isclass(value) and callable(getattr(value, "run", None)) and hasattr(value, "name"):
            action = _made(value)
            yield (action.name() if callable(action.name) else str(action.name)), action.run
        elif inspect.isfunction(value) and _is_action(value):
            yield value.__name__, value


def _made(kind: Callable[[], Any]) -> Any:
    try:
        return kind()
    except Exception as error:
        name = getattr(kind, "__name__", kind)
        raise PluginError(f"the action {name} cannot be made without arguments: {error}") from error


def _is_action(function: Callable[..., Any]) -> bool:
    parameters = inspect.signature(function).parameters.values()
    needed = [parameter.name for parameter in parameters if parameter.default is parameter.empty]
    return bool(needed) and set(needed) <= _KNOWN_ARGUMENTS
