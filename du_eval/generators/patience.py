"""Call foreign code with a time limit: whatever it does, the caller goes on."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import weakref
from collections.abc import Awaitable, Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any

from msgspec import Struct, field

_ANSWERS_WITHIN_SECONDS = 1.0
"""An event loop that does not react for so long is blocked."""


class Threads:
    """Runs functions in threads of their own, which do not keep the process from ending."""

    def __init__(self) -> None:
        self._idle: list[SimpleQueue[Callable[[], None] | None]] = []

    async def call(self, work: Callable[[], Any], seconds: float | None = None) -> Any:
        """Return what a function returns; raise TimeoutError where that takes too long."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Any] = loop.create_future()
        jobs = self._idle.pop() if self._idle else _started()
        context = contextvars.copy_context()

        def job() -> None:
            outcome = _outcome(lambda: context.run(work))
            with suppress(RuntimeError):  # the run is over, and nobody waits any more
                loop.call_soon_threadsafe(self._done, answer, outcome, jobs)

        jobs.put(job)
        return await asyncio.wait_for(answer, seconds)

    def _done(
        self, answer: asyncio.Future[Any], outcome: _Outcome, jobs: SimpleQueue[Callable[[], None] | None]
    ) -> None:
        self._idle.append(jobs)
        outcome.tell(answer)

    def __del__(self) -> None:
        for jobs in self._idle:
            jobs.put(None)


def _started() -> SimpleQueue[Callable[[], None] | None]:
    jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()

    def work() -> None:
        while (job := jobs.get()) is not None:
            job()

    threading.Thread(target=work, name="du-eval-function", daemon=True).start()
    return jobs


class _Outcome(Struct, frozen=True):
    """What a call returned or raised."""

    value: Any = None
    error: BaseException | None = None

    def tell(self, answer: asyncio.Future[Any]) -> None:
        """Hand it to whoever waits for it, if anybody still does."""
        if answer.done():
            return
        if isinstance(self.error, asyncio.CancelledError):
            answer.cancel()
        elif self.error is not None:
            answer.set_exception(self.error)
        else:
            answer.set_result(self.value)


def _outcome(work: Callable[[], Any]) -> _Outcome:
    try:
        return _Outcome(work())
    except StopIteration as error:  # no future may hold one
        return _Outcome(error=RuntimeError(repr(error)))
    except BaseException as error:
        return _Outcome(error=error)


class _BlockedError(Exception):
    """Another call blocked the event loop that this one shares with it."""


class _Loop(Struct, eq=False):
    """An event loop in a thread of its own."""

    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    waiting: dict[asyncio.Future[Any], asyncio.Task[Any] | None] = field(default_factory=dict)
    """The calls that run here, by the futures of their answers; None: not started yet."""

    def __post_init__(self) -> None:
        threading.Thread(target=self._run, name="du-eval-async", daemon=True).start()

    def _run(self) -> None:
        try:
            self.loop.run_forever()
        finally:
            self.loop.close()

    def stop(self) -> None:
        with suppress(RuntimeError):
            self.loop.call_soon_threadsafe(self.loop.stop)

    def begin(self, work: Callable[[], Awaitable[Any]]) -> asyncio.Future[Any]:
        """Start a call over there; return the future of its answer over here."""
        here = asyncio.get_running_loop()
        answer: asyncio.Future[Any] = here.create_future()

        async def told() -> None:
            try:
                outcome = _Outcome(await work())
            except BaseException as error:
                outcome = _Outcome(error=error)
            self.waiting.pop(answer, None)
            with suppress(RuntimeError):
                here.call_soon_threadsafe(outcome.tell, answer)

        def start() -> None:
            self.waiting[answer] = self.loop.create_task(told())

        self.waiting[answer] = None
        self.loop.call_soon_threadsafe(start)
        return answer

    def cancel(self, answer: asyncio.Future[Any]) -> None:
        """End a call that nobody waits for any more."""
        task = self.waiting.pop(answer, None)
        if task is not None:
            self.loop.call_soon_threadsafe(task.cancel)

    async def reacts(self) -> bool:
        """Tell whether the loop does anything at all."""
        here = asyncio.get_running_loop()
        answer: asyncio.Future[None] = here.create_future()
        self.loop.call_soon_threadsafe(lambda: here.call_soon_threadsafe(_Outcome().tell, answer))
        with suppress(TimeoutError):
            await asyncio.wait_for(answer, _ANSWERS_WITHIN_SECONDS)
            return True
        return False

    def abandon(self, suspect: asyncio.Future[Any]) -> None:
        """Leave the loop to the call that blocks it, which has no answer; all others are asked again."""
        blocking = asyncio.current_task(self.loop)
        culprits = [answer for answer, task in self.waiting.items() if task is not None and task is blocking]
        for answer in [*self.waiting]:
            is_culprit = answer in (culprits or [suspect])
            _Outcome(error=TimeoutError() if is_culprit else _BlockedError()).tell(answer)
        self.waiting.clear()


class Loops:
    """Runs coroutines in an event loop of their own, so that one which blocks does not stop the others."""

    def __init__(self) -> None:
        self._current: _Loop | None = None

    async def call(self, work: Callable[[], Awaitable[Any]], seconds: float) -> Any:
        """Return what is awaited; raise TimeoutError where that takes too long."""
        while True:
            loop = self._current or self._new()
            answer = loop.begin(work)
            try:
                return await self._awaited(loop, answer, seconds)
            except _BlockedError:
                continue  # it did not get its chance
            except asyncio.CancelledError:
                loop.cancel(answer)
                raise

    async def _awaited(self, loop: _Loop, answer: asyncio.Future[Any], seconds: float) -> Any:
        done, _ = await asyncio.wait([answer], timeout=seconds)
        if not done and await loop.reacts():
            loop.cancel(answer)
            raise TimeoutError
        if not answer.done():
            if self._current is loop:
                self._current = None
            loop.abandon(answer)
        return await answer

    def _new(self) -> _Loop:
        found = self._current = _Loop()
        weakref.finalize(self, found.stop)
        return found
