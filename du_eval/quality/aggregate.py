"""From verdicts to rates: by test, level, distance, variant and label, with the dialogue as the cluster."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from du_eval.quality.dialogue import TWINS
from du_eval.quality.results import LEVELLED, TITLES, Assessment, Cell, ReplyVerdict, TestResult
from du_eval.statistics.clusters import clustered_proportion
from du_eval.statistics.difference import Difference, Pair
from du_eval.statistics.paired_rates import rate_difference

CELLS = 20
_WHOLE = ("ML-U3", "ML-U4")
"""Tests whose level is a count; that of the others is a share of words."""


def aggregate(
    assessments: Sequence[Assessment],
    cell_of: Callable[[Assessment], int] | None = None,
    by_level: Collection[str] | None = None,
) -> tuple[TestResult, ...]:
    """Return the sums of each test, in the order of the document."""
    by_test: dict[str, list[Assessment]] = defaultdict(list)
    for assessment in assessments:
        by_test[assessment.test].append(assessment)
    known = [test for test in TITLES if test in by_test]
    others = sorted(set(by_test) - set(known))
    return tuple(
        _result(
            test,
            by_test[test],
            None if by_level is not None and test not in by_level else cell_of or level_cell,
        )
        for test in (*known, *others)
    )


def _result(
    test: str, found: Sequence[Assessment], cell_of: Callable[[Assessment], int] | None
) -> TestResult:
    whole = [item for item in found if not item.label]
    judged = [item for item in whole if item.verdict is not ReplyVerdict.UNJUDGED]
    tried = [item for item in whole if not item.is_control]
    control = [item for item in whole if item.is_control]
    levelled = cell_of is not None and (test in LEVELLED or any(item.level is not None for item in judged))
    return TestResult(
        test=test,
        title=TITLES.get(test, ""),
        total=cell("", 0, tried),
        unjudged=len(whole) - len(judged),
        control=cell("control", 0, control) if any(item.is_control for item in judged) else None,
        levels=_cells(judged, level_cell, lambda n: level_name(test, n)) if levelled else (),
        distances=_cells(
            [item for item in judged if item.distance is not None and not item.is_control],
            lambda item: item.distance or 0,
            str,
        )
        if test == "ML-I1"
        else (),
        variants=_named(judged, lambda item: item.variant),
        paired=paired_difference(judged),
        labels=_named([item for item in found if item.label], lambda item: item.label),
        cells=_document_cells(judged, cell_of) if levelled and cell_of else (),
    )


def cell(name: str, place: float, items: Iterable[Assessment]) -> Cell:
    """Return the sum of some verdicts, with an interval that knows their dialogues."""
    clusters: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    missing = 0
    for item in items:
        missing += item.verdict is ReplyVerdict.UNJUDGED
        clusters[item.dialogue][0] += item.verdict is ReplyVerdict.PASSED
        clusters[item.dialogue][1] += item.verdict is not ReplyVerdict.UNJUDGED
    rate = replace(clustered_proportion([(good, n) for good, n in clusters.values()]), missing=missing)
    return Cell(name, place, sum(good for good, _ in clusters.values()), rate.n, rate)


def paired_difference(judged: Sequence[Assessment]) -> Difference | None:
    """Return how much worse questions do than the controls on the same facts; None without any pair.

    Several questions that share a control count as one pair, by their mean. Conversations are the clusters;
    two that are twins are one.
    """
    groups: dict[str, tuple[list[Assessment], list[Assessment]]] = defaultdict(lambda: ([], []))
    for item in judged:
        if item.pair:
            groups[item.pair][item.is_control].append(item)
    pairs = [
        Pair(_cluster(name, controls[0]), _rate(controls), _rate(asked))
        for name, (asked, controls) in groups.items()
        if asked and controls
    ]
    return rate_difference(pairs)


def _rate(items: Sequence[Assessment]) -> float:
    return sum(item.verdict is ReplyVerdict.PASSED for item in items) / len(items)


def _cluster(name: str, control: Assessment) -> int:
    """Return the conversation of a pair, or the number of the twins that hold it (below zero)."""
    twins, slash, _ = name.partition("/")
    return -1 - int(twins.removeprefix(TWINS)) if slash and twins.startswith(TWINS) else control.dialogue


def level_cell(item: Assessment) -> int:
    """Return the cell of a realised level: a count as it is, a share in steps of 5 %; the last is open."""
    level = item.level or 0.0
    return min(CELLS - 1, int(level) if item.test in _WHOLE else int(level * 20 + 1e-9))


def level_name(test: str, number: int) -> str:
    """Return what a cell holds, in words."""
    if test in _WHOLE:
        return f"{number}" + ("+" if number == CELLS - 1 else "")
    return f"{number * 5}–{number * 5 + 5} %"


def _cells(
    items: Sequence[Assessment], key: Callable[[Assessment], int], name: Callable[[int], str]
) -> tuple[Cell, ...]:
    groups: dict[int, list[Assessment]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return tuple(cell(name(number), number, groups[number]) for number in sorted(groups))


def _named(items: Sequence[Assessment], key: Callable[[Assessment], str]) -> tuple[Cell, ...]:
    groups: dict[str, list[Assessment]] = defaultdict(list)
    for item in items:
        if key(item) and item.verdict is not ReplyVerdict.UNJUDGED:
            groups[key(item)].append(item)
    return tuple(cell(name, place, groups[name]) for place, name in enumerate(groups))


def _document_cells(
    judged: Sequence[Assessment], cell_of: Callable[[Assessment], int]
) -> tuple[tuple[int, int], ...]:
    attempts = Counter(cell_of(item) for item in judged)
    passed = Counter(cell_of(item) for item in judged if item.verdict is ReplyVerdict.PASSED)
    return tuple((passed[number], attempts[number]) for number in range(CELLS))


def missed_gates(tests: Sequence[TestResult], gates: Mapping[str, float]) -> tuple[str, ...]:
    """Return, in words, the tests whose rate is below its gate."""
    rates = {result.test: result.total.rate.value for result in tests}
    found = []
    for test, least in gates.items():
        rate = rates.get(test)
        if rate is None:
            found.append(f"{test} was not measured, the gate is {least:.2f}")
        elif rate < least:
            found.append(f"{test} is {rate:.2f}, the gate is {least:.2f}")
    return tuple(found)
