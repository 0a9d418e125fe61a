"""Whether a reply fits what was said before: by the few signs that rules can be sure of."""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

from du_eval.judges.abstentions import is_abstention
from du_eval.judges.lexicon import read_data
from du_eval.judges.opinion import Opinion, abstain
from du_eval.judges.plain_text import normalise, split_sentences, split_words, stems_alike
from du_eval.judges.repeated import compare_topics, read_questions
from du_eval.judges.values import is_number, read_words
from du_eval.judges.yes_no import read_yes_no
from du_eval.judges.yes_no_words import FILLER

NAME = "coherence-rules/8"
COHERENT, INCOHERENT = "coherent", "incoherent"
_BRIEF, _FEW, _SHORT_REPLY = 5, 7, 9
_DATA: Mapping[str, Mapping[str, str]] = read_data("coherence.yml")


def _compile(section: str) -> dict[str, re.Pattern[str]]:
    return {name: re.compile(pattern) for name, pattern in _DATA[section].items()}


_SIGNS, _TYPES, _ASKED, _TOLD = map(_compile, ("signs", "types", "asked", "told"))
_NUMBERS = _compile("numbers")
_MISFITS = {given: set(asked.split()) for given, asked in _DATA["misfits"].items()}
_FITS = {"why": "a reason", "when": "a time", "where": "a place"}


class Exchanged(Struct, frozen=True):
    """What was said before, and the reply."""

    context: tuple[str, ...]
    reply: str

    @property
    def partner_lines(self) -> tuple[str, ...]:
        """What was said to the speaker, whose own lines are no evidence that a reply fits."""
        return self.context[::-2][::-1]


def read_coherence(item: Exchanged) -> Opinion:
    """Return whether a reply fits; undecided where no clear sign, which is often."""
    if not item.context:
        return abstain("nothing was said before", NAME)
    reply, prompt = normalise(item.reply), normalise(item.context[-1])
    return _against(item, reply, prompt) or _for(item, reply, prompt) or abstain("no clear sign", NAME)


def _against(item: Exchanged, reply: str, prompt: str) -> Opinion | None:
    if split_words(reply) == split_words(prompt):
        return Opinion(INCOHERENT, "repeats what was said to it", NAME, 0.9)
    if _asks_again(item):
        return Opinion(INCOHERENT, "asks again what it asked before", NAME, 0.9)
    told = normalise(" ".join(item.partner_lines[-2:]))
    if _SIGNS["trouble"].search(told) and (found := _SIGNS["cheer"].search(reply)):
        return Opinion(INCOHERENT, f"sounds glad about bad news: '{found[0]}'", NAME, 0.85)
    if (
        _SIGNS["good_news"].search(prompt)
        and (found := _SIGNS["pity"].search(reply))
        and not _SIGNS["trouble"].search(prompt)
    ):
        return Opinion(INCOHERENT, f"sounds sorry about good news: '{found[0]}'", NAME, 0.85)
    if (
        (found := _SIGNS["taste"].search(reply))
        and (thing := _SIGNS["inedible"].search(prompt))
        and not _SIGNS["food"].search(normalise(" . ".join((*item.context, _SIGNS["taste"].sub("", reply)))))
    ):
        return Opinion(INCOHERENT, f"says '{found[0]}' about '{thing[0]}'", NAME, 0.85)
    if topic := _asks_what_was_told(item):
        return Opinion(INCOHERENT, f"asks what it was told: {topic}", NAME, 0.85)
    kind, given = _kind_of(prompt), _type_of(reply)
    if given and kind in _MISFITS[given]:
        return Opinion(INCOHERENT, f"gives {given} where something else was asked ({kind})", NAME, 0.85)
    if (
        _NUMBERS["asked"].search(_last_sentence(prompt))
        and prompt.endswith("?")
        and _names_nothing(item.reply, reply)
    ):
        return Opinion(INCOHERENT, "names no number where one was asked for", NAME, 0.85)
    return None


def _names_nothing(text: str, reply: str) -> bool:
    has_number = any(map(is_number, read_words(reply))) or _NUMBERS["vague"].search(reply)
    return not has_number and not is_abstention(text) and "?" not in reply and not FILLER.match(reply)


