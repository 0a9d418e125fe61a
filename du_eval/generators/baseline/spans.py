"""Pieces of a message that have a recognisable form."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct


class Form(StrEnum):
    """What a piece looks like."""

    EMAIL = "email"
    HANDLE = "handle"
    ADDRESS = "address"
    PHONE = "phone"
    TIME = "time"
    DATE = "date"
    MONEY = "money"
    NUMBER = "number"
    CODE = "code"
    NAME = "name"
    VALUE = "value"
    """One of the values that a slot may take."""


class Span(Struct, frozen=True):
    """A piece of a message, and the value that it stands for."""

    form: Form
    start: int
    end: int
    value: str
    is_sure: bool = True
    """False for what may as well be ordinary words."""

    def overlaps(self, other: Span) -> bool:
        """Tell whether two pieces share a letter."""
        return self.start < other.end and other.start < self.end


def without_overlaps(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return the spans in the order of the text; of two that overlap, the one that was named first stays."""
    kept: list[Span] = []
    for span in spans:
        if not any(span.overlaps(other) for other in kept):
            kept.append(span)
    return tuple(sorted(kept, key=lambda span: span.start))


def masked(text: str, spans: Iterable[Span]) -> str:
    """Return the text with a sign in place of every letter of the spans."""
    for span in spans:
        text = text[: span.start] + "#" * (span.end - span.start) + text[span.end :]
    return text
