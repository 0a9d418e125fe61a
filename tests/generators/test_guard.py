"""Whatever a generator gives back, one step ends in one prediction or one error."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from du_eval.commands import SetSlot
from du_eval.errors import BudgetSpentError, GeneratorError
from du_eval.generators.answers import GuardedGenerator
from du_eval.generators.base import Prediction, Prompt, Request


class Fake:
    name = "fake"
    counts_calls = True

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.is_closed = False

    async def generate(self, request: Request) -> Any:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer

    async def close(self) -> None:
        self.is_closed = True


def guarded(answer: Any, longest: int = 100) -> Prediction:
    return asyncio.run(GuardedGenerator(Fake(answer), longest).generate(Request("hello")))


def test_an_answer_passes_as_it_is() -> None:
    answer = Prediction(text="x" * 100, prompts=(Prompt("p", answer="y" * 100),))
    assert guarded(answer) == answer


@pytest.mark.parametrize("error", [KeyError("usage"), RecursionError("deep"), AttributeError("no")])
def test_whatever_breaks_while_an_answer_is_read_is_the_error_of_its_step(error: Exception) -> None:
    with pytest.raises(GeneratorError, match=f"fake: the answer cannot be read: {type(error).__name__}"):
        guarded(error)


@pytest.mark.parametrize("error", [BudgetSpentError("spent"), GeneratorError("why")])
def test_our_own_errors_pass_as_they_are(error: Exception) -> None:
    with pytest.raises(type(error)) as caught:
        guarded(error)
    assert caught.value is error


def test_what_is_no_prediction_is_told() -> None:
    with pytest.raises(GeneratorError, match="fake returned str instead of a Prediction"):
        guarded("ChitChat()")


@pytest.mark.parametrize(
    "answer",
    [
        Prediction(text="x" * 101),
        Prediction(commands=("x" * 60, "x" * 41)),
        Prediction(commands=(SetSlot("a", "x" * 101),)),
        Prediction(components={"one": "x" * 60, "other": ("x" * 41,)}),
    ],
)
def test_an_answer_that_is_too_long_names_the_setting(answer: Prediction) -> None:
    with pytest.raises(GeneratorError, match=r"characters, more than the 100 that --max-answer-characters"):
        guarded(answer)


def test_a_prompt_keeps_the_beginning_of_a_long_answer() -> None:
    (prompt,) = guarded(Prediction(text="", prompts=(Prompt("p", answer="y" * 150),))).prompts
    assert prompt.answer == "y" * 100 + " (50 more characters)"


def test_name_way_of_counting_and_closing_are_those_of_the_generator() -> None:
    inner = Fake("")
    outer = GuardedGenerator(inner)
    asyncio.run(outer.close())
    assert (outer.name, outer.counts_calls, inner.is_closed) == ("fake", True, True)
