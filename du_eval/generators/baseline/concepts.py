"""Words that mean nearly the same when people talk to services of any kind."""

from __future__ import annotations

import re
from functools import cache

from du_eval.generators.baseline.text import STOP_WORDS, stem, words

_SYNONYMS = """
send transfer pay wire remit paying payment owe settle
money cash fund euro eur dollar usd pound gbp buck amount
show list view see display check tell print read
add create register save insert include store attach connect new link
remove delete erase drop clear unlink
change update edit modify alter amend correct adjust switch
book reserve schedule arrange reservation
order buy purchase
block lock freeze disable deactivate suspend
replace renew reissue replacement substitute swap
lost missing gone misplaced lose disappeared vanished
stolen theft stole thief steal robbed
damaged broken bent cracked broke defective faulty
recurring recurrent repeating regular regularly automatic automatically automate repeat standing periodic
monthly weekly yearly daily quarterly annual annually
find search locate lookup discover
complain complaint problem issue trouble fault
verify authenticate identity identification prove verification
cancel withdraw undo revoke terminate annul
address move moved relocate relocation
price cost fee charge
hour open close opening closing closed
track tracking trace whereabouts
join member membership subscribe enrol enroll signup
password passcode pin
bill invoice
phone mobile cell telephone
deliver delivery bring courier driver ship
refund reimburse reimbursement moneyback
email mail
everything all whole complete entire
home house flat apartment
late delayed delay overdue
wrong incorrect mistaken
cold freezing
hot warm
small little tiny
large big huge
cheap inexpensive affordable
fast quick express
"""

_PHRASES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), meaning)
    for pattern, meaning in (
        (r"\bhow much (?:money |cash )?(?:do|have|is|did) (?:i|we|my|there|left)\b.*", r"\g<0> balance"),
        (r"\bhow much (?:money |cash )?(?:is )?left\b", r"\g<0> balance"),
        (r"\bhow much (?:money |cash )?(?:i|we) (?:have|own|got|still)\b", r"\g<0> balance"),
        (r"\b(?:every|each|per|once a|a) (week|month|year|day)\b", r"\g<0> \1ly recurring"),
        (r"\bevery (?:three months|quarter)\b", r"\g<0> quarterly recurring"),
        (r"\b(?:sign(?:ed|ing)?|signs) (?:me |us |my \w+ )?up\b", "join"),
        (r"\b(?:set|setting|sets) up\b", "create"),
        (r"\b(?:take|taking|took) (?:it |them )?back\b", "withdraw"),
        (r"\bget rid of\b", "remove"),
        (r"\b(?:look|looking|looked) (?:it |them |\w+ )?up\b", "search"),
        (r"\b(?:money|cash) back\b", "refund"),
        (r"\bnew (?:place|home|flat|house|apartment)\b", r"\g<0> address"),
        (r"\bwhere(?:'s| is| are|s)\b", r"\g<0> track"),
        (r"\b(?:place|make|put in|making|placing) an? (order|booking|reservation)\b", r"new \1"),
    )
)


@cache
def _concept_of_stem() -> dict[str, str]:
    table: dict[str, str] = {}
    for line in _SYNONYMS.strip().splitlines():
        members = line.split()
        for word in members:
            table.setdefault(stem(word), f"={members[0]}")
    return table


def expanded(text: str) -> str:
    """Return a text with common phrases rewritten to the word that they stand for."""
    for pattern, meaning in _PHRASES:
        text = pattern.sub(meaning, text)
    return text


def concept_of(stemmed: str) -> str:
    """Return the concept of a stem, or the stem itself."""
    return _concept_of_stem().get(stemmed, stemmed)


def concepts(text: str) -> list[str]:
    """Return the content of a text as concepts and stems, in order."""
    return [concept_of(stem(word)) for word in words(expanded(text)) if word not in STOP_WORDS]
