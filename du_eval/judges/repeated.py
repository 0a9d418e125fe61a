"""Whether a reply asks again what the bot asked before, in the same words or in others: by rules."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import combinations

from msgspec import Struct
from msgspec.structs import replace

from du_eval.judges.lexicon import read_data, read_word_set
from du_eval.judges.opinion import Opinion
from du_eval.judges.plain_text import normalise, split_sentences, split_words, stems_alike
from du_eval.judges.question_words import measure_likeness, translate
from du_eval.judges.scales import is_same_kind

NAME = "repeated-question-rules/7"
REPEATED, NEW = "true", "false"
_TAGS = frozenset([
    "right", "really", "isn't it", "what", "sure", "ok", "yes", "no", "why", "huh",
    "да", "правда", "ладно", "так",
])  # fmt: skip
_FRAME = re.compile(
    r"^(?:(?:well|so|and|but|ok|okay|hello|hi|hey|oh|nice|great|cool|thanks|thank you|by the way|"
    r"anyway|now|then|again|"
    r"tell me|also|good morning|good evening|please|may i ask|can i ask|could i ask|might i ask|"
    r"if i may ask|i wonder|"
    r"(?:could|can|would|will) you (?:please |kindly |perhaps )?(?:tell|remind|let) me(?: know)?|"
    r"do you mind telling me|"
    r"(?:may|could|can|might) i (?:please )?(?:have|get|know)|i(?:'d| would) like to know|"
    r"i(?:'d| would) be (?:\w+ )?interested to know|forgive me|sorry|excuse me|wait|just to (?:check|"
    r"confirm)|remind me|"
    r"ну|а|и|ой|ок|так|кстати|скажи\w*|подскажи\w*|расскажи\w*|напомни\w*|назови\w*|уточни\w*|сообщи\w*|"
    r"укажи\w*|"
    r"пожалуйста|можно (?:узнать|спросить)|привет|слушай\w*|"
    r"здравствуй\w*|еще раз|извини\w*)(?![\w'])[\s,.!:-]*)+"
)
_REQUEST = re.compile(
    r"\b(?:подскажи\w*|назови\w*|уточни\w*|сообщи\w*|укажи\w*|(?:like|interested|need|want) to know|"
    r"(?:please )?(?:tell|give|remind) me (?:your|the|what|which|where|how|when|who)|(?:provide|"
    r"share) your)\b|^(?:your|ваш\w*|тво\w*) (?:[\w-]+ ){0,2}[\w-]+,? (?:please|пожалуйста)\W*$"
)
_ELLIPSIS = re.compile(r"(?:and|а|и) [\w'-]+(?: [\w'-]+)?\?$")
_UNMARKED = re.compile(
    r"^(?:do|did|have|are|were|can|could|will|would) you\b[^.!]*$|^(?:got|have) any\b[^.!]*$"
)
_REPORTED = re.compile(
    r"\b(?:i|we) (?:already |just |once )?(?:asked|wondered)\b|\bуже спраш\w+|\bспрашивал\w?\b"
)
_OPEN = re.compile(
    r"^(?:what|where|who|how|why|when|which|whose|что|где|кто|как|почему|когда|кем|чем|сколько|откуда)\b"
)
_OTHERS = re.compile(r"\b(?:he|she|his|her|him|they|their|он|она|они|его|ее|ему|ей|их|им)\b")
_PARTNER = re.compile(r"\b(?:you|your|yours|ты|вы|тебе|тебя|вам|вас|тво\w+|ваш\w*)\b")
_OTHER_PERSON = re.compile(
    r"(?:husband|wife|partner|mother|father|brother|sister|son|daughter|mum|mom|dad|parent|kid|child|children|baby|"
    r"friend|boss|neighbou?r|dog|cat|pet|grand\w+|uncle|aunt|cousin|boyfriend|girlfriend)s?$"
)
_TIME = re.compile(
    r"(?:weekend|today|tonight|tomorrow|yesterday|morning|afternoon|evening|summer|winter|autumn|spring|"
    r"tmrw|christmas|easter|holiday|vacation|breakfast|lunch|dinner|supper|\w+day)$"
)
_SAME_TIME = {"saturday": "weekend", "sunday": "weekend", "tonight": "evening", "tmrw": "tomorrow"}
_SAME_TIME |= {"vacation": "holiday", "supper": "dinner"}
_FURTHER = re.compile(r"\b(?:another|else|others?|too|as well|either|тоже|также|еще|друг(?:ой|ая|ие|их))\b")
"""Asks on, about a further thing."""
_STOP = read_word_set("question_stop")
_RUSSIAN = re.compile(r"[а-я]")
_STEM = re.compile(r"(?<=[a-z]{3})(?:'s|(?<!s)s)$|(?<=[а-я]{5})[а-я]+$")
_ALIKE, _OTHER_KIND, _OPEN_AND_CLOSED = 0.45, 0.05, 0.15
"""How alike questions are that ask the same, and how much more where one asks for something else."""
_WHOLE = 0.75
"""The weight of all words beside those with content."""
_NEAR, _CLOSE, _SAME_FRAME = 0.5, 0.5, 0.5
"""How alike words are that mean the same; how much two questions share that differ in one thing."""
_SPECIFIC = {"place", "person", "time", "reason", "amount", "name"}
_APART = [set(pair) for pair in combinations(sorted(_SPECIFIC), 2) if set(pair) != {"time", "amount"}]
_BROAD = frozenset(
    {"hour", "colour", "size", "dates", "tenure", "onset", "price", "homework", "dacha", "licence"}
)
"""Topics on which many different things are asked, so that the words must fit, too."""
_CLASSES = (
    ("name", r"\b(?:names?|called|зовут|имя)\b"),
    ("place", r"\b(?:where|откуда|где|куда)\b"), ("person", r"\b(?:who|whom|whose|кто|кого|кем|чей)\b"),
    ("time", r"\b(?:when|what time|когда|во сколько)\b"), ("reason", r"\b(?:why|почему|зачем)\b"),
    ("amount", r"\b(?:how (?:many|much|old|long|often|far|big|tall)|сколько)\b"),
    ("manner", r"\b(?:how|как)\b"),
    ("thing", r"\b(?:what|which|что|чем|как(?:ой|ая|ое|ие|ую|ом|их|им)|каков\w?)\b"),
)  # fmt: skip


class AskedQuestion(Struct, frozen=True):
    """A question as it is compared: its topic if it is a known one, its kind and its words."""

    text: str
    english: str
    """The same with English words for Russian ones, as far as they are known."""
    topic: str
    kind: str
    words: frozenset[str]
    is_of_others: bool
    is_of_partner: bool
    is_elliptic: bool = False
    """Whether it lacks what the question before it asked: `And your cat?`"""


@cache
def _read_topics() -> dict[str, re.Pattern[str]]:
    return {name: re.compile(pattern) for name, pattern in read_data("questions.yml")["topics"].items()}


@lru_cache(maxsize=8192)
def read_questions(text: str) -> tuple[AskedQuestion, ...]:
    """Return the questions of a text, without tags such as `right?` and without reported ones."""
    found = []
    for sentence in split_sentences(normalise(text)):
        plain = _FRAME.sub("", sentence)
        is_question = (
            sentence.endswith("?")
            or _REQUEST.search(sentence)
            or _UNMARKED.match(plain)
            or (_OPEN.match(plain) and len(split_words(plain)) <= 8 and "," not in plain)
        )
        bare = plain.rstrip("?!. ")
        if not is_question or bare in _TAGS or _REPORTED.search(plain):
            continue
        read = _read(plain if plain.endswith("?") else f"{plain.rstrip('.!')}?")
        found.append(replace(read, is_elliptic=bool(_ELLIPSIS.match(sentence))))
    return tuple(found)


def _read(question: str) -> AskedQuestion:
    kind = next((name for name, pattern in _CLASSES if re.search(pattern, question)), "closed")
    english = translate(question.replace("'s ", " is "))
    words = (_STEM.sub("", word) for word in split_words(english) if word not in _STOP)
    is_of_partner = bool(_PARTNER.search(question))
    return AskedQuestion(
        text=question.rstrip("?!. "),
        topic=next((name for name, pattern in _read_topics().items() if pattern.search(question)), ""),
        kind=kind,
        english=english.rstrip("?!. "),
        words=frozenset(words) - _STOP,
        is_of_others=bool(_OTHERS.search(question)) and not is_of_partner,
        is_of_partner=is_of_partner,
    )


def is_same_question(new: AskedQuestion, old: AskedQuestion) -> bool:
    """Return whether two questions ask the same, as far as their words tell."""
    if new.is_elliptic:
        return new.text == old.text
    if (is_same := compare_topics(new, old)) is not None:
        return is_same
    is_open_and_closed = (new.kind == "closed") != (old.kind == "closed") and {new.kind, old.kind} & _SPECIFIC
    least = _ALIKE + (_OPEN_AND_CLOSED if is_open_and_closed else _OTHER_KIND * (new.kind != old.kind))
    return not is_contrast(new, old) and _rate_likeness(new, old) >= least


def compare_topics(new: AskedQuestion, old: AskedQuestion) -> bool | None:
    """Return whether two questions are about the same topic; None where that does not tell."""
    if new.topic and old.topic and (new.topic != old.topic or new.topic not in _BROAD):
        is_apart = {new.kind, old.kind} in _APART or _differ(new, old) or bool(_FURTHER.search(new.text))
        return new.topic == old.topic and not is_apart
    return None


def _differ(new: AskedQuestion, old: AskedQuestion) -> bool:
    """Return whether two questions are about different people, or name different values of a kind."""
    own, other = new.words - old.words, old.words - new.words
    is_other = (new.is_of_others and old.is_of_partner) or (old.is_of_others and new.is_of_partner)
    times, before = _read_times(new), _read_times(old)
    is_other_time = bool(times and before) and not times & before
    return is_other or is_other_time or any(is_same_kind(a, b) for a in own for b in other)


def _read_times(question: AskedQuestion) -> set[str]:
    """Return the days and times that a question names; what goes on now is today's."""
    found = {_SAME_TIME.get(word, word) for word in filter(_TIME.match, split_words(question.english))}
    return found or ({"today"} if question.topic == "now" else set())


