"""What calls cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """Money for a million tokens, in the currency of the price table."""

    prompt: float
    completion: float

    def of(self, prompt_tokens: int | None, completion_tokens: int | None) -> float | None:
        """Return the cost of a call; unknown where the endpoint does not tell its tokens."""
        if prompt_tokens is None or completion_tokens is None:
            return None
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / _MILLION


def price_of(model: str, prices: Mapping[str, Price]) -> Price | None:
    """Return the price of a model: under its full name, without the provider in front, or that of all (*)."""
    return prices.get(model) or prices.get(model.partition("/")[2]) or prices.get("*")
