"""Everything in a message that has a recognisable form: numbers, dates, times, names, addresses, codes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from du_eval.generators.baseline.moments import find_dates, find_times
from du_eval.generators.baseline.names import find_names
from du_eval.generators.baseline.numbers import find_numbers
from du_eval.generators.baseline.spans import Form, Span, masked, without_overlaps

_WAY = r"(?:street|st|road|rd|avenue|ave|lane|ln|drive|dr|boulevard|blvd|way|court|plaza|straße|allee)"
_CAPITALS = (
    r"(?!(?:Pay|Send|Give|Transfer|Wire|Add|Book|Order|Buy|Call|For|To|At|On|In|By)\b)"
    r"[A-ZÀ-Þ][\w'’-]+(?:\s+[A-ZÀ-Þ][\w'’-]+)+"
)
_BY_PATTERN = (
    (Form.EMAIL, re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")),
    (Form.HANDLE, re.compile(r"(?<![\w@])@[\w.-]*\w")),
    (
        Form.ADDRESS,
        re.compile(
            rf"(?<![\w#])\d+[a-z]?\s+(?:[^\W\d_][\w'’-]*\s+){{1,3}}{_WAY}\b(?:\s*#\s*\w+)?"
            rf"|(?<!\w)(?:[^\W\d_][\w'’-]*\s+){{1,2}}{_WAY}\s+\d+[a-z]?(?!\w)"
            r"|(?<!\w)(?:rue|avenue|calle|улица|ул\.)\s+[\w\s'’.-]{2,30}?\s*\d+",
            re.IGNORECASE,
        ),
    ),
    (
        Form.ADDRESS,
        re.compile(rf"(?<![\w#])\d{{1,5}}[a-z]?\s+{_CAPITALS}|(?<!\w){_CAPITALS}\s+\d{{1,4}}[a-z]?(?!\w)"),
    ),
    (Form.PHONE, re.compile(r"(?<![\w-])\+?\(?\d{2,4}\)?[\s-]\d{3}[\s-]\d{3,4}(?![\w-])")),
    (Form.CODE, re.compile(r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Z])[A-Z0-9][A-Z0-9-]{2,}(?![\w-])")),
)


@lru_cache(maxsize=64)
def find_pieces(text: str) -> tuple[Span, ...]:
    """Return the pieces of a message in the order of the text; of two that overlap, the surer form stays."""
    found = [*_by_pattern(text), *find_dates(text), *find_times(text), *find_numbers(text)]
    kept = without_overlaps(found)
    return without_overlaps([*kept, *find_names(masked(text, kept))])


def _by_pattern(text: str) -> Iterator[Span]:
    for form, pattern in _BY_PATTERN:
        for match in pattern.finditer(text):
            yield Span(form, match.start(), match.end(), match[0])
