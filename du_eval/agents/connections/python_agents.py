"""Agents that are Python objects: found by their path, called with what they ask for."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from msgspec import Struct

from du_eval.agents.connections.base import AgentRequest, find_context_after, list_messages
from du_eval.agents.connections.wire import build_reply, make_request_body
from du_eval.agents.results import AgentReply, ToolCall
from du_eval.errors import AgentError, PluginError, did_you_mean
from du_eval.generators.patience import Threads

_KEYS = ("text", "structure", "sly_data", "chat_context", "tools")
_PARAMETERS = ("text", "sly_data", "history", "metadata", "request", "ask")
_METHODS = ("streaming_chat", "answer", "reply")
AskAnother = Callable[..., Any]


def find_object(path: str, folders: Iterable[Path] = ()) -> object:
    """Return the object of a path `module:name`; the standard library holds no agents."""
    module_name, _, attribute = path.partition(":")
    if not module_name or not attribute:
        raise PluginError(f"'{path}' is not the path of a Python object: write module:name")
    if module_name.split(".")[0] in sys.stdlib_module_names:
        raise PluginError(f"'{path}' is in the standard library, which has no agents")
    for folder in (*folders, Path.cwd()):
        if str(folder) not in sys.path:
            sys.path.insert(0, str(folder))
    try:
        found: Any = importlib.import_module(module_name)
        for step in attribute.split("."):
            found = getattr(found, step)
    except ImportError as error:
        raise PluginError(f"the module '{module_name}' of '{path}' cannot be imported: {error}") from error
    except AttributeError as error:
        public = [name for name in vars(sys.modules[module_name]) if not name.startswith("_")]
        hint = did_you_mean(attribute, public)
        raise PluginError(f"'{module_name}' has no '{attribute}'" + (f" ({hint})" if hint else "")) from error
    except (Exception, SystemExit) as error:
        raise PluginError(f"importing '{module_name}' fails: {type(error).__name__}: {error}") from error
    return found


class PythonAgent(Struct, frozen=True):
    """Calls a function, or a method of a fresh instance, with the parameters that it names."""

    name: str
    target: Any
    ask_another: AskAnother

    async def ask(self, request: AgentRequest) -> AgentReply:
        """Return the answer; an exception of the agent is an AgentError."""
        try:
            target = self.target() if inspect.isclass(self.target) else self.target
            method: Any = next((getattr(target, name) for name in _METHODS if hasattr(target, name)), target)
            if getattr(method, "__name__", "") == "streaming_chat":
                return build_reply(await _collected(method(make_request_body(request))))
            answer = await _called(method, self._arguments(method, request))
        except AgentError:
            raise
        except (Exception, SystemExit) as error:
            raise AgentError(f"the agent '{self.name}' raised {type(error).__name__}: {error}") from error
        return _reply(self.name, request, answer)

    def _arguments(self, method: object, request: AgentRequest) -> dict[str, object]:
        given = {
            "text": request.text,
            "sly_data": dict(request.sly_data),
            "history": list_messages(request.chat_context),
            "metadata": dict(request.metadata),
            "request": request,
            "ask": self.ask_another,
        }
        named = _named_parameters(method)
        if len(named) == 1 and named[0].name not in given:
            return {named[0].name: request.text}
        unknown = [one.name for one in named if one.name not in given and one.default is one.empty]
        if unknown:
            known = ", ".join(_PARAMETERS)
            raise AgentError(
                f"the agent '{self.name}' expects a parameter '{unknown[0]}'; available: {known}"
            )
        return {one.name: given[one.name] for one in named if one.name in given}


@lru_cache(maxsize=256)
def _named_parameters(method: Any) -> tuple[inspect.Parameter, ...]:
    parameters = inspect.signature(method).parameters.values()
    return tuple(one for one in parameters if one.kind not in {one.VAR_POSITIONAL, one.VAR_KEYWORD})


async def _called(method: Any, arguments: dict[str, Any]) -> Any:
    """Call a function; a plain one gets a thread of its own, which is left behind when its time is up."""
    call = method if inspect.isroutine(method) else type(method).__call__
    if inspect.iscoroutinefunction(call):
        return await method(**arguments)
    answer = await Threads().call(lambda: method(**arguments))
    return await answer if isinstance(answer, Awaitable) else answer


async def _collected(stream: Any) -> list[Mapping[str, Any]]:
    if isinstance(stream, AsyncIterable):
        return [frame async for frame in stream]
    if isinstance(stream, Awaitable):
        return await _collected(await stream)
    collected: list[Mapping[str, Any]] = await Threads().call(lambda: list(stream))
    return collected


def _reply(name: str, request: AgentRequest, answer: object) -> AgentReply:
    if isinstance(answer, AgentReply):
        return answer
    if isinstance(answer, str) or answer is None:
        answer = {"text": answer}
    if not isinstance(answer, Mapping) or not set(answer) <= set(_KEYS):
        keys = ", ".join(_KEYS)
        raise AgentError(f"the agent '{name}' must return a string or a dictionary with some of {keys}")
    return AgentReply(
        text=answer.get("text"),
        structure=answer.get("structure"),
        sly_data=answer.get("sly_data"),
        chat_context=answer.get("chat_context")
        or find_context_after(request, name, answer.get("text") or ""),
        tools=tuple(ToolCall(tool["name"], tool.get("params", {})) for tool in answer.get("tools", ())),
    )


class UnknownAgentError(PluginError):
    """Nothing here says what an agent is: an error of its case, not of the whole run."""


_FACTORY = "neuro_san.client.agent_session_factory"


class AgentNetwork(Struct, frozen=True):
    """A network of neuro-san: each message has a session of its own, as none can be used twice."""

    agent: str
    use_direct: bool
    metadata: Mapping[str, str]

    def streaming_chat(self, body: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """Yield the messages that answer a request."""
        yield from _open_session(self).streaming_chat(body)


def find_network(agent: str, *, use_direct: bool, metadata: Mapping[str, str]) -> AgentNetwork:
    """Return an agent network; its manifest is found as neuro-san finds it."""
    network = AgentNetwork(agent, use_direct, dict(metadata))
    _open_session(network).close()
    return network


def _open_session(network: AgentNetwork) -> Any:
    agent = network.agent
    try:
        factory = import_module(_FACTORY).AgentSessionFactory()
    except ImportError as error:
        what = f"the case does not say how to call the agent '{agent}' without a server"
        is_missing = isinstance(error, ModuleNotFoundError) and (error.name or "").startswith("neuro_san")
        why = "is not installed" if is_missing else f"cannot be imported: {error}"
        raise UnknownAgentError(f"{what}, and the package neuro-san, which may know it, {why}") from error
    try:
        return factory.create_session(
            "direct", agent, use_direct=network.use_direct, metadata=dict(network.metadata)
        )
    except (Exception, SystemExit) as error:
        reason = f"{type(error).__name__}: {error}"
        raise PluginError(
            f"neuro-san has no agent network '{agent}' ({reason}); is AGENT_MANIFEST_FILE set?"
        ) from error
