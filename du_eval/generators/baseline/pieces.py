"""Pieces of a message that have a recognisable form: addresses, numbers, dates, times, names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from du_eval.generators.baseline.moments import find_dates, find_times
from du_eval.generators.baseline.numbers import find_numbers
from du_eval.generators.baseline.spans import Form, Span
from du_eval.generators.baseline.text import STOP_WORDS, WORDS

_BY_PATTERN = (
    (Form.EMAIL, re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")),
    (Form.HANDLE, re.compile(r"(?<![\w@])@[\w.-]*\w")),
    (Form.PHONE, re.compile(r"(?<![\w-])\+?\(?\d{2,4}\)?[\s-]\d{3}[\s-]\d{3,4}(?![\w-])")),
    (Form.CODE, re.compile(r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Z])[A-Z0-9][A-Z0-9-]{2,}(?![\w-])")),
)
_CAPITAL = r"[A-ZÀ-ÖØ-ÞА-ЯЁ](?:\w{0,2}\.(?=\s+[A-Z])|[\w'’-]*)"
_NAME = re.compile(rf"(?<![\w@#]){_CAPITAL}(?:\s+(?:(?:de|la|van|von|der|den|of|the|and|&)\s+)?{_CAPITAL})*")
_NO_NAME = STOP_WORDS.union({"i", "ok"}, *(line.split() for line in WORDS["no_names"]))
_SENTENCE_ENDS = tuple(".!?:;\n")


@lru_cache(maxsize=64)
def find_pieces(text: str) -> tuple[Span, ...]:
    """Return the pieces of a message in the order of the text; of two that overlap, the surer form stays."""
    found = [*_by_pattern(text), *find_dates(text), *find_times(text), *find_numbers(text)]
    kept = _drop_overlaps(found)
    masked = text
    for span in kept:
        masked = masked[: span.start] + "#" * (span.end - span.start) + masked[span.end :]
    return _drop_overlaps([*kept, *_find_names(masked)])


def _by_pattern(text: str) -> Iterator[Span]:
    for form, pattern in _BY_PATTERN:
        for match in pattern.finditer(text):
            yield Span(form, match.start(), match.end(), match[0])


def _drop_overlaps(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return the spans in the order of the text; of two that overlap, the one that was named first stays."""
    kept: list[Span] = []
    for span in spans:
        if not any(span.overlaps(other) for other in kept):
            kept.append(span)
    return tuple(sorted(kept, key=lambda span: span.start))


def _find_names(text: str) -> Iterator[Span]:
    """Yield names: words with capitals, unsure where a capital may only begin a sentence."""
    for match in _NAME.finditer(text) if not text.isupper() else ():
        before = text[: match.start()].rstrip()
        begins = not before or before.endswith(_SENTENCE_ENDS)
        name = match[0]
        while name and name.split()[0].lower().strip(".,'") in _NO_NAME and (begins or " " not in name):
            name = name.partition(" ")[2].lstrip()
        start = match.end() - len(name)
        name = name.rstrip(".,!?'-")
        if len(name) > 1:
            is_sure = not begins or start > match.start() or " " in name
            yield Span(Form.NAME, start, start + len(name), name, is_sure)
