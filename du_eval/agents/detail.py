"""What runs of agent cases store about a sample and about a whole run, in their own words."""

from __future__ import annotations

from dataclasses import dataclass

from du_eval.agents.modes import FailureMode
from du_eval.agents.results import InteractionResult
from du_eval.runs.report import Kind


@dataclass(frozen=True, slots=True)
class Talk:
    """One attempt at a case: what was said, answered and checked."""

    agent: str
    connection: str
    interactions: tuple[InteractionResult, ...] = ()


@dataclass(frozen=True, slots=True)
class CaseModes:
    """The ways in which a case failed."""

    case: str
    """The case over its connection, as reports list it."""
    not_passed: int
    """How many samples did not pass."""
    modes: tuple[FailureMode, ...]


@dataclass(frozen=True, slots=True)
class AgentExtra:
    """What concerns a whole run of agent cases."""

    modes: tuple[CaseModes, ...] = ()


KIND = Kind("agent", Talk, AgentExtra)
