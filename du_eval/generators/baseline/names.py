"""Names of people, companies and places, found by capitals and by the words in front of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from du_eval.generators.baseline.moments import find_dates
from du_eval.generators.baseline.spans import Form, Span
from du_eval.generators.baseline.text import STOP_WORDS

_TITLE = r"(?:(?i:mr|mrs|ms|miss|dr|prof|sir|aunt|uncle|auntie|tante|onkel|oncle|tía|tío)\.?\s+)"
_CAPITAL = r"[A-ZÀ-ÖØ-ÞА-ЯЁ][\w'’.-]*"
_PROPER = re.compile(
    rf"(?<![\w@])(?:{_TITLE})?{_CAPITAL}(?:\s+(?:(?:de|la|van|von|der|den|of|the|and|&)\s+)?{_CAPITAL})*"
)
_TITLED = re.compile(rf"(?<!\w){_TITLE}[^\W\d_][\w'’-]*(?:\s+{_CAPITAL})*")
_GIVING_VERB = r"pay|paying|owe|give|send|wire|transfer|pays|sending"
_VERBS = frozenset(_GIVING_VERB.split("|"))
_LEAD = re.compile(
    rf"(?<!\w)(?P<lead>to|for|from|with|in|at|on|of|by|an|für|von|à|pour|para|al|de|{_GIVING_VERB})\s+"
    r"(?P<owner>(?:my|our|his|her|mein\w*)\s+)?(?:(?:the|a|an|some|der|dem|die|den|le|la|el|los)\s+)*",
    re.IGNORECASE,
)
_BEFORE_A_VERB = re.compile(
    r"\b(?:want(?:s|ed)?|need(?:s|ed)?|like|love|wish|hope|try|trying|going|how|able|have|has|had|got|used|ready"
    r"|time|way|prefer|plan|planning|forgot|remember|decided|help|me|us|you|him|her|them|what|where|when|order"
    r"|possible|easy|hard|happy|about|thing|things|intend|ought|supposed|allowed)\s+$",
    re.IGNORECASE,
)
_KIN = re.compile(
    r"(?:god|step|grand)?(?:son|daughter|brother|sister|mother|father|mum|mom|dad|friend|cousin|wife|husband|partner"
    r"|boss|colleague|landlord|landlady|neighbou?r|flatmate|roommate|grandma|grandpa|nephew|niece|child|kid)s?,?"
    r"\s+(?-i:(?=[A-ZÀ-Þ]))",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_][\w'’&.-]*|&")
_ENDS_NAME = frozenset(
    re.findall(
        r"\S+",
        """
    about account add again also am and anyone are as asap ask at auf be because beginning bitte block
    book bucks but buy by cada can cancel card cash change check contact contacts could daily delete do
    dollar dollars each euro euros every everyone family for friend friends from get give go have her
    here his if im in instead into is it know last let list make money monthly my next now of off on
    once open or order our par pay payment people per person please pls por porque pounds pro put remove
    replace right see send set should show since so some somebody someone something soon speak start
    starting talk tell thank thanks that their then there this to today tomorrow tonight too transfer um
    until update use using verify via was weekly when where which while who will with would yearly your
    """,
    )
)
_NO_NAMES = frozenset(
    {"i", "i'd", "i'll", "i'm", "i've", "ok", "okay", "yes", "no", "hi", "hello", "hey", "please", "thanks"}
)


def find_names(text: str) -> Iterator[Span]:
    """Yield names: those with a telling word in front, then titled ones, then any capitalised words."""
    for match in _LEAD.finditer(text):
        span = _led(text, match)
        if span:
            yield span
    for match in _TITLED.finditer(text):
        yield Span(Form.NAME, match.start(), match.end(), match[0])
    for match in _PROPER.finditer(text):
        span = _proper(text, match)
        if span:
            yield span


def _led(text: str, match: re.Match[str]) -> Span | None:
    lead, start = match["lead"].lower(), match.end()
    titled = _TITLED.match(text, start)
    if titled:
        return Span(Form.NAME, start, titled.end(), titled[0], lead)
    kin = _KIN.match(text, start)
    start = kin.end() if kin else start
    end = _end_of_name(text, start)
    value = text[start:end].rstrip(".,!?'")
    if not value:
        return None
    is_capital = value[0].isupper() and len(value) > 1
    if not is_capital and match["owner"] and lead in _VERBS:
        return None
    if not is_capital and lead == "to" and _BEFORE_A_VERB.search(text[: match.start()]):
        return None
    return Span(Form.NAME, start, start + len(value), value, lead, is_sure=is_capital)


def _end_of_name(text: str, start: int) -> int:
    """Return where a name ends: at a function word, at a date, or where capitals cease."""
    end, previous = start, ""
    for match in _WORD.finditer(text, start):
        gap = text[end : match.start()] if previous else ""
        word = match[0]
        bare = word.lower().strip(".,!?'")
        is_joint = bare in {"&", "de", "van", "von", "der", "la"}
        if (
            gap.strip()
            or len(gap) > 1
            or previous.endswith((".", ","))
            or (not previous and match.start() > start)
        ):
            break
        if (
            bare in _ENDS_NAME
            or (bare in STOP_WORDS and not word[0].isupper())
            or next(find_dates(word), None)
        ):
            break
        if previous and previous[0].isupper() and not word[0].isupper() and not is_joint:
            break
        end, previous = match.end(), word
    return end


def _proper(text: str, match: re.Match[str]) -> Span | None:
    words = match[0].split()
    before = text[: match.start()].rstrip()
    starts_sentence = not before or before[-1] in ".!?:;\n"
    if words[0].lower().rstrip(".,") in _NO_NAMES or (
        starts_sentence and words[0].lower() in STOP_WORDS | _ENDS_NAME
    ):
        words = words[1:]
    value = " ".join(words).rstrip(".,!?'")
    if len(value) < 2 or next(find_dates(value), None) or value.lower() in _NO_NAMES:
        return None
    start = match.end() - len(" ".join(words))
    is_sure = not starts_sentence or len(words) < len(match[0].split())
    return Span(Form.NAME, start, start + len(value), value, is_sure=is_sure)
