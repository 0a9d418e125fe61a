"""What a reply says by taking up a word of the question, or by putting another one in its place."""

from __future__ import annotations

import re

from du_eval.judges.numerals import tokens_of
from du_eval.judges.plain_text import split_clauses, stems_alike, words_of
from du_eval.judges.yes_no_statements import SPEAKER, STOP_WORDS, Said, is_doubtful
from du_eval.judges.yes_no_words import FILLER

_COMPARED = re.compile(r"\b(?:over|under|more|less|than|at least|above|below|больше|меньше|дороже|дешевле)\b")
_ORIGIN = re.compile(r"\b(?:from|из) (?:the )?(?!out|an?other|some|around|where)([^\W\d_]{3,})")
_NUMBER = re.compile(r"\b(?:(\d+) ([^\W\d_]{3,})|(room|terminal|gate|page|chapter|flat|platform) (\d+))")
_NAME = r"([A-ZА-ЯЁ][\w'-]+)"
_PLACED = re.compile(rf"\b(in|at|to|from|near|в|во|из|под|на) {_NAME}", re.IGNORECASE | re.UNICODE)
_ANY = re.compile(r"\b(?:any\w*|something|\w+-(?:нибудь|либо))\b")
_VERB_ASKED = re.compile(r"(?:шь|шься|ете|ите|етесь|итесь|л|ла|ло|ли|лся|лась|лись)$")
_VERB_SAID = re.compile(r"(?:ю|у|юсь|усь|ем|им|емся|имся|л|ла|ли|лся|лась|лись)$")
_AFTER_VERB = re.compile(
    r"(?:\d+|уже|еще|вчера|сегодня|завтра|утром|днем|вечером|ночью|давно|недавно|часто|иногда|кажд\w+|оди?н\w*|дв\w+|"
    r"три|пару|много|и|но|а|же|его|ее|их|там|туда|все|всё|очень|\w+о|\w+жды|когда|как|раз|с|со|до|после|перед|по|при)$"
)
_PAST = re.compile(r"^(?:did|have|has|had)n't |^(?:did|have|has|had) ")
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


def read_by_echo(sentences: list[str], asked: str) -> Said | None:
    """Return yes where a reply opens with what was asked: "Is it on Friday?" "Friday, at ten"."""
    told = _told(sentences[:1])
    if not told or is_doubtful(told[0]):
        return None
    words, question = words_of(told[0]), words_of(asked)
    if _opens_with_focus(told[0], sentences[0], question) or _opens_with_past(words[0], asked, question):
        return Said(is_yes=True, words=f"takes up '{told[0]}'")
    return None


def _opens_with_focus(clause: str, sentence: str, question: list[str]) -> bool:
    """Return whether a short clause has only words of the question, its last one among them."""
    words = words_of(clause)
    content = [word for word in words if word not in STOP_WORDS]
    focus = [word for word in question if word not in STOP_WORDS and len(word) > 2][-1:]
    is_defined = re.match(rf"{re.escape(clause)} -", FILLER.sub("", sentence))
    is_short = len(words) <= 3 and all(_is_in(word, question) for word in content)
    return is_short and not is_defined and any(_is_in(word, content) for word in focus)


def _opens_with_past(first: str, asked: str, question: list[str]) -> bool:
    """Return whether the first word is the past form of what was asked: "Did you send it?" "Sent at nine"."""
    if not _PAST.match(asked) or first in question or first in STOP_WORDS or len(first) < 3:
        return False
    return any(stems_alike(first, one) for one in question[2:5]) and not first.endswith(("ing", "s"))


def read_by_verb(sentences: list[str], asked: str) -> Said | None:
    """Return yes where a reply says the verb of the question, and no other object takes its place."""
    question = words_of(asked)
    if SPEAKER & set(question) - {"у", "нас"}:
        return None
    for clause in _told(sentences)[:2]:
        if is_doubtful(clause) or re.search(r"\b(?:only|just|prefer|только|лишь)\b", clause):
            continue
        words = words_of(clause)
        if found := _english_verb(words, question) if _ANY.search(asked) else None:
            return Said(is_yes=True, words=f"takes up '{found}'")
        if (found := _russian_verb(words, question)) and (
            _ANY.search(asked) or _leaves_object(words, found, question)
        ):
            return Said(is_yes=True, words=f"takes up '{found}'")
    return None


def _english_verb(words: list[str], question: list[str]) -> str | None:
    if len(words) < 3 or words[0] not in {"i", "we", "i've", "we've"} or "you" not in question:
        return None
    asked = question[question.index("you") + 1 :][:2]
    return next((one for one in words[1:3] if len(one) > 2 and _is_in(one, asked)), None)


def _russian_verb(words: list[str], question: list[str]) -> str | None:
    asked = [one for one in question if len(one) > 2 and _VERB_ASKED.search(one) and one not in {"ли", "или"}]
    return next(
        (one for one in words[:3] if _VERB_SAID.search(one) and len(one) > 2 and _is_in(one, asked)), None
    )


def _leaves_object(words: list[str], verb: str, question: list[str]) -> bool:
    """Return whether nothing after a verb competes with what the question has there."""
    if any(word not in STOP_WORDS and _is_in(word, question) for word in words if word != verb):
        return True
    after = words[words.index(verb) + 1 :]
    if not after:
        return True
    return bool(_AFTER_VERB.match(after[0]) or (len(after[0]) < 3 and after[0] not in question))


def read_by_other_value(sentences: list[str], asked: str) -> Said | None:
    """Return no where another origin, number or trade stands in place of the asked one."""
    told = " ".join(one for one in sentences if not one.endswith("?"))
    if is_doubtful(told) or _COMPARED.search(asked):
        return None
    places, others = _ORIGIN.findall(asked), _ORIGIN.findall(told)
    if places and others and not _is_in(places[0], words_of(told)):
        return Said(is_yes=False, words=f"says 'from {others[0]}' where 'from {places[0]}' was asked")
    for number, thing in _numbers(asked):
        for other, same in _numbers(told):
            if stems_alike(thing, same) and other != number:
                words = f"says '{other} {same}' where '{number} {thing}' was asked"
                return Said(is_yes=False, words=words)
    return _other_role(sentences, asked)


def _numbers(text: str) -> list[tuple[str, str]]:
    found = _NUMBER.findall(" ".join(tokens_of(text)))
    return [(number or after, thing or before) for number, thing, before, after in found]


def _other_role(sentences: list[str], asked: str) -> Said | None:
    question = _ROLE_ASKED.search(asked)
    role = question and (question["en"] or question["ru"])
    if not role or not _ROLE.match(role) or any(_is_in(role, words_of(one)) for one in sentences):
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
    words = words_of(reply.casefold())
    place, name = asked[-1]
    if _is_in(name.casefold(), words):
        return None
    verbs = [one for one in words_of(question.casefold()) if one not in STOP_WORDS and one != name.casefold()]
    shares = any(_is_in(one, words) for one in verbs if len(one) > 2)
    opens = _PLACED.match(reply)
    same = next((other for where, other in told if where[0] == place[0]), None)
    if same and (shares or opens):
        return Said(is_yes=False, words=f"says '{same}' where '{name}' was asked")
    return None