def _rate_likeness(new: AskedQuestion, old: AskedQuestion) -> float:
    """Return how alike two questions are, from -1 to 1."""
    if not (new.words and old.words):
        return float(new.text == old.text)
    if new.words == old.words and (new.kind == old.kind or len(new.words) > 1):
        return 1.0
    whole = measure_likeness(new.english, old.english)
    content = measure_likeness(" ".join(sorted(new.words)), " ".join(sorted(old.words)))
    return _weigh_unknown(_WHOLE * whole + (1 - _WHOLE) * content, new.words, old.words)


def _weigh_unknown(likeness: float, some: frozenset[str], others: frozenset[str]) -> float:
    """Return the likeness of known words, less for Russian words without a translation that one lacks."""
    unknown, missing = (list(filter(_RUSSIAN.match, words)) for words in (some, others))
    shared = sum(any(stems_alike(one, other) for other in missing) for one in unknown)
    known = (len(some) - len(unknown)) * (len(others) - len(missing))
    return (likeness * math.sqrt(known) + shared) / math.sqrt(len(some) * len(others))


def is_contrast(new: AskedQuestion, old: AskedQuestion) -> bool:
    """Return whether two questions differ in what they ask about: another person, day, number, or thing."""
    own, other = new.words - old.words, old.words - new.words
    if {new.kind, old.kind} in _APART or _differ(new, old) or _FURTHER.search(new.text):
        return True
    ours, theirs = set(split_words(new.text)), set(split_words(old.text))
    if any(word.isdecimal() for word in ours ^ theirs):
        return True
    is_shared = bool(new.words & old.words) or new.kind == old.kind == "name"
    people = [set(filter(_OTHER_PERSON.match, words)) for words in (own, other)]
    if all(people) or (is_shared and any(people)):
        return True
    if not (own and other):
        return False
    is_framed = len(ours & theirs) >= _SAME_FRAME * len(ours | theirs)
    return is_framed or (is_shared and not _are_near(own, other) and _rate_likeness(new, old) < _CLOSE)


def _are_near(some: frozenset[str], others: frozenset[str]) -> bool:
    return any(measure_likeness(one, other) >= _NEAR for one in some for other in others)


def read_turn(earlier: Sequence[str], turn: str) -> Opinion:
    """Return whether a turn of a bot asks again what an earlier turn asked."""
    now = read_questions(turn)
    before = [old for one in earlier for old in read_questions(one)]
    pair = next(((new, old) for new in now for old in before if is_same_question(new, old)), None)
    if pair:
        return Opinion(REPEATED, f"'{pair[0].text}' was asked before as '{pair[1].text}'", NAME, 0.9)
    return Opinion(NEW, "asks something new" if now else "asks nothing", NAME, 0.6 if now else 0.95)
