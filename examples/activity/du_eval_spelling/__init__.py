"""An activity of our own: does a function correct the spelling of messages?

du-eval gives it a command, a journal, --resume, intervals, reports, the page, JUnit and gates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, Field

from du_eval.errors import DuEvalError, InputError, Problem
from du_eval.plugins import load_object
from du_eval.runs.activity import Item
from du_eval.runs.figures import Figure
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Case, Check, Key, Result
from du_eval.runs.report import Kind
from du_eval.statistics.clusters import clustered_proportion


class SpellingSettings(BaseModel):
    """The options of `du-eval spelling`."""

    paths: list[str] = Field(description="Files with lines such as: helo wrld => hello world")
    corrector: str = Field(default="du_eval_spelling:shout", description="The function: my_module:correct.")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A misspelt sentence, and the right one."""

    wrong: str
    right: str
    line: int
    corrector: str


def shout(text: str) -> str:
    """Correct nothing, as an example of a poor corrector."""
    return text.upper()


class Spelling:
    """The activity: what to ask, how to judge, which figures."""

    kind = Kind("spelling", Sentence)
    help = "Test how well a function corrects spelling."
    settings = SpellingSettings
    answer = str
    unit = "sentences"

    def load(self, settings: SpellingSettings) -> Sequence[Item[Sentence]]:
        """Return the sentences of all files; every wrong line is told at once."""
        items: list[Item[Sentence]] = []
        problems: list[Problem] = []
        for path in settings.paths:
            for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
                wrong, arrow, right = line.partition("=>")
                if not arrow:
                    problems.append(Problem(path, number, "there is no '=>'", "wrong => right"))
                    continue
                content = Sentence(wrong.strip(), right.strip(), number, settings.corrector)
                items.append(Item(Key(path, f"line {number}", 1), content, content.wrong))
        if problems:
            raise InputError(problems)
        return items

    async def ask(self, item: Item[Sentence]) -> str:
        """Return what the function makes of a sentence."""
        correct: Callable[[str], str] = load_object(item.content.corrector)
        return correct(item.content.wrong)

    def judge(self, item: Item[Sentence], answer: str | DuEvalError) -> Result[Sentence]:
        """Return whether the sentence is right now, and whether at least the words are."""
        told = {"asked": item.asked, "line": item.content.line, "question": item.content.right}
        if isinstance(answer, DuEvalError):
            return Result(item.key, Outcome.ERRORED, item.content, error=str(answer), **told)
        is_right = answer == item.content.right
        has_words = answer.casefold().split() == item.content.right.casefold().split()
        checks = tuple(
            Check(name, Outcome.PASSED if holds else Outcome.FAILED)
            for name, holds in (("exact", is_right), ("words", has_words))
        )
        outcome = Outcome.PASSED if is_right else Outcome.FAILED
        expected, actual = (item.content.right,), (answer,)
        return Result(
            item.key, outcome, item.content, expected=expected, actual=actual, checks=checks, **told
        )

    def figures(self, cases: Sequence[Case[Sentence]]) -> Sequence[Figure]:
        """Return the share of right sentences, with an interval that knows about files."""
        judged = [[one for one in case.results if one.outcome is not Outcome.ERRORED] for case in cases]
        pairs = [(sum(one.outcome is Outcome.PASSED for one in found), len(found)) for found in judged]
        return (Figure("accuracy", clustered_proportion(pairs), "sentences corrected", is_headline=True),)


SPELLING = Spelling()
