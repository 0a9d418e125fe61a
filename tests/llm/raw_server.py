"""A server on the loopback that sends the very bytes it was told to send, to whoever asks."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Self


def http_answer(body: bytes, status: str = "200 OK", headers: Mapping[str, str] | None = None) -> bytes:
    lines = {"Content-Type": "application/json", "Content-Length": str(len(body)), **(headers or {})}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value)
    return f"HTTP/1.1 {status}\r\n{head}Connection: close\r\n\r\n".encode() + body


@dataclass
class RawServer:
    """Answers the n-th request with the n-th of its answers, and then with the last one."""

    answers: list[bytes]
    asked: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __enter__(self) -> Self:
        owner = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                length = 0
                while (line := self.rfile.readline().strip()) != b"":
                    name, _, value = line.partition(b":")
                    length = int(value) if name.lower() == b"content-length" else length
                self.rfile.read(length)
                with owner._lock:
                    answer = owner.answers[min(owner.asked, len(owner.answers) - 1)]
                    owner.asked += 1
                with suppress(OSError):  # the client may have had enough
                    self.wfile.write(answer)

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"
