"""Agents behind an http or https server."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import quote

import aiohttp

from du_eval.agents.connections.base import AgentRequest
from du_eval.agents.connections.wire import Frame, FrameReader, reply_of, request_body
from du_eval.agents.results import AgentReply
from du_eval.errors import AgentError, InputError
from du_eval.llm.retries import retry_after

_MOST_BYTES = 256 * 1024 * 1024
_TOO_FAST, _USUAL_WAIT_SECONDS = 429, 1.0
_STATUS_HINTS = {
    400: "it does not understand the request",
    401: "it wants credentials: put them into the metadata",
    403: "it does not allow this: check the metadata",
    404: "it does not know this agent, or has another base path",
    405: "nothing can be posted there",
    429: "it is asked too fast: lower --concurrency",
    503: "it is starting or shutting down",
}


class _TooFastError(Exception):
    """The server asks to wait."""

    def __init__(self, seconds: float | None) -> None:
        super().__init__()
        self.seconds = _USUAL_WAIT_SECONDS if seconds is None else seconds


@dataclass(frozen=True, slots=True)
class HttpServer:
    """Where a server listens, and how it is trusted."""

    scheme: str = "http"
    host: str = "localhost"
    port: int = 8080
    base_path: str = "/api/v1"
    ca_file: str | None = None
    certificate: str | None = None
    private_key: str | None = None

    @property
    def url(self) -> str:
        """The address up to the names of agents."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}/{self.base_path.strip('/')}".rstrip("/")


def tls_context(server: HttpServer) -> ssl.SSLContext | bool:
    """Return how the server's certificate is checked, and who we say we are."""
    if server.scheme != "https":
        return True
    try:
        context = ssl.create_default_context(cafile=server.ca_file)
        if server.certificate:
            context.load_cert_chain(server.certificate, server.private_key)
    except (OSError, ssl.SSLError) as error:
        files = ", ".join(name for name in (server.ca_file, server.certificate, server.private_key) if name)
        raise InputError(f"the certificates for {server.url} cannot be used ({files}): {error}") from error
    return context


class HttpConnection:
    """Speaks the streaming protocol with one agent of one server."""

    def __init__(self, session: aiohttp.ClientSession, server: HttpServer, agent: str) -> None:
        self._session = session
        self._server = server
        self._url = f"{server.url}/{quote(agent, safe='/')}/streaming_chat"
        self._tls = tls_context(server)

    async def ask(self, request: AgentRequest) -> AgentReply:
        """Return the answer; whatever goes wrong on the way is an AgentError."""
        frames: list[Frame] = []
        try:
            await self._stream_again(request, frames)
        except aiohttp.ClientError as error:
            raise AgentError(_reason(error, self._server, len(frames))) from error
        except (ConnectionError, ssl.SSLError, UnicodeError, ValueError) as error:
            raise AgentError(f"the request to {self._url} failed: {error or type(error).__name__}") from error
        if not frames:
            raise AgentError(f"the server at {self._server.url} sent an empty answer")
        return reply_of(frames)

    async def _stream_again(self, request: AgentRequest, frames: list[Frame]) -> None:
        """Ask a second time where the server closed the connection without a word, or asked to wait."""
        try:
            await self._stream(request, frames)
        except _TooFastError as error:
            await asyncio.sleep(error.seconds)
        except (aiohttp.ServerDisconnectedError, ConnectionResetError):
            if frames:
                raise
        else:
            return
        await self._stream(request, frames, is_last=True)

    async def _stream(self, request: AgentRequest, frames: list[Frame], *, is_last: bool = False) -> None:
        headers: Mapping[str, str] = request.metadata
        posting = self._session.post(
            self._url, json=request_body(request), headers=headers, ssl=self._tls, allow_redirects=False
        )
        async with posting as response:
            if response.status == _TOO_FAST and not is_last:
                raise _TooFastError(retry_after(response.headers, datetime.now(UTC)))
            if response.status != 200:
                raise AgentError(await _refusal(response, self._url))
            reader, size = FrameReader(), 0
            async for chunk in response.content.iter_any():
                size += len(chunk)
                if size > _MOST_BYTES:
                    raise AgentError(f"the answer is longer than {_MOST_BYTES} bytes")
                frames.extend(reader.feed(chunk))
            frames.extend(reader.end())


async def _refusal(response: aiohttp.ClientResponse, url: str) -> str:
    told = (await response.content.read(300)).decode(errors="replace").strip()
    hint = _STATUS_HINTS.get(response.status, "")
    return f"the server refused {url} with status {response.status}" + _joined(hint, told)


def _joined(hint: str, told: str) -> str:
    return (f" ({hint})" if hint else "") + (f": {told}" if told else "")


_REASONS: tuple[tuple[type[aiohttp.ClientError], str], ...] = (
    (
        aiohttp.ClientConnectorCertificateError,
        "the certificate of {where} is not trusted: {cause} (give its CA as ca_file or --ca)",
    ),
    (aiohttp.ClientSSLError, "no TLS connection with {where}: {cause} (does the server speak https there?)"),
    (aiohttp.ClientConnectorError, "no connection with {where}: {cause} (is the server running there?)"),
    (
        aiohttp.ClientPayloadError,
        "the server closed the connection in the middle of its answer, after {frames} messages",
    ),
    (
        aiohttp.ServerDisconnectedError,
        "{where} closed the connection without an answer (does it expect https?)",
    ),
    (aiohttp.ClientOSError, "the connection with {where} broke: {cause}"),
    (aiohttp.ClientResponseError, "what {where} answers is not http: {cause} (does it expect https?)"),
)


def _reason(error: aiohttp.ClientError, server: HttpServer, frames: int) -> str:
    """Say in words what an error of the client means."""
    words = next((text for kind, text in _REASONS if isinstance(error, kind)), "the request failed: {cause}")
    cause = getattr(error, "certificate_error", None) or getattr(error, "os_error", None)
    cause = cause or getattr(error, "message", None) or error
    return words.format(where=server.url, cause=str(cause) or type(error).__name__, frames=frames)
