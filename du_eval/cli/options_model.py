"""Options of generators that ask over the network."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, ClassVar

import typer

from du_eval.cli.options_cache import cache_mode
from du_eval.errors import ConfigError


class OutputMode(StrEnum):
    """How a model gives its commands."""

    TEXT = "text"
    TOOLS = "tools"
    JSON = "json"


class Reasoning(StrEnum):
    """What becomes of what a model only thought."""

    IGNORE = "ignore"
    PARSE = "parse"


def _option(*names: str, **settings: Any) -> Any:
    return typer.Option(*names, show_default=False, **settings)


class ModelOptions:
    """Options for -g llm, -g rasa and -g http, and the one of the baseline."""

    panel_name: ClassVar[str] = "Generator and model"

    embedding: Annotated[
        str | None,
        _option(
            "--embedding",
            metavar="NAME",
            help="baseline: none (default), auto (MiniLM where it is installed), or a sentence model.",
        ),
    ] = None

    model: Annotated[str | None, _option("--model", help="llm: the model, as name or provider/name.")] = None
    base_url: Annotated[
        str | None,
        _option(
            "--base-url", help="llm: the endpoint, such as http://127.0.0.1:8080/v1 (or OPENAI_BASE_URL)."
        ),
    ] = None
    api_key_env: Annotated[
        str | None,
        _option(
            "--api-key-env", metavar="NAME", help="llm: the variable that holds the key (OPENAI_API_KEY)."
        ),
    ] = None
    prompt: Annotated[
        str | None, _option("--prompt", metavar="FILE", help="llm: a Jinja2 file with your own prompt.")
    ] = None
    system_prompt: Annotated[
        str | None, _option("--system-prompt", help="llm: your own system prompt, a text or a file.")
    ] = None
    output_mode: Annotated[
        OutputMode | None,
        _option("--output-mode", help="llm: commands come as text (default), tool calls or JSON."),
    ] = None
    reasoning: Annotated[
        Reasoning | None,
        _option("--reasoning", help="Set reasoning (<think>...) aside (ignore, default), or parse it, too."),
    ] = None
    temperature: Annotated[str | None, _option("--temperature", help="llm: default 0; off sends none.")] = (
        None
    )
    max_tokens: Annotated[int | None, _option("--max-tokens", help="llm: the longest answer.")] = None
    parameter: Annotated[
        list[str] | None,
        _option("--parameter", metavar="NAME=VALUE", help="llm: a further parameter. Repeatable."),
    ] = None
    price: Annotated[
        str | None,
        _option(
            "--price", metavar="IN/OUT", help="llm: what a million prompt/completion tokens cost: 0.15/0.60."
        ),
    ] = None
    cache: Annotated[
        bool | None,
        _option(
            "--cache/--no-cache",
            help="Use the cache of answers (llm: default; http: only if wished), or not.",
        ),
    ] = None
    refresh: Annotated[
        bool, _option("--refresh", help="llm, http: ask again, and replace what the cache holds.")
    ] = False
    offline: Annotated[
        bool, _option("--offline", help="llm, http: only the cache; what it lacks is an errored step.")
    ] = False
    url: Annotated[
        str | None, _option("--url", help="rasa, http: the address (rasa: http://127.0.0.1:5005).")
    ] = None
    body: Annotated[
        str | None, _option("--body", help="http: the JSON body, as a Jinja2 template or file.")
    ] = None
    answer_path: Annotated[
        str | None,
        _option("--answer-path", metavar="JSONPATH", help="http: where the answer is (default $)."),
    ] = None
    header: Annotated[
        list[str] | None,
        _option("--header", metavar="NAME:VALUE", help="http: a header; ${NAME} is a variable. Repeatable."),
    ] = None
    token_env: Annotated[
        str | None,
        _option("--token-env", metavar="NAME", help="rasa: the variable with the token (RASA_TOKEN)."),
    ] = None
    jwt_env: Annotated[
        str | None,
        _option("--jwt-env", metavar="NAME", help="rasa: the variable with a bearer token (RASA_JWT)."),
    ] = None
    timeout: Annotated[
        float | None,
        _option("--timeout", help="Seconds for one request, or one answer of a function (default 60)."),
    ] = None
    deadline: Annotated[
        float | None, _option("--deadline", help="Seconds for a request with its retries (default 300).")
    ] = None
    max_answer_bytes: Annotated[
        int | None,
        _option("--max-answer-bytes", help="The longest answer, as sent and unpacked (default 16000000)."),
    ] = None
    max_answer_characters: Annotated[
        int | None,
        _option("--max-answer-characters", help="The longest answer that is judged (default 1000000)."),
    ] = None
    max_attempts: Annotated[
        int | None, _option("--max-attempts", help="How often a request is tried (default 6).")
    ] = None
    requests_per_minute: Annotated[
        float | None, _option("--requests-per-minute", help="At most so many requests a minute.")
    ] = None
    tokens_per_minute: Annotated[
        float | None, _option("--tokens-per-minute", help="At most so many tokens a minute.")
    ] = None


def model_flags(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that these options give."""
    flags = dict(given)
    flags["parameters"] = dict(_pair(text) for text in flags.pop("parameter") or ()) or None
    flags["headers"] = dict(_header(text) for text in flags.pop("header") or ()) or None
    flags["cache"] = cache_mode(
        flags.pop("cache"), refresh=flags.pop("refresh"), offline=flags.pop("offline")
    )
    price = flags.pop("price")
    flags["prices"] = {"*": _price(price)} if price else None
    flags["reasoning"] = flags["reasoning"].value if flags["reasoning"] else None
    flags["output_mode"] = flags["output_mode"].value if flags["output_mode"] else None
    return flags


def _price(text: str) -> dict[str, str]:
    prompt, slash, completion = text.partition("/")
    if not slash:
        raise ConfigError(f"--price {text!r} is not a price: write PROMPT/COMPLETION, such as 0.15/0.60")
    return {"prompt": prompt, "completion": completion}


def _pair(text: str) -> tuple[str, Any]:
    import json

    name, sign, value = text.partition("=")
    if not sign or not name:
        raise ConfigError(f"--parameter {text!r}: write NAME=VALUE, such as top_p=0.9")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _header(text: str) -> tuple[str, str]:
    name, sign, value = text.partition(":")
    if not sign or not name.strip():
        raise ConfigError("--header: write NAME:VALUE, such as 'X-Key: ${MY_KEY}'")
    return name.strip(), value.strip()
