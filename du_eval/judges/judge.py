"""The one protocol of all judges, and judges made of others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from msgspec import Struct

from du_eval.judges.opinion import Opinion
from du_eval.judges.tasks import Task

_SURE = 0.8


class Judge(Protocol):
    """Gives an opinion about each task; tasks come in batches so that models can work in batches."""

    @property
    def name(self) -> str:
        """How results name it, with its version."""
        ...

    def judge(self, tasks: Sequence[Task]) -> list[Opinion]:
        """Return an opinion about each task, in their order; a judge that cannot tell says so."""
        ...


class Cascade(Struct, frozen=True):
    """Asks the next judge only about what the one before could not tell or was not sure of."""

    judges: tuple[Judge, ...]

    @property
    def name(self) -> str:
        """How results name it: all judges, in their order."""
        return " > ".join(judge.name for judge in self.judges)

    def judge(self, tasks: Sequence[Task]) -> list[Opinion]:
        """Return the first opinion that is sure, else the last one that is decided at all."""
        found = self.judges[0].judge(tasks)
        for judge in self.judges[1:]:
            places = [place for place, opinion in enumerate(found) if opinion.confidence < _SURE]
            if not places:
                break
            for place, opinion in zip(places, judge.judge([tasks[place] for place in places]), strict=True):
                if opinion.is_decided or not found[place].is_decided:
                    found[place] = opinion
        return found


class ScriptedJudge(Struct, frozen=True):
    """A fake for tests: answers by a function."""

    answer: Callable[[Task], str | None]
    name: str = "scripted/1"

    def judge(self, tasks: Sequence[Task]) -> list[Opinion]:
        """Return what the function says."""
        labels = [self.answer(task) for task in tasks]
        return [Opinion(label, "scripted", self.name, float(label is not None)) for label in labels]
