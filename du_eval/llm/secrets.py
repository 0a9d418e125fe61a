"""Secrets stay out of everything that is written down."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

HIDDEN = "***"
UNREADABLE = "(an address that cannot be read)"
"""Shown instead of an address of which nobody can tell what in it is secret."""
_SECRET_WORDS = ("key", "token", "secret", "password", "auth", "sig", "credential")


def hidden(text: str, secrets: Iterable[str]) -> str:
    """Return a text with every secret in it replaced."""
    for secret in secrets:
        if len(secret) > 3:
            text = text.replace(secret, HIDDEN)
    return text


def is_secret_name(name: str) -> bool:
    """Tell whether a parameter or header of this name holds a secret."""
    return any(word in name.casefold() for word in _SECRET_WORDS)


def public_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return headers without anything secret; a reference to a variable stays."""
    return {
        name: HIDDEN if is_secret_name(name) and "${" not in value else value
        for name, value in headers.items()
    }


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
