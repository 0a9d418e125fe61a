"""What a reply says to a closed question beyond the words yes and no: by statements, praise and values."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from du_eval.judges.lexicon import read_word_set
from du_eval.judges.plain_text import split_clauses, split_words, stems_alike
from du_eval.judges.scales import compare_words
from du_eval.judges.yes_no_words import (
    ACCEPTED,
    DECLINED,
    DISLIKED,
    FILLER,
    HYPOTHETICAL,
    LIKED,
    NEGATED,
    OFFER,
    UNNEGATED,
)

STOP_WORDS = read_word_set("stop")
_LIKING = re.compile(
    r"(?<!is )(?<!are )(?<!be )(?<!was )(?<!would you )(?<!look )(?<!feel )(?<!sound )\b(?:like|love|"
    r"enjoy|prefer|fancy|fond of|into|fan of|keen on|interested in)\b|\bлюб\w+|"
    r"\bнрав\w+|\bобожа\w+"
)
_QUALITY = re.compile(
    r"\b(?:good|nice|great|fun|okay|enjoyable|tasty|delicious|interesting|worth|favourite|fav|recommend|"
    r"productive|"
    r"useful|successful|helpful|pleasant)\b|"
    r"\b(?:хорош\w+|вкусн\w+|интересн\w+|понравил\w+|здорово|стоит (?:брать|смотреть|читать|ехать|идти|"
    r"покупать))\b"
)
SPEAKER = read_word_set("speaker")


_LISTENER = read_word_set("listener")
_CONDITION = re.compile(r",? (?:if|because|если|потому что) ")
_SUBJECTS = frozenset(
    ["he", "she", "it", "they", "he's", "she's", "it's", "they're", "они", "он", "она", "оно"]
)
_RUSSIAN_VERB = re.compile(r"(?:[аеиуыя]л[аои]?|л[аои]?с[ья]|[еия]т|[уюая]т|[еи]тся|[ыи]то|ен[оаы]|ан[оаы])$")
_GOES_ON = re.compile(
    r"|и|его|ее|их|с|в|на|у|уже|еще|вчера|сегодня|сразу|напрочь|сам[аи]?|[а-я]{3,}(?:но|ски)"
)
"""What may follow a repeated Russian verb without being another object."""
_DROPPED = frozenset({"barely", "hardly", "never", "been", "still", "always", "already", "mostly"})
"""Words that open a statement whose subject, the speaker, is left out."""
_I_DO = re.compile(r"(?:i|we)\b(?!.*\b(?:only|want\w*)\b)")
_HABIT = re.compile(
    r"^(?:and |so )?do you (?!like|enjoy|prefer|want|live)|^(?:and |so )?have you (?!been|lived)|\b(?:ты|"
    r"вы)\b.*(?:шь|шься|те|тесь)\b"
)
_OFTEN = re.compile(
    r"\b(?:every|each) (?:\w+ )?(?:day|week|month|year|morning|evening|night|afternoon|weekend|summer|"
    r"winter|monday|"
    r"tuesday|wednesday|thursday|friday|saturday|sunday)s?\b|\btimes? (?:a|per) (?:day|week|month|year)\b|"
    r"^(?:i|we) (?:\w+ )?(?:often|regularly|frequently)\b|"
    r"\bsince (?:i was|childhood|school|\w+ grade|college)\b|\bкажд(?:ый|ую|ое) \w+|\bраза? в (?:день|"
    r"неделю|месяц|год)\b|"
    r"\bпо (?:утрам|вечерам|выходным|субботам|воскресеньям)\b|\bс детства\b"
)
_STATE = re.compile(
    r"^(?:is|are|was|were|am|do|does|did|will|has|have|isn't|aren't|didn't|you)\b|[а-я]|\bright\?$"
)
_QUESTIONING = re.compile(r"(?:how|what|why|where|who|when|which|как|что|почему|где|кто|когда)\b")
_LIMITED = re.compile(
    r"\b(?:only|prefer|sold|free|else|than|outside|ready to|miss|mind|instead|without|"
    r"только|лишь|кроме|вместо)\b"
)
_LIGHT = re.compile(r"\w+'\w+|\w{1,2}|\w+ly|lots?|all|many|love|enjoy|always|often|already|still")
"""Words before those of a question that change nothing of what they say."""
_HEAD = 3
"""Where a clause begins."""
_REACH = 4
"""How many words a negation reaches."""
CONTRAST = re.compile(r"\b(?:but|though|although|however|но|хотя|зато)\b")


class Said(Struct, frozen=True):
    """A signal of yes or no, and the words behind it."""

    is_yes: bool
    words: str


def list_told(sentences: list[str]) -> list[str]:
    """Return the clauses of a reply that ask nothing, without the words before the matter."""
    told: list[str] = []
    for one in sentences:
        clauses = split_clauses(one)
        told += clauses[:-1] if one.endswith("?") else clauses
    return [rest for one in told if (rest := FILLER.sub("", one).strip())]


def read_by_attitude(sentences: list[str], asked: str) -> Said | None:
    """Return the answer to a question about liking or quality, by words of praise and dislike."""
    if not (_LIKING.search(asked) or _QUALITY.search(asked)):
        return None
    found: dict[bool, str] = {}
    for clause in list_told([one for one in sentences if not CONTRAST.search(one)]):
        if said := _attitude(clause):
            found[said.is_yes] = said.words
    return Said(*next(iter(found.items()))) if len(found) == 1 else None


def _attitude(clause: str) -> Said | None:
    """Return whether a clause praises or dislikes."""
    if HYPOTHETICAL.search(clause) or re.search(
        r"\b(?:more|than|prefer|least)\b|(?:d|would) rather\b", clause
    ):
        return None
    plain = UNNEGATED.sub(" adore ", clause)
    bad, rest = DISLIKED.search(plain), DISLIKED.sub(" ", plain)
    good = LIKED.search(rest)
    if bool(good) == bool(bad) or (good and NEGATED.search(rest)):
        return None
    match = good or bad
    return Said(bool(good), f"talks about it with '{match[0]}'") if match else None


def read_by_statement(sentences: list[str], asked: str) -> Said | None:
    """Return the answer by a statement that repeats what was asked: with a negation no, without one yes."""
    return next(list_statements(sentences, asked), None)


def list_statements(sentences: list[str], asked: str) -> Iterator[Said]:
    """Yield what each statement that repeats what was asked says to it."""
    main = _CONDITION.split(asked)[0]
    wanted = [word for word in split_words(main) if word not in STOP_WORDS and len(word) > 2]
    told = list_told(sentences)
    if not wanted or not told:
        return
    head = split_words(told[0])
    is_verb = head[0] in wanted and _RUSSIAN_VERB.search(head[0]) and _GOES_ON.fullmatch(" ".join(head[1:2]))
    if is_verb or (len(head) == 1 and _is_russian_first_person(head, wanted)):
        yield Said(is_yes=True, words=f"states it: '{head[0]}'")
    yield from filter(None, (_read_statement(clause, asked, wanted) for clause in told))


def _read_statement(clause: str, asked: str, wanted: list[str]) -> Said | None:
    words = split_words(clause)
    shared = [word for word in wanted if any(stems_alike(word, one) for one in words)]
    if shared and words[0] in _SUBJECTS and wanted.index(shared[0]) == 1:
        wanted = wanted[1:]
    if not shared or HYPOTHETICAL.search(clause) or _QUESTIONING.match(clause) or _LIMITED.search(clause):
        return None
    if not _is_about(clause, asked, shared) and words[-1] not in {"нет", "нету"}:
        return None
    plain = UNNEGATED.sub(" ", clause)
    if negation := NEGATED.search(plain):
        reach = split_words(plain[negation.end() :])[:_REACH]
        if negation[0] in {"нет", "нету"}:
            reach = split_words(plain[: negation.start()])[-_REACH:]
        is_negated = len(shared) * 2 >= len(wanted) and any(stems_alike(a, b) for a in reach for b in shared)
        return Said(is_yes=False, words=f"states it with '{negation[0].strip()}'") if is_negated else None
    if DISLIKED.search(clause) and not DISLIKED.search(asked):
        return None
    if _adds_before(words, asked, shared):
        return None
    if len(shared) == len(wanted):
        return Said(is_yes=True, words=f"states it: '{clause}'")
    return None


def _adds_before(words: list[str], asked: str, shared: list[str]) -> bool:
    """Return whether a word of its own stands before those of the question: "I loathe rap"."""
    first = min(n for n, word in enumerate(words) if any(stems_alike(word, one) for one in shared))
    known = split_words(asked)
    new = [word for word in words[:first] if not _LIGHT.fullmatch(word) and word not in STOP_WORDS]
    is_subject = first == 0 and words[1:2] in (["is"], ["are"], ["was"])
    return is_subject or any(not any(stems_alike(word, one) for one in known) for word in new)


def read_by_bare_statement(sentences: list[str], asked: str) -> Said | None:
    """Return the answer where the question is not known: a statement about the partner, negated or not."""
    first = sentences[0]
    if asked or first.endswith("?") or split_words(first)[0] not in _LISTENER:
        return None
    negation = NEGATED.search(UNNEGATED.sub(" ", first))
    return Said(negation is None, f"states it with '{negation[0]}'" if negation else "states it")


def _is_about(clause: str, asked: str, shared: list[str]) -> bool:
    """Return whether a clause speaks of whom the question is about, as seen from the other side."""
    words, question = split_words(clause), set(split_words(asked))
    if words[0] in {"my", "our"} and not any(
        stems_alike(one, other) for one in words[1:2] for other in question
    ):
        return False
    if question & _LISTENER:
        speaker = SPEAKER if question & {"your", "yours"} else SPEAKER - {"my", "mine", "me"}
        return (
            bool(set(words[:3]) & speaker) or words[0] in _DROPPED or _is_russian_first_person(words, shared)
        )
    if question & SPEAKER:
        return bool(set(words) & (_LISTENER | question & {"we"})) or not set(words) & SPEAKER
    return words[0] not in {"i", "я"}


def _is_russian_first_person(words: list[str], shared: list[str]) -> bool:
    return any(
        re.search(r"(?:ю|у|юсь|усь|л|ла|лся|лась|ем|им|м|ва|ен|на)$", one)
        and any(stems_alike(one, word) for word in shared)
        for one in words
    )


def read_by_habit(sentences: list[str], asked: str) -> Said | None:
    """Return yes where a habit was asked about and the reply says how often."""
    if not _HABIT.search(asked):
        return None
    for clause in list_told(sentences):
        found = _OFTEN.search(clause)
        if found and not is_doubtful(clause) and (found.start() < _HEAD or _I_DO.match(clause)):
            return Said(is_yes=True, words=f"says '{found[0]}'")
    return None


def is_doubtful(clause: str) -> bool:
    """Return whether a clause is negated or says how things might be."""
    return bool(NEGATED.search(UNNEGATED.sub(" ", clause)) or HYPOTHETICAL.search(clause))


def read_by_value(sentences: list[str], asked: str) -> Said | None:
    """Return the answer by a word that excludes or implies one of the question: another colour is a no."""
    wanted = [word for word in split_words(asked) if len(word) > 2]
    if len(wanted) > 8 or not _STATE.search(asked):
        return None
    for clause in list_told(sentences):
        found = compare_words(wanted, split_words(clause))
        if found is None or HYPOTHETICAL.search(clause) or re.search(r"\b(?:than|as)\b", clause):
            continue
        negated = bool(NEGATED.search(UNNEGATED.sub(" ", clause)))
        asked_word, said_word, agrees = found
        negated = negated and "-" not in said_word
        if (negated and not agrees) or asked_word == said_word:
            continue
        return Said(agrees != negated, f"says '{said_word}' where '{asked_word}' was asked")
    return None


def read_by_offer(sentences: list[str], asked: str) -> Said | None:
    """Return the answer to an offer, which is taken or declined in words of its own."""
    if not OFFER.match(asked):
        return None
    for pattern, is_yes in ((DECLINED, False), (ACCEPTED, True)):
        head = FILLER.sub("", sentences[0])
        if (found := pattern.search(head)) and not (is_yes and _refuses(head)):
            return Said(is_yes, f"says '{found[0]}' to an offer")
    return None


def _refuses(head: str) -> bool:
    return bool(
        CONTRAST.search(head)
        or re.match(r"(?:no|нет|не(?! откажусь))\b", head)
        or re.search(r"\w+n't (?:sound|feel)", head)
    )
