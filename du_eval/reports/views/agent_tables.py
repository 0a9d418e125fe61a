"""The tables of a run of agent cases."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import log10

from du_eval.agents.modes import FailureMode
from du_eval.agents.record import AgentExtra, is_flaky
from du_eval.agents.results import AgentTalk, CheckResult
from du_eval.reports.columns import Code, Number, OutcomeColumn, Share, make_columns
from du_eval.reports.numbers import show_cell, show_number, show_seconds
from du_eval.reports.sections import Bars, Cell, Look, Table
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Case, Run
from du_eval.statistics.clusters import clustered_proportion, proportion

_WORST_FIRST = (Outcome.FAILED, Outcome.ERRORED, Outcome.UNDECIDED, Outcome.PASSED)
_JUDGED = (Outcome.PASSED, Outcome.FAILED, Outcome.ERRORED)
_FEW = 20
"""So many answers need no chart of their times."""
_CRITERIA = 5
_EXAMPLES = 3


def tell_json(value: object) -> str:
    """Return a value in a line."""
    return json.dumps(value, ensure_ascii=False)


def list_case_table(run: Run[AgentTalk, AgentExtra]) -> Table:
    """Return what became of each case, the worst first."""
    columns = make_columns(
        OutcomeColumn("outcome"), Code("case", facet="case"),
        *(Number(str(outcome)) for outcome in _JUDGED), "needs", Share("pass rate"), "flaky",
    )  # fmt: skip
    ranked = sorted(run.cases, key=lambda case: _WORST_FIRST.index(case.outcome))
    return Table("Cases", columns, tuple(map(_make_case, ranked)))


def _make_case(case: Case[AgentTalk]) -> tuple[Cell, ...]:
    passed, failed, errored = (len(case.results_that(outcome)) for outcome in _JUDGED)
    rate = proportion(passed, passed + failed)
    return (
        case.outcome,
        case.id,
        passed,
        failed,
        errored,
        str(case.ratio),
        rate,
        "yes" if is_flaky(case) else "",
    )


def list_modes(run: Run[AgentTalk, AgentExtra]) -> Iterator[Table]:
    """Yield the ways in which cases fail, the most frequent first: cases that fail alike share a mode."""
    found = run.extra.modes if run.extra is not None else ()
    groups: dict[str, dict[str, FailureMode]] = {}
    for one in found:
        for mode in one.modes:
            groups.setdefault(mode.name, {})[one.case] = mode
    columns = make_columns(
        "mode", Number("samples"), Share("of all samples"), Code("cases"), "broken criteria",
        "examples", "what to try", "named by",
    )  # fmt: skip
    ranked = sorted(groups.items(), key=lambda item: -sum(mode.samples for mode in item[1].values()))
    rows = tuple(_make_mode(name, modes, run.cases) for name, modes in ranked)
    told = [
        row
        for row, (_, modes) in zip(rows, ranked, strict=True)
        if not all(mode.is_error for mode in modes.values())
    ]
    if rows:
        # What failed once is told by its sample already, and errors are listed by their reasons.
        is_minor = not told or all(one.not_passed <= 1 for one in found)
        lines = tuple(line for row in told for line in _tell_mode(row))
        yield Table("Failure modes", columns, rows, lines=lines, is_minor=is_minor)


def _make_mode(
    name: str, modes: Mapping[str, FailureMode], cases: Sequence[Case[AgentTalk]]
) -> tuple[Cell, ...]:
    counts = [(modes[one.id].samples if one.id in modes else 0, len(one.results)) for one in cases]
    found = modes.values()
    criteria, examples, fixes, names = (
        "\n".join(list(dict.fromkeys(texts))[:most])
        for most, texts in (
            (_CRITERIA, [text for mode in found for text in mode.criteria]),
            (_EXAMPLES, [text for mode in found for text in mode.examples]),
            (_CRITERIA, [mode.fix for mode in found]),
            (_CRITERIA, [mode.named_by for mode in found]),
        )
    )
    rate = clustered_proportion(counts)
    samples = sum(mode.samples for mode in found)
    return name, samples, rate, "\n".join(modes), criteria, examples, fixes, names


def _tell_mode(row: tuple[Cell, ...]) -> Iterator[str]:
    """Yield a mode in lines, as its texts are too long for columns."""
    name, _, rate, cases, criteria, examples, fixes, _ = row
    names = str(cases).split("\n")
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    yield str(name)
    yield f"  {show_cell(rate, Look.SHARE)} of all samples, in {names[0]}{more}"
    for title, text in (("expected", criteria), ("example", examples), ("try", fixes)):
        yield from (f"  {title}: {line}" for line in str(text).split("\n") if line and line not in str(name))


def list_latencies(run: Run[AgentTalk, AgentExtra]) -> Iterator[Bars]:
    """Yield how long answers took, where there are enough of them."""
    times = [
        one.seconds for result in run.results() for one in result.detail.interactions if one.reply is not None
    ]
    if len(times) >= _FEW:
        yield from make_histogram("Time to answer", times, "time", show_seconds)


def make_check_table(checks: Sequence[tuple[int, CheckResult]]) -> Table:
    """Return all checks of a sample, with the number of their interaction."""
    columns = make_columns(
        OutcomeColumn("outcome"), Number("interaction"), Code("check"), "expected", "judge",
    )  # fmt: skip
    rows = tuple(
        (one.outcome, number, f"{one.subject} {one.check}", one.expected, one.judge) for number, one in checks
    )
    return Table("Checks", columns, rows, is_minor=True)


def list_check_tables(run: Run[AgentTalk, AgentExtra]) -> Iterator[Table]:
    """Yield how often each kind of check held, those that failed most first; then every single check."""
    found: dict[str, Counter[Outcome | None]] = {}
    for result in run.results():
        for check in result.checks:
            found.setdefault(check.name, Counter())[check.outcome] += 1
    if not found:
        return
    ranked = sorted(found.items(), key=lambda item: -item[1][Outcome.FAILED] - item[1][Outcome.ERRORED])
    columns = make_columns(
        Code("check", facet="check"), *(Number(str(outcome)) for outcome in _JUDGED), Share("held"),
    )  # fmt: skip
    rows = tuple(
        (name, *(counts[outcome] for outcome in _JUDGED),
         proportion(counts[Outcome.PASSED], counts[Outcome.PASSED] + counts[Outcome.FAILED]).value)
        for name, counts in ranked
    )  # fmt: skip
    yield Table("Kinds of checks", columns, rows)
    yield _list_checks(run)


def _list_checks(run: Run[AgentTalk, AgentExtra]) -> Table:
    columns = make_columns(
        Code("case", facet="case"), Number("sample"), Number("interaction"), Code("check"),
        OutcomeColumn("outcome"), "expected", "actual", "message", "judge", "place",
    )  # fmt: skip
    rows = tuple(
        (case.id, result.key.sample, number, f"{one.subject} {one.check}", one.outcome, one.expected,
         one.actual, one.message, one.judge, f"{one.file}:{one.line}" if one.line else one.file)
        for case in run.cases
        for result in case.results
        for number, said in enumerate(result.detail.interactions, 1)
        for one in said.checks
    )  # fmt: skip
    return Table("Checks", columns, rows, is_minor=True)


def list_interactions(run: Run[AgentTalk, AgentExtra]) -> Iterator[Table]:
    """Yield every message with its answer."""
    columns = make_columns(
        Code("case", facet="case"), Number("sample"), Number("interaction"), OutcomeColumn("outcome"),
        "text", "reply", Number("seconds"), "error", "tools", Number("tokens"), Number("cost"),
    )  # fmt: skip
    rows = tuple(
        (case.id, result.key.sample, number, one.outcome, one.text, one.reply.text if one.reply else None,
         one.seconds, one.error, ", ".join(tool.name for tool in one.reply.tools) if one.reply else "",
         one.reply.usage.total_tokens if one.reply and one.reply.usage else None,
         one.reply.usage.cost if one.reply and one.reply.usage else None)
        for case in run.cases
        for result in case.results
        for number, one in enumerate(result.detail.interactions, 1)
    )  # fmt: skip
    if rows:
        yield Table("Interactions", columns, rows, is_minor=True)


_BINS = 20


def make_histogram(
    title: str, values: Iterable[float], unit: str = "", show: Callable[[float], str] = show_number
) -> Iterator[Bars]:
    """Yield counts in bins of equal width, or of equal ratio where values spread far; none of nothing."""
    known = sorted(values)
    if not known:
        return
    low, high = known[0], known[-1]
    is_wide = low > 0 and high / low > 100
    start, end = (log10(low), log10(high)) if is_wide else (low, high)
    bins = 1 if low == high else _BINS
    width = (end - start) / bins or 1.0
    counts = [0] * bins
    for value in known:
        place = log10(value) if is_wide else value
        counts[min(bins - 1, int((place - start) / width))] += 1
    edges = [10 ** (start + width * at) if is_wide else start + width * at for at in range(bins)]
    yield Bars(title, tuple(map(show, edges)), tuple(counts), unit, is_minor=True)
