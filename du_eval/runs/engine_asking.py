"""Ask workers from an event loop: each gets a few questions at once, and lost ones are asked again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar, cast

from msgspec import Struct, field

from du_eval.runs.engine import EngineTask, P, S, WorkEngine

Q = TypeVar("Q")
"""A question."""
A = TypeVar("A")
"""Its answer."""
BatchTask = EngineTask[P, S, tuple[Q, ...], list[A]]


class EngineAsking(Struct, Generic[P, S, Q, A]):
    """Hands questions out to the workers of an engine; whoever asks waits for one answer."""

    engine: WorkEngine
    task: BatchTask[P, S, Q, A]
    at_once: int = 1
    """How many questions a worker has at the same time."""
    _waiting: asyncio.Queue[tuple[Q, asyncio.Future[A]]] | None = None
    _workers: list[asyncio.Task[None]] = field(default_factory=list)

    async def ask(self, question: Q) -> A:
        """Return the answer of a worker."""
        if self._waiting is None:
            self._waiting = asyncio.Queue()
            handle = self.engine.open(self.task)
            self._workers = [
                asyncio.create_task(self._hand_out(self._waiting, handle)) for _ in range(self.engine.workers)
            ]
        answer: asyncio.Future[A] = asyncio.get_running_loop().create_future()
        self._waiting.put_nowait((question, answer))
        return await answer

    async def _hand_out(self, waiting: asyncio.Queue[tuple[Q, asyncio.Future[A]]], handle: object) -> None:
        while True:
            batch = [await waiting.get()]
            await asyncio.sleep(0)  # let others ask, too
            while len(batch) < self.at_once and not waiting.empty():
                batch.append(waiting.get_nowait())
            open_ones = [(question, answer) for question, answer in batch if not answer.done()]
            if not open_ones:
                continue
            try:
                questions = tuple(question for question, _ in open_ones)
                found = cast("list[A]", await self.engine.do(handle, questions))
            except Exception as error:  # whoever asked must know, whatever it is
                for _, answer in open_ones:
                    if not answer.done():
                        answer.set_exception(error)
                continue
            for (_, answer), one in zip(open_ones, found, strict=True):
                if not answer.done():
                    answer.set_result(one)

    async def aclose(self) -> None:
        """Ask nothing more."""
        for one in self._workers:
            one.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)
        self._workers, self._waiting = [], None


class Loop:
    """The event loop of a worker, which lives as long as it does, so that connections stay open."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()

    def gather(self, work: list[Callable[[], Awaitable[A]]]) -> list[A]:
        """Do several things at once; return what came of each."""

        async def run() -> list[A]:
            return list(await asyncio.gather(*(one() for one in work)))

        return self._runner.run(run())
