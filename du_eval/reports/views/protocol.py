"""The view of a run of the persona protocol: criteria, blocks, every reply."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from du_eval.protocol.criteria import CriterionRuling
from du_eval.protocol.figures import AT_LEAST, OF_ALL, RATES
from du_eval.protocol.model import Criterion
from du_eval.protocol.record import ProtocolExtra, ProtocolRun, TurnDetail
from du_eval.reports.columns import Code, Number, Share, make_columns
from du_eval.reports.sections import (
    Bars,
    Cell,
    Detail,
    Entries,
    Entry,
    Facts,
    Note,
    Section,
    Table,
    Tone,
    View,
)
from du_eval.reports.views.generic import list_figures, make_entry, make_view
from du_eval.reports.views.talks import list_silence, make_talk_headline, make_transcript
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Case, Result

_TITLES = {
    Criterion.NAME: "keeps the user's name",
    Criterion.HELLO_BYE: "greets and says goodbye",
    Criterion.REPEATING: "repeats itself (lower is better)",
    Criterion.OPEN: "answers open questions",
    Criterion.CLOSED: "answers yes-no questions",
    Criterion.DIALOG: "keeps the dialogue going",
    Criterion.EMOTION: "reacts to feelings",
    Criterion.TOPIC: "follows a change of topic",
}
_BOOLEAN = {Criterion.NAME, Criterion.HELLO_BYE}
_TURNS_BEFORE = 3
_SHOWN = (Outcome.PASSED, Outcome.FAILED, Outcome.UNDECIDED)


def view_protocol(run: ProtocolRun) -> View:
    """Return the view of a run of the protocol."""
    language = f", language {run.extra.language}" if run.extra else ""
    replies = sum(1 for result in run.results() if result.key.step)
    return make_view(run, make_talk_headline(run, "dialogue", replies, language), _list_sections(run))


def _list_sections(run: ProtocolRun) -> Iterator[Section]:
    extra = run.extra
    if extra is None:
        return
    yield from list_figures(run)
    yield from list_silence(extra.replies)
    if extra.cut:
        yield Note(f"not held to the end: {extra.cut} of {len(run.cases)} dialogues", Tone.OPEN)
    yield _make_criterion_table(run)
    if extra.switches or extra.unjudged_switches:
        yield _make_switch_table(run, extra)
    yield _make_block_table(run)
    yield Entries("Replies", run.head.unit, tuple(entry for case in run.cases for entry in _list_case(case)))
    if len({*extra.switches}) > 1:
        yield _make_switch_bars(extra.switches)
    yield Facts((("judges", extra.judges),))
    yield _make_decision_table(run)


def _make_criterion_table(run: ProtocolRun) -> Table:
    columns = make_columns(
        Code("criterion", facet="criterion"), "what it asks for", Share("value"), "of", Number("undecided"),
    )  # fmt: skip
    return Table("Criteria", columns, tuple(row for one in RATES for row in _list_rows(run, one)))


def _list_rows(run: ProtocolRun, criterion: Criterion) -> Iterator[tuple[Cell, ...]]:
    rate, of_all = run.figure(criterion), run.figure(OF_ALL)
    if criterion is Criterion.REPEATING and of_all is not None:
        yield str(criterion), _TITLES[criterion], of_all.measured, "utterances of both sides", None
    if rate is not None:
        of = "dialogues" if criterion in _BOOLEAN else "replies"
        yield str(criterion), _TITLES[criterion], rate.measured, of, rate.measured.missing


def _make_switch_table(run: ProtocolRun, extra: ProtocolExtra) -> Table:
    never = f"not within {extra.limit} utterances"
    names = ("switches", "utterances until it does", never, "without any reply", "with those, at least")
    columns = make_columns("what it asks for", *(Number(name) for name in names))
    means = (_find_value(run, str(Criterion.TOPIC)), _find_value(run, AT_LEAST))
    counts = extra.switches.count(None), extra.unjudged_switches
    row = (_TITLES[Criterion.TOPIC], len(extra.switches), means[0], *counts, means[1])
    return Table("Topic switches", columns, (row,))


def _find_value(run: ProtocolRun, name: str) -> float | None:
    figure = run.figure(name)
    return figure.value if figure else None


def _make_block_table(run: ProtocolRun) -> Table:
    """Return the replies and decisions of each block; repeated replies are counted apart."""
    found: dict[str, Counter[str]] = {}
    for result in run.results():
        if not result.key.step:
            continue
        counts = found.setdefault(result.detail.block, Counter())
        counts["replies"] += 1
        for one in result.detail.decisions:
            if one.criterion is not Criterion.REPEATING:
                counts[one.outcome] += 1
            elif one.outcome is Outcome.FAILED:
                counts["repeated"] += 1
    names = ("replies", *map(str, _SHOWN), "repeated")
    columns = make_columns(Code("block", facet="block"), *(Number(name) for name in names))
    rows: list[tuple[Cell, ...]] = [
        (block, *(counts[name] for name in names)) for block, counts in found.items()
    ]
    return Table("Blocks", columns, tuple(rows), is_minor=True)


def _make_switch_bars(switches: Sequence[int | None]) -> Bars:
    most = max((count for count in switches if count is not None), default=0)
    bins: list[int | None] = [*range(1, most + 1), *([None] if None in switches else [])]
    labels = tuple("never" if count is None else f"after {count}" for count in bins)
    counts = tuple(switches.count(count) for count in bins)
    return Bars("Utterances until the topic is followed", labels, counts, "switches", is_minor=True)


def _make_decision_table(run: ProtocolRun) -> Table:
    columns = make_columns(
        Number("dialogue"), Number("turn"), Code("criterion"), "outcome", Number("score"),
        Number("threshold"), "reason", "judge", "user", "bot",
    )  # fmt: skip
    rows = tuple(
        (one.dialogue, one.turn + 1, str(one.criterion), str(one.outcome), one.score, one.threshold,
         one.reason, one.judge, one.utterance, one.reply)
        for result in run.results()
        for one in result.detail.decisions
    )  # fmt: skip
    return Table("Decisions", columns, rows, is_minor=True)


def _list_case(case: Case[TurnDetail]) -> Iterator[Entry]:
    for result in case.results:
        detail = result.detail
        facets = [("criterion", name) for name in result.mistakes]
        facets += [
            (name, value) for name, value in (("block", detail.block), ("topic", detail.topic)) if value
        ]
        facets += [("reply", detail.became)] if detail.became != "answered" else []
        where = f", reply {result.key.step}" if result.key.step else ""
        yield replace(
            make_entry(case, result, (), _list_details(case, result)),
            place=f"{case.name}{where}",
            case=case.name,
            facets=(("case", case.name), *facets),
            expected="",
            message=_tell(result),
        )


def _tell(result: Result[TurnDetail]) -> str:
    if result.error or result.detail.became == "empty":
        return result.error or "the reply is empty"
    decided = [one for one in result.detail.decisions if one.outcome is not Outcome.PASSED]
    failed = [one for one in decided if one.outcome is Outcome.FAILED] or decided
    told = [f"{one.criterion}: {one.reason}" for one in failed]
    known = {str(one.criterion) for one in failed}
    told += [
        f"{one.name}: {one.reason}"
        for one in result.checks
        if one.outcome is Outcome.FAILED and one.name not in known and one.reason
    ]
    return "; ".join(told)


def _list_details(case: Case[TurnDetail], result: Result[TurnDetail]) -> Iterator[Detail]:
    if result.outcome in {Outcome.PASSED, None}:
        return
    step = result.key.step
    if step:
        spoken = [one.detail for one in case.results if max(1, step - _TURNS_BEFORE) <= one.key.step <= step]
        yield make_transcript("user", ((one.said, one.reply) for one in spoken))
    if result.detail.topic:
        yield Facts((("topic", result.detail.topic),), "Said to change the topic to")
    if result.detail.decisions:
        yield _make_opinions(result.detail.decisions)


def _make_opinions(decisions: Sequence[CriterionRuling]) -> Table:
    columns = make_columns("criterion", "outcome", Number("score"), Number("threshold"), "reason", "judge")
    rows = tuple(
        (str(one.criterion), str(one.outcome), one.score, one.threshold, one.reason, one.judge)
        for one in decisions
    )
    return Table("Opinions", columns, rows)
