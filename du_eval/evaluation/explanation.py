"""What is known about an answer besides its commands: what can be seen in it, and why its step failed."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class Provenance(StrEnum):
    """What made a step fail."""

    MODEL = "model wrong"
    FORMAT = "format wrong"
    HALLUCINATED = "hallucinated command"
    TRUNCATED = "truncated"
    REFUSED = "refused or filtered"
    REASONING = "reasoning leaked"
    ENDPOINT = "endpoint error"
    EXPECTATION = "expectation doubtful"


class Sign(StrEnum):
    """What can be seen in an answer, whether or not its step passes."""

    REASONING = "reasoning"
    TRUNCATED = "truncated"
    REFUSED = "refused or filtered"
    HALLUCINATED = "hallucinated command"
    UNPARSED = "other text"
    TOOL_CALLS = "tool calls"


class Explanation(Struct, frozen=True, omit_defaults=True):
    """Why a step is as it is."""

    provenance: Provenance | None = None
    """None where the step passed."""
    signs: tuple[Sign, ...] = ()
    reasoning: str = ""
    hallucinated: tuple[str, ...] = ()
    passes_in_perfect_form: bool = False
    """The right commands are there, if text in a wrong form is read kindly."""
