"""Whether a reply says that the answer is not known, or asks something back instead."""

from __future__ import annotations

import re

from du_eval.judges.plain_text import normalise

_UNKNOWN = re.compile(
    r"\b(?:don't|do not|didn't|did not|doesn't) (?:\w+ ){0,2}(?:know|remember|recall|have (?:\w+ ){0,3}"
    r"(?:information|info|idea|memory|knowledge|record|access|details|note))\b|"
    r"\b(?:can't|can not|couldn't|could not|unable to|not able to) (?:\w+ ){0,2}(?:remember|recall|say|"
    r"tell|answer|"
    r"know|help|find|access)\b|\bno (?:\w+ )?(?:idea|clue|information|record|memory|recollection)\b|"
    r"\bnot (?:\w+ )?(?:sure|certain|told|mentioned|aware)\b|\bforgot(?:ten)?\b|\bslipped my mind\b|"
    r"\b(?:never|haven't|have not|hasn't|didn't|did not|yet to) (?:\w+ )?(?:told|tell|mentioned|"
    r"mention|said|say|"
    r"shared?|specified|specify|provided?|discussed?)\b|"
    r"\bi wish i (?:knew|could (?:remember|recall|tell|say))\b|\bunknown to me\b|\bescapes me\b|"
    r"\b(?:remind me|tell me again|what was (?:it|that)(?: again)?\?|come again|say that again)|"
    r"\bне (?:\w+ )?(?:знаю|помню|уверен\w*|припомн\w+|в курсе|могу (?:вспомнить|сказать|ответить))\b|"
    r"\bпонятия не имею\b|\bбез понятия\b|\bнет (?:\w+ )?(?:информации|сведений|данных|идей)\b|"
    r"\bне (?:говорил\w*|рассказывал\w*|упоминал\w*|сообщал\w*|обсуждал\w*)\b|\b(?:за|поза)был\w*\b|"
    r"\bвылетело из головы\b|"
    r"\bнапомни\w*\b|\bзатрудняюсь\b"
)
_ASKS_BACK = re.compile(
    r"^(?:\W*(?:and|so|oh|well|but|hm+|а|ну)\b)*\W*(?:(?:wh\w+|how)\b.*\b)?"
    r"(?:(?:do|are|have|would|can|will|could) you (?!(?:mean|sure)\b)|"
    r"а (?:ты|вы) (?=\w+(?:шь|те)(?:ся|сь)?\b)).*\?[^\w?]*$"
)
"""A question about the partner; "Didn't you say Rex?" and "Rex, right?" are answers."""


def is_abstention(reply: str) -> bool:
    """Return whether a reply says that the answer is not known, forgotten or was never told."""
    return bool(_UNKNOWN.search(normalise(reply)))


def is_question_back(sentence: str) -> bool:
    """Return whether a sentence asks the partner something instead of answering."""
    return bool(_ASKS_BACK.match(normalise(sentence)))
