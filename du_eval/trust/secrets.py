"""Secrets stay out of everything that is written down."""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from functools import lru_cache
from urllib.parse import parse_qsl, quote, quote_plus, unquote, urlencode, urlsplit, urlunsplit

from msgspec import Struct

HIDDEN = "***"
UNREADABLE = "(an address that cannot be read)"
"""Shown instead of an address of which nobody can tell what in it is secret."""
_SECRET_WORDS = ("key", "token", "secret", "password", "auth", "sig", "credential")
_KEY_HEADERS = frozenset({"authorization", "api-key", "x-api-key"})
_SHORTEST_KEY = 8
_CREDENTIALS = re.compile(r"(://)[^\s/?#@]+@")


def hide_secrets(text: str, secrets: Iterable[str]) -> str:
    """Return a text with every secret in it replaced, also as it is written in JSON, HTML and addresses."""
    for secret in secrets:
        if len(secret) > 3:
            for form in _list_forms(secret):
                text = text.replace(form, HIDDEN)
    return text


@lru_cache(maxsize=256)
def _list_forms(secret: str) -> tuple[str, ...]:
    """Return how servers write a secret that they repeat, the longest form first."""
    escaped = {quote(secret), quote(secret, safe=""), quote_plus(secret)}
    lower = {re.sub("%..", lambda found: found[0].lower(), one) for one in escaped}
    quoted = {json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], repr(secret)[1:-1]}
    slashed = {one.replace("/", "\\/") for one in quoted}
    packed = b64encode(secret.encode("utf-8", "replace")).decode()
    forms = {secret, *escaped, *lower, *quoted, *slashed, html.escape(secret), packed}
    return tuple(sorted(forms, key=len, reverse=True))


def hide_credentials(text: str) -> str:
    """Return a text without user and password of the addresses in it."""
    return _CREDENTIALS.sub(r"\1", text)


def is_secret_name(name: str) -> bool:
    """Tell whether a parameter or header of this name holds a secret."""
    return any(word in name.casefold() for word in _SECRET_WORDS)


def public_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return headers without anything secret; a reference to a variable stays."""
    return {
        name: HIDDEN if is_secret_name(name) and "${" not in value else value
        for name, value in headers.items()
    }


class Credentials(Struct, frozen=True):
    """User and password of an address, apart from it: as a header they go along with any other."""

    url: str
    header: str = ""
    secrets: tuple[str, ...] = ()
    """What must not show, should a server echo it."""


@lru_cache(maxsize=256)
def split_credentials(url: str) -> Credentials:
    """Return an address without user and password, and those as a header; an odd address stays as it is."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return Credentials(url)
    user, at, host = parts.netloc.rpartition("@")
    if not at:
        return Credentials(url)
    name, _, password = map(unquote, user.partition(":"))
    token = b64encode(f"{name}:{password}".encode()).decode()
    secrets = tuple(filter(None, (token, password)))
    return Credentials(urlunsplit(parts._replace(netloc=host)), f"Basic {token}", secrets)


def list_secrets(url: str, headers: Mapping[str, str]) -> tuple[str, ...]:
    """Return what a request holds that must not show, should a server echo it."""
    sent = (value.rpartition(" ")[2] for name, value in headers.items() if name.casefold() in _KEY_HEADERS)
    # Servers on this machine are often given "test" or "none" as key: a word that replies may hold.
    return (*split_credentials(url).secrets, *(one for one in sent if len(one) >= _SHORTEST_KEY))


@lru_cache(maxsize=256)
def public_url(url: str) -> str:
    """Return an address without user, password, and parameters that hold secrets."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return UNREADABLE
    host = parts.netloc.rpartition("@")[2]
    query = [(name, HIDDEN if is_secret_name(name) else value) for name, value in parse_qsl(parts.query)]
    return urlunsplit((parts.scheme, host, parts.path, urlencode(query, safe="*"), ""))
