"""Times of the day as people write and say them, in English and Russian."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from du_eval.judges.numerals import split_tokens
from du_eval.judges.plain_text import normalise

_MORNING = re.compile(r"^\W*(?:a\.?m\b|(?:o'clock )?in the morning|утра|ночи)")
_EVENING = re.compile(r"^\W*(?:p\.?m\b|(?:o'clock )?(?:in the (?:afternoon|evening)|at night)|вечера|дня)")
_HOURS = "один|два|три|четыре|пять|шесть|семь|восемь|девять|десять|одиннадцать|двенадцать|час"
_NEXT = {
    "первого": 0, "второго": 1, "третьего": 2, "четвертого": 3, "пятого": 4, "шестого": 5, "седьмого": 6,
    "восьмого": 7, "девятого": 8, "десятого": 9, "одиннадцатого": 10, "двенадцатого": 11,
}  # fmt: skip
_WORDS = r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty(?:[- ]five)?"
_SPOKEN = (
    r"fifteen|twenty|thirty|forty(?:[- ]five)?|fifty|пятнадцать|двадцать|тридцать|сорок(?: пять)?|пятьдесят"
)
_PATTERNS = (
    re.compile(r"\b(?P<hour>\d{1,2})[:.](?P<minute>[0-5]\d)\b"),
    re.compile(
        rf"\b(?P<part>half|(?:a )?quarter|\d+|{_WORDS})(?: minutes?)? (?P<way>past|to|before|after|till) "
        rf"(?P<hour>\d+|{_WORDS})\b"
    ),
    re.compile(
        rf"\bбез (?P<part>четверти|пяти|десяти|двадцати(?: пяти)?)(?: минут)? (?P<hour>{_HOURS}|\d+)\b"
    ),
    re.compile(rf"\b(?P<part>четверть|пол|половин\w) ?(?P<next>{'|'.join(_NEXT)})\b"),
    re.compile(rf"\b(?P<hour>{_WORDS}|{_HOURS}) (?P<part>{_SPOKEN})\b"),
    re.compile(
        rf"\b(?P<hour>\d{{1,2}}|{_WORDS})(?= ?(?:a\.?m\b|p\.?m\b"
        r"|o'clock|in the (?:morning|afternoon|evening)))"
    ),
    re.compile(rf"\b(?P<hour>\d{{1,2}}|{_HOURS})(?= (?:часов |часа )?(?:утра|вечера|дня|ночи))"),
)  # fmt: skip


class DayTime(Struct, frozen=True):
    """Hour and minute; whether it is the second half of the day, where that is known."""

    hour: int
    minute: int
    is_late: bool | None

    def fits(self, other: DayTime) -> bool:
        """Return whether two times can be the same."""
        is_same = self.hour % 12 == other.hour % 12 and self.minute == other.minute
        return is_same and (self.is_late is None or other.is_late is None or self.is_late == other.is_late)


def read_times(text: str) -> list[DayTime]:
    """Return the times of the day that a text names."""
    return list(_read(normalise(text)))


def _read(text: str) -> Iterator[DayTime]:
    taken: list[tuple[int, int]] = []
    for pattern in _PATTERNS:
        for found in pattern.finditer(text):
            if any(start < found.end() and found.start() < end for start, end in taken):
                continue
            time = _time(found, text[found.end() :])
            if time:
                taken.append(found.span())
                yield time


def _time(found: re.Match[str], after: str) -> DayTime | None:
    parts = found.groupdict()
    hour = _NEXT[parts["next"]] if parts.get("next") else _number(parts.get("hour") or "")
    minute = _minutes(parts.get("part") or "") if parts.get("part") else int(parts.get("minute") or 0)
    is_before = parts.get("way") in {"to", "before", "till"} or found[0].startswith("без")
    if hour is None or minute is None or hour > 24 or minute > 59:
        return None
    if is_before:
        hour, minute = (hour - 1) % 12, 60 - minute
    late = True if hour > 12 or _EVENING.match(after) else False if _MORNING.match(after) else None
    if hour == 0 and not is_before and not parts.get("next"):
        late = False
    return DayTime(hour, minute, late)


def _number(word: str) -> int | None:
    if word == "час":
        return 1
    tokens = split_tokens(word)
    return int(tokens[0]) if tokens and tokens[0].isdecimal() else None


def _minutes(part: str) -> int | None:
    if part.startswith(("half", "пол")):
        return 30
    return 15 if "quarter" in part or part.startswith("четверт") else _number(part)
