"""From a plan to a report: dialogues are held side by side, kept as they finish, and assessed together."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from du_eval.quality.aggregate import aggregate, missed_gates
from du_eval.quality.checks.base import QualityCheck
from du_eval.quality.dialogue import Dialogue
from du_eval.quality.plan import DialoguePlan
from du_eval.quality.results import Assessment, QualityReport
from du_eval.quality.talk import Talk
from du_eval.statistics.quantiles import percentile

_FILE = "dialogue"


@dataclass(frozen=True)
class Assessing:
    """What is asked of dialogues, and what the numbers depend on."""

    checks: Sequence[QualityCheck]
    judges: Mapping[str, str] = field(default_factory=dict)
    gates: Mapping[str, float] = field(default_factory=dict)
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
    gate = asyncio.Semaphore(max(1, concurrency))

    async def one(plan: DialoguePlan) -> Dialogue:
        async with gate:
            held = await talk_of(plan).held(plan)
        on_dialogue(held)
        return held

    return list(await asyncio.gather(*(one(plan) for plan in plans)))


SHARD = 200
"""How many conversations are assessed at once, whoever does it: results are the same everywhere."""
Shard = Sequence[Sequence[Assessment]]
"""What each check says about the conversations of a shard."""


def divide(dialogues: Sequence[Dialogue]) -> Iterator[Sequence[Dialogue]]:
    """Yield the conversations in shards."""
    for place in range(0, len(dialogues), SHARD):
        yield dialogues[place : place + SHARD]


def assess_shard(checks: Sequence[QualityCheck], dialogues: Sequence[Dialogue]) -> Shard:
    """Return what each check says about a shard."""
    return [check.assess(dialogues) for check in checks]


def assess(
    dialogues: Sequence[Dialogue],
    assessing: Assessing,
    bot: str = "",
    tester: str = "",
    shards: Iterable[Shard] | None = None,
) -> QualityReport:
    """Return the report on dialogues; shards may have been assessed elsewhere."""
    if shards is None:
        shards = (assess_shard(assessing.checks, part) for part in divide(dialogues))
    by_check: list[list[Assessment]] = [[] for _ in assessing.checks]
    for shard in shards:
        for column, part in zip(by_check, shard, strict=True):
            column.extend(part)
    found = [verdict for column in by_check for verdict in column]
    tests = aggregate(found, assessing.cell_of, assessing.by_level)
    exchanges = [exchange for dialogue in dialogues for exchange in dialogue.exchanges]
    times = sorted(exchange.seconds for exchange in exchanges if exchange.seconds is not None)
    return QualityReport(
        dialogues=tuple(dialogues),
        assessments=tuple(found),
        tests=tests,
        outcomes=dict(Counter(str(exchange.outcome) for exchange in exchanges)),
        judges=assessing.judges,
        signature=assessing.signature,
        bot=bot,
        tester=tester,
        seconds={f"p{share}": percentile(times, share) or 0.0 for share in (50, 95, 99)} if times else {},
        missed=missed_gates(tests, assessing.gates),
        compat=assessing.compat,
        notes=tuple(assessing.list_spent()),
    )
