"""What a reply says with the auxiliary of the question, or with a detail in place of a yes."""

from __future__ import annotations

import re

from du_eval.judges.numerals import split_tokens
from du_eval.judges.plain_text import split_words, stems_alike
from du_eval.judges.scales import compare_words
from du_eval.judges.yes_no_statements import STOP_WORDS, Said, is_doubtful, list_told

_ASKED = re.compile(
    r"^(?:so |and |but )?(?P<verb>do|does|did|am|is|are|was|were|have|has|had|can|could|will|would)(?:n't)? "
    r"(?P<who>\w+)(?P<rest>.*)"
)
_FAMILIES = (
    "do does", "did", "am is are 'm 's 're", "was were", "have has had 've", "can ca could", "will wo",
    "would",
)  # fmt: skip
_ALSO = ((_FAMILIES[0], _FAMILIES[2]), (_FAMILIES[4], _FAMILIES[0]))
"""Which auxiliary may deny what another one asks about: "Do you ski?" "I'm not that brave"."""
_OTHER_SIDE = {"you": {"i", "we"}, "i": {"you"}, "we": {"you", "we", "i"}}
_ADVERBS = (
    r"(?:(?:really|still|just|actually|honestly|personally|also|certainly|definitely|simply|probably|often|"
    r"always|usually|recently|already|finally) )*"
)
_DENIED = re.compile(
    rf"^(?P<who>i|we|he|she|it|they|you|that|there) ?{_ADVERBS}"
    r"(?P<verb>do|does|did|am|'m|is|'s|are|'re|was|were|have|'ve|has|had|can|ca|could|will|wo|"
    r"would)(?:n't| not)\b"
    r"(?! (?:\w+ )?(?:mind|care|know|catch|understand|hear|believe|only|just|even|so|sure|forget|regret|"
    r"familiar|see|fan)\b| a (?:\w+ )?fan\b)(?P<rest>.*)"
)
_COMPARED = re.compile(r"\b(?:so|as|more|\w+er|preference|either|enough|too|without|yet|until)\b")
_NOT_DENIED = re.compile(r"\b(?:prefer|believe|not|never|or)\b")
_ANY = re.compile(r"\b(?:any\w*|some\w*|ever)\b|-(?:то|нибудь)\b")
_NAMED = re.compile(
    r"^(?:(?:mostly|mainly|some|about|at least) )*(?:my|our|an?|his|her|their|\d+|one|two|three|several|"
    r"plenty|both)"
    r"(?: (?!minute|second|moment|way|question|chance|thing|god)[a-z]+(?<!s)s?){1,4}$"
)
_FINITE = re.compile(
    r"\b(?:is|are|was|were|does|has|had|can|will|would|that|who|i|we|you|he|she|it|they|says?|\w+'\w+|я|"
    r"ты|мы|вы|он|она|они|"
    r"был\w?)\b"
)
_COUNTED = re.compile(
    r"^(?:(?:like|about|at least|only|over|probably|around|more than) )*"
    r"(?:(?:(?:an? )?(?:few|couple(?: of)?|dozen|hundred|thousand|million)|many|several|countless|\d+) times|"
    r"once|twice)\b"
    r"(?! upon| (?:i|we|you|he|she|it|the|an?) )|^(?:раза? |уже )*(?:\d+ раза?|пару раз|много раз)\b"
)
_PAST = re.compile(
    r"^(?:so |and )?(?:did|have|has|had)(?:n't)? \w+|^(?:[а-я-]+ )*?[а-я]{2,}(?:л|ла|ли|ло|лись|лся|лась|"
    r"лось)(?: [а-я-]+)*\?$"
)
_WHEN = re.compile(
    r"^(?:(?:just|back|early|late|about|already|earlier|уже|где-то) )*(?:yesterday|last \w+|"
    r"this (?:morning|week|afternoon|evening|month|year)|\w+ (?:\w+ )?ago|the other (?:day|night|week)|"
    r"on \w+day|in (?:19|20)\d\d|when i was)\b|"
    r"^еще (?:на|в|вчера|утром|прошл\w+|[а-я]+ом|до)\b|^(?:вчера|позавчера|утром|на (?:днях|\w+ неделе)|"
    r"прошл\w+ \w+|"
    r"\w+(?: \w+)? назад)\b"
)
_RATHER = re.compile(
    r"^(?:i|we)(?:(?:'d| would) (?:\w+ )?(?:sooner|rather)|(?:'d| would)? (?:\w+ )?prefer)\b"
    r"(?! (?:\w+ )?(?:not|you|it|this|that|them|keep)\b)"
)
_OF_CHOICE = re.compile(r"\b(?:rather|prefer|or|mind)\b|\byou (?:need|want|have|own|think)\b|right\?")


def read_by_auxiliary(sentences: list[str], asked: str) -> Said | None:
    """Return no where the first clause denies with an auxiliary: "Do you ski?" "I don't go near snow"."""
    question, told = _ASKED.match(asked), list_told(sentences)
    said = _DENIED.match(told[0]) if told else None
    if not question or not said or said["who"] not in _other_side(question["who"]):
        return None
    families = _family(question["verb"]), _family(said["verb"])
    if families[0] != families[1] and (families not in _ALSO or said["who"] != "i"):
        return None
    if _COMPARED.search(said["rest"]) or _NOT_DENIED.search(asked):
        return None
    if compare_words([one for one in split_words(asked) if len(one) > 2], split_words(told[0])):
        return None
    return Said(is_yes=False, words=f"denies it: '{told[0]}'")


def _family(verb: str) -> str:
    return next(one for one in _FAMILIES if verb in one.split())


def _other_side(who: str) -> set[str]:
    """Return who a reply speaks of where a question speaks of someone."""
    return _OTHER_SIDE.get(who, {"he", "she", "it", "they", "that", "there"})


def read_by_detail(sentences: list[str], asked: str) -> Said | None:
    """Return yes where the reply says how often or when it was, or names one of what was asked about."""
    told = list_told(sentences)
    if not told or is_doubtful(told[0]):
        return None
    counted = _COUNTED.search(" ".join(split_tokens(told[0])))
    if counted and re.match(r"^(?:so |and )?(?:have|has|did|do|does)(?:n't)?\b|^ever\b|[а-я]", asked):
        return Said(is_yes=True, words=f"says '{counted[0]}'")
    dated = _WHEN.search(told[0])
    if (
        dated
        and _PAST.search(asked)
        and not _FINITE.search(told[0])
        and not re.search(r"\b(?:long|lately|recently|давно|still)\b", asked)
    ):
        return Said(is_yes=True, words=f"says '{dated[0]}'")
    if _ANY.search(asked) and _NAMED.match(told[0]) and not _FINITE.search(told[0]):
        return Said(is_yes=True, words=f"names '{told[0]}'")
    return None


def read_by_preference(sentences: list[str], asked: str) -> Said | None:
    """Return no where something else is preferred to what was asked about."""
    told = list_told(sentences)
    found = _RATHER.match(told[0]) if told else None
    if not found or _OF_CHOICE.search(asked):
        return None
    wanted = [one for one in split_words(asked) if one not in STOP_WORDS and len(one) > 2]
    rest = split_words(told[0][found.end() :])
    again = sum(any(stems_alike(one, word) for word in rest) for one in wanted)
    return Said(is_yes=False, words=f"says '{found[0]}'") if again * 2 <= len(wanted) else None
