"""What the options of the cache mean together."""

from __future__ import annotations

from du_eval.errors import ConfigError


def cache_mode(use: bool | None, *, refresh: bool, offline: bool) -> str | None:
    """Return how the cache is used; None where nothing is said."""
    chosen = [
        name for name, is_on in (("refresh", refresh), ("offline", offline), ("off", use is False)) if is_on
    ]
    if len(chosen) > 1:
        raise ConfigError("--no-cache, --refresh and --offline exclude each other")
    return chosen[0] if chosen else "use" if use else None
