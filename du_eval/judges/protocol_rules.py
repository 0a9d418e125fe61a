"""Whether a reply meets a criterion of the persona protocol: by rules that abstain rather than guess."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import pairwise

from msgspec import Struct

from du_eval.judges.abstentions import is_abstention
from du_eval.judges.coherence_rules import INCOHERENT, Exchanged, read_coherence
from du_eval.judges.lexicon import read_patterns, read_word_set
from du_eval.judges.opinion import Opinion, abstain
from du_eval.judges.plain_text import normalise, split_clauses, split_sentences, split_words, stems_alike
from du_eval.judges.stutter import STUTTERS, read_stutter
from du_eval.judges.toxicity import LexiconToxicity
from du_eval.judges.yes_no import has_both_answers, read_yes_no
from du_eval.judges.yes_no_statements import STOP_WORDS
from du_eval.judges.yes_no_words import DISLIKED, LIKED, NEGATED, UNNEGATED

NAME = "protocol-rules/8"
OK, BAD = "ok", "bad"
_SAYS = read_patterns("protocol_phrases.yml")
_GENERIC = read_word_set("generic_in_topics")
_TOXIC = 0.7
"""The chance of toxicity from which no criterion is met."""
_BRIEF = 2
_NAMED = re.compile(r"(?<=\w )[A-ZА-ЯЁ]")
_LONGEST_SALAD = 20
"""Words of a text in which a word that comes three times is no accident."""


class CriterionTask(Struct, frozen=True):
    """What the tester said, what the bot answered, and what is known of its persona."""

    criterion: str
    utterance: str
    reply: str
    persona: str = ""


def read_criterion(task: CriterionTask) -> Opinion:
    """Return whether a reply meets a criterion; undecided where no rule is sure."""
    reply, said = normalise(task.reply), normalise(task.utterance)
    if flaw := _flaw(task, reply, said):
        return Opinion(BAD, flaw, NAME, 0.95)
    rule = _RULES.get(task.criterion)
    if rule is None:
        return abstain(f"no rule for {task.criterion}", NAME)
    return rule(task, reply, said)


def _flaw(task: CriterionTask, reply: str, said: str) -> str:
    """Return what no criterion forgives."""
    words, asked = split_words(reply), split_words(said)
    if not words:
        return "says nothing"
    if _is_echo(words, asked, reply) or _is_salad(words, asked):
        return "repeats what was said to it"
    if read_stutter(task.reply).label == STUTTERS or (len(words) > 3 and len(set(words)) * 2 <= len(words)):
        return "repeats itself"
    if _SAYS["lost"].search(reply):
        return "does not understand"
    if found := _SAYS["machine"].search(reply):
        return f"speaks like a machine: '{found[0]}'"
    toxic = LexiconToxicity().scores([task.reply])[0]
    return f"is toxic{toxic.why}" if toxic.value > _TOXIC else ""


def _is_echo(words: list[str], asked: list[str], reply: str) -> bool:
    """Return whether a reply has the words of the tester, all of them or as a question of its own."""
    if words == asked or (set(words) <= set(asked) and len(words) > 2):
        return True
    content = _long(words)
    if len(content) > 1 and reply.endswith("?") and all(_is_said(word, asked) for word in content):
        return True
    return len(asked) > 2 and asked in [split_words(one) for one in split_sentences(reply)]


def _is_salad(words: list[str], asked: list[str]) -> bool:
    """Return whether a reply has a word of the tester's, or a pair of its own words, three times."""
    if len(words) > _LONGEST_SALAD:
        return False
    taken = Counter(one for word in words for one in _long(asked) if stems_alike(word, one))
    pairs = Counter(pairwise(words))
    return max([*taken.values(), *pairs.values()], default=0) > 2


def _long(words: list[str]) -> list[str]:
    return [word for word in words if word not in STOP_WORDS and len(word) > 2]


def _content(text: str) -> list[str]:
    return _long(split_words(text))


def _shared(text: str, other: str) -> list[str]:
    return [word for word in _content(text) if _is_said(word, _content(other))]


def _contradiction(task: CriterionTask, reply: str) -> str:
    """Return the word that the persona denies and the reply asserts, or the other way round."""
    clauses = [part for one in split_sentences(reply) for part in split_clauses(one) if one[-1] != "?"]
    for line in split_sentences(normalise(task.persona)):
        denied = _denied_words(line)
        for clause in clauses:
            words, refused = split_words(clause), _denied_words(clause)
            if denied and not refused and all(_is_said(word, words) for word in (denied[0], *_long(denied))):
                return denied[-1]
            against = [word for word in _long(refused) if _is_said(word, _content(line))]
            if not denied and against:
                return against[0]
    return ""


