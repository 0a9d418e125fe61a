"""Any JSON endpoint as an agent: a body with places to fill, and paths to the answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from du_eval.agents.connections.base import AgentRequest, asked_messages, context_of
from du_eval.agents.connections.base_json import Line, Opening, remembered, role_messages
from du_eval.agents.results import AgentReply
from du_eval.errors import AgentError, InputError

_KEY = "json"
_PLACE = re.compile(r"\{\{\s*([\w.]+)\s*\}\}")
_BODY = {"message": "{{ text }}", "history": "{{ history }}"}
Find = Callable[[object], list[object]]


class Templated:
    """Fills the body of a case, and finds the answer by JSONPath."""

    def __init__(self, opening: Opening) -> None:
        self._agent = opening.agent
        self._body: Any = opening.options.get("body", _BODY)
        self._answer = _path(opening.option("answer", str, "$.answer"))
        self._structure = (
            _path(opening.option("structure", str, "")) if "structure" in opening.options else None
        )
        kept = opening.option("remember", dict, {})
        self._kept = {str(name): _path(str(path)) for name, path in kept.items()}

    async def converse(self, request: AgentRequest, line: Line) -> AgentReply:
        """Return what stands at the paths of the answer."""
        kept = remembered(request, _KEY)
        values = {
            "text": request.text or "",
            "history": role_messages(request)[:-1],
            "messages": role_messages(request),
            "sly_data": dict(request.sly_data),
            "agent": self._agent,
            "remembered": kept,
        }
        data = await line.post("", fill(self._body, values))
        found = self._answer(data)
        if not found:
            raise AgentError(f"nothing stands where 'answer' points to: {str(data)[:200]}")
        text = "".join(map(str, found))
        kept |= {name: there[0] for name, find in self._kept.items() if (there := find(data))}
        said = [*asked_messages(request.chat_context), ("HUMAN", request.text or ""), ("AI", text)]
        structure = (self._structure(data) or [None])[0] if self._structure else None
        return AgentReply(
            text,
            structure if isinstance(structure, Mapping) else None,
            request.sly_data or None,
            {**context_of(self._agent, said), _KEY: kept},
        )


def fill(body: Any, values: Mapping[str, Any]) -> Any:
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


def _value(path: str, values: Mapping[str, Any]) -> Any:
    """Return the value of a dotted name; what is not known yet is null."""
    first, *rest = path.split(".")
    if first not in values:
        raise AgentError(f"there is nothing to fill '{path}' with; there are {', '.join(values)}")
    found = values[first]
    for step in rest:
        found = found.get(step) if isinstance(found, Mapping) else None
    return found


def _path(path: str) -> Find:
    import jsonpath  # noqa: PLC0415 - only these agents need it

    try:
        found = jsonpath.compile(path)
    except jsonpath.JSONPathError as error:
        raise InputError(f"{path!r} is not a JSONPath: {error}") from error
    return lambda data: list(found.findall(data))  # type: ignore[arg-type]
