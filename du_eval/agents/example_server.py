"""A reference server of the streaming protocol, for examples, tests and benchmarks."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from aiohttp import web
from msgspec import Struct, field

from du_eval.agents.connections.base import AgentRequest
from du_eval.agents.connections.python_agents import PythonAgent
from du_eval.agents.example_agents import EXAMPLE_AGENTS
from du_eval.agents.results import AgentReply
from du_eval.errors import AgentError

_BASE = "/api/v1"


class ExampleServer(Struct, frozen=True):
    """Serves Python agents by name; can wait before it answers, as a model would."""

    agents: Mapping[str, Any] = field(default_factory=lambda: EXAMPLE_AGENTS)
    latency_seconds: float = 0.0

    def app(self) -> web.Application:
        """Return the routes of the protocol."""
        app = web.Application(client_max_size=16 * 1024 * 1024)
        app.add_routes(
            [
                web.get("/", _health),
                web.get("/healthz", _health),
                web.get("/readyz", _health),
                web.get("/livez", _health),
                web.get(f"{_BASE}/list", self._list),
                web.get(f"{_BASE}/{{agent:.+}}/function", self._function),
                web.get(f"{_BASE}/{{agent:.+}}/connectivity", self._connectivity),
                web.post(f"{_BASE}/{{agent:.+}}/streaming_chat", self._chat),
            ]
        )
        return app

    async def _list(self, _: web.Request) -> web.Response:
        agents = [
            {"agent_name": name, "description": _about(one), "tags": []} for name, one in self.agents.items()
        ]
        return web.json_response({"agents": agents})

    async def _function(self, request: web.Request) -> web.Response:
        return web.json_response({"function": {"description": _about(self._agent(request))}})

    async def _connectivity(self, request: web.Request) -> web.Response:
        self._agent(request)
        origin = {"origin": request.match_info["agent"], "tools": [], "display_as": "coded_tool"}
        return web.json_response({"connectivity_info": [origin]})

    def _agent(self, request: web.Request) -> Any:
        name = request.match_info["agent"]
        if name not in self.agents:
            raise web.HTTPNotFound(text="")
        return self.agents[name]

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        agent = self._agent(request)
        try:
            body = json.loads(await request.read())
        except ValueError:
            return web.json_response({"error": "Invalid JSON format"}, status=400)
        response = web.StreamResponse(headers={"Content-Type": "application/json-lines"})
        await response.prepare(request)
        with suppress(ConnectionError):  # a client that gave up
            async for line in self._lines(request.match_info["agent"], agent, body):
                await response.write(json.dumps(line).encode() + b"\n")
            await response.write_eof()
        return response

    async def _lines(self, name: str, agent: object, body: object) -> Any:
        """Yield the frames of an answer; errors come inside the stream, as the status is sent already."""
        if not isinstance(body, dict):
            yield {"error": "Internal server error"}
            return
        text = (body.get("user_message") or {}).get("text")
        if text is None:
            yield {}
            return
        if self.latency_seconds:
            await asyncio.sleep(self.latency_seconds)
        request = AgentRequest(text, body.get("sly_data") or {}, _own(name, body.get("chat_context") or {}))
        try:
            reply = await PythonAgent(name, agent, _alone).ask(request)
        except AgentError:
            yield {"error": "Internal server error"}
            return
        tells_all = (body.get("chat_filter") or {}).get("chat_filter_type") == "MAXIMAL"
        for message in (*(_details(name, text, reply) if tells_all else ()), _answer(reply)):
            yield {"response": message, "request": body} if tells_all else {"response": message}


async def _health(_: web.Request) -> web.Response:
    return web.json_response({"service": "du-eval.ExampleServer", "status": "ok", "versions": {}})


def _about(agent: object) -> str:
    return (getattr(agent, "__doc__", None) or "").strip()


def _alone(*_: object) -> None:
    raise AgentError("the agents of the example server call no other agents")


def _own(name: str, context: dict[str, Any]) -> dict[str, Any]:
    """Return a context with the histories of this agent only."""
    histories = [
        history
        for history in context.get("chat_histories", [])
        if [step.get("tool") for step in history.get("origin", [])] == [name]
    ]
    return {"chat_histories": histories} if histories else {}


def _answer(reply: AgentReply) -> dict[str, object]:
    message: dict[str, object] = {
        "type": "AGENT_FRAMEWORK",
        "text": reply.text,
        "chat_context": reply.chat_context,
    }
    if reply.structure is not None:
        message["structure"] = reply.structure
    if reply.sly_data is not None:
        message["sly_data"] = reply.sly_data
    return message


def _details(name: str, text: str, reply: AgentReply) -> Iterator[dict[str, object]]:
    """Yield what a server tells beside the answer: the question, the tools, the answer, the account."""
    origin = [{"tool": name, "instantiation_index": 1}]
    yield {"type": "HUMAN", "origin": origin, "text": text}
    for tool in reply.tools:
        call = {"invoking_start": True, "invoked_agent_name": tool.name, "params": dict(tool.params)}
        yield {"type": "AGENT", "origin": origin, "text": f"Invoking: `{tool.name}` with:", "structure": call}
        inner = [*origin, {"tool": tool.name, "instantiation_index": 1}]
        started = {"tool_start": True, "tool_args": dict(tool.params)}
        yield {"type": "AGENT", "origin": inner, "text": "Received arguments:", "structure": started}
        ended = {"tool_end": True, "tool_error": False, "tool_output": "done"}
        yield {"type": "AGENT", "origin": inner, "text": "Got result:", "structure": ended}
    yield {"type": "AI", "origin": origin, "text": reply.text}
    prompt, completion = len(text.split()), len((reply.text or "").split())
    account = {"total_tokens": prompt + completion, "prompt_tokens": prompt, "completion_tokens": completion}
    cost = {"total_cost": (prompt + completion) * 1e-6, "successful_requests": 1}
    yield {"type": "AGENT", "origin": origin, "text": "", "structure": {**account, **cost}}


class Listening(Struct, frozen=True):
    """Where a server listens, and its certificate where it speaks https."""

    host: str = "127.0.0.1"
    port: int = 8080
    tls: ssl.SSLContext | None = None


async def serve(server: ExampleServer, listening: Listening) -> tuple[web.AppRunner, int]:
    """Start a server; return its runner, to be cleaned up, and the port it got."""
    runner = web.AppRunner(server.app(), access_log=None)
    await runner.setup()
    await web.TCPSite(runner, listening.host, listening.port, ssl_context=listening.tls).start()
    return runner, int(runner.addresses[0][1])
