"""Repeated attempts: which share must succeed, and what is known after some of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import ceil, comb

from msgspec import Struct

_USUAL = (1, 2, 3, 5, 10, 20, 50, 100)
_FORM = re.compile(r"\s*([0-9]{1,9})\s*/\s*([0-9]{1,9})\s*")


class SuccessRatio(Struct, frozen=True, omit_defaults=True):
    """How many of how many attempts must succeed."""

    needed: int
    of: int

    def __post_init__(self) -> None:
        if not 1 <= self.needed <= self.of:
            raise ValueError(f"{self} is impossible to meet: write needed/attempts, such as 2/3")

    def __str__(self) -> str:
        return f"{self.needed}/{self.of}"

    @classmethod
    def parsed(cls, text: str) -> SuccessRatio:
        """Return the ratio of a text such as `2/3`."""
        match = _FORM.fullmatch(text)
        if match is None:
            raise ValueError(f"'{text}' is not a success ratio: write needed/attempts, such as 2/3")
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


class ChanceOfK(Struct, frozen=True, omit_defaults=True):
    """Chances over k attempts, averaged over all items."""

    k: int
    n: int
    at_least_one: float
    """pass@k"""
    all_of_them: float
    """pass^k"""


class Chances(Struct, frozen=True, omit_defaults=True):
    """Chances over k attempts, and why there are none for larger k."""

    by_k: tuple[ChanceOfK, ...] = ()
    omitted: str = ""
    asked: int = 0
    """How many attempts every item has."""
    mixed: int = 0
    """How many items both succeeded and failed in these."""


def chances_over_k(outcomes: Sequence[Sequence[bool | None]]) -> Chances:
    """Return pass@k and pass^k from the first attempts that every item has; None is an attempt not judged.

    Where an item is no longer tried once it is decided, those with more attempts are the doubtful ones,
    and all attempts together would mislead; the first ones of each do not.
    """
    asked = min((len(one) for one in outcomes), default=0)
    first = [[value for value in one[:asked] if value is not None] for one in outcomes]
    known = [one for one in first if one]
    most = min((len(one) for one in known), default=0)
    found = tuple(_chance_of(known, k) for k in sorted({k for k in _USUAL if k < most} | {most}) if k)
    longest = max((len(one) for one in outcomes), default=0)
    mixed = sum(len(set(one)) > 1 for one in known)
    return Chances(found, _omitted(most, longest, len(outcomes) - len(known)), asked, mixed)


def _chance_of(outcomes: Sequence[Sequence[bool]], k: int) -> ChanceOfK:
    n = len(outcomes)
    any_of = sum(pass_at_k(sum(one), len(one), k) or 0.0 for one in outcomes)
    all_of = sum(pass_hat_k(sum(one), len(one), k) or 0.0 for one in outcomes)
    return ChanceOfK(k, n, any_of / n, all_of / n)


def _omitted(most: int, longest: int, without: int) -> str:
    parts = [f"{without} without a judged sample left out"] if without else []
    if longest > most:
        parts.append(f"k above {most} omitted: not all have more judged samples")
    return "; ".join(parts)
