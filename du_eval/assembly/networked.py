"""Settings into generators that ask over the network."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING
from uuid import uuid4

from msgspec import Struct, field

from du_eval.errors import ConfigError
from du_eval.llm.endpoints import Endpoint, find_endpoint
from du_eval.llm.limits import Limits, Throttle
from du_eval.llm.persistence import Persistence, RetryPolicy
from du_eval.llm.purse import Price, Purse, find_price
from du_eval.llm.transport import Sender, Transport
from du_eval.runs.budget import Budget
from du_eval.settings.commands import CommandSettings
from du_eval.settings.shared import FILE_ENDINGS
from du_eval.settings.sources import settle_values
from du_eval.trust.secrets import public_headers

if TYPE_CHECKING:
    from du_eval.generators.http import HttpGenerator
    from du_eval.generators.llm import LlmGenerator, PromptSetting
    from du_eval.generators.rasa import RasaGenerator
    from du_eval.judges.chat import EndpointChat
    from du_eval.llm.messages import ChatModel
    from du_eval.parsers.command_parser import CommandParser

_VARIABLE = re.compile(r"\$\{(\w+)\}")
_LITELLM = "litellm/"


class Shared(Struct):
    """What the generators of several arms have in common: the money, and the patience with each endpoint."""

    budget: Budget
    _purse: Purse | None = None
    _throttles: dict[str, Throttle] = field(default_factory=dict)

    def purse(self, limit: float | None) -> Purse:
        """Return the one purse of all."""
        self._purse = self._purse or Purse(limit, lambda: self.budget.cost, self.budget.stop)
        return self._purse

    def throttle(self, config: CommandSettings) -> Throttle:
        """Return the limits of an endpoint."""
        endpoint = config.base_url or config.url or (config.model or "").partition("/")[0]
        limits = Limits(config.concurrency, config.requests_per_minute, config.tokens_per_minute)
        return self._throttles.setdefault(endpoint, Throttle(limits))


class Making(Struct, frozen=True):
    """What a generator of our own is made of."""

    config: CommandSettings
    parser: CommandParser
    budget: Budget
    environment: Mapping[str, str]
    shared: Shared

    @property
    def patience(self) -> _Patience:
        """How its requests are tried."""
        return _Patience(self.config, self.budget, self.shared)


class _Patience(Struct, frozen=True):
    """How requests of a generator are tried, counted and slowed down."""

    config: CommandSettings
    budget: Budget
    shared: Shared

    def persist(self, secrets: tuple[str, ...]) -> Persistence:
        """Return what surrounds each attempt."""
        config = self.config
        policy = RetryPolicy(
            attempts=config.max_attempts, timeout_seconds=config.timeout, deadline_seconds=config.deadline
        )
        known = tuple(secret for secret in secrets if secret)
        return Persistence(policy, self.shared.throttle(config), known, self.budget.take_call)


def build_llm(making: Making) -> LlmGenerator:
    """Return the generator that asks a chat model."""
    from du_eval.generators.llm import LlmGenerator

    config = making.config
    if not config.model:
        raise ConfigError("the generator llm needs a model: --model gpt-4o-mini, or --model provider/name")
    chat, model = build_chat(config, making.budget, making.environment, making.shared)
    parameters: dict[str, object] = {}
    if config.temperature != "off":
        parameters["temperature"] = config.temperature
    if config.max_tokens is not None:
        parameters["max_tokens"] = config.max_tokens
    seed = config.seed if "seed" in config.model_fields_set else None
    prompts = _prompts(config, making.parser)
    return LlmGenerator(chat, model, prompts, making.parser, parameters | config.parameters, seed)


def build_chat(
    config: CommandSettings, budget: Budget, environment: Mapping[str, str], shared: Shared | None = None
) -> tuple[ChatModel, str]:
    """Return the chat model of the settings, behind the cache, and the name it goes by at its endpoint."""
    model = config.model or ""
    shared = shared or Shared(budget)
    patience = _Patience(config, budget, shared)
    price = _price(config)
    if model.startswith(_LITELLM):
        from du_eval.llm.litellm_client import LiteLlmClient, load_litellm

        library = load_litellm() if config.cache != "offline" else None
        keys = tuple(value for name, value in environment.items() if name.endswith("_API_KEY"))
        persistence = patience.persist(keys)
        purse = shared.purse(config.max_cost)
        chat: ChatModel = LiteLlmClient(
            persistence, price, budget.add_cost, purse, config.base_url or "", library
        )
        return _cached(chat, config, "litellm", environment), model.removeprefix(_LITELLM)
    endpoint = _endpoint(config, environment)
    from du_eval.llm.client import ChatClient

    transport = Transport(patience.persist((endpoint.key,)), config.max_answer_bytes)
    chat = ChatClient(endpoint, transport, price, budget.add_cost, shared.purse(config.max_cost))
    return _cached(chat, config, endpoint.public_url, environment), endpoint.model


def build_chat_model(values: Mapping[str, object], environment: Mapping[str, str]) -> EndpointChat:
    """Return the chat model of some settings for judges and agents: as patient and cached as in runs."""
    from du_eval.judges.chat import EndpointChat

    config = settle_values(CommandSettings, "the options", values)
    chat, model = build_chat(config, Budget(), environment)
    return EndpointChat(chat, model)


def _endpoint(config: CommandSettings, environment: Mapping[str, str]) -> Endpoint:
    needs_key = config.cache != "offline"
    return find_endpoint(
        config.model or "",
        config.base_url or "",
        environment,
        config.api_key_env or "",
        needs_key=needs_key,
    )


def _cached(
    chat: ChatModel, config: CommandSettings, endpoint: str, environment: Mapping[str, str]
) -> ChatModel:
    if config.cache == "off":
        return chat
    from du_eval.llm.cache import AnswerCache, find_cache_folder
    from du_eval.llm.caching import CachedChat, CacheMode

    return CachedChat(chat, AnswerCache(find_cache_folder(environment)), endpoint, CacheMode(config.cache))


def _price(config: CommandSettings) -> Price | None:
    prices = {name: Price(price.prompt, price.completion) for name, price in config.prices.items()}
    found = find_price(config.model or "", prices)
    if config.max_cost is not None and found is None:
        raise ConfigError(
            f"--max-cost needs the price of '{config.model}': --price PROMPT/COMPLETION "
            "for a million tokens, or prices in the configuration"
        )
    return found


def _prompts(config: CommandSettings, parser: CommandParser) -> PromptSetting:
    from du_eval.generators.llm import OutputMode, PromptSetting, find_own_prompt
    from du_eval.generators.templates import PromptTemplate

    mode = OutputMode(config.output_mode)
    user = (
        PromptTemplate.of_file(config.prompt) if config.prompt else find_own_prompt(mode, parser.syntax.name)
    )
    given = config.system_prompt
    if given is None:
        return PromptSetting(user, PromptTemplate.own("system"), mode)
    if given.endswith(FILE_ENDINGS["system_prompt"]):
        return PromptSetting(user, PromptTemplate.of_file(given), mode)
    return PromptSetting(user, PromptTemplate("--system-prompt", given) if given else None, mode)


def build_rasa(making: Making) -> RasaGenerator:
    """Return the generator that asks a Rasa server."""
    from du_eval.generators.rasa import RasaGenerator
    from du_eval.generators.rasa_replay import RASA_URL, RasaServer

    config, environment = making.config, making.environment
    token, bearer = environment.get(config.token_env, ""), environment.get(config.jwt_env, "")
    transport = Transport(making.patience.persist((token, bearer)), config.max_answer_bytes)
    server = RasaServer(config.url or RASA_URL, transport, token, bearer)
    return RasaGenerator(server, making.parser, f"du-eval-{uuid4().hex[:12]}")


def build_http(making: Making) -> HttpGenerator:
    """Return the generator that asks any HTTP endpoint."""
    from du_eval.generators.http import HttpGenerator
    from du_eval.generators.templates import PromptTemplate

    config, environment = making.config, making.environment
    url = config.url or (config.generator if config.generator != "http" else "")
    if not url:
        raise ConfigError("the generator http needs an address: --url http://127.0.0.1:8000/predict")
    body = None
    if config.body:
        is_file = config.body.endswith(FILE_ENDINGS["body"])
        body = PromptTemplate.of_file(config.body) if is_file else PromptTemplate("--body", config.body)
    headers, secrets = _headers(config.headers, environment)
    sender: Sender = Transport(making.patience.persist(secrets), config.max_answer_bytes)
    if config.cache != "off" and "cache" in config.model_fields_set:
        from du_eval.llm.cache import AnswerCache, find_cache_folder
        from du_eval.llm.caching import CachedSender, CacheMode

        # Only where that is wished: the endpoint is often a program that is being worked on.
        cache = AnswerCache(find_cache_folder(environment))
        sender = CachedSender(sender, cache, public_headers(config.headers), CacheMode(config.cache))
    return HttpGenerator(url, making.parser, sender, body, config.answer_path, headers)


def _headers(
    headers: Mapping[str, str], environment: Mapping[str, str]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the headers with variables in place, and the values that must not show."""
    secrets: list[str] = []

    def value_of(match: re.Match[str]) -> str:
        if match[1] not in environment:
            raise ConfigError(f"a header uses the variable {match[1]}, which is not set")
        secrets.append(environment[match[1]])
        return environment[match[1]]

    return {name: _VARIABLE.sub(value_of, value) for name, value in headers.items()}, tuple(secrets)