def _names_number(reply: str) -> bool:
    """Return whether a short reply names a number, which is then what was asked for."""
    words = read_words(FILLER.sub("", reply) or reply)
    return (
        len(words) <= _SHORT_REPLY
        and "?" not in reply
        and any(is_number(word) for word in words if word != "1")
    )


def _asks_what_was_told(item: Exchanged) -> str:
    """Return the topic that a reply asks about although the partner has told it."""
    told = normalise(" . ".join(item.context[::-2]))
    return next(
        (
            one.topic
            for one in read_questions(item.reply)
            if one.topic in _TOLD and _TOLD[one.topic].search(told)
        ),
        "",
    )


def _kind_of(prompt: str) -> str:
    """Return what the last sentence of a prompt asks for; nothing where it does not ask."""
    last = split_sentences(prompt)[-1] if split_sentences(prompt) else ""
    if not last.endswith("?"):
        return ""
    return next((name for name, pattern in _ASKED.items() if pattern.search(last)), "")


def _type_of(reply: str) -> str:
    """Return what a short reply of one sentence gives: yes or no, a reason, a time, a place."""
    sentences = split_sentences(reply)
    if len(sentences) != 1 or reply.endswith("?"):
        return ""
    if _TYPES["a reason"].match(sentences[0]):
        return "a reason"
    plain = FILLER.sub("", sentences[0]) or sentences[0]
    if len(split_words(plain)) > _FEW:
        return ""
    return next((name for name, pattern in _TYPES.items() if pattern.match(plain)), "")


def _asks_again(item: Exchanged) -> bool:
    """Return whether the reply asks what the same speaker asked two turns ago or earlier."""
    before = [asked for turn in item.context[-2::-2] for asked in read_questions(turn)]
    asked = read_questions(item.reply)
    return any(new.text == old.text or compare_topics(new, old) for new in asked for old in before)


def _for(item: Exchanged, reply: str, prompt: str) -> Opinion | None:
    if _SIGNS["thanks"].match(prompt) and _SIGNS["welcome"].match(reply):
        return Opinion(COHERENT, "answers thanks", NAME, 0.9)
    if _SIGNS["hello"].match(prompt) and _SIGNS["hello"].match(reply) and len(split_words(prompt)) <= _FEW:
        return Opinion(COHERENT, "answers a greeting", NAME, 0.9)
    kind, given = _kind_of(prompt), _type_of(reply)
    if given and _FITS.get(kind) == given:
        return Opinion(COHERENT, f"gives {given} where one was asked for", NAME, 0.85)
    if _SIGNS["good_news"].search(prompt) and (found := _SIGNS["cheer"].search(reply)):
        return Opinion(COHERENT, f"sounds glad about good news: '{found[0]}'", NAME, 0.85)
    if _SIGNS["trouble"].search(prompt) and (found := _SIGNS["care"].search(reply)):
        return Opinion(COHERENT, f"reacts to trouble: '{found[0]}'", NAME, 0.9)
    if (
        prompt.endswith("?")
        and read_yes_no(item.context[-1], item.reply).confidence >= 0.95
        and _is_closed(prompt)
        and _SIGNS["says"].match(reply)
        and (len(split_words(reply)) <= _BRIEF or _takes_up(reply, prompt))
    ):
        return Opinion(COHERENT, "says yes or no to a closed question", NAME, 0.85)
    if _NUMBERS["asked"].search(prompt) and _names_number(reply):
        return Opinion(COHERENT, "names a number where one was asked for", NAME, 0.85)
    return None


def _takes_up(reply: str, prompt: str) -> bool:
    """Return whether a reply has a word of the question that says what it is about."""
    told = split_words(reply)
    return any(len(word) > 3 and any(stems_alike(word, one) for one in told) for word in split_words(prompt))


def _is_closed(prompt: str) -> bool:
    return bool(
        re.match(
            r"(?:do|does|did|is|are|was|were|have|has|had|can|could|will|would|should|may)\b",
            _last_sentence(prompt),
        )
    )


def _last_sentence(prompt: str) -> str:
    return (split_sentences(prompt) or [""])[-1]
