"""Durations, sizes and moments as people write and read them."""

from __future__ import annotations

import re
from datetime import datetime

from du_eval.errors import ConfigError

_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
_BYTES = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9}
_FORM = re.compile(r"(\d+(?:\.\d+)?)\s*([a-zA-Z]*)")


def parse_duration(text: str) -> float:
    """Return the seconds of a duration such as 30d, 12h or 90m."""
    match = _FORM.fullmatch(text.strip())
    if match is None or match[2].lower() not in _SECONDS:
        raise ConfigError(f"'{text}' is not a duration: write 30d, 12h or 90m")
    return float(match[1]) * _SECONDS[match[2].lower()]


def parse_size(text: str) -> int:
    """Return the bytes of a size such as 500MB."""
    match = _FORM.fullmatch(text.strip())
    if match is None or match[2].lower() not in _BYTES:
        raise ConfigError(f"'{text}' is not a size: write 500MB or 2GB")
    return int(float(match[1]) * _BYTES[match[2].lower()])


def show_size(size: float) -> str:
    """Return a size for people."""
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def show_moment(moment: datetime | float) -> str:
    """Return a moment in the time of this machine."""
    found = datetime.fromtimestamp(moment).astimezone() if isinstance(moment, float) else moment.astimezone()
    return f"{found:%Y-%m-%d %H:%M}"
