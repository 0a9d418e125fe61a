"""Words of the command line and of files into the values of settings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator, StringConstraints

from du_eval.errors import ConfigError

Word = Annotated[str, StringConstraints(min_length=1)]
Words = list[Word]


def _wrap(value: object) -> Any:
    return [value] if isinstance(value, str) else value


Files = Annotated[Words, BeforeValidator(_wrap)]
"""One or several files: a single one may be written without a list."""


def parse_pairs(texts: Iterable[str]) -> dict[str, Any]:
    """Return the parameters of words such as top_p=0.9."""
    return dict(_parse_pair(text) for text in texts)


def _parse_pair(text: str) -> tuple[str, Any]:
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise ConfigError(f"--parameter {text!r}: write NAME=VALUE, such as top_p=0.9")
    try:
        return name, json.loads(value)
    except (ValueError, RecursionError):
        return name, value


def parse_headers(texts: Iterable[str]) -> dict[str, str]:
    """Return the headers of words such as 'X-Key: value'."""
    return dict(_parse_header(text) for text in texts)


def _parse_header(text: str) -> tuple[str, str]:
    name, sign, value = text.partition(":")
    if not sign or not name.strip():
        raise ConfigError("--header: write NAME:VALUE, such as 'X-Key: ${MY_KEY}'")
    return name.strip(), value.strip()


def parse_price(text: str) -> dict[str, dict[str, str]]:
    """Return the price for all models of a word such as 0.15/0.60."""
    prompt, slash, completion = text.partition("/")
    if not slash:
        raise ConfigError(f"--price {text!r} is not a price: write PROMPT/COMPLETION, such as 0.15/0.60")
    return {"*": {"prompt": prompt, "completion": completion}}


def split_commas(text: str | Sequence[str]) -> list[str]:
    """Return the parts of a list that is separated by commas."""
    joined = text if isinstance(text, str) else ",".join(text)
    return [part.strip() for part in joined.split(",") if part.strip()]
