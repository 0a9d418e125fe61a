"""What a judge is asked about, role by role, and what it may answer."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from du_eval.judges.answer_rules import AnswerTask
from du_eval.judges.coherence_rules import Exchanged
from du_eval.judges.protocol_rules import CriterionTask


class Role(StrEnum):
    """What a judge decides about."""

    ANSWERS = "answers"
    YES_NO = "yes_no"
    COHERENCE = "coherence"
    REPEATED_QUESTIONS = "repeated_questions"
    TOXICITY = "toxicity"
    GIST = "gist"
    STUTTER = "stutter"
    PROTOCOL = "protocol"


class ClosedTask(Struct, frozen=True):
    """A closed question and the reply to it."""

    question: str
    reply: str


class TurnTask(Struct, frozen=True):
    """A turn of a bot, and its earlier turns."""

    earlier: tuple[str, ...]
    turn: str


class TextTask(Struct, frozen=True):
    """A reply that is judged on its own."""

    reply: str


class GistTask(Struct, frozen=True):
    """A response, and the criterion that it is to meet."""

    criterion: str
    response: str


Task = AnswerTask | ClosedTask | Exchanged | TurnTask | TextTask | GistTask | CriterionTask

LABELS: Mapping[Role, tuple[str, ...]] = {
    Role.ANSWERS: ("right", "wrong"),
    Role.YES_NO: ("yes", "no", "unclear"),
    Role.COHERENCE: ("coherent", "incoherent"),
    Role.REPEATED_QUESTIONS: ("true", "false"),
    Role.TOXICITY: ("toxic", "fine"),
    Role.GIST: ("meets", "does not meet"),
    Role.STUTTER: ("stutters", "fine"),
    Role.PROTOCOL: ("ok", "bad"),
}
"""What a judge of a role may answer; for yes/no, `unclear` is the label of a reply that says neither."""
