"""Whether a reply asks again what the bot asked before, in the same words or in others: by rules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from du_eval.judges.lexicon import read_data, read_word_set
from du_eval.judges.opinion import Opinion
from du_eval.judges.plain_text import normalise, split_sentences, stems_alike, words_of
from du_eval.judges.scales import is_same_kind

NAME = "repeated-question-rules/2"
REPEATED, NEW = "true", "false"
_TAGS = frozenset(
    {
        "right",
        "really",
        "isn't it",
        "what",
        "sure",
        "ok",
        "yes",
        "no",
        "да",
        "правда",
        "ладно",
        "так",
        "why",
        "huh",
    }
)
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
    r"share) your)\b"
)
_REPORTED = re.compile(
    r"\b(?:i|we) (?:already |just |once )?(?:asked|wondered)\b|\bуже спраш\w+|\bспрашивал\w?\b"
)
_OPEN = re.compile(
    r"^(?:what|where|who|how|why|when|which|whose|что|где|кто|как|почему|когда|кем|чем|сколько|откуда)\b"
)
_OTHERS = re.compile(r"\b(?:he|she|his|her|him|they|their|он|она|они|его|ее|ему|ей|их|им)\b")
_PARTNER = re.compile(r"\b(?:you|your|yours|ты|вы|тебе|тебя|вам|вас|тво\w+|ваш\w*)\b")
_TELLING = 4
"""Letters from which a single shared word tells what is asked about."""
_STOP = read_word_set("question_stop")
_GENERIC = read_word_set("generic_in_questions")
_BROAD = frozenset(
    {"hour", "colour", "size", "dates", "tenure", "onset", "price", "homework", "dacha", "licence"}
)
"""Topics on which many different things are asked, so that the words must fit, too."""
_CLASSES = (
    ("place", r"\b(?:where|откуда|где|куда)\b"), ("person", r"\b(?:who|whom|whose|кто|кого|кем|чей)\b"),
    ("time", r"\b(?:when|what time|когда|во сколько)\b"), ("reason", r"\b(?:why|почему|зачем)\b"),
    ("amount", r"\b(?:how (?:many|much|old|long|often|far|big|tall)|сколько)\b"),
    ("manner", r"\b(?:how|как)\b"),
    ("thing", r"\b(?:what|which|что|чем|как(?:ой|ая|ое|ие|ую|ом|их|им)|каков\w?)\b"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question as it is compared: its topic if it is a known one, its kind and its words."""

    text: str
    topic: str
    kind: str
    words: frozenset[str]
    is_of_others: bool
    is_of_partner: bool


@cache
def _tables() -> tuple[dict[str, re.Pattern[str]], dict[str, str]]:
    read = read_data("questions.yml")
    topics = {name: re.compile(pattern) for name, pattern in read["topics"].items()}
    return topics, {word: line.split()[0] for line in read["words"] for word in line.split()}


@lru_cache(maxsize=8192)
def read_questions(text: str) -> tuple[AskedQuestion, ...]:
    """Return the questions of a text, without tags such as `right?` and without reported ones."""
    found = []
    for sentence in split_sentences(normalise(text)):
        plain = _FRAME.sub("", sentence)
        is_question = (
            sentence.endswith("?")
            or _REQUEST.search(sentence)
            or (_OPEN.match(plain) and len(words_of(plain)) <= 8 and "," not in plain)
        )
        bare = plain.rstrip("?!. ")
        if not is_question or bare in _TAGS or _REPORTED.search(plain):
            continue
        found.append(_read(plain if plain.endswith("?") else f"{plain.rstrip('.!')}?"))
    return tuple(found)


def _read(question: str) -> AskedQuestion:
    topics, same = _tables()
    topic = next((name for name, pattern in topics.items() if pattern.search(question)), "")
    kind = next((name for name, pattern in _CLASSES if re.search(pattern, question)), "closed")
    words = (word for word in words_of(question) if word not in _STOP)
    is_of_partner = bool(_PARTNER.search(question))
    return AskedQuestion(
        text=question.rstrip("?!. "),
        topic=topic,
        kind=kind,
        words=frozenset(same.get(word, word) for word in words),
        is_of_others=bool(_OTHERS.search(question)) and not is_of_partner,
        is_of_partner=is_of_partner,
    )


def is_same_question(new: AskedQuestion, old: AskedQuestion) -> bool:
    """Return whether two questions ask the same, as far as rules tell."""
    if (new.is_of_others and old.is_of_partner) or (old.is_of_others and new.is_of_partner):
        return False
    if new.topic and old.topic and (new.topic != old.topic or new.topic not in _BROAD):
        return new.topic == old.topic and not _differ(new, old)
    ours, theirs = new.words - _GENERIC or new.words, old.words - _GENERIC or old.words
    matched = {word for word in ours if any(stems_alike(word, one) for one in theirs)}
    own, other = len(ours) - len(matched), len(theirs) - len(matched)
    if not matched or (own and other) or (bool(new.topic) != bool(old.topic) and own + other):
        return False
    least = 0 if other or max(map(len, matched)) < _TELLING else 1
    if own > (2 if len(matched) > 1 else least) or other > (2 if len(matched) > 1 else 1):
        return False
    return new.kind == old.kind or (len(matched) > 1 and "closed" not in {new.kind, old.kind})


def _differ(new: AskedQuestion, old: AskedQuestion) -> bool:
    """Return whether two questions on one topic name different things of a kind, or different days."""
    return any(
        is_same_kind(one, other)
        for one in new.words
        for other in old.words - new.words
        if one not in old.words
    )


def read_repeated(turns: Sequence[str]) -> list[Opinion]:
    """Return for each turn of a bot whether it asks again what an earlier turn asked."""
    before: list[AskedQuestion] = []
    found = []
    for turn in turns:
        now = read_questions(turn)
        pair = next(((new, old) for new in now for old in before if is_same_question(new, old)), None)
        if pair:
            found.append(
                Opinion(REPEATED, f"'{pair[0].text}' was asked before as '{pair[1].text}'", NAME, 0.9)
            )
        else:
            found.append(
                Opinion(NEW, "asks something new" if now else "asks nothing", NAME, 0.6 if now else 0.95)
            )
        before += now
    return found
