"""What a message does to the conversation, told by fixed phrases in a handful of languages."""

from __future__ import annotations

import re

from du_eval.generators.baseline.text import content_words, read_table

_ALTERNATIVES = {
    name: "|".join(phrase.strip() for line in lines for phrase in line.split(" | "))
    for name, lines in read_table("phrases.txt").items()
}
_PHRASES = {
    name: re.compile(rf"(?<![\w-])(?:{found})(?![\w-])", re.IGNORECASE)
    for name, found in _ALTERNATIVES.items()
}
_STAFF = re.compile(
    rf"(?<![\w-])(?:{_ALTERNATIVES['reach']})\b.{{0,15}}?(?<![\w-])(?:{_ALTERNATIVES['staff']})(?![\w-])",
    re.IGNORECASE,
)
_ASKING = (
    r"(?:why|how|what|which|who|whom|whose|where|when|warum|wie|was|wer|wo|wann|pourquoi|comment|quel\w*"
    r"|qué|cómo|cuánto|почему|как|что|сколько|где"
    r"|is|are|am|was|were|do|does|did|can|could|will|would|should|shall|has|isn't|aren't|doesn't)"
)
_OPENING = r"^\W*(?:(?:and|but|so|btw|by the way|also|ok|okay|hm+|wait|oh|sorry|well),?\s+)*"
_QUESTION_START = re.compile(rf"{_OPENING}{_ASKING}\b", re.IGNORECASE)
_PROPOSAL = re.compile(
    r"\b(?:shall (?:i|we)|should i|would you like|do you (?:want|wish|need|prefer)|want me to|can i|may i"
    r"|could i|interested|how about|why not)\b(?!.*\b(?:which|what|where|when|who|how)\b)",
    re.IGNORECASE,
)
_NEAR = 12


def says(what: str, text: str) -> bool:
    """Tell whether a text has a phrase of some kind."""
    return _PHRASES[what].search(text) is not None


def without(what: str, text: str) -> str:
    """Return a text without the phrases of some kind."""
    return re.sub(r"\s+", " ", _PHRASES[what].sub(" ", text)).strip(" ,.!?;:-")


def is_question(text: str) -> bool:
    """Tell whether a sentence asks something."""
    return text.rstrip(" \"')").endswith("?") or _QUESTION_START.match(text) is not None


def asks_for_staff(text: str) -> bool:
    """Tell whether a message asks for a human being."""
    return says("staff_alone", text) or _STAFF.search(text) is not None


def is_proposal(text: str) -> bool:
    """Tell whether the bot proposes to do something, which a yes accepts."""
    return text.endswith("?") and _PROPOSAL.search(text) is not None


def is_acknowledgement(text: str) -> bool:
    """Tell whether a message says nothing but that it is fine, or thanks."""
    return not content_words(without("noted", without("thanks", without("yes", text))))


def yes_or_no(text: str) -> bool | None:
    """Return what an answer says to a yes-or-no question; the first clear word decides."""
    softened = _PHRASES["not_negative"].sub("yes", text)
    yes, no = _PHRASES["yes"].search(softened), _PHRASES["no"].search(softened)
    if yes and no:
        return yes.start() < no.start() and not says(
            "no", softened[max(0, yes.start() - _NEAR) : yes.start()]
        )
    return yes is not None if yes or no else None
