"""Repeated attempts: which share must succeed, and what is known after some of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import ceil, comb

_FORM = re.compile(r"\s*(\d+)\s*/\s*(\d+)\s*")


@dataclass(frozen=True, slots=True)
class SuccessRatio:
    """How many of how many attempts must succeed."""

    needed: int
    of: int

    def __post_init__(self) -> None:
        if not 1 <= self.needed <= self.of:
            raise ValueError(f"{self} asks for the impossible: write needed/attempts, such as 2/3")

    def __str__(self) -> str:
        return f"{self.needed}/{self.of}"

    @classmethod
    def parsed(cls, text: str) -> SuccessRatio:
        """Return the ratio of a text such as `2/3`."""
        match = _FORM.fullmatch(text)
        if match is None:
            raise ValueError(f"'{text}' is no success ratio: write needed/attempts, such as 2/3")
        return cls(int(match[1]), int(match[2]))

    def over(self, attempts: int) -> SuccessRatio:
        """Return the same share of another number of attempts, rounded up."""
        return SuccessRatio(ceil(attempts * self.needed / self.of), attempts)

    def decision(self, succeeded: int, failed: int) -> bool | None:
        """Return whether it is fulfilled, or None while that is open."""
        if succeeded >= self.needed:
            return True
        return False if failed > self.of - self.needed else None

    def certain_attempts(self, succeeded: int, failed: int) -> int:
        """Return how many more attempts are needed in any case before it can be decided."""
        if self.decision(succeeded, failed) is not None:
            return 0
        return min(self.needed - succeeded, self.of - self.needed + 1 - failed)


def pass_at_k(succeeded: int, attempts: int, k: int) -> float | None:
    """Return the chance that at least one of k attempts succeeds, without bias, from the attempts made."""
    if not 1 <= k <= attempts:
        return None
    return 1.0 - comb(attempts - succeeded, k) / comb(attempts, k)


def pass_hat_k(succeeded: int, attempts: int, k: int) -> float | None:
    """Return the chance that all of k attempts succeed (pass^k), without bias, from the attempts made."""
    if not 1 <= k <= attempts:
        return None
    return comb(succeeded, k) / comb(attempts, k)
