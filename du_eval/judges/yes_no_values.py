"""What a reply says by putting another value in the place of the one that was asked about."""

from __future__ import annotations

import re

from du_eval.judges.numerals import split_tokens
from du_eval.judges.plain_text import split_clauses, split_words, stems_alike
from du_eval.judges.yes_no_statements import STOP_WORDS, Said, is_doubtful
from du_eval.judges.yes_no_words import FILLER

_COMPARED = re.compile(r"\b(?:over|under|more|less|than|at least|above|below|больше|меньше|дороже|дешевле)\b")
_ORIGIN = re.compile(r"\b(?:from|из) (?:the )?(?!out|an?other|some|around|where)([^\W\d_]{3,})")
_NUMBER = re.compile(r"\b(?:(\d+) ([^\W\d_]{3,})|(room|terminal|gate|page|chapter|flat|platform) (\d+))")
_NAME = r"([A-ZА-ЯЁ][\w'-]+)"
_PLACED = re.compile(rf"\b(in|at|to|from|near|в|во|из|под|на) {_NAME}", re.IGNORECASE | re.UNICODE)
_ROLE = re.compile(
    r"(?:\w{2,}(?:er|or|ist|ian|man|woman|yer)|nurse|chef|cook|pilot|student|judge|vet|clerk|mechanic|accountant|"
    r"assistant|guard|paramedic|"
    r"\w{2,}(?:ер|ор|ист|тель|тельниц\w|ник|ниц\w|арь|ач|чик|щик|иц\w|нин|лог|граф|хирург|повар|пекарь|студент\w*|военный|юрист))$"
)
_ROLE_ASKED = re.compile(
    r"^(?:is|are|was|were)(?:n't)? .*\ban? (?P<en>[a-z-]+)\?$|"
    r"^(?:мо|тво|ваш|ее|его|ты|вы|он)\w* .*?(?P<ru>[а-я-]+)\?$"
)
_ROLE_SAID = re.compile(
    r"^(?:i|he|she|you|they)(?:'m|'s|'re| am| is| was| are| were) (?:an? )?(?:[a-z]+ )?(?P<en>[a-z-]+)$|"
    r"^(?:я|он|она|вы|ты) (?:у (?:вас|тебя|меня|нас) )?(?P<ru>[а-я-]+)$|^(?P<first>[а-я-]+) (?:он|она|я)\b"
)


def _told(sentences: list[str]) -> list[str]:
    """Return the clauses of a reply that ask nothing, without the words before the matter."""
    clauses = [part for one in sentences if not one.endswith("?") for part in split_clauses(one)]
    return [rest for one in clauses if (rest := FILLER.sub("", one).strip())]


def _is_in(word: str, words: list[str]) -> bool:
    return any(stems_alike(word, one) for one in words)


def read_by_other_value(sentences: list[str], asked: str) -> Said | None:
    """Return no where another origin, number or trade stands in place of the asked one."""
    told = " ".join(one for one in sentences if not one.endswith("?"))
    if is_doubtful(told) or _COMPARED.search(asked):
        return None
    places, others = _ORIGIN.findall(asked), _ORIGIN.findall(told)
    if places and others and not _is_in(places[0], split_words(told)):
        return Said(is_yes=False, words=f"says 'from {others[0]}' where 'from {places[0]}' was asked")
    for number, thing in _numbers(asked):
        for other, same in _numbers(told):
            if stems_alike(thing, same) and other != number:
                words = f"says '{other} {same}' where '{number} {thing}' was asked"
                return Said(is_yes=False, words=words)
    return _other_role(sentences, asked)


def _numbers(text: str) -> list[tuple[str, str]]:
    found = _NUMBER.findall(" ".join(split_tokens(text)))
    return [(number or after, thing or before) for number, thing, before, after in found]


def _other_role(sentences: list[str], asked: str) -> Said | None:
    question = _ROLE_ASKED.search(asked)
    role = question and (question["en"] or question["ru"])
    if not role or not _ROLE.match(role) or any(_is_in(role, split_words(one)) for one in sentences):
        return None
    for clause in _told(sentences):
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
