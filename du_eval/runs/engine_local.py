"""A pool of processes on this machine: a worker that dies is replaced, and its work is done again."""

from __future__ import annotations

import asyncio
import copyreg
import mmap
import os
import pickle
import signal
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from types import MappingProxyType
from typing import Self, cast

from du_eval.runs.engine import (
    ONE_THREAD,
    EngineName,
    EngineSettings,
    EngineTask,
    InProcess,
    P,
    R,
    S,
    T,
    WorkEngine,
    can_send,
    count_cores,
    count_death,
)

_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - only for the file of a process of our own
_ALIGNED = 64
_SAFE_PATH = "PYTHONSAFEPATH"


Values = dict[object, object]
Proxy = MappingProxyType[object, object]


def _restore_proxy(values: Values) -> Proxy:
    return MappingProxyType(values)


def _reduce_proxy(proxy: Proxy) -> tuple[Callable[[Values], Proxy], tuple[Values]]:
    return _restore_proxy, (dict(proxy),)


copyreg.pickle(MappingProxyType, _reduce_proxy)  # read-only mappings may travel, too


def write_value(value: object) -> str:
    """Write a value, and return the name of the file; arrays stand in it as they are."""
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    raw = [buffer.raw() for buffer in buffers]
    index = pickle.dumps((len(head), [len(one) for one in raw]))
    folder = _find_folder(len(head) + sum(map(len, raw)))
    handle, name = tempfile.mkstemp(prefix=_name_files(os.getpid()), dir=folder)
    with os.fdopen(handle, "wb") as file:
        file.write(len(index).to_bytes(8, "little"))
        parts: list[bytes | memoryview] = [index, head, *raw]
        for part in parts:
            file.write(part)
            file.write(bytes(-file.tell() % _ALIGNED))
    return name


def _name_files(process: int | None) -> str:
    """Return how the files of a process begin."""
    return f"du-eval-{process}-"


def _find_folder(size: int) -> str | None:
    """Return the folder that lies in memory where there is room, else the usual one."""
    try:
        status = os.statvfs(_SHARED_MEMORY)
    except (OSError, AttributeError):
        return None
    return str(_SHARED_MEMORY) if status.f_bavail * status.f_frsize > 2 * size else None


def read_value(name: str) -> object:
    """Return the value of a file; its arrays cannot be written to, and take no memory of their own."""
    with Path(name).open("rb") as file:
        view = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    length = int.from_bytes(view[:8], "little")
    size, sizes = pickle.loads(view[8 : 8 + length])  # noqa: S301 - written by the process that started this one
    place = _align(8 + length)
    head, place = view[place : place + size], _align(place + size)
    buffers = []
    for one in sizes:
        buffers.append(view[place : place + one])
        place = _align(place + one)
    found: object = pickle.loads(head, buffers=buffers)  # noqa: S301 - as above
    return found


def _align(place: int) -> int:
    return place + -place % _ALIGNED


