"""What quality runs store about a reply and about a whole run, in their own words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from du_eval.quality.dialogue import Mark
from du_eval.quality.results import Assessment, TestResult
from du_eval.runs.report import Kind


@dataclass(frozen=True, slots=True)
class ReplyDetail:
    """A prompt and the bot's reply, with every opinion about it."""

    prompt: str
    reply: str = ""
    became: str = "answered"
    """answered, empty, error or timeout."""
    remark: str = ""
    mark: Mark | None = None
    answer: str = ""
    """The right answer, where the prompt asks for one."""
    assessments: tuple[Assessment, ...] = ()


@dataclass(frozen=True, slots=True)
class QualityExtra:
    """What concerns a whole quality run."""

    tests: tuple[TestResult, ...]
    replies: Mapping[str, int] = field(default_factory=dict)
    """How many replies were answered, empty, errors or timeouts."""
    judges: Mapping[str, str] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    """Percentiles of the bot's response times."""
    missed: tuple[str, ...] = ()
    """Gates that were missed, in words."""
    compat: str = ""


KIND = Kind("quality", ReplyDetail, QualityExtra)