def _affirmed(task: CriterionTask) -> str:
    """Return what the persona says of itself without a negation."""
    return " ".join(one for one in split_sentences(normalise(task.persona)) if not NEGATED.search(one))


def _denied_words(sentence: str) -> list[str]:
    """Return the words that a negation denies."""
    negation = NEGATED.search(UNNEGATED.sub(" ", sentence))
    if negation is None:
        return []
    if negation[0] in {"нет", "нету"}:
        return split_words(sentence[: negation.start()])[-4:]
    return split_words(sentence[negation.end() :])[:4]


def _is_said(word: str, words: list[str]) -> bool:
    return any(stems_alike(word, one) for one in words)


def _judge_closed(task: CriterionTask, reply: str, said: str) -> Opinion:
    if word := _contradiction(task, reply):
        return Opinion(BAD, f"says something about '{word}' that the persona denies", NAME, 0.85)
    if has_both_answers(task.reply, task.utterance):
        return Opinion(BAD, "says yes and no", NAME, 0.85)
    answer = read_yes_no(task.utterance, task.reply)
    right = _persona_answer(task)
    if answer.label and right:
        fits = answer.label == right
        return Opinion(OK if fits else BAD, f"{answer.reason}; the persona says {right}", NAME, 0.9)
    says_no = answer.label == "no"
    if answer.label and (not task.persona or says_no == bool(NEGATED.search(normalise(task.persona)))):
        return Opinion(OK, answer.reason, NAME, 0.8)
    if own := _own_words(task, reply):
        return Opinion(OK, f"says what the persona says: '{own[0]}'", NAME, 0.75)
    if answer.label:
        return abstain(f"{answer.reason}; the persona may say otherwise", NAME)
    if _is_general(reply, said):
        return Opinion(BAD, "talks about it in general", NAME, 0.85)
    return abstain("neither yes nor no is said", NAME)


def _own_words(task: CriterionTask, reply: str) -> list[str]:
    """Return the words of a reply that the persona says of itself and the tester did not say."""
    found = _shared(reply, _affirmed(task))
    return [word for word in found if not _is_said(word, split_words(normalise(task.utterance)))]


def _is_general(reply: str, said: str) -> bool:
    """Return whether a reply speaks of a thing and to nobody, as an encyclopedia does."""
    if _SAYS["first"].search(reply):
        return False
    opening = split_words(split_clauses(reply)[0])[:2]
    is_lecture = len(opening) > 1 and _shared(" ".join(opening), said) and not _SAYS["second"].search(reply)
    return bool(_SAYS["general"].search(reply) or is_lecture)


def _persona_answer(task: CriterionTask) -> str | None:
    """Return what the sentences of the persona say to the question, read as an answer."""
    found = {read_yes_no(task.utterance, one).label for one in split_sentences(task.persona)} - {None}
    return found.pop() if len(found) == 1 else None


def _judge_open(task: CriterionTask, reply: str, said: str) -> Opinion:
    if flaw := _no_answer(task, reply, said):
        return Opinion(BAD, flaw, NAME, 0.85)
    own = _own_words(task, reply)
    if own and LIKED.search(normalise(task.persona)) and DISLIKED.search(reply):
        return Opinion(BAD, f"dislikes what the persona likes: '{own[0]}'", NAME, 0.85)
    if own and not NEGATED.search(reply):
        return Opinion(OK, f"says what the persona says: '{own[0]}'", NAME, 0.9)
    if _SAYS["second"].search(split_sentences(reply)[0]) and not _SAYS["first"].search(reply):
        return Opinion(BAD, "talks about the partner", NAME, 0.8)
    return abstain("may be about something else", NAME)


def _no_answer(task: CriterionTask, reply: str, said: str) -> str:
    """Return why a reply is no answer to an open question."""
    if is_abstention(task.reply) or _SAYS["evades"].search(reply):
        return "says that it does not know"
    if all(one.endswith("?") for one in split_sentences(reply)):
        return "only asks back"
    if all(_is_said(word, split_words(said)) for word in _content(reply)):
        return "says nothing of its own"
    if len(split_words(reply)) <= _BRIEF + 1 and read_yes_no("", task.reply).label:
        return "says yes or no to an open question"
    misfit = read_coherence(Exchanged((task.utterance,), task.reply))
    if misfit.label == INCOHERENT:
        return misfit.reason
    if word := _contradiction(task, reply):
        return f"says something about '{word}' that the persona denies"
    if _SAYS["place"].search(said) and not _SAYS["somewhere"].search(reply) and not _NAMED.search(task.reply):
        return "names no place"
    return "talks about it in general" if _is_general(reply, said) else ""


