"""A small server that speaks the part of Rasa's HTTP API that the connector uses."""

from __future__ import annotations

import asyncio
import re
import threading
from dataclasses import dataclass, field
from typing import Any, Self

from aiohttp import web

Events = list[dict[str, Any]]
UNDERSTOOD = {
    "send money": [{"command": "start flow", "flow": "transfer"}],
    "to Ann": [{"command": "set slot", "name": "recipient", "value": "Ann", "extractor": "LLM"}],
    "forty": [{"command": "set slot", "name": "amount", "value": "40", "extractor": "LLM"}],
    "stop": [{"command": "cancel flow"}],
    "is it free": [{"command": "knowledge"}],
}
ASKS = (("recipient", "utter_ask_recipient"), ("amount", "utter_ask_amount"))


@dataclass
class RasaBot:
    """One flow, `transfer`, with two questions; understands a few messages and mistakes others."""

    token: str = ""
    records: bool = True
    mistakes: dict[str, Events] = field(default_factory=dict)
    trackers: dict[str, Events] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    understood: list[tuple[str, str | None, dict[str, Any]]] = field(default_factory=list)
    """Each message that the model was asked about, with the active flow and the slots at that time."""
    accepts_parse_data: bool = True

    def __enter__(self) -> Self:
        self._ready = threading.Event()
        threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True).start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        application = web.Application(middlewares=[self._checked])
        router = application.router
        router.add_put("/conversations/{id}/tracker/events", self._replace)
        router.add_get("/conversations/{id}/tracker", self._tracker)
        router.add_post("/conversations/{id}/messages", self._message)
        router.add_post("/conversations/{id}/predict", self._predict)
        router.add_post("/conversations/{id}/execute", self._execute)
        router.add_post("/webhooks/rest/webhook", self._webhook)
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.port = site._server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        await runner.cleanup()

    @web.middleware
    async def _checked(self, request: web.Request, handler: Any) -> web.StreamResponse:
        self.requests.append(
            f"{request.method} {re.sub(r'conversations/[^/]+', 'conversations/*', request.path)}"
        )
        if self.token and request.query.get("token") != self.token:
            return web.json_response(
                {"status": "failure", "reason": "NotAuthenticated", "code": 401}, status=401
            )
        return await handler(request)

    async def _replace(self, request: web.Request) -> web.Response:
        self.trackers[request.match_info["id"]] = list(await request.json())
        return web.json_response(self._state(request.match_info["id"]))

    async def _tracker(self, request: web.Request) -> web.Response:
        return web.json_response(self._state(request.match_info["id"]))

    async def _message(self, request: web.Request) -> web.Response:
        body = await request.json()
        parsed = body.get("parse_data") if self.accepts_parse_data else None
        self._heard(request.match_info["id"], body["text"], parsed)
        return web.json_response(self._state(request.match_info["id"], with_events=False))

    async def _webhook(self, request: web.Request) -> web.Response:
        body = await request.json()
        self._heard(body["sender"], body["message"], None)
        while self._act(body["sender"]) != "action_listen":
            pass
        return web.json_response([{"recipient_id": body["sender"], "text": "ok"}])

    async def _predict(self, request: web.Request) -> web.Response:
        action = self._next_action(request.match_info["id"])
        scores = [{"action": action, "score": 1.0}, {"action": "action_other", "score": 0.0}]
        return web.json_response({"scores": scores, "policy": "FlowPolicy", "confidence": 1.0})

    async def _execute(self, request: web.Request) -> web.Response:
        assert (await request.json())["name"] == self._act(request.match_info["id"])
        return web.json_response({"tracker": {}, "messages": []})

    def _heard(self, name: str, text: str, parsed: dict[str, Any] | None) -> None:
        events = self.trackers.setdefault(name, [])
        payload = re.fullmatch(r"/SetSlots\((.*)\)", text)
        data: dict[str, Any] = {"text": text, "intent": {}, "entities": []}
        if parsed is not None:
            data["commands"] = parsed["commands"]
        elif payload:
            pairs = [pair.split("=") for pair in payload[1].split(", ")]
            data["commands"] = [{"command": "set slot", "name": n, "value": v} for n, v in pairs]
        else:
            self.understood.append((text, self._flow(events), self._slots(events)))
            data["commands"] = self.mistakes.get(text, UNDERSTOOD.get(text, [{"command": "cannot handle"}]))
            if self.records:
                data["predicted_commands"] = {
                    "LLMCommandGenerator": data["commands"],
                    "NLUCommandAdapter": [],
                }
                prompt = {"prompt_name": "commands", "user_prompt": f"U: {text}", "system_prompt": "S"}
                prompt["llm_response_metadata"] = {
                    "usage": {"prompt_tokens": 9, "completion_tokens": 2},
                    "latency": 0.1,
                    "choices": ["x"],
                }
                data["prompts"] = {"LLMCommandGenerator": [prompt]}
        events.append({"event": "user", "text": text, "parse_data": data})
        for command in data["commands"]:
            if command["command"] == "start flow":
                events.append({"event": "stack", "flow": command["flow"]})
            if command["command"] == "cancel flow":
                events.append({"event": "stack", "flow": None})
            if command["command"] == "set slot":
                events.append({"event": "slot", "name": command["name"], "value": command["value"]})

    def _next_action(self, name: str) -> str:
        events = self.trackers[name]
        if events[-1].get("event") == "bot" or self._flow(events) is None:
            return "action_listen"
        slots = self._slots(events)
        return next((asks for slot, asks in ASKS if slots.get(slot) is None), "action_listen")

    def _act(self, name: str) -> str:
        action = self._next_action(name)
        events = self.trackers[name]
        if action != "action_listen":
            events.append({"event": "bot", "text": action, "metadata": {"utter_action": action}})
        events.append({"event": "action", "name": action})
        if action != "action_listen":
            events.append(events.pop(-2))
        return action

    def _flow(self, events: Events) -> str | None:
        return next((event["flow"] for event in reversed(events) if event["event"] == "stack"), None)

    def _slots(self, events: Events) -> dict[str, Any]:
        return {event["name"]: event["value"] for event in events if event["event"] == "slot"}

    def _state(self, name: str, *, with_events: bool = True) -> dict[str, Any]:
        events = self.trackers.setdefault(name, [])
        latest = next((event["parse_data"] for event in reversed(events) if event["event"] == "user"), {})
        state = {"sender_id": name, "slots": self._slots(events), "latest_message": latest}
        return state | ({"events": events} if with_events else {})
