"""Words of the command line and of files into the values of settings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator, StringConstraints

from du_eval.errors import ConfigError

Word = Annotated[str, StringConstraints(min_length=1)]
Words = list[Word]

_FORMS = {
    "int": "a whole number", "float": "a number", "bool": "true or false", "string": "a string",
    "list": "a list", "dict": "a mapping", "model": "a mapping",
    "greater_than_equal": "at least {ge}", "greater_than": "above {gt}", "less_than_equal": "at most {le}",
    "less_than": "below {lt}", "literal_error": "{expected}",
    "string_too_short": "a string that is not empty", "string_pattern_mismatch": "a string like {pattern}",
}  # fmt: skip
"""What a value must be, by the mistake that pydantic finds, or by the type that it misses."""
_KIND = re.compile("_(?:type|parsing|from_float|attributes_type)$")


def tell_mistake(alternatives: Sequence[Any], shown: str) -> str:
    """Return why a value is refused that may have one of several forms: `must be a list, not 5`."""
    found = alternatives[0]
    if found["type"] == "value_error":
        return str(found["msg"]).removeprefix("Value error, ")
    forms = [_FORMS.get(one["type"]) or _FORMS.get(_KIND.sub("", one["type"])) for one in alternatives]
    if None in forms:
        return f"{found['msg'][:1].lower()}{found['msg'][1:]}, not {shown}"
    told = (str(form).format(**one.get("ctx", {})) for form, one in zip(forms, alternatives, strict=True))
    return f"must be {' or '.join(told)}, not {shown}"


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
