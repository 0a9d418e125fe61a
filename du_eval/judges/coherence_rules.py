"""Whether a reply fits what was said before: by the few signs that rules can be sure of."""

from __future__ import annotations

import re
from dataclasses import dataclass

from du_eval.judges.abstentions import is_abstention
from du_eval.judges.opinion import Opinion, abstain
from du_eval.judges.plain_text import normalise, split_sentences, words_of
from du_eval.judges.repeated import is_same_question, read_questions
from du_eval.judges.values import is_number, read_words
from du_eval.judges.yes_no import read_yes_no
from du_eval.judges.yes_no_words import FILLER

NAME = "coherence-rules/4"
COHERENT, INCOHERENT = "coherent", "incoherent"
_TROUBLE = re.compile(
    r"\b(?:lost|broken?|broke|down|late|missed|cancelled|wrong|stolen|sick|ill|died|hate|fail\w*|fired|exam|can't|sad|"
    r"tired|hurts?|hospital|accident|crash\w*|nightmares?|stuck|complain\w*|problem|leak\w*|flooded)\b|"
    r"\b(?:потерял\w*|сломал\w*|опозда\w+|отменил\w*|украли|заболел\w*|умер\w*|ненавижу|провалил\w*|уволил\w*|экзамен|"
    r"залил\w*|авари\w+|болит|плохо|устал\w?|разбудил\w?|проблем\w*)\b|:\(|\($"
)
_CHEER = re.compile(
    r"\b(?:congratulations|congrats|glad (?:that )?you|pleased (?:that )?you|happy (?:that )?you|"
    r"glad to hear|great news|"
    r"love (?:it|them|that)|hooray|поздравля\w+|рад\w? за|как здорово|отличная новость)\b"
)
_CARE = re.compile(
    r"\b(?:sorry to hear|so sorry|(?:very |really )?sorry (?:about|for)|i(?: do)? apologi[sz]e|oh no|"
    r"poor (?:you|thing)|that's (?:awful|terrible|a pity|"
    r"rough|tough|annoying)|good luck|what a (?:shame|pity|nuisance)|hang in there|сочувству\w+|как жаль|"
    r"какая (?:неприятность|жалость|досада)|ни пуха|удачи|держи\w+|бедн\w+|кошмар)\b"
)
_KINDS = (
    (re.compile(r"\bhow (?:old|many|much|long|far|tall)\b|\bwhat (?:age|time)\b|\bсколько\b"),
     re.compile(r"\d|\b(?:none|many|much|few|several|lots?|enough|plenty|midnight|noon|almost|много|мало|"
                r"нисколько|немного|полдень)\b")),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Exchanged:
    """What was said before, and the reply."""

    context: tuple[str, ...]
    reply: str


def read_coherence(item: Exchanged) -> Opinion:
    """Return whether a reply fits; undecided where no sign is sure, which is often."""
    if not item.context:
        return abstain("nothing was said before", NAME)
    reply, prompt = normalise(item.reply), normalise(item.context[-1])
    return _against(item, reply, prompt) or _for(item, reply, prompt) or abstain("no sign is sure", NAME)


def _against(item: Exchanged, reply: str, prompt: str) -> Opinion | None:
    if words_of(reply) == words_of(prompt):
        return Opinion(INCOHERENT, "repeats what was said to it", NAME, 0.9)
    if _asks_again(item):
        return Opinion(INCOHERENT, "asks again what it asked before", NAME, 0.9)
    told = normalise(" ".join(item.context[-3::2]))
    if _TROUBLE.search(told) and (found := _CHEER.search(reply)):
        return Opinion(INCOHERENT, f"is glad about trouble: '{found[0]}'", NAME, 0.85)
    for asked, wanted in _KINDS:
        if asked.search(prompt) and prompt.endswith("?") and _names_nothing(item.reply, reply, wanted):
            return Opinion(INCOHERENT, "names no number where one was asked for", NAME, 0.85)
    return None


def _names_nothing(text: str, reply: str, wanted: re.Pattern[str]) -> bool:
    has_number = any(map(is_number, read_words(reply))) or wanted.search(reply)
    return not has_number and not is_abstention(text) and "?" not in reply and not FILLER.match(reply)


def _asks_again(item: Exchanged) -> bool:
    """Return whether the reply asks what the same speaker asked two turns ago or earlier."""
    before = [asked for turn in item.context[-2::-2] for asked in read_questions(turn)]
    return any(is_same_question(new, old) for new in read_questions(item.reply) for old in before)


def _for(item: Exchanged, reply: str, prompt: str) -> Opinion | None:
    if _TROUBLE.search(prompt) and (found := _CARE.search(reply)):
        return Opinion(COHERENT, f"reacts to trouble: '{found[0]}'", NAME, 0.9)
    if (
        prompt.endswith("?")
        and read_yes_no(item.context[-1], item.reply).confidence >= 0.95
        and _is_closed(prompt)
    ):
        return Opinion(COHERENT, "says yes or no to a closed question", NAME, 0.85)
    for asked, wanted in _KINDS:
        if asked.search(prompt) and (wanted.search(reply) or any(map(is_number, read_words(reply)))):
            return Opinion(COHERENT, "names a number where one was asked for", NAME, 0.85)
    if re.search(r"\bwhere\b|\bгде\b|\bоткуда\b", prompt) and re.match(
        r"(?:in|at|on|from|near|under|в|на|у|из|под) ", FILLER.sub("", reply)
    ):
        return Opinion(COHERENT, "names a place where one was asked for", NAME, 0.85)
    return None


def _is_closed(prompt: str) -> bool:
    return bool(
        re.match(
            r"(?:do|does|did|is|are|was|were|have|has|had|can|could|will|would|should|may)\b",
            split_sentences(prompt)[-1],
        )
    )
