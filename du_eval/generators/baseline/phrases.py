"""Phrases by which people steer a conversation, in a handful of languages."""

from __future__ import annotations

from du_eval.generators.baseline.tables import compile_phrases, read_table

_PATTERNS = {name: compile_phrases(lines) for name, lines in read_table("phrases.txt").items()}
YES = _PATTERNS["yes"]
NO = _PATTERNS["no"]
NOT_NEGATIVE = _PATTERNS["not_negative"]
CANCEL = _PATTERNS["cancel"]
SKIP = _PATTERNS["skip"]
NEXT = _PATTERNS["next"]
UNSURE = _PATTERNS["unsure"]
REPEAT = _PATTERNS["repeat"]
STAFF = _PATTERNS["staff"]
REACH = _PATTERNS["reach"]
STAFF_ALONE = _PATTERNS["staff_alone"]
GREETING = _PATTERNS["greeting"]
SMALL_TALK = _PATTERNS["small_talk"]
THANKS = _PATTERNS["thanks"]
WAITING = _PATTERNS["waiting"]
NOTED = _PATTERNS["noted"]
CORRECTION = _PATTERNS["correction"]
REQUEST = _PATTERNS["request"]
