"""From the connections that cases name to live ones."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct, field
from msgspec.structs import replace

from du_eval.agents.connections.base import (
    CONNECTIONS,
    DIRECT,
    HTTP,
    HTTPS,
    KINDS,
    AgentConnection,
    AgentRequest,
    find_kinds,
)
from du_eval.agents.connections.base_json import (
    ConnectionParts,
    Dialect,
    HttpServer,
    JsonAgent,
    Streaming,
    Templated,
    make_tls,
)
from du_eval.agents.connections.mcp import ToolServer
from du_eval.agents.connections.openai_agents import (
    AgentToAgent,
    ChatAgent,
    ChatCompletions,
    LangGraph,
    LangServe,
    Responses,
)
from du_eval.agents.connections.python_agents import PythonAgent, UnknownAgentError, find_network, find_object
from du_eval.agents.model import AgentCase, Connection, DirectAgent
from du_eval.agents.results import AgentReply
from du_eval.errors import AgentError, InputError, PluginError, Problem, did_you_mean
from du_eval.judges.chat import EndpointChat
from du_eval.llm.persistence import Persistence, RetryPolicy
from du_eval.llm.transport import Transport
from du_eval.trust.secrets import hide_credentials

_DIALECTS: Mapping[str, Callable[[ConnectionParts], Dialect]] = {
    "openai": ChatCompletions,
    "openai-responses": Responses,
    "a2a": AgentToAgent,
    "langgraph": LangGraph,
    "langserve": LangServe,
    "mcp": ToolServer,
    "json": Templated,
}


class NoConnection(Struct, frozen=True):
    """Stands for a connection that cannot be made: each request is an error, and other cases go on."""

    reason: str

    async def ask(self, request: AgentRequest) -> AgentReply:  # noqa: ARG002 - the protocol's parameter
        """Say why there is none."""
        raise AgentError(self.reason)


def open_connection(kind: str, opening: ConnectionParts) -> AgentConnection:
    """Return the connection of a kind: a dialect of ours, MCP, or one from another package."""
    if kind in KINDS and not opening.url:
        return NoConnection(f"the connection '{kind}' needs an address: add url, or use --server")
    if kind in _DIALECTS:
        return JsonAgent(opening, _DIALECTS[kind](opening))
    if kind in CONNECTIONS:
        found: AgentConnection = CONNECTIONS[kind](opening)
        return found
    kinds = list(find_kinds())
    hint = did_you_mean(kind, kinds) or f"known: {', '.join(kinds)}"
    return NoConnection(f"unknown connection '{kind}' ({hint}; --connection overrides it)")


_POLICY = RetryPolicy(attempts=3, timeout_seconds=600.0, deadline_seconds=600.0)
"""How often an agent is asked; how long to wait is decided by the interaction."""
_DIRECT_HINT = 'add direct: "module:function", name a module with --agents, or use connections: "http"'


def _no_chat(name: str) -> EndpointChat:
    raise InputError(f"no address is given for the chat model '{name}'")


class Connecting(Struct, frozen=True):
    """What the options of a run say about connections; they go before what a case says."""

    servers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By scheme: host, port and base path."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Certificates: ca_file, certificate, private_key."""
    agents_module: str = ""
    model: str = ""
    """The chat model of agents that name none."""
    chat_of: Callable[[str], EndpointChat] = _no_chat
    """Makes the client of a chat model."""
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    """Holds the keys that connections name."""


