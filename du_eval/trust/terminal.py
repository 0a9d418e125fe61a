"""Foreign text on a terminal: shown, and not obeyed."""

from __future__ import annotations

import re

_STEERING = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f"
)
"""What steers a terminal, reverses what is read, or cannot be seen."""
_ANY = re.compile(f"[{_STEERING}]")
_NOT_OURS = re.compile(rf"(?!\x1b\[[0-9;]*m)[{_STEERING}]")
_COMMANDS = re.compile(r"^[^\S\n]*:(?=:)|#(?=#\[)", re.MULTILINE)
"""Where a line would be a command to the machine of a build: GitHub obeys `::add-mask::` and `##[error]`."""


def neutralise(text: str, *, is_styled: bool = False) -> str:
    """Return a text with everything spelled out that would steer a terminal or a build, but for our colours.

    The spelling is that of JSON, so that JSON means the same as before.
    """
    shown = (_NOT_OURS if is_styled else _ANY).sub(_spell, text)
    return _COMMANDS.sub(_spell, shown)


def _spell(found: re.Match[str]) -> str:
    """Return the last character of a match as JSON escapes it, after what is before it."""
    before, units = found[0][:-1], found[0][-1].encode("utf-16-be", "surrogatepass")
    return before + "".join(
        f"\\u{units[place]:02x}{units[place + 1]:02x}" for place in range(0, len(units), 2)
    )
