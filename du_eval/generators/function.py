"""Any Python callable or object as a generator."""

from __future__ import annotations

import inspect
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from msgspec.structs import replace

from du_eval.commands.base import Command
from du_eval.commands.foreign import as_own
from du_eval.errors import GeneratorError, PluginError
from du_eval.generators.base import Prediction, Request
from du_eval.generators.patience import Loops, Threads

LONGEST_SECONDS = 60.0


class FunctionGenerator:
    """Asks a function (sync or async), a callable object, or an object with a method `generate`.

    It may return a string, a list of commands (objects, strings or dictionaries), or a Prediction.
    """

    def __init__(self, target: object, name: str = "", seconds: float = LONGEST_SECONDS) -> None:
        self.name = name or getattr(target, "__name__", type(target).__name__)
        self._target = _instance_of(target, self.name)
        self._call = _callable_of(self._target, self.name)
        self._is_async = inspect.iscoroutinefunction(self._call) or inspect.iscoroutinefunction(
            getattr(self._call, "__call__", None)  # noqa: B004 - a callable object may be async inside
        )
        self._seconds = seconds
        self._threads, self._loops = Threads(), Loops()

    async def generate(self, request: Request) -> Prediction:
        """Return the answer of the function; a hang, and whatever it raises, becomes a GeneratorError."""
        try:
            if self._is_async:
                return await self._awaited(lambda: self._call(request))
            answer = await self._threads.call(lambda: self._ask(request), self._seconds)
            return answer if isinstance(answer, Prediction) else await self._awaited(lambda: answer)
        except TimeoutError as error:
            raise GeneratorError(
                f"{self.name} did not answer within {self._seconds:g} s (--timeout)"
            ) from error

    async def close(self) -> None:
        """Close the object where it has an async method for that, in the loop in which it was asked."""
        close = getattr(self._target, "close", None)
        if inspect.iscoroutinefunction(close):
            try:
                await self._loops.call(close, self._seconds)
            except TimeoutError as error:
                raise GeneratorError(f"{self.name} did not close within {self._seconds:g} s") from error

    def _ask(self, request: Request) -> Prediction | Awaitable[Any]:
        """Return the answer, or what will be the answer when it is awaited."""
        with _raising_generator_errors(self.name):
            start = time.perf_counter()
            answer = self._call(request)
            return (
                answer if inspect.isawaitable(answer) else _timed(make_prediction(answer, self.name), start)
            )

    async def _awaited(self, begin: Callable[[], Awaitable[Any]]) -> Prediction:
        async def finish() -> Prediction:
            with _raising_generator_errors(self.name):
                start = time.perf_counter()
                return _timed(make_prediction(await begin(), self.name), start)

        answer: Prediction = await self._loops.call(finish, self._seconds)
        return answer


def _timed(answer: Prediction, start: float) -> Prediction:
    """Return an answer with the time that the function itself took, however busy everything else is."""
    if answer.latency_seconds is not None:
        return answer
    return replace(answer, latency_seconds=time.perf_counter() - start)


@contextmanager
def _raising_generator_errors(name: str) -> Iterator[None]:
    """Turn whatever a user's code raises into a GeneratorError, also an exit: it must not end the run."""
    try:
        yield
    except GeneratorError:
        raise
    except (Exception, SystemExit) as error:
        raise GeneratorError(f"{name} raised {type(error).__name__}: {error}") from error


def _instance_of(target: object, name: str) -> Any:
    """Return an object of a class, or what is none as it is."""
    if not inspect.isclass(target):
        return target
    try:
        return target()
    except (Exception, SystemExit) as error:
        raise PluginError(
            f"{name} cannot be created without arguments: {type(error).__name__}: {error}"
        ) from error


def _callable_of(target: object, name: str) -> Callable[[Request], Any]:
    method = getattr(target, "generate", None)
    found = method if callable(method) else target
    if not callable(found):
        raise PluginError(f"{name} is not callable and has no method generate(request)")
    return found  # type: ignore[no-any-return]


def make_prediction(answer: object, name: str) -> Prediction:
    """Return a plain answer as a Prediction."""
    if isinstance(answer, Prediction):
        return answer
    if answer is None:
        raise GeneratorError(
            f"{name} returned nothing; to predict no command, return an empty string or list"
        )
    if isinstance(answer, str):
        return Prediction(text=answer)
    answer = as_own(answer)
    if isinstance(answer, Command | Mapping):
        return Prediction(commands=(answer,))
    if isinstance(answer, Iterable):
        commands = tuple(map(as_own, answer))
        if all(isinstance(command, Command | str | Mapping) for command in commands):
            return Prediction(commands=commands)
    kind = type(answer).__name__
    if isinstance(answer, list | tuple):
        kind += f" with {' and '.join(dict.fromkeys(type(one).__name__ for one in answer))}"
    raise GeneratorError(f"{name} returned {kind}; expected a string, a list of commands or a Prediction")
