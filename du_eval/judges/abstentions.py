"""Whether a reply says that the answer is not known."""

from __future__ import annotations

import re

from du_eval.judges.yes_no import normalised

_UNKNOWN = re.compile(
    r"\b(?:don't|do not|didn't|did not|doesn't) (?:really |even |quite |yet )?(?:know|remember|recall|"
    r"have (?:that|any|"
    r"this|enough) (?:\w+ )?(?:information|info|idea|memory|knowledge))\b|"
    r"\b(?:can't|cannot|can not|couldn't|could not|unable to|not able to) (?:really )?(?:remember|recall|"
    r"say|tell|answer|"
    r"know)\b|\bno (?:idea|clue|information)\b|\bnot (?:\w+ )?(?:sure|certain|told|mentioned)\b|"
    r"\bforgot(?:ten)?\b|"
    r"\b(?:never|haven't|have not|didn't|did not) (?:\w+ )?(?:told|tell|mentioned|mention|said|say|shared|"
    r"share)\b|"
    r"\bi wish i knew\b|\bunknown to me\b|\bне знаю\b|\bне помню\b|\bпонятия не имею\b|\bне уверен\w*\b|"
    r"\bне (?:говорил\w*|рассказывал\w*|упоминал\w*)\b|\bзабыл\w*\b"
)


def is_abstention(reply: str) -> bool:
    """Return whether a reply says that the answer is not known, forgotten or was never told."""
    return bool(_UNKNOWN.search(normalised(reply)))
