"""Small agents that follow rules: what the examples and the example server run."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count
from typing import Any

History = list[tuple[str, str]]
_SONGS = {
    "yellow submarine": ("The Beatles", "Liverpool"),
    "waterloo": ("ABBA", "Stockholm"),
    "paint it black": ("The Rolling Stones", "London"),
}
_PRICE = 3.0
_OPERATIONS: dict[str, Callable[[float, float], float | None]] = {
    "times": lambda x, y: x * y,
    "plus": lambda x, y: x + y,
    "minus": lambda x, y: x - y,
    "divided by": lambda x, y: x / y if y else None,
}


def music_nerd(text: str, history: History) -> str:
    """Know who recorded a few songs, and where the band last spoken of came from."""
    song = _song_in(text)
    if song:
        return f"{song.title()} was recorded by {_SONGS[song][0]}."
    if re.search(r"\b(where|from|city)\b", text, re.IGNORECASE):
        earlier = next((found for _, said in reversed(history) if (found := _song_in(said))), None)
        return f"They came from {_SONGS[earlier][1]}." if earlier else "Whom do you mean?"
    return "I only know about music. Ask me who recorded a song."


def music_nerd_pro(text: str, history: History, sly_data: dict[str, Any]) -> dict[str, Any]:
    """Answer like music_nerd, as a structure, and keep an account of what the answers cost."""
    cost = float(sly_data.get("running_cost", 0.0)) + _PRICE
    return {
        "text": "",
        "structure": {"answer": music_nerd(text, history), "running_cost": cost},
        "sly_data": {"running_cost": cost},
        "tools": [{"name": "accountant", "params": {"price": _PRICE}}],
    }


def math_guy(text: str, sly_data: dict[str, object]) -> dict[str, object]:
    """Apply an operation to two private numbers; the result stays private too."""
    operation = next((name for name in _OPERATIONS if name in text.lower()), None)
    x, y = sly_data.get("x"), sly_data.get("y")
    if operation is None or not isinstance(x, int | float) or not isinstance(y, int | float):
        return {"text": "I need an operation, and the numbers x and y in the sly data."}
    result = _OPERATIONS[operation](x, y)
    return {
        "text": "The result is in the sly data.",
        "sly_data": {"x": x, "y": y, "equals": None if result is None else float(result)},
        "tools": [{"name": "calculator", "params": {"operation": operation}}],
    }


class MoodyClerk:
    """Tells the opening hours, except for every third time; for trying ratios and the assessor."""

    def __init__(self) -> None:
        self._turns = count()

    def __call__(self, text: str) -> str:
        """Answer, or not."""
        turn = next(self._turns)
        if turn % 3 != 2:
            return "The shop is open from 9 to 18 o'clock."
        if turn % 2:
            return f"I am sorry, I cannot help you with '{text}'."
        return "The shop is closed for good."


moody_clerk = MoodyClerk()


def _song_in(text: str) -> str | None:
    return next((song for song in _SONGS if song in text.lower()), None)


EXAMPLE_AGENTS = {
    "music_nerd": music_nerd,
    "music_nerd_pro": music_nerd_pro,
    "math_guy": math_guy,
    "moody_clerk": moody_clerk,
}
