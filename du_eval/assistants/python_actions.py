"""Custom actions written in Python: classes with `name` and `run`, or functions, of a module or package."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import inspect
import pkgutil
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

from du_eval.assistants.actions import ActionCall, ActionError, ActionNotRunError, ActionResult
from du_eval.assistants.sdk import find_action_base, make_dialogue, provide_sdk
from du_eval.errors import PluginError
from du_eval.plugins import load_module, load_object, look_into

_KNOWN_ARGUMENTS = frozenset({"dispatcher", "tracker", "domain", "slots"})


class PythonActions:
    """Runs actions of the user's own module or package; what they print goes to standard error."""

    def __init__(self, path: str) -> None:
        provide_sdk()
        self._broken: dict[str, str] = {}
        with contextlib.redirect_stdout(sys.stderr):
            self._actions = _find_actions(path, self._broken)

    @property
    def names(self) -> tuple[str, ...]:
        """The actions that are defined, sorted."""
        return tuple(sorted(self._actions))

    def run(self, call: ActionCall) -> ActionResult | None:
        """Run an action; whatever it raises becomes an ActionError with its traceback."""
        action = self._actions.get(call.name)
        if action is None:
            self._refuse_broken(call.name)
            return None
        dispatcher, tracker = make_dialogue(call)
        known = {"dispatcher": dispatcher, "tracker": tracker, "domain": {}, "slots": tracker.slots}
        try:
            with contextlib.redirect_stdout(sys.stderr):
                answer = action(**{name: known[name] for name in _list_arguments(action)})
                answer = _wait_for(answer) if inspect.isawaitable(answer) else answer
        except (Exception, SystemExit) as error:
            raise ActionError(f"{type(error).__name__}: {error}", _show_trace(error)) from error
        return ActionResult(_read_events(answer, call.name), tuple(dispatcher.messages))

    def _refuse_broken(self, name: str) -> None:
        """Raise the reason where the action stands in a module that cannot be imported."""
        quoted = re.compile(rf"""["']{re.escape(name)}["']""")
        for module, problem in self._broken.items():
            if any(quoted.search(file.read_text("utf-8", "replace")) for file in _find_files(module)):
                raise ActionNotRunError(problem)


def _find_files(module: str) -> Iterator[Path]:
    """Yield the file of a module, and all files of a package."""
    place = importlib.util.find_spec(module)
    if place and place.origin:
        yield Path(place.origin)
    for folder in (place and place.submodule_search_locations) or ():
        yield from sorted(Path(folder).rglob("*.py"))


def _show_trace(error: BaseException) -> str:
    """Return the traceback of an action, from its own code on."""
    frames = error.__traceback__.tb_next if error.__traceback__ else None
    return "".join(traceback.format_exception(type(error), error, frames)).rstrip()


def _wait_for(answer: Any) -> Any:
    """Wait for an async action in a thread of its own: the caller may be inside an event loop."""

    async def wait() -> Any:
        return await answer

    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(asyncio.run, wait()).result()


def _list_arguments(action: Callable[..., Any]) -> list[str]:
    return [name for name in inspect.signature(action).parameters if name in _KNOWN_ARGUMENTS]


def _read_events(answer: object, name: str) -> tuple[Mapping[str, object], ...]:
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


def _find_actions(path: str, broken: dict[str, str]) -> dict[str, Callable[..., Any]]:
    """Return the actions of `module`, `module:attribute`, a file or a folder; note what is broken in it."""
    if ":" in path and not Path(path).exists():
        target = load_object(path)
        if not isinstance(target, ModuleType):
            return dict(_name_actions([target], getattr(target, "__module__", ""), broken))
    else:
        name = _locate(path)
        try:
            target = load_module(name)
        except PluginError as error:
            if not _exists(name):
                raise
            broken[name] = str(error)
            return {}
    found: dict[str, Callable[..., Any]] = {}
    for module in _import_all(target, broken):
        found.update(_name_actions(vars(module).values(), module.__name__, broken))
    if not found and not broken and not hasattr(target, "__path__"):
        raise PluginError(
            f"'{path}' defines no action: neither a class with name() and run(), nor a function"
        )
    return found


def _locate(path: str) -> str:
    """Return the name of a module that is named, or whose place is; from now on it is found."""
    place = Path(path)
    if place.exists() and (place.suffix == ".py" or len(place.parts) > 1):
        look_into(place.resolve().parent)
        return place.stem
    return path


def _exists(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def _import_all(module: ModuleType, broken: dict[str, str]) -> Iterator[ModuleType]:
    """Yield the modules of a package, the package itself last: what it names wins."""
    for found in pkgutil.iter_modules(getattr(module, "__path__", ()), f"{module.__name__}."):
        try:
            part = load_module(found.name)
        except PluginError as error:
            broken[found.name] = str(error)
            continue
        yield from _import_all(part, broken)
    yield module


def _name_actions(
    values: Iterable[object], module: str, broken: dict[str, str]
) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield actions with their names: those of a module, and classes that it takes from elsewhere."""
    base = find_action_base()
    for value in values:
        is_own = getattr(value, "__module__", None) == module
        if inspect.isclass(value):
            is_action = issubclass(value, base) and not value.__module__.startswith("rasa_sdk")
            if (
                value is not base
                and not inspect.isabstract(value)
                and (is_action or (is_own and _runs(value)))
            ):
                yield from _make(value, broken)
        elif inspect.isfunction(value) and is_own and _is_action(value):
            yield value.__name__, value


def _runs(kind: type) -> bool:
    """Tell whether a class without a base of the SDK is an action: it is public, and makes itself."""
    has_parts = callable(getattr(kind, "run", None)) and hasattr(kind, "name")
    return has_parts and not kind.__name__.startswith("_")


def _make(kind: type, broken: dict[str, str]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield an action with its name; nothing for a base class, or one that cannot be made."""
    try:
        action = kind()
        yield action.name() if callable(action.name) else str(action.name), action.run
    except NotImplementedError:
        return
    except (Exception, SystemExit) as error:
        told = (
            f"the action {kind.__name__} cannot be created without arguments: {type(error).__name__}: {error}"
        )
        broken[kind.__module__] = "; ".join(filter(None, (broken.get(kind.__module__), told)))


def _is_action(function: Callable[..., Any]) -> bool:
    if function.__name__.startswith("_"):
        return False
    parameters = inspect.signature(function).parameters.values()
    needed = [parameter.name for parameter in parameters if parameter.default is parameter.empty]
    return bool(needed) and set(needed) <= _KNOWN_ARGUMENTS
