"""What a message does to the conversation, told by fixed phrases."""

from __future__ import annotations

import re

from du_eval.generators.baseline import phrases
from du_eval.generators.baseline.text import content_words

_JAPANESE = re.compile(r"^\s*(?:(?P<yes>はい|ええ|うん)|(?P<no>いいえ|いえ|違))")
_QUESTION_WORD = (
    r"(?:why|how|what|which|who|whom|whose|where|when|warum|wie|was|wer|wo|wann|pourquoi|comment|quel\w*"
    r"|qué|cómo|cuánto|почему|как|что|сколько|где)"
)
_AUXILIARY = r"(?:is|are|am|was|were|do|does|did|can|could|will|would|should|shall|has|isn't|aren't|doesn't)"
_OPENING = r"^\W*(?:(?:and|but|so|btw|by the way|also|ok|okay|hm+|wait|oh|sorry|well),?\s+)*"
_QUESTION_START = re.compile(rf"{_OPENING}(?:{_QUESTION_WORD}|{_AUXILIARY})\b", re.IGNORECASE)
_FACTS_START = re.compile(rf"{_OPENING}(?!(?:what|how) about\b){_QUESTION_WORD}\b", re.IGNORECASE)
_ELLIPSIS = re.compile(
    r"^\W*(?:\w+\W+){1,3}(?:would|does|do|did|can|could|will|has|have|is|am|are)[\s.!]*$", re.IGNORECASE
)
_CONFIRMING = re.compile(r"\bconfirm|\b(?:correct|right)\b|\bjust to be|\bhow about\b", re.IGNORECASE)
_PROPOSAL = re.compile(
    r"\b(?:shall (?:i|we)|should i|would you like|do you (?:want|wish|need|prefer)|want me to|can i|may i"
    r"|could i|interested|how about|why not)\b(?!.*\b(?:which|what|where|when|who|how)\b)",
    re.IGNORECASE,
)
_NEAR, _REACH = 12, 15


def is_question(text: str) -> bool:
    """Tell whether a sentence asks something."""
    return text.rstrip(" \"')").endswith("?") or _QUESTION_START.match(text) is not None


def asks_for_facts(text: str) -> bool:
    """Tell whether a message is a question with a question word, which answers nothing itself."""
    return text.rstrip().endswith("?") and _FACTS_START.match(text) is not None


def asks_for_staff(text: str) -> bool:
    """Tell whether a message asks for a human being."""
    if phrases.STAFF_ALONE.search(text):
        return True
    ends = [match.end() for match in phrases.REACH.finditer(text)]
    starts = [match.start() for match in phrases.STAFF.finditer(text)]
    return any(0 <= start - end <= _REACH for end in ends for start in starts)


def is_proposal(text: str) -> bool:
    """Tell whether the bot proposes to do something, which a yes accepts."""
    return text.endswith("?") and _PROPOSAL.search(text) is not None


def is_confirming(text: str) -> bool:
    """Tell whether the bot asks if what it says is right."""
    return _CONFIRMING.search(text) is not None


def is_waiting(text: str) -> bool:
    """Tell whether a message only asks for time."""
    return phrases.WAITING.search(text) is not None and not re.search(r"\w", phrases.WAITING.sub("", text))


def is_acknowledgement(text: str) -> bool:
    """Tell whether a message says nothing but that it is fine, or thanks."""
    rest = phrases.NOTED.sub(" ", phrases.THANKS.sub(" ", phrases.YES.sub(" ", text)))
    return not content_words(rest)


def is_wish(text: str) -> bool:
    """Tell whether a message asks for something."""
    return phrases.REQUEST.search(text) is not None or is_question(text)


def yes_or_no(text: str) -> bool | None:
    """Return what an answer says to a yes-or-no question; the first clear word decides."""
    if japanese := _JAPANESE.match(text):
        return japanese["yes"] is not None
    softened = phrases.NOT_NEGATIVE.sub("yes", text)
    yes, no = phrases.YES.search(softened), phrases.NO.search(softened)
    if yes and no:
        negated = phrases.NO.search(softened[max(0, yes.start() - _NEAR) : yes.start()])
        return yes.start() < no.start() and negated is None
    if yes or no:
        return yes is not None
    return True if _ELLIPSIS.match(text) else None


def without(pattern: re.Pattern[str], text: str) -> str:
    """Return a text without the phrases of a pattern."""
    return re.sub(r"\s+", " ", pattern.sub(" ", text)).strip(" ,.!?;:-")
