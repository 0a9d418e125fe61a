"""Where work is done: in this process, in a pool of processes, or on a Ray cluster, with the same results."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable, Iterator
from enum import StrEnum
from functools import partial
from typing import Generic, Protocol, Self, TypeVar, cast

from msgspec import Struct, field

from du_eval.errors import ConfigError, DuEvalError, ExitCode
from du_eval.settings.shared import WorkSettings

P = TypeVar("P")
"""What workers are told once."""
S = TypeVar("S")
"""What a worker makes of it: loaded judges, models, texts."""
T = TypeVar("T")
"""One piece of work: plain values, such as the name of a file and a range of its bytes."""
R = TypeVar("R")
"""What became of a piece."""

DEATHS = 3
"""How often a piece of work may take its worker with it before a run gives up."""
_AHEAD, _HELD = 2, 16
"""For each worker: how many pieces it has in hand, and how many may wait for their results to be taken."""


class EngineName(StrEnum):
    """Who distributes work."""

    LOCAL = "local"
    RAY = "ray"


class EngineError(DuEvalError):
    """Work could not be done: its workers die, or the cluster cannot be reached."""

    exit_code = ExitCode.ERRORED


def can_send(workers: int, waiting: int, unfinished: int) -> bool:
    """Tell whether another piece may be sent: no worker waits for a slow one, and memory stays bounded.

    Waiting are all pieces whose results were not taken yet, which happens in their order.
    """
    return unfinished < workers * _AHEAD and waiting < workers * _HELD


def count_death(deaths: int, error: Exception) -> int:
    """Return how many workers died since something was finished; raise where that is too often."""
    if deaths + 1 < DEATHS:
        return deaths + 1
    raise EngineError(
        f"{DEATHS} workers in a row died without finishing anything, perhaps for lack of memory"
        " (use fewer --workers)"
    ) from error


class EngineTask(Struct, Generic[P, S, T, R], frozen=True):
    """What is done to each piece of work, by functions of modules, which any process can import."""

    prepare: Callable[[P], S]
    """Called once in each worker: loads what all pieces need."""
    plan: P
    work: Callable[[S, T], R]


class WorkEngine(Protocol):
    """Does work; use it as a context, which ends its workers."""

    @property
    def workers(self) -> int:
        """How many pieces are done at once."""
        ...

    def map(self, task: EngineTask[P, S, T, R], items: Iterable[T]) -> Iterator[R]:
        """Yield what became of each piece, in their order; what a lost worker had is done again."""
        ...

    def open(self, task: EngineTask[P, S, T, R]) -> object:
        """Tell the workers about a task; return what `do` calls it."""
        ...

    async def do(self, handle: object, item: object) -> object:
        """Return what became of one piece; one that a lost worker had is done again."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


class EngineSettings(Struct, frozen=True):
    """Which engine a user wants."""

    name: EngineName = EngineName.LOCAL
    workers: int | None = None
    """None: as many as there are cores, or one where there is little to do."""
    address: str = ""
    """Of a Ray cluster: `auto` for the one that runs here, HOST:PORT; empty for one of our own."""

    @property
    def is_wanted(self) -> bool:
        """Tell whether other processes were asked for."""
        return self.name is EngineName.RAY or (self.workers or 1) > 1

    def check(self) -> None:
        """Refuse what makes no sense."""
        if self.workers is not None and self.workers < 1:
            raise ConfigError("--workers must be at least 1")
        if self.address and self.name is not EngineName.RAY:
            raise ConfigError("--ray-address needs --engine ray")


def choose_engine(config: WorkSettings) -> EngineSettings:
    """Return the engine that settings ask for."""
    found = EngineSettings(EngineName(config.engine), config.workers, config.ray_address)
    found.check()
    return found


class InProcess:
    """Does one piece after the other, here."""

    workers = 1

    def map(self, task: EngineTask[P, S, T, R], items: Iterable[T]) -> Iterator[R]:
        """Yield what became of each piece."""
        state = task.prepare(task.plan)
        for item in items:
            yield task.work(state, item)

    def open(self, task: EngineTask[P, S, T, R]) -> object:
        """Prepare for a task."""
        return partial(task.work, task.prepare(task.plan))

    async def do(self, handle: object, item: object) -> object:
        """Return what became of one piece, without letting others wait for it."""
        assert callable(handle), "what `open` returned"
        return await asyncio.to_thread(handle, item)

    def __enter__(self) -> Self:
        """Open nothing."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close nothing."""


def count_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def keep_one(value: P) -> P:
    """Return a plan as it is, for tasks that need nothing else."""
    return value


ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Workers share the cores, so none of them uses several."""


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
