"""Chatters from their settings: one small function a kind."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, field

from du_eval.chatters.base import Chatter
from du_eval.chatters.function import make_function_chatter
from du_eval.chatters.networked import HttpChatter, LlmChatter, check_url
from du_eval.chatters.scripted import Keyboard, Predefined, SmallTalk
from du_eval.errors import ConfigError
from du_eval.llm.client import ChatClient
from du_eval.llm.endpoints import find_endpoint
from du_eval.settings.commands import CommandSettings
from du_eval.settings.sources import settle_values

Options = Mapping[str, Any]
_EMELY = "http://localhost:8086/inference"
_BLENDERBOT = "facebook/blenderbot-400M-distill"


class Circumstances(Struct, frozen=True):
    """What a chatter may depend on besides its own settings."""

    environment: Mapping[str, str] = field(default_factory=dict)
    seed: str = ""
    language: str = "en"


def _predefined(options: Options, _: Circumstances) -> Chatter:
    if "lines" in options:
        return Predefined(tuple(map(str, options["lines"])))
    return Predefined.from_file(str(options.get("file", options.get("argument"))))


def _http(options: Options, _: Circumstances) -> Chatter:
    known = {key: value for key, value in options.items() if key not in {"argument", "url"}}
    unknown = set(known) - set(inspect.signature(HttpChatter).parameters)
    if unknown:
        raise ConfigError(f"an http chatter has no {', '.join(sorted(unknown))}")
    return HttpChatter(check_url(str(options.get("url", options.get("argument", "")))), **known)


def _emely(options: Options, given: Circumstances) -> Chatter:
    """Return the server of the original: its address, its memory of three utterances."""
    url = str(options.get("url", options.get("argument", _EMELY)))
    return _http({"memory": 3, **options, "url": url}, given)


def _llm(options: Options, given: Circumstances) -> Chatter:
    model = str(options.get("model", options.get("argument", "")))
    if not model:
        raise ConfigError("an llm chatter needs a model: `type: llm`, `model: provider/name`")
    endpoint = find_endpoint(model, str(options.get("base_url", "")), given.environment)
    rest = {key: options[key] for key in ("system", "memory", "parameters") if key in options}
    return LlmChatter(ChatClient(endpoint), endpoint.model, **rest)


def _transformers(options: Options, _: Circumstances) -> Chatter:
    from du_eval.chatters.local_models import ModelChatter

    rest = {key: options[key] for key in ("memory", "options") if key in options}
    return ModelChatter(str(options.get("model", options.get("argument"))), **rest)


def _blenderbot(options: Options, given: Circumstances) -> Chatter:
    return _transformers({"model": _BLENDERBOT, "memory": 3, **options}, given)


def _local(_: Options, __: Circumstances) -> Chatter:
    from du_eval.chatters.local_models import load_packaged_chatter

    return load_packaged_chatter()


def _function(options: Options, _: Circumstances) -> Chatter:
    return make_function_chatter(str(options.get("class", options.get("argument"))))


def _dut(options: Options, given: Circumstances) -> Chatter:
    """Return an assistant of ours: its folder, who understands (baseline by default), and its actions."""
    from du_eval.assembly import build_generator, build_parser, build_stage
    from du_eval.assistants.actions import ActionResult, FirstOf, StubbedActions
    from du_eval.assistants.engine.engine import Engine
    from du_eval.assistants.load import load_assistant
    from du_eval.chatters.assistant import AssistantChatter
    from du_eval.generators.answers import AnswerReader
    from du_eval.runs.budget import Budget

    del given  # the generator reads its own variables
    own = {"argument", "stubs", "slots"}
    settings = {key: value for key, value in options.items() if key not in own}
    if "argument" in options:
        settings["assistant"] = options["argument"]
    config = settle_values(CommandSettings, "the dut chatter", settings)
    if not config.assistant:
        raise ConfigError("a dut chatter needs a folder with flows and domain: `dut:examples/bank`")
    parser = build_parser(config)
    stubs = {
        name: ActionResult(tuple(result.get("events") or ()), tuple(result.get("responses") or ()))
        for name, result in (options.get("stubs") or {}).items()
    }
    actions = FirstOf((StubbedActions(stubs), build_stage(config.actions, config.action_endpoint).actions))
    return AssistantChatter(
        Engine(load_assistant(config.assistant)),
        build_generator(config, parser, Budget()),
        AnswerReader(parser, parser.registry),
        actions,
        options.get("slots") or {},
    )


MAKERS: Mapping[str, Callable[[Options, Circumstances], Chatter]] = {
    "predefined": _predefined,
    "user": lambda _, __: Keyboard(),
    "http": _http,
    "emely": _emely,
    "llm": _llm,
    "transformers": _transformers,
    "blenderbot": _blenderbot,
    "local-model": _local,
    "function": _function,
    "dut": _dut,
    "small-talk": lambda _, given: SmallTalk(given.seed, given.language),
}