def parse_server_options(urls: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Take addresses of servers apart, by scheme."""
    result: dict[str, dict[str, Any]] = {}
    for url in urls:
        parts = urlsplit(url if "//" in url else f"http://{url}")
        try:
            port = parts.port
        except ValueError as error:
            raise InputError(f"--server {hide_credentials(url)}: {error}") from error
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise InputError(f"--server {hide_credentials(url)} is not an address: write http://host:port")
        chosen = {"host": parts.hostname, "port": port, "base_path": parts.path.strip("/") or None}
        result[parts.scheme] = {key: value for key, value in chosen.items() if value is not None}
    return result


class Connector:
    """Makes connections that share one client per server or key, and one per chat model; closes them."""

    def __init__(self, connecting: Connecting) -> None:
        self._connecting = connecting
        self._models: dict[str, EndpointChat] = {}
        self._senders: dict[str | HttpServer, Transport] = {}
        """By the key that must not show, or the server that shows its certificate."""

    def connect(self, case: AgentCase, connection: Connection) -> AgentConnection:
        """Return a live connection; raises InputError where the case or the options do not suffice."""
        if connection.kind == DIRECT:
            return self._direct(case)
        if connection.kind in {HTTP, HTTPS}:
            return self._streaming(self._server(connection), case.agent)
        try:
            return open_connection(connection.kind, self._opening(case, connection))
        except InputError as error:
            raise InputError(Problem(case.file, connection.line or case.line, str(error))) from error

    async def aclose(self) -> None:
        """Close the clients of chat models, and of agents that are asked by JSON."""
        for sender in self._senders.values():
            await sender.close()
        for model in self._models.values():
            await model.aclose()

    def _opening(self, case: AgentCase, connection: Connection) -> ConnectionParts:
        """Return what a connection is made of; the address of the options goes before that of the case."""
        servers = self._connecting.servers.items()
        url = next((_address(scheme, given) for scheme, given in servers), connection.url)
        options = dict(connection.options)
        variable = options.pop("api_key_env", None)
        key = self._connecting.environment.get(str(variable)) if variable else None
        if variable and not key:
            raise InputError(f"the variable {variable} that api_key_env names is not set")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        sender = self._senders.setdefault(key or "", Transport(Persistence(_POLICY, secrets=(key or "",))))
        return ConnectionParts(case.agent, url or "", sender, options, headers)

    def _server(self, connection: Connection) -> HttpServer:
        server = HttpServer(connection.kind)
        written = {
            key: getattr(connection, key)
            for key in ("host", "port", "base_path", "ca_file", "certificate", "private_key")
            if getattr(connection, key) is not None
        }
        options = self._connecting.servers.get(connection.kind, {})
        return replace(server, **{**written, **options, **self._connecting.files})

    def _streaming(self, server: HttpServer, agent: str) -> JsonAgent:
        if server not in self._senders:
            self._senders[server] = Transport(Persistence(_POLICY), tls=make_tls(server))
        parts = ConnectionParts(agent, server.url, self._senders[server])
        return JsonAgent(parts, Streaming(parts))

    def _direct(self, case: AgentCase) -> AgentConnection:
        defined = case.direct or DirectAgent(target=case.agent if ":" in case.agent else None, line=case.line)
        try:
            if defined.instructions is not None:
                return ChatAgent(case.agent, defined.instructions, self._model(defined.model))
            return self._python(case, case.agent, defined.target)
        except UnknownAgentError as error:
            return NoConnection(f"{error} ({_DIRECT_HINT})")
        except PluginError as error:
            raise InputError(Problem(case.file, defined.line, str(error), _DIRECT_HINT)) from error
        except InputError as error:
            raise InputError(Problem(case.file, defined.line, str(error))) from error

    def _python(self, case: AgentCase, name: str, target: str | None) -> PythonAgent:
        module = self._connecting.agents_module
        path = target or (f"{module}:{name}" if module else None)
        if path is None:
            network = find_network(name, use_direct=case.use_direct, metadata=case.metadata)
            return PythonAgent(name, network, _Asker(self, case))
        return PythonAgent(name, find_object(path, [case.folder.resolve()]), _Asker(self, case))

    def _model(self, name: str | None) -> EndpointChat:
        name = name or self._connecting.model
        if not name:
            raise InputError("the agent is a chat model, but none is named: add model, or use --model")
        if name not in self._models:
            self._models[name] = self._connecting.chat_of(name)
        return self._models[name]

    def another(self, case: AgentCase, name: str) -> AgentConnection:
        """Return the connection over which an agent asks another one: direct, or over http."""
        if case.use_direct:
            return self._python(case, name, name if ":" in name else None)
        return self._streaming(self._server(Connection(HTTP)), name)


def _address(scheme: str, given: Mapping[str, object]) -> str:
    port = f":{given['port']}" if "port" in given else ""
    return f"{scheme}://{given['host']}{port}/{given.get('base_path', '')}".rstrip("/")


class _Asker(Struct, frozen=True):
    """What a direct agent gets as `ask`: asks another agent, from a coroutine or from a plain function."""

    connector: Connector
    case: AgentCase
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)

    def __call__(self, agent: str, text: str, sly_data: Mapping[str, object] | None = None) -> Any:
        asking = self._ask(agent, text, sly_data or {})
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run_coroutine_threadsafe(asking, self.loop).result()
        return asking

    async def _ask(self, agent: str, text: str, sly_data: Mapping[str, object]) -> AgentReply:
        request = AgentRequest(text, sly_data, metadata=self.case.metadata)
        return await self.connector.another(self.case, agent).ask(request)
