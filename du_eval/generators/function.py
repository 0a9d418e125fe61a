"""Any Python callable or object as a generator."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from du_eval.commands.base import Command
from du_eval.errors import GeneratorError, PluginError
from du_eval.generators.base import Prediction, Request


class FunctionGenerator:
    """Asks a function (sync or async), a callable object, or an object with a method `generate`.

    It may return a text, a list of commands (objects, texts or dictionaries), or a Prediction.
    """

    def __init__(self, target: Any, name: str = "") -> None:
        self.name = name or getattr(target, "__name__", type(target).__name__)
        self._call = _callable_of(target, self.name)
        self._is_async = inspect.iscoroutinefunction(self._call) or inspect.iscoroutinefunction(
            getattr(self._call, "__call__", None)  # noqa: B004 - a callable object may be async inside
        )

    async def generate(self, request: Request) -> Prediction:
        """Return the answer of the function; whatever it raises becomes a GeneratorError."""
        answer = self._ask(request) if self._is_async else await asyncio.to_thread(self._ask, request)
        if isinstance(answer, Prediction):
            return answer
        with _raising_generator_errors(self.name):
            return prediction_of(await answer, self.name)

    def _ask(self, request: Request) -> Prediction | Awaitable[Any]:
        """Return the answer, or what will be the answer when it is awaited."""
        with _raising_generator_errors(self.name):
            answer = self._call(request)
            return answer if inspect.isawaitable(answer) else prediction_of(answer, self.name)


@contextmanager
def _raising_generator_errors(name: str) -> Iterator[None]:
    """Turn whatever a user's code raises into a GeneratorError, also an exit: it must not end the run."""
    try:
        yield
    except GeneratorError:
        raise
    except (Exception, SystemExit) as error:
        raise GeneratorError(f"{name} raised {type(error).__name__}: {error}") from error


def _callable_of(target: Any, name: str) -> Callable[[Request], Any]:
    if inspect.isclass(target):
        try:
            target = target()
        except Exception as error:
            raise PluginError(
                f"{name} cannot be made without arguments: {type(error).__name__}: {error}"
            ) from error
    method = getattr(target, "generate", None)
    found = method if callable(method) else target
    if not callable(found):
        raise PluginError(f"{name} is neither callable nor has it a method generate(request)")
    return found  # type: ignore[no-any-return]


def prediction_of(answer: Any, name: str) -> Prediction:
    """Return a plain answer as a Prediction."""
    if isinstance(answer, Prediction):
        return answer
    if answer is None:
        return Prediction(commands=())
    if isinstance(answer, str):
        return Prediction(text=answer)
    if isinstance(answer, Command | Mapping):
        return Prediction(commands=(answer,))
    if isinstance(answer, Iterable):
        commands = tuple(answer)
        if all(isinstance(command, Command | str | Mapping) for command in commands):
            return Prediction(commands=commands)
    raise GeneratorError(
        f"{name} returned {type(answer).__name__}; expected a text, a list of commands or a Prediction"
    )
