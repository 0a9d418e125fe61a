"""The gate on the instruments: oracles in natural wordings pass, contradictors and don't-know bots do not."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product
from random import Random

import pytest

from du_eval.judges.answer_rules import AnswerTask, read_answer
from du_eval.judges.yes_no import read_yes_no
from du_eval.quality.facts.load import load_packaged_facts
from du_eval.quality.facts.model import DrawnFact, draw_fact

# Phrase grammars: openers, frames and closers of our own, as people word what they remember.
OPENERS = {
    "en": (
        "",
        "Well, ",
        "Oh, ",
        "If I remember correctly, ",
        "Let me think... ",
        "haha ",
        "Honestly, ",
        "Hm, ",
    ),
    "ru": ("", "Ну, ", "Если не ошибаюсь, ", "Насколько помню, ", "Так, ", "Честно говоря, "),
}
OPEN = {
    "en": (
        "it's {answer}", "{answer}", "I think it was {answer}", "you said {answer}", "that would be {answer}",
        "the answer is {answer}", "isn't it {answer}?", "{answer}, right?", "you mentioned {answer} earlier",
        "it must be {answer}", "didn't you say {answer}?", "my notes say {answer}", "I'd go with {answer}",
    ),
    "ru": (
        "это {answer}", "{answer}", "кажется, {answer}", "ты говорил: {answer}", "{answer}, верно?",
        "правильный ответ: {answer}", "думаю, {answer}", "разве не {answer}?", "ты же сам рассказывал, {answer}",
    ),
}  # fmt: skip
YES = {
    "en": ("yes", "yes, you told me so", "of course", "absolutely", "that's right", "I believe so", "yep", "sure",
           "indeed", "you did mention that, so yes", "definitely", "that's true", "I'd say yes", "uh-huh",
           "that's what you told me", "I do believe that's the case"),
    "ru": ("да", "конечно", "да, ты говорил", "верно", "именно так", "ага", "думаю, да", "безусловно",
           "всё так", "правильно", "однозначно"),
}  # fmt: skip
NO = {
    "en": ("no", "no, you told me the opposite", "not at all", "nope", "I don't think so", "that's not true",
           "not that I know of", "absolutely not", "no, not really", "nah", "I'm afraid not", "never", "I'd say no",
           "that'd be a no", "it doesn't look like it"),
    "ru": ("нет", "нет, ты говорил другое", "вовсе нет", "неа", "вряд ли", "это не так", "думаю, нет", "конечно, нет",
           "не похоже", "ты утверждал обратное"),
}  # fmt: skip
UNKNOWN = {
    "en": ("I don't know", "I have no idea", "I can't remember", "you never told me", "I forgot, sorry",
           "I don't have that information", "could you remind me?", "it slipped my mind", "I wish I could remember"),
    "ru": ("не знаю", "не помню", "понятия не имею", "ты мне не говорил", "я забыл", "напомни, пожалуйста",
           "мы это не обсуждали"),
}  # fmt: skip
CLOSERS = ("", ".", "!", " :)")


def facts_of(language: str) -> list[DrawnFact]:
    book = load_packaged_facts(language)
    found = [draw_fact(fact, book, Random(number)) for number in range(2) for fact in book.facts]
    return [fact for fact in found if fact.closed or (fact.accepted and fact.rejected)]


@cache
def wordings(language: str, frames: tuple[str, ...]) -> list[str]:
    texts = [a + b + c for a, b, c in product(OPENERS[language], frames, CLOSERS)]
    return [text[:1].upper() + text[1:] if number % 2 else text for number, text in enumerate(texts)]


def outcomes(language: str, bot: str, count: int = 1500) -> Iterator[bool | None]:
    """Yield whether replies of a bot to memory questions pass; None where the rules cannot tell."""
    facts, random = facts_of(language), Random(5)
    closed = {"yes": YES[language], "no": NO[language]}
    other = {"yes": "no", "no": "yes"}
    for _ in range(count):
        fact = random.choice(facts)
        said = fact.answer if bot == "oracle" else other.get(fact.answer, "")
        frames = UNKNOWN[language] if bot == "unknowing" else closed[said] if fact.closed else OPEN[language]
        reply = random.choice(wordings(language, frames))
        if fact.closed:
            label = read_yes_no(fact.questions[0], reply).label
            yield None if label is None and bot != "unknowing" else label == fact.answer
            continue
        value = random.choice(fact.accepted if bot == "oracle" else fact.rejected)
        task = AnswerTask(reply.replace("{answer}", value), fact.accepted, fact.rejected, fact.open)
        label = read_answer(task).label
        yield None if label is None else label == "right"


@pytest.mark.parametrize("language", ["en", "ru"])
def test_grammars_make_hundreds_of_wordings(language: str) -> None:
    frames = (*OPEN[language], *YES[language], *NO[language], *UNKNOWN[language])
    assert len(set(wordings(language, frames))) >= 600


@pytest.mark.parametrize("language", ["en", "ru"])
def test_an_oracle_passes_95_of_100_decided_questions_and_most_are_decided(language: str) -> None:
    found = list(outcomes(language, "oracle"))
    decided = [one for one in found if one is not None]
    assert len(decided) >= 0.9 * len(found)
    assert sum(decided) >= 0.97 * len(decided)


@pytest.mark.parametrize("bot", ["contradictor", "unknowing"])
@pytest.mark.parametrize("language", ["en", "ru"])
def test_contradictors_and_bots_that_know_nothing_pass_at_most_5_of_100(language: str, bot: str) -> None:
    decided = [one for one in outcomes(language, bot) if one is not None]
    assert len(decided) > 1000
    assert sum(decided) <= 0.05 * len(decided)
