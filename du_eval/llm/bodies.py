"""Answers on their way in: their bytes within limits, handed out one a turn."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import aiohttp
import asyncio
from collections import deque

LONGEST_ANSWER_BYTES = 16_000_000
ACCEPTED_ENCODINGS = "gzip, deflate"
_ANY_HEADER = zlib.MAX_WBITS | 32
_MOST_MEMBERS = 100
"""The most pieces of packed data in one body: each copies all that follow it."""


class BodyError(Exception):
    """A body cannot be used; trying again gives the same."""


async def read_body(response: aiohttp.ClientResponse, limit: int) -> bytes:
    """Return the unpacked body of an answer; raise BodyError where it is too long or cannot be unpacked."""
    length = response.content_length
    if length is not None and length <= limit:
        packed = await response.read()
    elif length is not None:
        raise _too_long(limit, f"it is {length:,} bytes long")
    else:
        packed = await _read_up_to(response, limit)
    encoding = response.headers.get("Content-Encoding", "").strip().lower()
    return packed if encoding in {"", "identity"} else unpack(packed, encoding, limit)


async def _read_up_to(response: aiohttp.ClientResponse, limit: int) -> bytes:
    chunks = []
    total = 0
    async for chunk in response.content.iter_any():
        total += len(chunk)
        if total > limit:
            raise _too_long(limit, "there is more")
        chunks.append(chunk)
    return b"".join(chunks)


def unpack(packed: bytes, encoding: str, limit: int) -> bytes:
    """Return the content of a packed body, and stop where it gets longer than allowed."""
    if encoding not in {"gzip", "x-gzip", "deflate"}:
        raise BodyError(f"the answer is compressed as {encoding[:40]!r}, which was not requested")
    is_raw = encoding == "deflate" and packed[:1] and packed[0] & 0x0F != 8
    found = bytearray()
    if not packed:
        return b""
    try:
        for _ in range(_MOST_MEMBERS):
            unpacker = zlib.decompressobj(-zlib.MAX_WBITS if is_raw else _ANY_HEADER)
            found += unpacker.decompress(packed, limit + 1 - len(found))
            if len(found) > limit:
                raise _too_long(limit, f"unpacked from {encoding}")
            if not unpacker.eof:
                raise BodyError(f"the answer ends in the middle of its {encoding} data")
            packed = unpacker.unused_data
            if not packed:
                return bytes(found)
    except zlib.error as error:
        raise BodyError(f"the answer is not valid {encoding}: {error}") from error
    raise BodyError(f"the answer consists of more than {_MOST_MEMBERS} pieces of {encoding} data")


def _too_long(limit: int, detail: str) -> BodyError:
    return BodyError(f"the answer is longer than {limit:,} bytes ({detail}); --max-answer-bytes allows more")


class FairTurns:
    """Lets one task go on in each turn of the event loop.

    Answers that arrive together would otherwise be worked on together, and the next requests of all of them
    would leave only after the last one is ready: they would stay a bunch, and each wait for all others.
    """

    def __init__(self) -> None:
        self._is_taken = False
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def mine(self) -> None:
        """Wait for a turn; it lasts until the task waits for something else."""
        loop = asyncio.get_running_loop()
        if self._is_taken:
            turn = loop.create_future()
            self._waiting.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self._pass_on()
                raise
        self._is_taken = True
        # What the task sends now leaves in the next turn of the loop, before the one woken there goes on.
        loop.call_soon(self._pass_on)

    def _pass_on(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._is_taken = False
