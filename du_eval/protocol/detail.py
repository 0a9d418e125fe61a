"""What runs of the persona protocol store about a reply and about a whole run, in their own words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from du_eval.protocol.annotate import Agreement
from du_eval.protocol.criteria import Judged
from du_eval.protocol.run import CriterionResult
from du_eval.runs.report import Kind


@dataclass(frozen=True, slots=True)
class TurnDetail:
    """An utterance of the tester and the bot's reply, with every decision; or those on a whole dialogue."""

    said: str = ""
    reply: str = ""
    became: str = "answered"
    """answered, empty, error or timeout."""
    remark: str = ""
    block: str = ""
    topic: str = ""
    decisions: tuple[Judged, ...] = ()


@dataclass(frozen=True, slots=True)
class ProtocolExtra:
    """What concerns a whole run of the protocol."""

    language: str
    judges: str
    criteria: tuple[CriterionResult, ...]
    switches: tuple[int | None, ...] = ()
    """Utterances that each topic switch took; None for one that never came about."""
    limit: int = 0
    """So many utterances try to bring about a switch."""
    unjudged_switches: int = 0
    replies: Mapping[str, int] = field(default_factory=dict)
    """How many replies were answered, empty, errors or timeouts."""
    cut: int = 0
    """How many dialogues were not held to the end."""
    agreement: tuple[Agreement, ...] = ()
    """How far the person who judged the replies by hand agrees with the judge."""


KIND = Kind("protocol", TurnDetail, ProtocolExtra)
