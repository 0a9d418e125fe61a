"""Agents behind HTTP: JSON in and out, by template or as neuro-san serves it."""

from __future__ import annotations

import re
import ssl
from collections.abc import Callable, Mapping
from typing import Any, Protocol
from urllib.parse import quote

from msgspec import Struct, field
from msgspec.structs import astuple, replace

from du_eval.agents.connections.base import AgentRequest, find_context_after, list_messages
from du_eval.agents.connections.wire import build_reply, make_request_body, read_frames, read_streamed
from du_eval.agents.results import AgentReply, AnswerUsage
from du_eval.errors import AgentError, EndpointError, InputError
from du_eval.llm.transport import HttpAnswer, HttpCall, Sender

_ROLES = {"HUMAN": "user", "AI": "assistant"}


class ConnectionParts(Struct, frozen=True):
    """What a connection is made of: the agent, its address, the options of the case, and who sends."""

    agent: str
    url: str
    sender: Sender
    options: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    """Those of the options; metadata of a request come on top."""

    def option(self, name: str, kind: type, default: object) -> Any:
        """Return an option of the case in its type."""
        value = self.options.get(name, default)
        if value is not default and not isinstance(value, kind):
            raise InputError(f"'{name}' must be {'a string' if kind is str else 'an object'}, not {value!r}")
        return value


class Dialect(Protocol):
    """Speaks one protocol; sends as many calls as an answer needs."""

    async def converse(self, request: AgentRequest, line: AgentLine) -> AgentReply:
        """Return the agent's answer."""
        ...


_HINTS = {
    "HTTP 400": "it rejects the request as malformed",
    "HTTP 401": "it asks for credentials: put them in the metadata",
    "HTTP 403": "it does not allow this: check the metadata",
    "HTTP 404": "it does not know this agent, or has a different base path",
    "HTTP 405": "it does not accept POST requests",
    "HTTP 429": "too many requests: lower --concurrency",
    "HTTP 503": "it is starting or shutting down",
    "certificate is not trusted": "give its CA as ca_file or --ca",
}


class AgentLine(Struct, frozen=True):
    """Sends the calls of one request to one agent."""

    opening: ConnectionParts
    metadata: Mapping[str, str] = field(default_factory=dict)

    async def post(self, path: str, body: object, read: Callable[[str, str], object] | None = None) -> Any:
        """Return the decoded answer to a call."""
        url = self.opening.url.rstrip("/") + path if path else self.opening.url
        return (await self.send(HttpCall(url, body, read=read))).data

    async def send(self, call: HttpCall) -> HttpAnswer:
        """Send a call with the headers of the connection and of the request."""
        headers = {**self.opening.headers, **self.metadata, **call.headers}
        try:
            return await self.opening.sender.send(replace(call, headers=headers))
        except EndpointError as error:
            hint = next((hint for mark, hint in _HINTS.items() if mark in str(error)), "")
            raise AgentError(f"{error}{f' ({hint})' if hint else ''}") from error


_MOST = 1e15
"""Of tokens or money: what is more is no number of them."""


class JsonAgent(Struct, frozen=True):
    """Asks one agent in its dialect; an answer of another shape is an AgentError."""

    opening: ConnectionParts
    dialect: Dialect

    async def ask(self, request: AgentRequest) -> AgentReply:
        """Return the agent's answer."""
        try:
            reply = await self.dialect.converse(request, AgentLine(self.opening, request.metadata))
            return _check_shape(reply)
        except (KeyError, IndexError, TypeError, AttributeError, ValueError, RecursionError) as error:
            what = f"the answer of {self.opening.url} does not have the expected shape"
            raise AgentError(f"{what}: {type(error).__name__}: {error}") from error


def _check_shape(reply: AgentReply) -> AgentReply:
    """Return an answer without numbers that are none; raise TypeError where a text is none."""
    for text in (reply.text or "", *(tool.name for tool in reply.tools)):
        if not isinstance(text, str):
            raise TypeError(f"{str(text)[:100]!r} is not a string")
    if reply.usage is None:
        return reply
    numbers = (
        one if type(one) in (int, float) and abs(one) < _MOST else None for one in astuple(reply.usage)
    )
    return replace(reply, usage=AnswerUsage(*numbers))


