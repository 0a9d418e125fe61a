"""A Ray cluster, or one of our own on this machine: actors prepare once, and lost work is sent again."""

from __future__ import annotations

import os
import secrets
import signal
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import chdir, contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from types import ModuleType
from typing import Protocol, Self, cast

from msgspec import Struct

from du_eval.errors import MissingExtraError
from du_eval.runs.engine import ONE_THREAD, EngineError, EngineTask, P, R, S, T, can_send, count_death

_LEAST_STORE = 80 * 1024 * 1024
_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_IGNORE_UNHANDLED_ERRORS": "1",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".*",
}
"""No reports to anybody; and nothing on standard output, which belongs to the reports of a run."""


class _Method(Protocol):
    """A method of an actor."""

    def remote(self, *given: object) -> Awaitable[object]:
        """Return where the result will be."""
        ...


class _Actor(Protocol):
    """A worker on the cluster."""

    work: _Method


class RayEngine:
    """Does pieces of work in actors of a Ray cluster; Ray itself repeats nothing, we know what was lost."""

    def __init__(self, workers: int, address: str = "") -> None:
        self.workers = workers
        self._address = address
        self.ray = _import_ray(is_own=not address)
        self._actors: dict[int, _Actor] = {}
        self._busy: dict[int, int] = {}
        self._deaths = 0
        self._folder = os.getcwd()
        self._empty = ""

    def __enter__(self) -> Self:
        """Connect to the cluster, or start one that only this machine can reach."""
        settings: dict[str, object] = {"log_to_driver": False, "configure_logging": False}
        if self._address:
            settings["address"] = self._address
        else:
            settings |= {"num_cpus": self.workers, "include_dashboard": False}
            settings |= {"object_store_memory": _find_store()}
        # Workers look for modules in the folder where Ray is started, and ours may be downloaded.
        self._empty = mkdtemp(prefix="du-eval-ray-")
        try:
            with chdir(self._empty), _keeping_handler():
                self.ray.init(**settings)
        except Exception as error:  # Ray raises just that where a node does not start in time
            Path(self._empty).rmdir()
            where = self._address or "this machine"
            raise EngineError(f"Ray on {where} cannot be used: {error}") from error
        return self

    def __exit__(self, *_: object) -> None:
        """End our actors, and the cluster if it is our own."""
        for actor in self._actors.values():
            self.ray.kill(actor)
        self._actors.clear()
        self.ray.shutdown()
        Path(self._empty).rmdir()

    def map(self, task: EngineTask[P, S, T, R], items: Iterable[T]) -> Iterator[R]:
        """Yield what became of each piece, in their order."""
        sent = _Sent(self, self.ray.put(task))
        rest = iter(items)
        while True:
            sent.fill(rest)
            if not sent.waiting:
                return
            yield cast("R", sent.next(rest))

    def open(self, task: EngineTask[P, S, T, R]) -> object:
        """Put what workers are told once where all of them find it."""
        return self.ray.put(task)

    async def do(self, handle: object, item: object) -> object:
        """Return what became of one piece."""
        from ray.exceptions import ActorDiedError, ActorUnavailableError, RayTaskError  # noqa: PLC0415 - an extra

        while True:
            number = min(range(self.workers), key=lambda one: self._busy.get(one, 0))
            actor = self.find_actor(number)
            self._busy[number] = self._busy.get(number, 0) + 1
            try:
                found = await actor.work.remote([handle], item)
            except RayTaskError as error:
                raise error.cause from error
            except (ActorDiedError, ActorUnavailableError) as error:
                if self._actors.get(number) is actor:  # of several that lost their work, the first one counts
                    self._deaths = count_death(self._deaths, error)
                    self.forget_actor(number)
                continue
            finally:
                self._busy[number] -= 1
            self._deaths = 0
            return found

    def find_actor(self, number: int) -> _Actor:
        """Return a worker by its place, a new one where it died."""
        if number not in self._actors:
            options = {
                "max_restarts": 0,
                "max_task_retries": 0,
                "num_cpus": 1,
                "runtime_env": {"env_vars": ONE_THREAD},
            }
            self._actors[number] = self.ray.remote(RayWorker).options(**options).remote(self._folder)
        return self._actors[number]

    def forget_actor(self, number: int) -> None:
        """Note that a worker is dead."""
        self._actors.pop(number, None)


