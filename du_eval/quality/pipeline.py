"""From a plan to a record: dialogues are held side by side, and assessed piece by piece into sums."""

from __future__ import annotations

import gzip
import hashlib
from array import array
from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from msgspec import Struct, field, json
from msgspec.structs import replace

from du_eval.quality.aggregate import Sums, add_sums, measure, sum_up
from du_eval.quality.checks.base import QualityCheck
from du_eval.quality.dialogue import Dialogue
from du_eval.quality.inputs import Piece, hold_dialogues
from du_eval.quality.plan import DialoguePlan
from du_eval.quality.record import (
    KIND,
    QualityExtra,
    QualityRun,
    ReplyDetail,
    list_figures,
    record_case,
    tell_sample,
)
from du_eval.quality.results import Assessment
from du_eval.quality.talk import Talk
from du_eval.runs.asking import ask_each
from du_eval.runs.outcome import Outcome
from du_eval.runs.parts import PartWriter, pack_case
from du_eval.runs.record import Case, Head, Run, Totals
from du_eval.statistics.quantiles import percentile

ROWS = 10_000
"""How many replies a run keeps with all details; a larger one keeps a sample of conversations."""


class Assessing(Struct, frozen=True):
    """What is asked of dialogues, and what the numbers depend on."""

    checks: Sequence[QualityCheck]
    judges: Mapping[str, str] = field(default_factory=dict)
    signature: str = ""
    cell_of: Callable[[Assessment], int] | None = None
    compat: str = ""
    by_level: frozenset[str] | None = None
    """Tests whose results are shown by level; None for all that have levels."""
    list_spent: Callable[[], Sequence[str]] = list
    """Says what the judges were asked and cost."""


async def hold(
    plans: Sequence[DialoguePlan],
    talk_of: Callable[[DialoguePlan], Talk],
    concurrency: int,
    on_dialogue: Callable[[Dialogue], None] = lambda _: None,
) -> list[Dialogue]:
    """Return a dialogue for each plan, in their order."""

    async def hold_one(plan: DialoguePlan) -> Dialogue:
        held = await talk_of(plan).hold(plan)
        on_dialogue(held)
        return held

    return await ask_each(plans, hold_one, concurrency)


Rank = tuple[bytes, int]
"""Which conversations enter the sample first: by a hash of their names, the same in every run over them."""


class Candidate(Struct, frozen=True):
    """The record of a conversation, which may enter the sample."""

    rank: Rank
    replies: int
    case: Case[ReplyDetail] | bytes
    """As a line of the results where there are any: that travels and waits for less than the value does."""

    def read(self) -> Case[ReplyDetail]:
        """Return the record."""
        return KIND.read_case(json.decode(self.case)) if isinstance(self.case, bytes) else self.case


class PieceWork(Struct, frozen=True):
    """A piece, and what is wanted of it."""

    piece: Piece
    below: Rank | None = None
    """Only conversations that come earlier can enter the sample; None: all."""
    is_packed: bool = False
    """Whether all results are wanted, packed."""


class PieceResult(Struct, frozen=True):
    """What a worker says about a piece: sums, packed results, and conversations for the sample."""

    sums: Sums
    replies: Counter[str]
    seconds: array[float]
    cases: Counter[Outcome]
    results: Counter[Outcome | None]
    packed: bytes
    sample: tuple[Candidate, ...]


