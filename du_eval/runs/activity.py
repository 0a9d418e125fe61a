"""An activity of anybody: what to ask, how to judge, which figures. The rest is the same for all."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from typing import Generic, Never, Protocol, TypeVar

from msgspec import Struct, convert, field, to_builtins
from msgspec.structs import replace
from pydantic import BaseModel

from du_eval.errors import DuEvalError, GeneratorError
from du_eval.runs.asking import Asker, Finished, NotAskedError
from du_eval.runs.figures import Figure
from du_eval.runs.journal import Journal, Record
from du_eval.runs.keeping import OpenRun
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Case, D, Head, Key, Result, Run, Status
from du_eval.runs.report import Kind
from du_eval.runs.schedule import PlannedCase, Schedule
from du_eval.statistics.success import SuccessRatio

C = TypeVar("C")
A = TypeVar("A")
S = TypeVar("S")
S_contra = TypeVar("S_contra", contravariant=True)


class Item(Struct, Generic[C], frozen=True):
    """One thing to ask; items with the same file and case belong together, as one cluster."""

    key: Key
    content: C
    asked: str = ""
    """What is asked, in a line for people: another text is another question."""

    def at_sample(self, sample: int) -> Item[C]:
        """Return the same question as another repetition."""
        return replace(self, key=replace(self.key, sample=sample))


class Activity(Protocol[S_contra, C, A, D]):
    """What a package provides under the entry point `du_eval.activities`; `kind.name` is its command."""

    kind: Kind[D, None]
    help: str
    settings: type[BaseModel]
    """A pydantic model: its fields are the options of the command."""
    answer: type[A]
    """What `ask` returns: a dataclass, a `Struct` of msgspec or plain data, for the journal."""
    unit: str

    def load(self, settings: S_contra) -> Sequence[Item[C]]:
        """Return what is asked; raise InputError with all problems at once."""
        ...

    async def ask(self, item: Item[C]) -> A:
        """Return the answer; the only door to the world. Raise GeneratorError where there is none."""
        ...

    def judge(self, item: Item[C], answer: A | DuEvalError) -> Result[D]:
        """Return what became of an item: pure, so that judging again asks nobody."""
        ...

    def figures(self, cases: Sequence[Case[D]]) -> Sequence[Figure]:
        """Return the numbers of a run."""
        ...


class JournalAnswers(Struct, Generic[C, A], frozen=True):
    """Answers in the journal of a run: kept when they come, found again when the run goes on."""

    journal: Journal
    answer: type[A]

    def recall(self, item: Item[C]) -> A | DuEvalError | None:
        """Return what was kept for an item; where the run goes on, an error is asked again."""
        found = self.journal.find(item.key, item.asked, with_errors=not self.journal.is_writing)
        if found is None:
            return None
        return (
            GeneratorError(found.error) if found.answer is None else convert(found.answer["of"], self.answer)
        )

    def keep(self, item: Item[C], answer: A | DuEvalError, outcome: Outcome | None) -> None:
        """Write an answer down."""
        became = str(outcome or "")
        if isinstance(answer, DuEvalError):
            self.journal.append(Record(item.key, item.asked, error=str(answer), outcome=became))
        else:
            data = {"of": to_builtins(answer)}
            self.journal.append(Record(item.key, item.asked, data, outcome=became))


class ActivityRunner(Struct, Generic[C, A, D]):
    """Runs an activity: asks with concurrency, keeps every answer at once, judges, sums."""

    activity: Activity[Never, C, A, D]
    journal: Journal
    concurrency: int = 8
    asks: bool = True
    """Whether what the journal does not hold is asked; otherwise it is left out."""
    _found: dict[int, list[Result[D]]] = field(default_factory=dict)
    _reused: int = 0

    def run(self, items: Sequence[Item[C]], head: Head) -> Run[D, None]:
        """Return the record; when it is interrupted, of what was finished until then."""
        start, status = time.perf_counter(), head.status
        try:
            asyncio.run(self._ask(items))
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
        groups = list(_group(items))
        cases = tuple(
            Case(group[0].key.file, group[0].key.case, tuple(self._found[number]), length=len(group))
            for number, group in enumerate(groups)
            if number in self._found
        )
        head = replace(
            head,
            unit=self.activity.unit,
            seconds=time.perf_counter() - start,
            status=status,
            planned=len(groups),
            spent=replace(head.spent, reused=self._reused),
        )
        return Run(head, cases, tuple(self.activity.figures(cases)))

    async def _ask(self, items: Sequence[Item[C]]) -> None:
        store: JournalAnswers[C, A] = JournalAnswers(self.journal, self.activity.answer)
        asker: Asker[Item[C], A, Result[D]] = Asker(self._answer, self.activity.judge, store)
        once, groups = SuccessRatio(1, 1), enumerate(_group(items))
        planned = (PlannedCase(number, tuple(group), once) for number, group in groups)
        await asker.ask_all(Schedule(planned), self.concurrency, self._note)

    async def _answer(self, item: Item[C]) -> A | DuEvalError:
        if not self.asks:
            raise NotAskedError("the run has no answer for this item")
        try:
            return await self.activity.ask(item)
        except DuEvalError as error:
            return error
        except Exception as error:  # a plug-in may raise anything: it costs one item, not the run
            return GeneratorError(f"{type(error).__name__}: {error}")

    def _note(self, finished: Finished[Item[C], A, Result[D]]) -> None:
        self._reused += finished.is_reused
        self._found.setdefault(finished.number, []).append(finished.result)
        self._found[finished.number].sort(key=lambda result: result.key.step)


def rejudge_items(activity: Activity[S, C, A, D], settings: S, opened: OpenRun) -> Run[D, None]:
    """Return a run of an activity as its recorded answers give it; nobody is asked."""
    runner = ActivityRunner(activity, opened.journal, asks=False)
    name, status = activity.kind.name, opened.stored.rejudged_status
    return runner.run(activity.load(settings), Head(name, subject=name, status=status))


def _group(items: Sequence[Item[C]]) -> Iterator[list[Item[C]]]:
    """Yield the items of each case, in order."""
    groups: dict[tuple[str, str], list[Item[C]]] = {}
    for item in items:
        groups.setdefault((item.key.file, item.key.case), []).append(item)
    yield from groups.values()
