"""A chat endpoint that costs next to nothing: it answers every request alike, after a fixed time.

A server that works hard for each answer would measure itself, above all where it shares the cores with the
client.

    python benchmarks/runs_server.py 0.05           prints its port
"""

from __future__ import annotations

import asyncio
import json
import re
import sys

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_BODY = json.dumps(
    {
        "object": "chat.completion",
        "model": "m",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "ChitChat()"}, "finish_reason": "stop"}
        ],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 3},
    }
).encode()
ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: %d\r\n\r\n"
    % len(_BODY)
    + _BODY
)


class Answering(asyncio.Protocol):
    """One connection: requests come one after the other."""

    def __init__(self, delay: float) -> None:
        self._delay = delay
        self._received = bytearray()
        self._loop = asyncio.get_running_loop()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember where answers go."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer after the delay, once a request is whole."""
        self._received += data
        end = self._received.find(b"\r\n\r\n")
        if end < 0:
            return
        length = _LENGTH.search(self._received, 0, end + 2)
        if len(self._received) >= end + 4 + int(length[1] if length else 0):
            self._received.clear()
            self._loop.call_later(self._delay, self._transport.write, ANSWER)


async def main(delay: float) -> None:
    """Serve until the process is ended."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Answering(delay), "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1])))
