"""Names of people, companies and places, found by capitals and by the words in front of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from du_eval.generators.baseline.moments import find_dates
from du_eval.generators.baseline.spans import Form, Span
from du_eval.generators.baseline.text import STOP_WORDS

_TITLE = r"(?:(?:mr|mrs|ms|miss|dr|prof|sir|aunt|uncle|auntie|tante|onkel|oncle|tía|tío)\.?\s+)"
_CAPITAL = r"[A-ZÀ-ÖØ-ÞА-ЯЁ][\w'’.-]*"
_PROPER = re.compile(
    rf"(?<![\w@])(?:{_TITLE})?{_CAPITAL}(?:\s+(?:(?:de|la|van|von|der|den|of|the|and|&)\s+)?{_CAPITAL})*",
)
_TITLED = re.compile(rf"(?<!\w){_TITLE}{_CAPITAL}(?:\s+{_CAPITAL})*", re.IGNORECASE)
_LEADS = r"to|for|from|with|in|at|on|of|by|an|für|von|à|pour|para|al|de|pay|paying|owe|give|send|wire|transfer"
_LED = re.compile(
    rf"(?<!\w)(?P<lead>{_LEADS})\s+"
    r"(?P<owner>(?:(?:my|our|his|her|the|a|an|some|der|dem|die|den|le|la|el|los|mein\w*)\s+)*)"
    r"(?P<name>[^\W\d_][\w'’&.-]*(?:\s+[^\W\d_][\w'’&.-]*){0,3})",
    re.IGNORECASE,
)
_KINSHIP = re.compile(
    r"(?:(?:god)?(?:son|daughter|brother|sister|mother|father|mum|mom|dad|friend|cousin|aunt|uncle|wife|husband"
    r"|partner|boss|colleague|landlord|neighbou?r|flatmate|roommate|grandma|grandpa|nephew|niece)s?)\s+(?=[A-ZÀ-Þ])",
    re.IGNORECASE,
)
_ENDS_NAME = frozenset(
    """
    for on at in from to by with about because as every each per this next last via using since until today tomorrow
    tonight please pls now then instead and or but so if when while where who which that is was are will would should
    can could into of off once again soon asap right also too euros euro dollars dollar bucks pounds it there here
    thanks thank account card money cash some something someone somebody anyone everyone people person friend friends
    family start starting beginning monthly weekly yearly daily um am im auf bitte pro par cada por porque
    """.split()
)
_NO_NAMES = frozenset("i i'd i'll i'm i've ok okay yes no hi hello hey please thanks thank the a an".split())


def find_names(text: str) -> Iterator[Span]:
    """Yield names: with a role first, then titled ones, then any capitalised words."""
    for match in _LED.finditer(text):
        span = _led(match)
        if span:
            yield span
    for match in _TITLED.finditer(text):
        yield Span(Form.NAME, match.start(), match.end(), match[0])
    for match in _PROPER.finditer(text):
        span = _proper(text, match)
        if span:
            yield span


def _led(match: re.Match[str]) -> Span | None:
    name, start = match["name"], match.start("name")
    kinship = _KINSHIP.match(name)
    if kinship:
        name, start = name[kinship.end() :], start + kinship.end()
    kept: list[str] = []
    for word in name.split():
        bare = word.lower().strip(".,!?'")
        if bare in _ENDS_NAME or (bare in STOP_WORDS and not word[0].isupper()) or next(find_dates(word), None):
            break
        # A name may go on in lower case only where it began so.
        if kept and kept[-1][0].isupper() and not word[0].isupper() and word not in {"&", "de", "van", "von"}:
            break
        kept.append(word)
    if not kept:
        return None
    value = " ".join(kept).rstrip(".,!?'")
    end = start + name.index(kept[-1], len(" ".join(kept[:-1]))) + len(kept[-1])
    lead = match["lead"].lower()
    return Span(Form.NAME, start, min(end, start + len(name)), value, lead if value[0].isupper() else f"{lead} ")


def _proper(text: str, match: re.Match[str]) -> Span | None:
    words = match[0].split()
    starts_sentence = not text[: match.start()].strip() or text[: match.start()].rstrip()[-1] in ".!?:;\n"
    if words[0].lower().rstrip(".,") in _NO_NAMES or (starts_sentence and words[0].lower() in STOP_WORDS):
        words = words[1:]
    value = " ".join(words).rstrip(".,!?'")
    if not value or next(find_dates(value), None) or value.lower() in _NO_NAMES:
        return None
    start = match.end() - len(" ".join(words)) if words else match.start()
    return Span(Form.NAME, start, start + len(value), value, "^" if starts_sentence and words == match[0].split() else "")
