"""The tables of a run of agent cases."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import log10

from du_eval.agents.record import AgentExtra, CaseModes, is_flaky
from du_eval.agents.results import AgentTalk, CheckResult
from du_eval.reports.columns import Code, Number, OutcomeColumn, Share, make_columns
from du_eval.reports.numbers import show_number, show_seconds
from du_eval.reports.sections import Bars, Cell, Table
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Case, Run
from du_eval.statistics.clusters import proportion
from du_eval.statistics.quantiles import percentiles

_WORST_FIRST = (Outcome.FAILED, Outcome.ERRORED, Outcome.UNDECIDED, Outcome.PASSED)
_JUDGED = (Outcome.PASSED, Outcome.FAILED, Outcome.ERRORED)
_FEW = 20
"""So many answers need no chart of their times."""
_CRITERIA = 5


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
    early = case.ratio is not None and len(case.results) < case.ratio.of
    needs = f"{case.ratio}{f', stopped after {len(case.results)}' if early else ''}"
    rate = proportion(passed, passed + failed)
    return case.outcome, case.id, passed, failed, errored, needs, rate, "yes" if is_flaky(case) else ""


def list_modes(found: Sequence[CaseModes]) -> Iterator[Table]:
    """Yield the ways in which cases fail, the most frequent of each case first."""
    columns = make_columns(
        Code("case", facet="case"), "mode", Number("samples"), "of all samples", "interactions",
        "broken criteria", "examples", "what to try", "named by",
    )  # fmt: skip
    rows = tuple(
        (one.case, mode.name, mode.samples, mode.rate, ", ".join(map(str, mode.interactions)),
         "\n".join(mode.criteria[:_CRITERIA]), "\n".join(mode.examples), mode.fix, mode.named_by)
        for one in found
        for mode in one.modes
    )  # fmt: skip
    if rows:
        # What failed once is told by its sample already.
        yield Table("Failure modes", columns, rows, is_minor=all(one.not_passed <= 1 for one in found))


def list_latencies(run: Run[AgentTalk, AgentExtra]) -> Iterator[Bars]:
    """Yield how long answers took, where there are enough of them."""
    times = [
        one.seconds for result in run.results() for one in result.detail.interactions if one.reply is not None
    ]
    if len(times) >= _FEW:
        yield from make_histogram("Time to the answer", times, "time", show_seconds)


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
    remark = " · ".join(f"{name} {show(value)}" for name, value in percentiles(known).items())
    yield Bars(title, tuple(map(show, edges)), tuple(counts), unit, remark)
