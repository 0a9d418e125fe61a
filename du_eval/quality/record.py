"""An assessed quality run as the record that is stored, shown and compared."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from du_eval.quality.detail import CONTROL, QualityExtra, ReplyDetail
from du_eval.quality.dialogue import ASKED, Dialogue, MarkedExchange
from du_eval.quality.results import Assessment, TestResult
from du_eval.quality.scripts import NEVER_TOLD
from du_eval.runs.figures import Figure
from du_eval.runs.outcome import Outcome, combine
from du_eval.runs.parts import FOLDER
from du_eval.runs.record import Case, Check, Key, Result, Run, Totals

_SEED = re.compile(r"(?:^|\|)(seed:\d+)")
_ANSWERED, _EMPTY = "answered", "empty"
QualityRun = Run[ReplyDetail, QualityExtra]


def tell_sample(totals: Totals | None, conversations: int) -> Iterator[str]:
    """Yield what the reader of a large run must know: its cases are a sample."""
    if totals is not None:
        yield (
            f"figures and counts are those of all {totals.items:,} replies; single replies are shown"
            f" of {conversations:,} conversations, chosen by a hash of their names; the folder"
            f" {FOLDER} of the run has all"
        )


def list_figures(tests: Iterable[TestResult]) -> Iterator[Figure]:
    """Yield the rate of each test, and that of its control."""
    for result in tests:
        title = f"{result.test} {result.title}".strip()
        yield Figure(result.test, result.total.rate, title, is_headline=True)
        if result.control is not None:
            yield Figure(f"{result.test}.control", result.control.rate, f"control of {result.test}")


def record_case(dialogue: Dialogue, found: Sequence[Assessment], signature: str) -> Case[ReplyDetail]:
    """Return the record of one conversation."""
    seed = _SEED.search(signature)
    file, name = seed[1] if seed else "", dialogue.name or f"dialogue {dialogue.number}"
    by_reply: dict[int, list[Assessment]] = defaultdict(list)
    for one in found:
        by_reply[one.exchange].append(one)
    results = tuple(
        _result(Key(file, name, place + 1), dialogue, by_reply.get(place, ()))
        for place in range(len(dialogue.exchanges))
    )
    return Case(file, name, results)


def _result(key: Key, dialogue: Dialogue, found: Sequence[Assessment]) -> Result[ReplyDetail]:
    exchange = dialogue.exchanges[key.step - 1]
    checks = tuple(_check(one, exchange) for one in found if not one.label)
    told = f"{exchange.outcome}: {exchange.detail}" if exchange.detail else str(exchange.outcome)
    answer = _find_answer(exchange, dialogue)
    failed = [one for one in found if one.verdict is Outcome.FAILED and not one.label]
    return Result(
        key,
        _become(exchange, checks),
        ReplyDetail(
            exchange.prompt, exchange.reply, str(exchange.outcome), exchange.detail, exchange.mark,
            answer, tuple(found),
        ),
        asked=exchange.prompt,
        expected=(answer,) if answer else (),
        actual=(exchange.reply,) if exchange.reply else (),
        mistakes=tuple(dict.fromkeys(one.test for one in failed)),
        checks=checks,
        error="" if exchange.outcome in {_ANSWERED, _EMPTY} else told,
        question=f"{key.step}|{exchange.prompt}",
        seconds=exchange.seconds,
    )  # fmt: skip


def _find_answer(exchange: MarkedExchange, dialogue: Dialogue) -> str:
    """Return the right answer to a question about a fact; empty where nothing of the kind was asked."""
    mark = exchange.mark
    fact = dialogue.facts.get(mark.trial) if mark and mark.role in ASKED else None
    if mark is None or fact is None:
        return ""
    return "(does not know)" if mark.variant == NEVER_TOLD else fact.answer


def _become(exchange: MarkedExchange, checks: Sequence[Check]) -> Outcome | None:
    """Return what became of a reply: tests that cannot tell count only where no other test can.

    An empty reply cannot be judged, none at all is an error.
    """
    if exchange.outcome != _ANSWERED:
        return Outcome.UNDECIDED if exchange.outcome == _EMPTY else Outcome.ERRORED
    known = [one.outcome for one in checks if one.outcome is not None]
    judged = [outcome for outcome in known if outcome.is_judged]
    return combine(judged or known) if known else None


def _check(one: Assessment, exchange: MarkedExchange) -> Check:
    is_open = not one.verdict.is_judged
    outcome = Outcome.ERRORED if is_open and exchange.outcome not in {_ANSWERED, _EMPTY} else one.verdict
    score = None if is_open else float(outcome is Outcome.PASSED)
    reason = one.reason or one.interpretation
    return Check(
        one.test + (CONTROL if one.is_control else ""), outcome, score, reason, one.judge, one.confidence
    )
