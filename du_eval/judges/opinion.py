"""What a judge says about one thing: a label, or that it cannot tell."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Opinion:
    """A label with the judge's confidence and reason; no label where the judge cannot tell."""

    label: str | None
    reason: str
    judge: str
    confidence: float = 0.0
    """From 0 to 1: how often the judge is right about such things, as far as it knows."""

    @property
    def is_decided(self) -> bool:
        """Return whether the judge commits itself to a label."""
        return self.label is not None


def abstain(reason: str, judge: str) -> Opinion:
    """Return the opinion of a judge that cannot tell."""
    return Opinion(None, reason, judge)
