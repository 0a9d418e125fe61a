"""What to do about a change, as values: one sentence, its causes, what got better and worse."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class Advice(StrEnum):
    """What a decision comes to."""

    SHIP = "ship"
    KEEP = "keep"
    """Do not ship: what there is now is better, or as good."""
    EITHER = "either"
    """The difference does not matter."""
    WAIT = "wait"
    """It cannot be told yet."""
    UNCHANGED = "unchanged"
    """No step changed."""


class ChangedStep(Struct, frozen=True):
    """A step that one of two runs got right and the other wrong."""

    id: str
    place: str
    case: str
    message: str
    expected: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    difference: float
    """What the second run did better: -1 to 1."""
    kinds: tuple[str, ...] = ()
    """The kinds of the mistakes, of whichever run made them."""
    names: tuple[tuple[str, str], ...] = ()
    """What the wrong commands are about: (`flow`, name) and (`slot`, name)."""
    conversation: tuple[tuple[str, str], ...] = ()
    """Who said what before the message."""


class Cause(Struct, frozen=True):
    """Changed steps that have something in common: a kind of mistake, a flow or a slot."""

    title: str
    is_loss: bool
    worse: int
    better: int
    examples: tuple[ChangedStep, ...]


class Decision(Struct, frozen=True):
    """What a team lead reads first."""

    advice: Advice
    sentence: str
    before: str
    after: str
    regressed: tuple[str, ...] = ()
    """Commands, checks or figures that got worse, more than by chance."""
    improved: tuple[str, ...] = ()
    causes: tuple[Cause, ...] = ()
    worse: tuple[ChangedStep, ...] = ()
    better: tuple[ChangedStep, ...] = ()
    activity: str = "test"
    """What kind of runs they are."""
    command: str = ""
    """What to call next, where that would decide."""
