"""Models and endpoints that remember: answers come from the cache where they can."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from enum import StrEnum
from typing import Any, Generic, TypeVar, TypeVarTuple

from msgspec import Struct
from msgspec.structs import replace

from du_eval.errors import EndpointError
from du_eval.llm.cache import AnswerCache
from du_eval.llm.messages import ChatAnswer, ChatModel, ChatRequest, read_answer
from du_eval.llm.transport import HttpAnswer, HttpCall, Sender

Answer = TypeVar("Answer", ChatAnswer, HttpAnswer)
T = TypeVar("T")
Ts = TypeVarTuple("Ts")
Data = dict[str, Any]
_GATHERING_SECONDS = 0.1


class CacheMode(StrEnum):
    """How a run uses the cache."""

    USE = "use"
    OFF = "off"
    REFRESH = "refresh"
    OFFLINE = "offline"


class AnswerForm(Struct, Generic[Answer], frozen=True):
    """An answer as data that can be kept, and back."""

    kept: Callable[[Answer], Data]
    restored: Callable[[Data], Answer]


class CachedAnswers(Generic[Answer]):
    """Asks the cache first; equal requests that run at the same time are asked once."""

    def __init__(self, cache: AnswerCache, form: AnswerForm[Answer], mode: CacheMode = CacheMode.USE) -> None:
        self._cache = cache
        self._form: AnswerForm[Answer] = form
        self._mode = mode
        self._running: dict[str, asyncio.Future[Answer]] = {}
        self._used: list[str] = []
        self._unsaved: dict[str, tuple[str, Data]] = {}
        self._saving: asyncio.Task[None] | None = None
        self._is_closing = asyncio.Event()
        # Reading waits for nobody. Writing may wait for another process, which must not stop the event loop:
        # it has a thread and a connection of its own.
        self._writer = cache.twin()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="du-eval-cache")

    async def answer(self, key: str, owner: str, ask: Callable[[], Awaitable[Answer]]) -> Answer:
        """Return the kept answer of a key, or ask and keep it under the name of its owner."""
        if key in self._running:
            return replace(await asyncio.shield(self._running[key]), is_cached=True, retries=0)
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._running[key] = future
        try:
            answer = await self._found(key, owner, ask)
        except BaseException as error:
            if isinstance(error, Exception):
                future.set_exception(error)
                future.exception()  # somebody has looked: nobody else may be waiting
            else:
                future.cancel()
            raise
        finally:
            del self._running[key]
        future.set_result(answer)
        return answer

    async def close(self) -> None:
        """Save what is not saved yet, note what was used, and close the file."""
        try:
            self._is_closing.set()
            if self._saving is not None:
                await self._saving
            if self._unsaved:
                await self._save()
            if self._used:
                await self._on_file(self._writer.touch, self._used)
        finally:
            self._thread.shutdown()
            self._writer.close()
            self._cache.close()

    async def _found(self, key: str, owner: str, ask: Callable[[], Awaitable[Answer]]) -> Answer:
        if self._mode is not CacheMode.REFRESH:
            kept = self._unsaved[key][1] if key in self._unsaved else self._cache.get(key)
            if kept is not None:
                self._used.append(key)
                return self._form.restored(kept)
            if self._mode is CacheMode.OFFLINE:
                raise EndpointError("not in the cache, and --offline sends no requests")
        answer = await ask()
        self._keep(key, owner, self._form.kept(answer))
        return answer

    def _keep(self, key: str, owner: str, data: Data) -> None:
        """Save an answer soon, together with others; trouble with that is told with the next answer."""
        self._unsaved[key] = (owner, data)
        if self._saving is not None and self._saving.done():
            saving, self._saving = self._saving, None
            saving.result()
        if self._saving is None:
            self._saving = asyncio.get_running_loop().create_task(self._save_soon())

    async def _save_soon(self) -> None:
        while self._unsaved:
            # Waking the thread costs more than writing: many answers share one visit.
            with suppress(TimeoutError):
                await asyncio.wait_for(self._is_closing.wait(), _GATHERING_SECONDS)
            await self._save()

    async def _save(self) -> None:
        batch = dict(self._unsaved)
        rows = [(key, owner, data) for key, (owner, data) in batch.items()]
        await self._on_file(self._writer.put_all, rows)
        for key, entry in batch.items():
            if self._unsaved[key] is entry:
                del self._unsaved[key]

    async def _on_file(self, work: Callable[[*Ts], T], *arguments: *Ts) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)


class CachedChat:
    """A chat model behind the cache."""

    def __init__(
        self, model: ChatModel, cache: AnswerCache, endpoint: str, mode: CacheMode = CacheMode.USE
    ) -> None:
        self._model = model
        self._endpoint = endpoint
        self._memory = CachedAnswers(cache, AnswerForm(_kept_chat, _restored_chat), mode)

    async def complete(self, request: ChatRequest) -> ChatAnswer:
        """Return the kept answer, or ask and keep."""
        key = request.key(self._endpoint)
        return await self._memory.answer(key, request.model, lambda: self._model.complete(request))

    async def close(self) -> None:
        """Close the file and the model."""
        try:
            await self._memory.close()
        finally:
            await self._model.close()


class CachedSender:
    """An HTTP endpoint behind the cache."""

    def __init__(
        self, sender: Sender, cache: AnswerCache, identity: Data, mode: CacheMode = CacheMode.USE
    ) -> None:
        self._sender = sender
        self._identity = identity
        """What tells the requests of one setting from those of another: the headers, without secrets."""
        self._memory = CachedAnswers(cache, AnswerForm(_kept_call, _restored_call), mode)

    async def send(self, call: HttpCall) -> HttpAnswer:
        """Return the kept answer, or send and keep."""
        key, owner = call.key(self._identity), f"http:{call.public_url}"
        return await self._memory.answer(key, owner, lambda: self._sender.send(call))

    async def close(self) -> None:
        """Close the file and the connections."""
        try:
            await self._memory.close()
        finally:
            await self._sender.close()


def _kept_chat(answer: ChatAnswer) -> Data:
    return {"latency_seconds": answer.latency_seconds, "cost": answer.cost, "answer": dict(answer.raw)}


def _restored_chat(kept: Data) -> ChatAnswer:
    answer = read_answer(kept["answer"])
    return replace(answer, latency_seconds=kept["latency_seconds"], cost=kept["cost"], is_cached=True)


def _kept_call(answer: HttpAnswer) -> Data:
    return {"latency_seconds": answer.latency_seconds, "answer": answer.data}


def _restored_call(kept: Data) -> HttpAnswer:
    return HttpAnswer(kept["answer"], kept["latency_seconds"], is_cached=True)
