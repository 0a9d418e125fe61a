"""A chat endpoint on the loopback that answers as it was told, and misbehaves as it was told."""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import random
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Self

from aiohttp import web

Answer = Callable[[dict[str, Any]], str]
FAULTS = (
    "429",
    "429-retry-after",
    "500",
    "502",
    "closed",
    "half",
    "invalid-json",
    "hang",
    "content-type",
    "no-choices",
)
ODD_FAULTS = (
    "503-date",
    "redirect",
    "not-gzip",
    "gzip-bomb",
    "too-long",
    "nested",
    "not-utf8",
    "null-choice",
    "empty",
    "error-in-200",
)
"""Answers that no honest server sends; some are final, so that asking again makes no sense."""
_JSON = "application/json"


def say(text: str) -> Answer:
    return lambda _: text


CHATS = say("ChitChat()")


@dataclass
class Behaviour:
    answer: Answer = CHATS
    delay: float = 0.0
    fault_rate: float = 0.0
    faults: tuple[str, ...] = FAULTS
    hang_seconds: float = 30.0
    seed: int = 0
    key: str = ""


def user_message(body: dict[str, Any]) -> str:
    return str(body["messages"][-1]["content"])


@dataclass
class ChatServer:
    """Runs in a thread of its own; counts what it was asked and what it answered in full."""

    behaviour: Behaviour = field(default_factory=Behaviour)
    asked: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    most_at_once: int = 0
    keeps_bodies: bool = True

    def __post_init__(self) -> None:
        self._random = random.Random(self.behaviour.seed)
        self._running = 0
        self._ready = threading.Event()
        self._stop: asyncio.Event | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self.port = 0

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=lambda: asyncio.run(self.serve()), daemon=True)
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._loop is not None
        assert self._stop is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def calls(self) -> int:
        return sum(self.asked.values())

    async def serve(self, port: int = 0) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        application = web.Application(client_max_size=2**26)
        application.router.add_post("/v1/chat/completions", self._handle)
        application.router.add_get("/counts", self._counts)
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", port, backlog=1024)
        await site.start()
        self.port = site._server.sockets[0].getsockname()[1]
        self._ready.set()
        print(self.port, flush=True)
        await self._stop.wait()
        await runner.cleanup()

    async def _counts(self, _: web.Request) -> web.Response:
        return web.json_response({"asked": self.asked, "answered": self.answered, "most": self.most_at_once})

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        question = user_message(body) if self.keeps_bodies else "any"
        self.asked[question] += 1
        if self.keeps_bodies:
            self.bodies.append(body)
            self.headers.append(dict(request.headers))
        self._running += 1
        self.most_at_once = max(self.most_at_once, self._running)
        try:
            if self.behaviour.key and request.headers.get("Authorization") != f"Bearer {self.behaviour.key}":
                wrong = request.headers.get("Authorization", "")
                return web.json_response({"error": {"message": f"wrong key: {wrong}"}}, status=401)
            if self.behaviour.delay:
                await asyncio.sleep(self.behaviour.delay)
            if self._random.random() < self.behaviour.fault_rate:
                return await self._misbehave(self._random.choice(self.behaviour.faults), request)
            self.answered[question] += 1
            return web.json_response(completion(self.behaviour.answer(body), body))
        finally:
            self._running -= 1

    async def _misbehave(self, fault: str, request: web.Request) -> web.StreamResponse:
        if fault in ODD_FAULTS:
            return odd_answer(fault)
        if fault == "429":
            return web.json_response({"error": {"message": "too fast"}}, status=429)
        if fault == "429-retry-after":
            return web.json_response(
                {"error": {"message": "slow down"}}, status=429, headers={"Retry-After": "0.05"}
            )
        if fault in {"500", "502"}:
            return web.Response(text="<html>bad</html>", status=int(fault), content_type="text/html")
        if fault == "closed":
            assert request.transport is not None
            request.transport.close()
            return web.Response()
        if fault == "half":
            response = web.StreamResponse(
                headers={"Content-Type": "application/json", "Content-Length": "1000"}
            )
            await response.prepare(request)
            await response.write(b'{"choices": [')
            assert request.transport is not None
            request.transport.close()
            return response
        if fault == "hang":
            await asyncio.sleep(self.behaviour.hang_seconds)
        if fault == "content-type":
            return web.Response(text="<html>log in first</html>", content_type="text/html")
        if fault == "no-choices":
            return web.json_response({"object": "chat.completion"})
        return web.Response(text='{"choices": [{"message": ', content_type="application/json")


def odd_answer(fault: str) -> web.Response:
    packed = {"Content-Encoding": "gzip"}
    if fault == "503-date":
        return web.Response(status=503, headers={"Retry-After": "Mon, 99 Xyz 99999 00:00:00 GMT"})
    if fault == "redirect":
        return web.Response(status=302, headers={"Location": "http://[::1"})
    if fault == "not-gzip":
        return web.Response(body=b"\x1f\x8bnothing", content_type=_JSON, headers=packed)
    if fault == "gzip-bomb":
        return web.Response(body=bomb(), content_type=_JSON, headers=packed)
    if fault == "null-choice":
        return web.json_response({"choices": [None], "usage": {"prompt_tokens": "many"}})
    if fault == "error-in-200":
        return web.json_response({"error": {"message": "overloaded", "code": [1]}})
    bodies = {"too-long": b" " * 16_000_001, "nested": b"[" * 100_000, "not-utf8": b'{"a": "\xff\xfe'}
    return web.Response(body=bodies.get(fault, b""), content_type=_JSON)


@cache
def bomb() -> bytes:
    """Return few bytes that unpack to half a gigabyte."""
    return gzip.compress(bytes(1_000_000)) * 500


def completion(text: str, body: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if body.get("tools") and text.startswith("["):
        calls = [
            {
                "id": str(n),
                "type": "function",
                "function": {"name": call["name"], "arguments": json.dumps(call["arguments"])},
            }
            for n, call in enumerate(json.loads(text))
        ]
        message = {"role": "assistant", "content": None, "tool_calls": calls}
    size = sum(len(m["content"]) for m in body["messages"])
    return {
        "object": "chat.completion",
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": size // 4, "completion_tokens": len(text) // 4 + 1},
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--delay", type=float, default=0.05)
    parser.add_argument("--fault-rate", type=float, default=0.0)
    parser.add_argument("--text", default="ChitChat()")
    given = parser.parse_args()
    behaviour = Behaviour(say(given.text), given.delay, given.fault_rate)
    asyncio.run(ChatServer(behaviour, keeps_bodies=False).serve(given.port))


if __name__ == "__main__":
    main()
