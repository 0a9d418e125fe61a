"""Agents behind an http or https server."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from urllib.parse import quote

from du_eval.agents.connections.base import AgentRequest
from du_eval.agents.connections.wire import read_frames, reply_of, request_body
from du_eval.agents.results import AgentReply
from du_eval.errors import AgentError, EndpointError, InputError
from du_eval.llm.transport import HttpCall, Sender

_HINTS = {
    "HTTP 400": "it does not understand the request",
    "HTTP 401": "it wants credentials: put them into the metadata",
    "HTTP 403": "it does not allow this: check the metadata",
    "HTTP 404": "it does not know this agent, or has another base path",
    "HTTP 405": "nothing can be posted there",
    "HTTP 429": "it is asked too fast: lower --concurrency",
    "HTTP 503": "it is starting or shutting down",
    "certificate is not trusted": "give its CA as ca_file or --ca",
}


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


def make_tls(server: HttpServer) -> ssl.SSLContext | None:
    """Return how the server's certificate is checked, and who we say we are."""
    if server.scheme != "https":
        return None
    try:
        context = ssl.create_default_context(cafile=server.ca_file)
        if server.certificate:
            context.load_cert_chain(server.certificate, server.private_key)
    except (OSError, ssl.SSLError) as error:
        files = ", ".join(name for name in (server.ca_file, server.certificate, server.private_key) if name)
        raise InputError(f"the certificates for {server.url} cannot be used ({files}): {error}") from error
    return context


@dataclass(frozen=True, slots=True)
class HttpConnection:
    """Speaks the streaming protocol with one agent of one server."""

    sender: Sender
    server: HttpServer
    agent: str

    async def ask(self, request: AgentRequest) -> AgentReply:
        """Return the answer; whatever goes wrong on the way is an AgentError."""
        url = f"{self.server.url}/{quote(self.agent, safe='/')}/streaming_chat"
        call = HttpCall(
            url, request_body(request), headers=request.metadata, read=read_frames, is_repeatable=False
        )
        try:
            frames = (await self.sender.send(call)).data
        except EndpointError as error:
            hint = next((hint for mark, hint in _HINTS.items() if mark in str(error)), "")
            raise AgentError(f"{error}{f' ({hint})' if hint else ''}") from error
        if not frames:
            raise AgentError(f"the server at {self.server.url} sent an empty answer")
        return reply_of(frames)
