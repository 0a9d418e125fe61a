"""Whether a reply meets a criterion of the persona protocol: by rules that abstain rather than guess."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from msgspec import Struct

from du_eval.judges.abstentions import is_abstention
from du_eval.judges.lexicon import read_patterns, read_word_set
from du_eval.judges.numerals import split_tokens
from du_eval.judges.opinion import Opinion, abstain
from du_eval.judges.plain_text import normalise, split_clauses, split_sentences, split_words, stems_alike
from du_eval.judges.stutter import STUTTERS, read_stutter
from du_eval.judges.toxicity import LexiconToxicity
from du_eval.judges.yes_no import has_both_answers, read_yes_no
from du_eval.judges.yes_no_statements import STOP_WORDS
from du_eval.judges.yes_no_words import DISLIKED, LIKED, NEGATED, UNNEGATED

NAME = "protocol-rules/6"
OK, BAD = "ok", "bad"
_SAYS = read_patterns("protocol_phrases.yml")
_GENERIC = read_word_set("generic_in_topics")


_TOXIC = 0.7
"""The chance of toxicity from which no criterion is met."""


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
    sentences = [split_words(one) for one in split_sentences(reply)]
    is_quoted = words == asked or (len(asked) > 2 and asked in sentences)
    if is_quoted or (set(words) <= set(asked) and len(words) > 2):
        return "repeats what was said to it"
    if read_stutter(task.reply).label == STUTTERS or (len(words) > 3 and len(set(words)) * 2 <= len(words)):
        return "repeats itself"
    if _SAYS["lost"].search(reply):
        return "does not understand"
    toxic = LexiconToxicity().scores([task.reply])[0]
    return f"is toxic{toxic.why}" if toxic.value > _TOXIC else ""


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
    """Return the words that follow a negation."""
    negation = NEGATED.search(UNNEGATED.sub(" ", sentence))
    return split_words(sentence[negation.end() :])[:4] if negation else []


def _is_said(word: str, words: list[str]) -> bool:
    return any(stems_alike(word, one) for one in words)


def _misses_kind(task: CriterionTask, reply: str, said: str) -> str:
    """Return what a question asks for and a reply does not have: a number, a place, a name."""
    if _SAYS["many"].search(said) and not _SAYS["counted"].search(" ".join(split_tokens(reply))):
        return "gives no number"
    if (
        _SAYS["place"].search(said)
        and not _SAYS["somewhere"].search(reply)
        and not re.search(r"(?<=\w )[A-ZА-ЯЁ]", task.reply)
    ):
        return "names no place"
    if _SAYS["called"].search(said) and not re.search(r"(?<=[\w,] )[A-ZА-ЯЁ]\w", task.reply):
        names = {word.casefold() for word in re.findall(r"(?<=\w )[A-ZА-ЯЁ]\w+", task.persona)}
        if names and not any(stems_alike(one, name) for one in split_words(reply) for name in names):
            return "gives no name"
    return ""


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
    if answer.label == "no" and task.persona:
        return abstain(f"{answer.reason}; the persona may say otherwise", NAME)
    if answer.label:
        return Opinion(OK, answer.reason, NAME, 0.8)
    if not _SAYS["first"].search(reply) and (_SAYS["general"].search(reply) or _is_lecture(reply, said)):
        return Opinion(BAD, "talks about it in general", NAME, 0.85)
    if _shared(reply, _affirmed(task)) and not NEGATED.search(reply):
        return Opinion(OK, "says what the persona says", NAME, 0.75)
    if (
        _SAYS["first"].search(reply)
        and not _shared(reply, said)
        and not _shared(reply, normalise(task.persona))
        and not NEGATED.search(reply)
    ):
        return Opinion(BAD, "is about something else", NAME, 0.7)
    return abstain("neither yes nor no is said", NAME)


def _is_lecture(reply: str, said: str) -> bool:
    """Return whether a reply opens with the thing that was asked about and speaks to nobody."""
    opening = split_words(split_clauses(reply)[0])[:2]
    return len(opening) > 1 and bool(_shared(" ".join(opening), said)) and not _SAYS["second"].search(reply)


def _persona_answer(task: CriterionTask) -> str | None:
    """Return what the sentences of the persona say to the question, read as an answer."""
    found = {read_yes_no(task.utterance, one).label for one in split_sentences(task.persona)} - {None}
    return found.pop() if len(found) == 1 else None


def _judge_open(task: CriterionTask, reply: str, said: str) -> Opinion:
    if flaw := _no_answer(task, reply, said):
        return Opinion(BAD, flaw, NAME, 0.85)
    lines = split_sentences(normalise(task.persona))
    persona = " ".join([one for one in lines if _shared(one, said)] or lines)
    own = [word for word in _shared(reply, persona) if word not in _content(said)]
    if own and LIKED.search(normalise(task.persona)) and DISLIKED.search(reply):
        return Opinion(BAD, f"dislikes what the persona likes: '{own[0]}'", NAME, 0.85)
    if own and not NEGATED.search(reply):
        return Opinion(OK, f"says what the persona says: '{own[0]}'", NAME, 0.9)
    is_about_itself = _SAYS["first"].search(reply)
    if not is_about_itself and (_SAYS["general"].search(reply) or _is_lecture(reply, said)):
        return Opinion(BAD, "talks about it in general", NAME, 0.85)
    if _SAYS["place"].search(said) and _SAYS["somewhere"].match(reply):
        return Opinion(OK, "names a place where one was asked for", NAME, 0.8)
    if _SAYS["second"].search(split_sentences(reply)[0]) and not is_about_itself:
        return Opinion(BAD, "talks about the partner", NAME, 0.8)
    return abstain("no words from the persona", NAME)


def _no_answer(task: CriterionTask, reply: str, said: str) -> str:
    """Return why a reply is no answer to an open question."""
    if is_abstention(task.reply) or _SAYS["evades"].search(reply):
        return "says that it does not know"
    if all(one.endswith("?") for one in split_sentences(reply)):
        return "only asks back"
    if len(split_words(reply)) <= 2 and read_yes_no("", task.reply).label:
        return "says yes or no to an open question"
    if word := _contradiction(task, reply):
        return f"says something about '{word}' that the persona denies"
    return _misses_kind(task, reply, said)


def _judge_emotion(task: CriterionTask, reply: str, said: str) -> Opinion:
    del task
    sad, glad = bool(_SAYS["sad"].search(said)), bool(_SAYS["glad"].search(said))
    comforts, cheers = _SAYS["comfort"].search(reply), _SAYS["cheer"].search(reply)
    if sad and not glad:
        if comforts:
            return Opinion(OK, f"comforts: '{comforts[0]}'", NAME, 0.9)
        if _SAYS["wrong_tone"].search(reply):
            return Opinion(BAD, "has the wrong tone", NAME, 0.9)
    if glad and not sad and comforts and _SAYS["condoles"].search(reply):
        return Opinion(BAD, "has the wrong tone", NAME, 0.9)
    if _SAYS["shrugs"].search(reply) or _SAYS["boilerplate"].search(reply):
        return Opinion(BAD, "does not care", NAME, 0.85)
    if not sad and cheers and (glad or _SAYS["congratulates"].search(reply)):
        return Opinion(OK, f"is glad: '{cheers[0]}'", NAME, 0.9)
    if not _SAYS["second"].search(reply) and "?" not in reply and not comforts and not cheers:
        return Opinion(BAD, "does not react to the feeling", NAME, 0.85)
    return abstain("the feeling is not clear", NAME)


def _judge_support(task: CriterionTask, reply: str, said: str) -> Opinion:
    del said
    words = split_words(reply)
    if _SAYS["shrugs"].search(reply):
        return Opinion(BAD, "does not care", NAME, 0.85)
    if ("?" in reply and len(words) > 1) or _SAYS["invites"].search(reply):
        return Opinion(OK, "asks on", NAME, 0.9)
    shortest = 4 if reply.isascii() else 3  # Russian has no articles
    if len(words) <= shortest or is_abstention(task.reply):
        return Opinion(BAD, "closes the talk", NAME, 0.85)
    if _SAYS["goes_on"].match(reply) and len(words) > 4:
        return Opinion(OK, "keeps the conversation going", NAME, 0.8)
    if _SAYS["second"].search(reply) and len(words) > 4:
        return Opinion(OK, "talks to the partner", NAME, 0.75)
    return abstain("neither asks a question nor ends the conversation", NAME)


def _judge_topic(task: CriterionTask, reply: str, said: str) -> Opinion:
    if _SAYS["old_topic"].search(reply):
        return Opinion(BAD, "returns to the old topic", NAME, 0.85)
    topic = split_sentences(said)[-1]
    shared = [word for word in _shared(reply, topic) if word not in _GENERIC]
    answer = read_yes_no(task.utterance, task.reply)
    if shared:
        return Opinion(OK, f"takes up '{shared[0]}'", NAME, 0.8)
    if answer.label and said.endswith("?"):
        return Opinion(OK, f"answers: {answer.reason}", NAME, 0.75)
    return abstain("no words from the new topic", NAME)


_RULES: Mapping[str, Callable[[CriterionTask, str, str], Opinion]] = {
    "open_question": _judge_open,
    "closed_question": _judge_closed,
    "dialog_supporting": _judge_support,
    "emotion_supporting": _judge_emotion,
    "topic_switch": _judge_topic,
}
