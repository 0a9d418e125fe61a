"""A piece of a message."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class Form(StrEnum):
    """What a piece looks like."""

    EMAIL = "email"
    HANDLE = "handle"
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
