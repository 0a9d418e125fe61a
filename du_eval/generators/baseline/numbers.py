"""Numbers and amounts in digits and in words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from du_eval.generators.baseline.spans import Form, Span
from du_eval.generators.baseline.text import WORDS

_UNITS = {word: value for value, line in enumerate(WORDS["numbers"]) for word in line.split()}
_TENS = {word: 10 * value for value, line in enumerate(WORDS["tens"], start=2) for word in line.split()}
_SCALES = {"hundred": 100, "thousand": 1000, "grand": 1000, "million": 1_000_000}
_ARTICLES = frozenset({"un", "une", "uno", "una", "ein", "eine", "einen"})
_AMBIGUOUS = frozenset({"one", "both", "null"})
_COUNTING = re.compile(
    r"(?:^|\b)(?:just|only|for|get|want|need|order|deliver|like|have|take|buy|bring|send|is|be)$",
    re.IGNORECASE,
)
_SMALL = {**_UNITS, **_TENS}
_NUMBER_WORD = "|".join(sorted((*_SMALL, *_SCALES), key=len, reverse=True))
_IN_WORDS = re.compile(
    rf"(?<![\w-])(?:a\s+(?=hundred|thousand|million|grand))?(?:{_NUMBER_WORD})"
    rf"(?:(?:[\s-]+(?:and\s+)?)(?:{_NUMBER_WORD}))*(?![\w-])",
    re.IGNORECASE,
)
_CURRENCY = (
    r"(?:[$€£¥₽]|usd|eur|euros?|gbp|dollars?|bucks?|pounds?|quid|chf|francs?|rubles?|руб[^\W\d]*|ユーロ|円)"
)
_IN_DIGITS = re.compile(
    rf"(?<![\w.,@#-])(?P<before>{_CURRENCY}\s?)?#?"
    r"(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+(?:,\d+)?(?![\d])|\d+(?:[.,]\d+)?)"
    rf"(?P<scale>\s?(?:k|m)(?![a-z]))?(?P<after>\s?{_CURRENCY}(?![a-z]))?(?![\w@])(?![.,:]\d)",
    re.IGNORECASE,
)


def find_numbers(text: str) -> Iterator[Span]:
    """Yield the numbers of a text, digits first; words such as `one` only where they count something."""
    for match in _IN_DIGITS.finditer(text):
        is_money = bool(match["before"] or match["after"])
        value = _plain_number(match["digits"], (match["scale"] or "").strip().lower())
        yield Span(Form.MONEY if is_money else Form.NUMBER, match.start(), match.end(), value)
    for match in _IN_WORDS.finditer(text):
        if not _is_weak(text, match):
            yield Span(Form.NUMBER, match.start(), match.end(), str(_value_of_words(match[0])))


def _is_weak(text: str, match: re.Match[str]) -> bool:
    """Tell whether a number word is rather an article or a pronoun, as in `a new one`."""
    word, before, after = match[0].lower(), text[: match.start()].rstrip(), text[match.end() :].strip()
    if word not in _AMBIGUOUS:
        return word in _ARTICLES and bool(before + after)
    begins = not before or before[-1] in ".,;!?:"
    return not begins and _COUNTING.search(before) is None


def _plain_number(digits: str, scale: str) -> str:
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits):
        digits = digits.replace(",", "")
    elif re.fullmatch(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?", digits) and not re.fullmatch(r"\d+\.\d{3}", digits):
        digits = digits.replace(".", "").replace(",", ".")
    else:
        digits = digits.replace(",", ".")
    if scale:
        number = float(digits) * {"k": 1000, "m": 1_000_000}[scale]
        return f"{number:g}" if number < 1e6 else str(int(number))
    return digits


def _value_of_words(text: str) -> int:
    words = [word for word in re.split(r"[\s-]+", text.lower()) if word != "and"]
    total = current = 0
    for word in words:
        if word == "a":
            current = 1
        elif word in _SCALES and _SCALES[word] >= 1000:
            total += max(current, 1) * _SCALES[word]
            current = 0
        elif word in _SCALES:
            current = max(current, 1) * _SCALES[word]
        else:
            current += _SMALL[word]
    return total + current