class RayWorker:
    """Lives on the cluster, in the folder of the command if it has one: keeps what a task had it prepare."""

    def __init__(self, folder: str) -> None:
        with suppress(OSError):  # another machine may not have it
            os.chdir(folder)
        self._known: object = None
        self._work: Callable[[object], object] = lambda item: item

    def work(self, task: list[object], item: object) -> object:
        """Do a piece of work; the task comes as a reference, and is fetched once."""
        import ray  # noqa: PLC0415 - an extra

        if self._known != task[0]:
            library: ModuleType = ray  # the reference is known to it alone, and has no type here
            found = library.get(task[0])
            self._work = partial(found.work, found.prepare(found.plan))
            self._known = task[0]
        return self._work(item)


class _Piece(Struct):
    """A piece of work, which worker has it, and where its result will be."""

    item: object
    number: int
    reference: Awaitable[object]
    is_done: bool = False


class _Sent:
    """Pieces that are on their way, in their order, with the worker of each."""

    def __init__(self, engine: RayEngine, task: object) -> None:
        self.engine, self.task = engine, task
        self.waiting: deque[_Piece] = deque()
        self._busy = [0] * engine.workers
        self._deaths = 0

    def fill(self, items: Iterator[object]) -> None:
        """Send as many pieces as the workers need to be busy."""
        while can_send(self.engine.workers, len(self.waiting), sum(self._busy)):
            try:
                item = next(items)
            except StopIteration:
                return
            self.waiting.append(_Piece(item, *self._send(item)))

    def _send(self, item: object) -> tuple[int, Awaitable[object]]:
        number = self._busy.index(min(self._busy))
        self._busy[number] += 1
        return number, self.engine.find_actor(number).work.remote([self.task], item)

    def _note_done(self) -> None:
        """Wait until a piece is done, and note which are: their workers are free."""
        open_ones = [piece for piece in self.waiting if not piece.is_done]
        references = [piece.reference for piece in open_ones]
        self.engine.ray.wait(references)
        found, _ = self.engine.ray.wait(references, num_returns=len(references), timeout=0)
        for piece in open_ones:
            if piece.reference in found:
                piece.is_done = True
                self._busy[piece.number] -= 1

    def next(self, items: Iterator[object]) -> object:
        """Return the result of the oldest piece; what died with a worker is sent again."""
        from ray.exceptions import ActorDiedError, ActorUnavailableError, RayTaskError  # noqa: PLC0415 - an extra

        while True:
            first = self.waiting[0]
            if not first.is_done:
                self._note_done()
                self.fill(items)
                continue
            try:
                found: object = self.engine.ray.get(first.reference)
            except RayTaskError as error:
                raise error.cause from error
            except (ActorDiedError, ActorUnavailableError) as error:
                self._replace(first.number, error)
                continue
            self.waiting.popleft()
            self._deaths = 0
            return found

    def _replace(self, number: int, error: Exception) -> None:
        self._deaths = count_death(self._deaths, error)
        self.engine.forget_actor(number)
        self._busy[number] = 0
        for piece in self.waiting:
            if piece.number == number:
                piece.number, piece.reference = self._send(piece.item)
                piece.is_done = False


@contextmanager
def _keeping_handler() -> Iterator[None]:
    """Keep what happens on SIGTERM as it was: Ray would end the process without a report."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, before)


def _import_ray(*, is_own: bool) -> ModuleType:
    """Return the library, told to keep quiet; variables that the user has set hold."""
    for name, value in (_QUIET | (_own_cluster() if is_own else {})).items():
        os.environ.setdefault(name, value)
    try:
        import ray  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtraError("ray", "ray") from error
    return ray


def _own_cluster() -> dict[str, str]:
    """Return what keeps a cluster of our own to ourselves: it listens on loopback, and wants a secret."""
    return {
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
    }


def _find_store() -> int:
    """Return how much memory Ray may hold values in: little, as work travels by name."""
    try:
        whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return _LEAST_STORE
    return max(_LEAST_STORE, whole // 10)
