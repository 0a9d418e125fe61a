"""Dates and times, as people write them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from du_eval.generators.baseline.spans import Form, Span

_DAY = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|tue|thu|fri)(?=[\s,.]|$)"
    r"|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag"
    r"|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche"
    r"|lunes|martes|miércoles|jueves|viernes|sábado|domingo"
    r"|понедельник|вторник|среду|четверг|пятницу|субботу|воскресенье"
)
_MONTH = (
    r"january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)
_UNIT = r"(?:minute|min|hour|day|week|weekend|month|year|quarter|spring|summer|autumn|fall|winter|season)s?"
_ORDINAL = r"\d{1,2}(?:st|nd|rd|th)"
_NUMBER = r"(?:\d+|a|an|one|two|three|four|five|six|seven|eight|nine|ten)"
_RELATIVE = (
    r"(?:the\s+)?day\s+(?:after\s+tomorrow|before\s+yesterday)|today|tomorrow|tonight|yesterday"
    r"|heute|morgen|übermorgen|gestern|aujourd'hui|demain|hoy|mañana|ayer|сегодня|завтра|вчера"
)
_DATES = re.compile(
    rf"(?<!\w)(?:"
    r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}[./](?:\d{4}|\d{2})|\d{1,2}/\d{1,2}"
    rf"|{_ORDINAL}\s++(?:of\s++)?(?:{_MONTH}|this\s++month|next\s++month)(?:,?\s++\d{{4}})?"
    rf"|(?:{_DAY})\s++(?:next|this)\s++week"
    rf"|(?:{_MONTH})\s++(?:the\s++)?(?:{_ORDINAL}|\d{{1,2}}(?!\d))(?:,?\s++\d{{4}})?"
    rf"|\d{{1,2}}\s++(?:of\s++)?(?:{_MONTH})(?:,?\s++\d{{4}})?"
    rf"|(?:since|until|till)\s++(?:(?:{_MONTH})(?!\s++\d{{1,2}}(?!\d))|{_DAY}|last\s++{_UNIT}|{_RELATIVE})(?:\s++\d{{4}})?"
    rf"|(?:next|last|this|past|coming|previous)\s++(?:{_DAY}|{_MONTH}|(?:{_NUMBER}\s++)?{_UNIT})"
    rf"|(?:{_DAY})(?:,?\s++(?:the\s++)?(?:{_ORDINAL}|(?:{_MONTH})\s++\d{{1,2}}))?"
    rf"|(?:{_RELATIVE})"
    rf"|in\s++{_NUMBER}\s++(?:days?|weeks?|months?|years?)"
    rf"|{_NUMBER}\s++(?:days?|weeks?|months?|years?)\s++(?:ago|from\s++now)"
    rf"|(?:the\s++)?{_ORDINAL}(?!\s++(?:of\s++)?(?:{_MONTH}|this\s++month|next\s++month))"
    rf"|(?:the\s++)?(?:beginning|start|end|middle)\s++of\s++(?:the\s++|next\s++|this\s++)?(?:{_MONTH}|{_UNIT})"
    rf"|(?<=\bin\s)(?:{_MONTH})(?:\s++\d{{4}})?"
    r")(?!\w)",
    re.IGNORECASE,
)
_HOUR_WORD = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_HOUR = rf"(?:[01]?\d|2[0-4]|{_HOUR_WORD})"
_TIMES = re.compile(
    rf"(?<![\w.,])(?:(?P<at>at|by|around|um|à|a\s+las)\s+)?(?P<time>"
    rf"(?:half|quarter|twenty|ten|five)\s+(?:past|to)\s+{_HOUR}"
    rf"|(?:\d{{1,2}}[:.]\d{{2}}|{_HOUR})\s+(?:in\s+the\s+(?:morning|afternoon|evening)|at\s+night)"
    r"|(?:morning|afternoon|evening)\s+\d{1,2}[:.]\d{2}|(?:morning|afternoon|evening)\s+\d{1,2}(?!\d)"
    r"|\d{1,2}[:.h]\d{2}\s*(?:am|pm|a\.m\.|p\.m\.|uhr)?"
    rf"|{_HOUR}\s*(?:am|pm|a\.m\.|p\.m\.|o'clock|uhr)|\d{{1,2}}\s?h"
    r"|noon|midnight|midday|lunchtime"
    rf"|in\s+(?:{_NUMBER}|\d+)\s+(?:minutes?|mins?|hours?|hrs?)|in\s+half\s+an\s+hour"
    rf"|(?<=\bat\s){_HOUR}|(?<=\bum\s)\d{{1,2}}"
    r")(?![\w:])",
    re.IGNORECASE,
)


def find_times(text: str) -> Iterator[Span]:
    """Yield the times of day."""
    for match in _TIMES.finditer(text):
        if re.fullmatch(r"\d+\.\d{2}", match["time"]) and not match["at"]:
            continue
        yield Span(Form.TIME, match.start("time"), match.end("time"), match["time"])


def find_dates(text: str) -> Iterator[Span]:
    """Yield the dates and periods."""
    for match in _DATES.finditer(text):
        yield Span(Form.DATE, match.start(), match.end(), match[0])
