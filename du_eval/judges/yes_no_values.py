"""What a reply says by another value in place of the asked one, or in the way such questions are answered."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from du_eval.judges.lexicon import read_data
from du_eval.judges.numerals import split_tokens
from du_eval.judges.plain_text import split_words, stems_alike
from du_eval.judges.yes_no_statements import STOP_WORDS, Said, is_doubtful, list_told

_COMPARED = re.compile(r"\b(?:over|under|more|less|than|at least|above|below|больше|меньше|дороже|дешевле)\b")
_ORIGIN = re.compile(r"\b(?:from|из) (?:the )?(?!out|an?other|some|around|where)([^\W\d_]{3,})")
_NUMBER = re.compile(r"\b(?:(\d+) ([^\W\d_]{3,})|(room|terminal|gate|page|chapter|flat|platform) (\d+))")
_AMOUNTS = tuple(
    map(re.compile, (r"[£$€] ?(\d[\d,.]*\b)", r"\b(?:at|в) (\d+(?::\d\d)?)\b", r"\b(\d[\d.,]*) ?%"))
)
_DAYS = [
    "mon", "tue", "wed", "thu", "fri", "sat", "sun",
    "понед", "вторн", "сред", "четв", "пятн", "субб", "воскр",
]  # fmt: skip
_DAY = rf"\b((?:{'|'.join(_DAYS)})\w*?)"
_RANGE = re.compile(rf"{_DAY} (?:to|till|until|through|-|по|до) {_DAY}\b")
_NAME = r"([A-ZА-ЯЁ][\w'-]+)"
_PLACED = re.compile(rf"\b(in|at|to|from|near|в|во|из|под|на) {_NAME}", re.IGNORECASE | re.UNICODE)
_ROLE = re.compile(
    r"(?:\w{2,}(?:er|or|ist|ian|man|woman|yer)|nurse|chef|cook|pilot|student|judge|vet|clerk|mechanic|"
    r"accountant|"
    r"assistant|guard|paramedic|"
    r"\w{2,}(?:ер|ор|ист|тель|тельниц\w|ник|ниц\w|арь|ач|чик|щик|иц\w|нин|лог|граф|хирург|повар|пекарь|"
    r"студент\w*|военный|юрист))$"
)
_ROLE_ASKED = re.compile(
    r"^(?:is|are|was|were)(?:n't)? .*\ban? (?P<en>[a-z-]+)\?$|"
    r"^(?:мо|тво|ваш|ее|его|ты|вы|он)\w* .*?(?P<ru>[а-я-]+)\?$"
)
_ROLE_SAID = re.compile(
    r"^(?:i|he|she|you|they)(?:'m|'s|'re| am| is| was| are| were) (?:an? )?(?:[a-z]+ )?(?P<en>[a-z-]+)$|"
    r"^(?:я|он|она|вы|ты) (?:у (?:вас|тебя|меня|нас) )?(?P<ru>[а-я-]+)$|^(?P<first>[а-я-]+) (?:он|она|я)\b"
)
_JOINED = re.compile(r"^(?:but|yet|because|since|as|но|а) ")
_NOT_STATED = re.compile(r"(?:if|если)\b|(?:i|he|she|they) (?:told|tells?|said|says?|claims?)\b")


def _is_in(word: str, words: list[str]) -> bool:
    return any(stems_alike(word, one) for one in words)


def read_by_other_value(sentences: list[str], asked: str) -> Said | None:
    """Return what another origin, number, day or trade in place of the asked one says."""
    told = " ".join(one for one in sentences if not one.endswith("?"))
    if is_doubtful(told) or _COMPARED.search(asked):
        return None
    places, others = re.findall(rf"{_ORIGIN.pattern}\?$", asked), _ORIGIN.findall(told)
    if places and others and not _is_in(places[0], split_words(told)):
        return Said(is_yes=False, words=f"says 'from {others[0]}' where 'from {places[0]}' was asked")
    for number, thing in _numbers(asked):
        for other, same in _numbers(told):
            if stems_alike(thing, same) and other != number:
                words = f"says '{other} {same}' where '{number} {thing}' was asked"
                return Said(is_yes=False, words=words)
    for pattern in _AMOUNTS:
        amounts, instead = pattern.findall(asked), pattern.findall(told)
        if len(amounts) == len(instead) == 1 and amounts != instead:
            return Said(is_yes=False, words=f"says {instead[0]} where {amounts[0]} was asked")
    return _read_range(told, asked) or _other_role(sentences, asked)


def _read_range(told: str, asked: str) -> Said | None:
    """Return whether the asked day is one of those from Monday to Friday, say."""
    found, day = _RANGE.search(told), re.search(rf"{_DAY}\b", asked)
    if not found or not day:
        return None
    first, last, number = (
        next(n % 7 for n, one in enumerate(_DAYS) if word.startswith(one))
        for word in (found[1], found[2], day[1])
    )
    return Said((number - first) % 7 <= (last - first) % 7, f"says '{found[0]}' where '{day[1]}' was asked")


def _numbers(text: str) -> list[tuple[str, str]]:
    found = _NUMBER.findall(" ".join(split_tokens(text)))
    return [(number or after, thing or before) for number, thing, before, after in found]


def _other_role(sentences: list[str], asked: str) -> Said | None:
    question = _ROLE_ASKED.search(asked)
    role = question and (question["en"] or question["ru"])
    if not role or not _ROLE.match(role) or any(_is_in(role, split_words(one)) for one in sentences):
        return None
    for clause in list_told(sentences):
        said = _ROLE_SAID.search(clause)
        other = said and (said["en"] or said["ru"] or said["first"])
        if other and _ROLE.match(other):
            return Said(is_yes=False, words=f"says '{other}' where '{role}' was asked")
    return None


def read_by_other_name(question: str, reply: str) -> Said | None:
    """Return no where another name stands where the question has one; names are told by their capitals."""
    asked = [(found[1].casefold(), found[2]) for found in _PLACED.finditer(question) if found[2][0].isupper()]
    told = [(found[1].casefold(), found[2]) for found in _PLACED.finditer(reply) if found[2][0].isupper()]
    if not asked or not told or is_doubtful(reply.casefold()):
        return None
    words = split_words(reply.casefold())
    place, name = asked[-1]
    if _is_in(name.casefold(), words):
        return None
    verbs = [
        one for one in split_words(question.casefold()) if one not in STOP_WORDS and one != name.casefold()
    ]
    shares = any(_is_in(one, words) for one in verbs if len(one) > 2)
    opens = _PLACED.match(reply)
    same = next((other for where, other in told if where[0] == place[0]), None)
    if same and (shares or opens):
        return Said(is_yes=False, words=f"says '{same}' where '{name}' was asked")
    return None


def read_by_situation(sentences: list[str], asked: str) -> Said | None:
    """Return the answer that a kind of question gets without yes or no: "we only take cash"."""
    stated = [one for one in sentences if not _NOT_STATED.match(one)]
    told = [one for one in stated if not one.endswith("?")]
    clauses = [*told, *(_JOINED.sub("", one) for one in list_told(stated))]
    found: dict[bool, str] = {}
    for pattern, refused, granted in _situations():
        if not pattern.search(asked):
            continue
        for clause in clauses:
            if match := refused.search(clause):
                found[False] = match[0]
            elif (match := granted.search(clause)) and not is_doubtful(clause):
                found[True] = match[0]
    if len(found) != 1:
        return None
    (is_yes, said), *_ = found.items()
    return Said(is_yes, f"says '{said}'")


@cache
def _situations() -> list[tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]]:
    return [
        (re.compile(one["asked"]), _any(one.get("no", ())), _any(one.get("yes", ())))
        for one in read_data("situations.yml")
    ]


def _any(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(patterns) or r"(?!)")