def make_role_messages(request: AgentRequest) -> list[dict[str, str]]:
    """Return the dialogue so far and the new message, with roles."""
    history = [*list_messages(request.chat_context), ("HUMAN", request.text or "")]
    return [{"role": _ROLES[kind], "content": text} for kind, text in history if kind in _ROLES]


def recall_memory(request: AgentRequest, key: str) -> dict[str, object]:
    """Return what a connection put aside for the next request of the same dialogue."""
    kept = request.chat_context.get(key)
    return dict(kept) if isinstance(kept, Mapping) else {}


class HttpServer(Struct, frozen=True):
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


class Streaming:
    """Speaks the streaming protocol of neuro-san with one agent of a server."""

    def __init__(self, opening: ConnectionParts) -> None:
        self._url = f"{opening.url}/{quote(opening.agent, safe='/')}/streaming_chat"

    async def converse(self, request: AgentRequest, line: AgentLine) -> AgentReply:
        """Return what the frames of the answer add up to."""
        if {".", ".."} & set(line.opening.agent.split("/")):
            raise AgentError(f"the agent's name '{line.opening.agent}' leads to another place of the server")
        call = HttpCall(self._url, make_request_body(request), read=read_frames, is_repeatable=False)
        frames = (await line.send(call)).data
        if not frames:
            raise AgentError(f"the server at {line.opening.url} sent an empty answer")
        return build_reply(frames)


_KEY = "json"
_PLACE = re.compile(r"\{\{\s*([\w.]+)\s*\}\}")
_BODY = {"message": "{{ text }}", "history": "{{ history }}"}


class Templated:
    """Fills the body of a case, and finds the answer by JSONPath."""

    def __init__(self, opening: ConnectionParts) -> None:
        from du_eval.generators.http import compile_path  # noqa: PLC0415 - only these agents need it

        self._agent = opening.agent
        self._body: Any = opening.options.get("body", _BODY)
        self._answer = compile_path(opening.option("answer", str, "$.answer"))
        self._structure = (
            compile_path(opening.option("structure", str, "")) if "structure" in opening.options else None
        )
        kept = opening.option("remember", dict, {})
        self._kept = {str(name): compile_path(str(path)) for name, path in kept.items()}

    async def converse(self, request: AgentRequest, line: AgentLine) -> AgentReply:
        """Return what stands at the paths of the answer."""
        kept = recall_memory(request, _KEY)
        values = {
            "text": request.text or "",
            "history": make_role_messages(request)[:-1],
            "messages": make_role_messages(request),
            "sly_data": dict(request.sly_data),
            "agent": self._agent,
            "remembered": kept,
        }
        data = await line.post("", fill(self._body, values), read_streamed)
        found = self._answer(data)
        if not found:
            raise AgentError(f"nothing found at the path 'answer': {str(data)[:200]}")
        text = "".join(map(str, found))
        kept |= {name: there[0] for name, find in self._kept.items() if (there := find(data))}
        structure = (self._structure(data) or [None])[0] if self._structure else None
        return AgentReply(
            text,
            structure if isinstance(structure, Mapping) else None,
            request.sly_data or None,
            {**find_context_after(request, self._agent, text), _KEY: kept},
        )


def fill(body: object, values: Mapping[str, object]) -> object:
    """Return a body with its places filled; a text that is one place alone becomes the value itself."""
    if isinstance(body, Mapping):
        return {key: fill(value, values) for key, value in body.items()}
    if isinstance(body, list):
        return [fill(value, values) for value in body]
    if not isinstance(body, str):
        return body
    alone = _PLACE.fullmatch(body.strip())
    if alone:
        return _value(alone[1], values)
    return _PLACE.sub(lambda place: str(_value(place[1], values) or ""), body)


def _value(path: str, values: Mapping[str, object]) -> Any:
    """Return the value of a dotted name; what is not known yet is null."""
    first, *rest = path.split(".")
    if first not in values:
        raise AgentError(f"unknown placeholder '{path}'; available: {', '.join(values)}")
    found = values[first]
    for step in rest:
        found = found.get(step) if isinstance(found, Mapping) else None
    return found
