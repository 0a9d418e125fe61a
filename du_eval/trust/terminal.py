"""Foreign text on a terminal: shown, and not obeyed."""

from __future__ import annotations

import re

_STEERING = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
    "\U000e0000-\U000e007f"
)
"""What steers a terminal, reverses what is read, or cannot be seen."""
_ANY = re.compile(f"[{_STEERING}]")
_NOT_OURS = re.compile(rf"(?!\x1b\[[0-9;]*m)[{_STEERING}]")


def neutralise(text: str, *, is_styled: bool = False) -> str:
    """Return a text with everything spelled out that would steer a terminal, but for our own colours.

    The spelling is that of JSON, so that JSON means the same as before.
    """
    return (_NOT_OURS if is_styled else _ANY).sub(_spell, text)


def _spell(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[place]:02x}{units[place + 1]:02x}" for place in range(0, len(units), 2))
