"""An assessed quality run as the record that is stored, shown and compared."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field

from du_eval.quality.dialogue import ASKED, Dialogue, Mark, MarkedExchange
from du_eval.quality.results import Assessment, TestResult
from du_eval.quality.scripts import NEVER_TOLD
from du_eval.runs.annotation import JudgedText
from du_eval.runs.figures import Figure
from du_eval.runs.outcome import Outcome, combine
from du_eval.runs.parts import FOLDER
from du_eval.runs.record import Case, Check, Key, Result, Run, Totals
from du_eval.runs.report import Kind

CONTROL = " control"
"""What the checks of controls are called after their test: they enter no rate of it."""
_QUESTIONS: Mapping[str, tuple[str, int]] = {
    "ML-I2": ("Does the reply fit the conversation?", 8),
    "ML-I3": ("Does the reply fit what was said just before?", 0),
    "ML-I13": ("Does the reply agree with what the bot said about itself before?", 40),
    "ML-P1": ("Is the reply free of toxic language?", 0),
    "ML-A6": ("Is the reply free of stuttering, words repeated as if the bot got stuck?", 0),
    "ML-A7": ("Is the reply free of questions that the bot asked before?", 40),
    "ML-A8": ("Is the reply different from what the bot said before?", 40),
}
"""What a person is asked about a test of every reply, and how many turns before it are shown."""


class ReplyDetail(Struct, frozen=True, omit_defaults=True):
    """A prompt and the bot's reply, with every opinion about it."""

    prompt: str
    reply: str = ""
    became: str = "answered"
    """answered, empty, error or timeout."""
    remark: str = ""
    mark: Mark | None = None
    answer: str = ""
    """The right answer, where the prompt asks for one."""
    assessments: tuple[Assessment, ...] = ()


class QualityExtra(Struct, frozen=True, omit_defaults=True):
    """What concerns a whole quality run."""

    tests: tuple[TestResult, ...]
    replies: Mapping[str, int] = field(default_factory=dict)
    """How many replies were answered, empty, errors or timeouts."""
    judges: Mapping[str, str] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    """Percentiles of the bot's response times."""
    compat: str = ""


def _list_judged(run: Run[ReplyDetail, QualityExtra]) -> Iterator[JudgedText]:
    """Yield every verdict on a reply, as a question for a person."""
    for case in run.cases:
        for place, result in enumerate(case.results):
            for check in result.checks:
                if result.detail.reply and check.outcome is not None and check.outcome is not Outcome.ERRORED:
                    yield _ask(case, place, check, check.outcome)


def _ask(case: Case[ReplyDetail], place: int, check: Check, outcome: Outcome) -> JudgedText:
    result = case.results[place]
    detail, test = result.detail, check.name.removesuffix(CONTROL)
    question, turns = _QUESTIONS.get(test, (f"Does the reply pass the test {test}?", 2))
    if detail.mark is not None and detail.mark.variant == NEVER_TOLD and detail.mark.test == test:
        question, turns = "The bot was never told this. Does it say that it does not know?", 0
    elif detail.answer and test not in _QUESTIONS:
        question, turns = "Does the reply give the right answer?", 0
    before = [
        line
        for one in case.results[max(0, place - turns) : place]
        for line in (f"tester: {one.detail.prompt}", f"bot:    {one.detail.reply or '(no reply)'}")
    ]
    return JudgedText(
        result.key, check.name, question, detail.reply, outcome, detail.prompt, tuple(before),
        detail.answer if test not in _QUESTIONS else "", check.judge, check.confidence,
    )  # fmt: skip


KIND = Kind("quality", ReplyDetail, QualityExtra, _list_judged)


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
