"""A chat model that remembers: answers come from the cache where they can."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from enum import StrEnum
from typing import Any, TypeVar, TypeVarTuple

from du_eval.errors import EndpointError
from du_eval.llm.cache import AnswerCache
from du_eval.llm.messages import ChatAnswer, ChatModel, ChatRequest, answer_of

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class CacheMode(StrEnum):
    """How a run uses the cache."""

    USE = "use"
    OFF = "off"
    REFRESH = "refresh"
    OFFLINE = "offline"


class CachedChat:
    """Asks the cache first; equal requests that run at the same time are asked once."""

    def __init__(
        self, model: ChatModel, cache: AnswerCache, endpoint: str, mode: CacheMode = CacheMode.USE
    ) -> None:
        self._model = model
        self._cache = cache
        self._endpoint = endpoint
        self._mode = mode
        self._running: dict[str, asyncio.Future[ChatAnswer]] = {}
        self._used: list[str] = []
        # One thread for the file: waiting for another process must not stop the event loop.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="du-eval-cache")

    async def complete(self, request: ChatRequest) -> ChatAnswer:
        """Return the kept answer, or ask and keep."""
        key = request.key(self._endpoint)
        if key in self._running:
            return replace(await asyncio.shield(self._running[key]), is_cached=True, retries=0)
        future: asyncio.Future[ChatAnswer] = asyncio.get_running_loop().create_future()
        self._running[key] = future
        try:
            answer = await self._answered(key, request)
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
        """Note what was used, and close the file and the model."""
        if self._used:
            await self._on_file(self._cache.touch, self._used)
        await self._on_file(self._cache.close)
        self._thread.shutdown()
        await self._model.close()

    async def _answered(self, key: str, request: ChatRequest) -> ChatAnswer:
        if self._mode is not CacheMode.REFRESH:
            kept = await self._on_file(self._cache.get, key)
            if kept is not None:
                self._used.append(key)
                return _restored(kept)
            if self._mode is CacheMode.OFFLINE:
                raise EndpointError("not in the cache, and --offline asks nobody")
        answer = await self._model.complete(request)
        await self._on_file(self._cache.put, key, request.model, _kept(answer))
        return answer

    async def _on_file(self, work: Callable[[*Ts], T], *arguments: *Ts) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)


def _kept(answer: ChatAnswer) -> dict[str, Any]:
    return {"latency_seconds": answer.latency_seconds, "cost": answer.cost, "answer": dict(answer.raw)}


def _restored(kept: dict[str, Any]) -> ChatAnswer:
    answer = answer_of(kept["answer"])
    return replace(answer, latency_seconds=kept["latency_seconds"], cost=kept["cost"], is_cached=True)