def assess_piece(assessing: Assessing, work: PieceWork) -> PieceResult:
    """Return what the checks say about a piece."""
    dialogues = work.piece.read()
    columns = [check.assess(dialogues) for check in assessing.checks]
    by_dialogue: dict[int, list[Assessment]] = defaultdict(list)
    for one in chain.from_iterable(columns):
        by_dialogue[one.dialogue].append(one)
    exchanges = [exchange for dialogue in dialogues for exchange in dialogue.exchanges]
    cases, results = Counter[Outcome](), Counter[Outcome | None]()
    lines, sample = list[bytes](), list[Candidate]()
    for dialogue in dialogues:
        case = record_case(dialogue, by_dialogue[dialogue.number], assessing.signature)
        if work.is_packed:
            cases[case.outcome] += 1
            results.update(one.outcome for one in case.results)
            lines.append(pack_case(case, KIND))
        rank = _rank(dialogue)
        if work.below is None or rank < work.below:
            sample.append(Candidate(rank, len(case.results), lines[-1] if work.is_packed else case))
    return PieceResult(
        sums=sum_up((one for column in columns for one in column), assessing.cell_of),
        replies=Counter(str(exchange.outcome) for exchange in exchanges),
        seconds=array("d", (one.seconds for one in exchanges if one.seconds is not None)),
        cases=cases,
        results=results,
        packed=gzip.compress(b"".join(lines), 3, mtime=0) if lines else b"",
        sample=tuple(sample),
    )


def _rank(dialogue: Dialogue) -> Rank:
    name = dialogue.name or f"dialogue {dialogue.number}"
    return hashlib.sha256(name.encode("utf-8", "replace")).digest()[:8], dialogue.number


class Merging:
    """Puts together what workers say; memory does not grow with the number of replies, only their sums do."""

    def __init__(self, assessing: Assessing, *, is_large: bool, parts: PartWriter | None = None) -> None:
        self._assessing, self._is_large, self._parts = assessing, is_large, parts
        self._sums: Sums = {}
        self._replies, self._seconds = Counter[str](), array("d")
        self._cases, self._results = Counter[Outcome](), Counter[Outcome | None]()
        self._sample: list[Candidate] = []
        self._kept = 0
        self._below: Rank | None = None

    def ask(self, pieces: Iterable[Piece]) -> Iterator[PieceWork]:
        """Yield the work, which depends on what is known by then."""
        for piece in pieces:
            yield PieceWork(piece, self._below, self._is_large)

    def add(self, found: PieceResult) -> None:
        """Take what a worker says about a piece."""
        add_sums(self._sums, found.sums)
        self._replies.update(found.replies)
        self._seconds.extend(found.seconds)
        self._cases.update(found.cases)
        self._results.update(found.results)
        if self._parts is not None and found.packed:
            self._parts.add(found.packed, found.cases.total(), found.results.total())
        for one in found.sample:
            if self._below is None or one.rank < self._below:
                insort(self._sample, one, key=lambda known: known.rank)
                self._kept += one.replies
        while self._is_large and self._kept > ROWS and len(self._sample) > 1:
            last = self._sample.pop()
            self._below, self._kept = last.rank, self._kept - last.replies

    def end(self, head: Head | None = None) -> QualityRun:
        """Return the record; `head` brings what only the caller knows."""
        assessing = self._assessing
        tests = measure(self._sums, assessing.by_level)
        sample = sorted(self._sample, key=lambda one: one.rank[1])
        times = sorted(self._seconds)
        totals = self._count() if self._below is not None else None
        made = head or Head(KIND.name, subject="bot")
        return Run(
            head=replace(made, unit="replies", decides=False, signature=assessing.signature),
            cases=tuple(one.read() for one in sample),
            figures=tuple(list_figures(tests)),
            notes=(*assessing.list_spent(), *tell_sample(totals, len(sample))),
            extra=QualityExtra(
                tests,
                dict(self._replies),
                assessing.judges,
                {f"p{share}": percentile(times, share) or 0.0 for share in (50, 95, 99)} if times else {},
                assessing.compat,
            ),
            totals=totals,
        )

    def _count(self) -> Totals:
        results = {outcome: count for outcome, count in self._results.items() if outcome is not None}
        index = self._parts.end() if self._parts is not None else ""
        return Totals(dict(self._cases), results, self._results[None], index)


def assess(dialogues: Sequence[Dialogue], assessing: Assessing, head: Head | None = None) -> QualityRun:
    """Return the record of conversations that are in memory, assessed here."""
    merging = Merging(assessing, is_large=False)
    for work in merging.ask(hold_dialogues(dialogues)):
        merging.add(assess_piece(assessing, work))
    return merging.end(head)