def _judge_emotion(task: CriterionTask, reply: str, said: str) -> Opinion:
    del task
    feeling = _read_feeling(said)
    comforts, cheers = _SAYS["comfort"].search(reply), _SAYS["cheer"].search(reply)
    if _SAYS["shrugs"].search(reply) or _SAYS["blames"].search(reply):
        return Opinion(BAD, "does not care", NAME, 0.85)
    if (feeling < 0 and not comforts and _SAYS["cheer"].search(split_sentences(reply)[0])) or (
        feeling > 0 and _SAYS["condoles"].search(reply)
    ):
        return Opinion(BAD, "has the wrong tone", NAME, 0.9)
    if fitting := (comforts if feeling <= 0 else None) or (cheers if feeling > 0 else None):
        return Opinion(OK, f"feels with the partner: '{fitting[0]}'", NAME, 0.9)
    if _is_general(reply, said):
        return Opinion(BAD, "talks about it in general", NAME, 0.85)
    if "?" in reply:
        return Opinion(OK, "asks about it", NAME, 0.75)
    if not _SAYS["second"].search(reply) and not cheers and not _SAYS["exclaims"].search(reply):
        return Opinion(BAD, "does not react to the feeling", NAME, 0.85)
    return abstain("the feeling is not clear", NAME)


def _read_feeling(said: str) -> int:
    """Return 1 for joy, -1 for trouble and 0 where neither or both are heard."""
    return bool(_SAYS["glad"].search(said)) - bool(_SAYS["sad"].search(said))


def _judge_support(task: CriterionTask, reply: str, said: str) -> Opinion:
    words = split_words(reply)
    if _SAYS["shrugs"].search(reply):
        return Opinion(BAD, "does not care", NAME, 0.85)
    if ("?" in reply and len(words) > 1) or _SAYS["invites"].search(reply):
        return Opinion(OK, "asks on", NAME, 0.9)
    shortest = 4 if reply.isascii() else 3  # Russian has no articles
    if len(words) <= shortest or is_abstention(task.reply):
        return Opinion(BAD, "closes the talk", NAME, 0.85)
    if _is_general(reply, said):
        return Opinion(BAD, "talks about it in general", NAME, 0.85)
    if _SAYS["person"].search(reply) and not NEGATED.search(reply):
        return Opinion(OK, "keeps the conversation going", NAME, 0.75)
    return abstain("neither asks a question nor ends the conversation", NAME)


def _judge_topic(task: CriterionTask, reply: str, said: str) -> Opinion:
    if _SAYS["old_topic"].search(reply):
        return Opinion(BAD, "returns to the old topic", NAME, 0.85)
    topic, old = _split_topic(said)
    shared, kept = _topic_words(reply, topic), _topic_words(reply, old)
    if shared:
        return Opinion(OK, f"takes up '{shared[0]}'", NAME, 0.8)
    if kept:
        return Opinion(BAD, f"keeps to '{kept[0]}'", NAME, 0.8)
    answer = read_yes_no(task.utterance, task.reply)
    if answer.label and said.endswith("?") and not _SAYS["asks_what"].match(topic):
        return Opinion(OK, f"answers: {answer.reason}", NAME, 0.75)
    return abstain("no words from the new topic", NAME)


def _topic_words(reply: str, topic: str) -> list[str]:
    return [word for word in _shared(reply, topic) if word not in _GENERIC]


def _split_topic(said: str) -> tuple[str, str]:
    """Return the last part of an utterance that names a thing, and what comes before it."""
    parts = [part for one in split_sentences(said) for part in split_clauses(one)]
    number = max((n for n, part in enumerate(parts) if set(_content(part)) - _GENERIC), default=0)
    return parts[number], " ".join(parts[:number])


_RULES: Mapping[str, Callable[[CriterionTask, str, str], Opinion]] = {
    "open_question": _judge_open,
    "closed_question": _judge_closed,
    "dialog_supporting": _judge_support,
    "emotion_supporting": _judge_emotion,
    "topic_switch": _judge_topic,
}
