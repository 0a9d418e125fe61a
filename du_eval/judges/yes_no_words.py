"""The patterns behind yes, no and neither, in English and Russian."""

from __future__ import annotations

import re

from du_eval.judges.lexicon import read_data

_PHRASES: dict[str, list[str]] = read_data("yes_no_phrases.yml")


def _any(section: str) -> str:
    return "(?:" + "|".join(_PHRASES[section]) + ")"


FILLER = re.compile(rf"^(?:{_any('filler')}(?![\w'])[\s,.!:-]*)+")
UNSURE = re.compile(_any("unsure"))
NO_HEAD = re.compile(rf"^(?:{_any('before_no')}[\s,]+)*{_any('says_no')}(?![\w'])")
BEFORE = re.compile(rf"^(?:{_any('before_no')}|{_any('before_yes')})\W*$")
YES_HEAD = re.compile(rf"^(?:{_any('before_yes')}[\s,]+)*{_any('says_yes')}(?![\w'])")
_SO = _any("so")
_WHO = r"(?:i|we|he|she|they|it|you)"
_BOUND = "what,who,where,how,when,if,as,than,thought,n't say,n't think,wish"
_FREE = "".join(f"(?<!{word} )" for word in _BOUND.split(","))
TAIL_YES = re.compile(
    rf"(?:^|[\s,]){_SO}[\s,:]+(?:yes|yeah|yep|yup|да|ага)\W*$|^(?:yes|yeah|(?:что )?да)\W*$|"
    rf"(?<!said )(?<!say )(?<!says )(?<!oh )\b(?:yes|yeah|yep|yup)\W*$|"
    rf"\bthat(?:'s| is) a (?:\w+ )?(?:yes|yep|yeah)(?: from (?:me|us))?\W*$|"
    rf"\b{_FREE}{_WHO} (?:\w+ly |sure |still )*"
    rf"(?:do|does|did|am|is|are|was|were|have|has|will|would|can)\W*$"
)
TAIL_NO = re.compile(
    rf"(?:^|[\s,]){_SO}[\s,:]+(?:no|nope|not|not really|not yet|нет|неа)\W*$|^(?:no|нет)\W*$|"
    rf"^(?:(?:что|пока|еще|уже|больше|вовсе|совсем|точно|давно|тоже|сейчас|у меня|такого|таких) )+нет\W*$|"
    rf"\bthat(?:'s| is) a (?:\w+ )?(?:no|nope)(?: from (?:me|us))?\W*$|"
    rf"\b(?:so|but|и|но) (?:no|нет)(?: \w+)?(?: for (?:me|us))?\W*$|"
    rf"(?<!wish )(?<!if )\b{_WHO} ?"
    rf"(?:\w+n't|can not|(?:am|'m|are|'re|is|'s|was|were|do|does|did|have|has) not)\W*$"
)
NEGATED = re.compile(rf"\b{_any('negation')}\b")
UNNEGATED = re.compile(rf"\b{_any('no_negation')}\b")
LIKED = re.compile(rf"\b{_any('liked')}\b")
DISLIKED = re.compile(rf"\b{_any('disliked')}\b")
HYPOTHETICAL = re.compile(rf"\b{_any('hypothetical')}\b")
OFFER = re.compile(_any("offer"))
ACCEPTED = re.compile(_any("accepted"))
DECLINED = re.compile(_any("declined"))
