"""Everything in a message that has a recognisable form."""

from __future__ import annotations

import re
from collections.abc import Iterator

from du_eval.generators.baseline.moments import find_dates, find_times
from du_eval.generators.baseline.names import find_names
from du_eval.generators.baseline.numbers import find_numbers, is_weak_number
from du_eval.generators.baseline.spans import Form, Span, masked, without_overlaps

_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_HANDLE = re.compile(r"(?<![\w@])@[\w.-]*\w")
_CODE = re.compile(r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Z])[A-Z0-9][A-Z0-9-]{2,}(?![\w-])")
_WAY = r"(?:street|st|road|rd|avenue|ave|lane|ln|drive|boulevard|straße|allee)"
_ADDRESS = re.compile(
    rf"(?<![\w#])\d+[a-z]?\s+(?:[^\W\d_][\w'’-]*\s+){{1,2}}{_WAY}(?!\w)"
    rf"|(?<!\w)(?:[^\W\d_][\w'’-]*\s+){{1,2}}{_WAY}\s+\d+[a-z]?(?!\w)"
    r"|(?<!\w)(?:rue|avenue|calle|улица|ул\.)\s+[\w\s'’.-]{2,30}?\s*\d+",
    re.IGNORECASE,
)
_CAPITALS = r"[A-Z][\w'’-]+(?:\s+[A-Z][\w'’-]+)+"
_NUMBERED_PLACE = re.compile(
    rf"(?<![\w#])\d{{1,4}}[a-z]?\s+{_CAPITALS}|(?<!\w){_CAPITALS}\s+\d{{1,4}}[a-z]?(?!\w)"
)
_BY_PATTERN = (
    (Form.EMAIL, _EMAIL),
    (Form.HANDLE, _HANDLE),
    (Form.CODE, _CODE),
    (Form.ADDRESS, _ADDRESS),
    (Form.ADDRESS, _NUMBERED_PLACE),
)


def find_pieces(text: str) -> tuple[Span, ...]:
    """Return the pieces of a message in the order of the text."""
    return without_overlaps(_all(text))


def _all(text: str) -> Iterator[Span]:
    for form, pattern in _BY_PATTERN:
        for match in pattern.finditer(text):
            yield Span(form, match.start(), match.end(), match[0])
    yield from find_dates(text)
    yield from find_times(text)
    numbers = list(find_numbers(text))
    yield from (span for span in numbers if not is_weak_number(text, span))
    yield from find_names(masked(text, numbers, filler="#"))