class ProcessPool:
    """Does several pieces at once, each in a process of its own."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool: ProcessPoolExecutor | None = None
        self._deaths = 0
        self._written: list[str] = []

    def map(self, task: EngineTask[P, S, T, R], items: Iterable[T]) -> Iterator[R]:
        """Yield what became of each piece, in their order."""
        name = write_value(task)
        try:
            yield from cast("Iterator[R]", self._map(name, iter(items)))
        finally:
            Path(name).unlink(missing_ok=True)

    def open(self, task: EngineTask[P, S, T, R]) -> object:
        """Write down what workers are told once."""
        self._written.append(write_value(task))
        return self._written[-1]

    async def do(self, handle: object, item: object) -> object:
        """Return what became of one piece."""
        while True:
            future = self._submit(str(handle), item)
            pool = self._pool
            try:
                found = await asyncio.wrap_future(future)
            except BrokenProcessPool as error:
                if self._pool is pool:  # of several that lost their work, the first one replaces the pool
                    self._deaths = count_death(self._deaths, error)
                    self._end()
                continue
            self._deaths = 0
            return found

    def _map(self, name: str, items: Iterator[T]) -> Iterator[object]:
        waiting: deque[tuple[T, Future[object]]] = deque()
        deaths = 0
        while True:
            try:
                self._fill(name, items, waiting)
                if not waiting:
                    return
                if not waiting[0][1].done():
                    wait([future for _, future in waiting if not future.done()], None, FIRST_COMPLETED)
                    continue
                found = waiting[0][1].result()
            except BrokenProcessPool as error:
                deaths = count_death(deaths, error)
                self._start_again(name, waiting)
                continue
            waiting.popleft()
            deaths = 0
            yield found

    def _fill(self, name: str, items: Iterator[T], waiting: deque[tuple[T, Future[object]]]) -> None:
        while can_send(self.workers, len(waiting), sum(not future.done() for _, future in waiting)):
            try:
                item = next(items)
            except StopIteration:
                return
            waiting.append((item, self._submit(name, item)))

    def _submit(self, name: str, item: object) -> Future[object]:
        try:
            with _holding_interrupts(), _distrusting_folder():
                return self._open().submit(_work, name, item)
        except BrokenProcessPool as error:
            lost: Future[object] = Future()
            lost.set_exception(error)
            return lost

    def _start_again(self, name: str, waiting: deque[tuple[T, Future[object]]]) -> None:
        """Replace the pool, and send again what it did not finish."""
        self._end()
        for place, (item, future) in enumerate(waiting):
            if not future.done() or future.cancelled() or future.exception() is not None:
                waiting[place] = (item, self._submit(name, item))

    def _open(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(self.workers, get_context("spawn"), _begin_worker)
        return self._pool

    def _end(self) -> None:
        pool, self._pool = self._pool, None
        if pool is None:
            return
        # There is no other way to end a pool at once.
        processes = list((pool._processes or {}).values())
        for process in processes:
            with suppress(OSError, ValueError):
                process.kill()
        pool.shutdown(wait=True, cancel_futures=True)

    def __enter__(self) -> Self:
        """Start workers when the first work comes."""
        return self

    def __exit__(self, *_: object) -> None:
        """End all workers at once: what they still do is not wanted any more."""
        self._end()
        for name in self._written:
            Path(name).unlink(missing_ok=True)


@contextmanager
def _holding_interrupts() -> Iterator[None]:
    """Hold Ctrl-C back while processes start: they inherit that, and none of them complains about it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _distrusting_folder() -> Iterator[None]:
    """Let processes start without looking for modules in the working directory, which may be downloaded.

    What the user wants from there is on the path of this process, which they get once they have started.
    """
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


def _begin_worker() -> None:
    """Leave Ctrl-C to the process that started this one, and the other cores to its brothers."""
    os.environ.pop(_SAFE_PATH, None)  # programs that foreign code starts are its own affair
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.update(ONE_THREAD)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Wait for the process that started this one; if it was killed, remove what it wrote, and end."""
    parent = parent_process()
    assert parent is not None, "a worker has a parent"
    parent.join()
    for folder in (_SHARED_MEMORY, Path(tempfile.gettempdir())):
        for path in folder.glob(f"{_name_files(parent.pid)}*"):
            path.unlink(missing_ok=True)
    os._exit(1)


@lru_cache(maxsize=1)
def _prepare(name: str) -> Callable[[object], object]:
    """Return what a task does to a piece, with what this worker has made of its plan, once."""
    task = read_value(name)
    assert isinstance(task, EngineTask), "it was written as one"
    return partial(task.work, task.prepare(task.plan))


def _work(name: str, item: object) -> object:
    return _prepare(name)(item)


def open_engine(settings: EngineSettings, *, is_small: bool = False) -> WorkEngine:
    """Return the engine that is wanted; little work stays in this process unless a number is given."""
    settings.check()
    if settings.name is EngineName.RAY:
        from du_eval.runs.engine_ray import RayEngine  # noqa: PLC0415 - an extra

        return RayEngine(settings.workers or count_cores(), settings.address)
    workers = settings.workers or (1 if is_small else count_cores())
    if workers == 1:
        return InProcess()
    return ProcessPool(workers)
