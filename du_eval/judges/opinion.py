"""What a judge says about one thing: a label, or that it cannot tell."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field


class Opinion(Struct, frozen=True):
    """A label with the judge's confidence and reason; no label where the judge cannot tell."""

    label: str | None
    reason: str
    judge: str
    confidence: float = 0.0
    """From 0 to 1: how often the judge is right about such things, as far as it knows."""
    score: float | None = None
    """What the judge measured on its own scale, where it measures."""
    threshold: float | None = None
    """The score from which, or up to which, a reply passes."""
    span: str = ""
    """The words that were taken as the answer."""
    parts: Mapping[str, float] = field(default_factory=dict)
    """Scores by kind, such as the kinds of toxicity."""

    @property
    def is_decided(self) -> bool:
        """Return whether the judge commits itself to a label."""
        return self.label is not None


def abstain(reason: str, judge: str) -> Opinion:
    """Return the opinion of a judge that cannot tell."""
    return Opinion(None, reason, judge)
