"""From verdicts to rates: by test, level, distance, variant and label, with the dialogue as the cluster."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from du_eval.quality.dialogue import TWINS
from du_eval.quality.results import LEVELLED, TITLES, Assessment, Cell, TestResult
from du_eval.runs.outcome import Outcome
from du_eval.statistics.clusters import clustered_proportion
from du_eval.statistics.difference import Difference, Pair
from du_eval.statistics.paired_rates import rate_difference

CELLS = 20
_WHOLE = ("ML-U3", "ML-U4")
"""Tests whose level is a count; that of the others is a share of words."""


Cut = Callable[[Assessment], int]
"""Which cell of the document a verdict falls into."""


class CellSums(Struct):
    """Successes and attempts of each conversation, and how many verdicts are missing."""

    good: array[int] = field(default_factory=lambda: array("I"))
    attempts: array[int] = field(default_factory=lambda: array("I"))
    missing: int = 0

    def add(self, other: CellSums) -> None:
        """Add what was found in other conversations."""
        self.good.extend(other.good)
        self.attempts.extend(other.attempts)
        self.missing += other.missing

    def measure(self, name: str, place: float) -> Cell:
        """Return the sum, with an interval that knows the conversations."""
        rate = replace(
            clustered_proportion(list(zip(self.good, self.attempts, strict=True))), missing=self.missing
        )
        return Cell(name, place, sum(self.good), rate.n, rate)


class TestSums(Struct):
    """Everything about the verdicts of a test that its result needs: sums, and no single verdict."""

    __test__ = False  # for pytest: this is no test

    cells: dict[tuple[str, str | int], CellSums] = field(default_factory=dict)
    """By what they are about (all, controls, a level ...) and which."""
    unjudged: int = 0
    has_levels: bool = False
    document: Counter[tuple[int, bool]] = field(default_factory=Counter)
    """How many verdicts fell into a cell of the document, and passed or not."""
    pairs: dict[str, list[int]] = field(default_factory=dict)
    """By pair: its conversation, passed and all questions, passed and all controls."""

    def add(self, other: TestSums) -> None:
        """Add what was found in other conversations."""
        for key, cell in other.cells.items():
            self.cells.setdefault(key, CellSums()).add(cell)
        self.unjudged += other.unjudged
        self.has_levels |= other.has_levels
        self.document.update(other.document)
        for name, (cluster, *counts) in other.pairs.items():
            known = self.pairs.setdefault(name, [cluster, 0, 0, 0, 0])
            if not known[4]:
                known[0] = cluster
            known[1:] = [one + more for one, more in zip(known[1:], counts, strict=True)]

    def select(self, about: str) -> dict[str | int, CellSums]:
        """Return the cells about something."""
        return {which: cell for (group, which), cell in self.cells.items() if group == about}


Sums = dict[str, TestSums]
"""By test."""


def sum_up(assessments: Iterable[Assessment], cut: Cut | None = None) -> Sums:
    """Return the sums of verdicts; all verdicts on a conversation must be among them."""
    found: Sums = {}
    counts: dict[tuple[str, str, str | int], dict[int, list[int]]] = {}
    for item in assessments:
        sums = found.setdefault(item.test, TestSums())
        for about, which in _list_cells(item):
            cell = counts.setdefault((item.test, about, which), {})
            one = cell.setdefault(item.dialogue, [0, 0, 0])
            one[0] += item.verdict is Outcome.PASSED
            one[1] += item.verdict.is_judged
            one[2] += not item.verdict.is_judged
        if not item.label:
            _note(sums, item, cut or level_cell)
    for (test, about, which), cell in counts.items():
        good, attempts, missing = zip(*cell.values(), strict=True)
        found[test].cells[about, which] = CellSums(array("I", good), array("I", attempts), sum(missing))
    return found


def _list_cells(item: Assessment) -> Iterator[tuple[str, str | int]]:
    if item.label:
        if item.verdict.is_judged:
            yield "label", item.label
        return
    yield ("control" if item.is_control else "total"), ""
    if not item.verdict.is_judged:
        return
    if item.level is not None or item.test in LEVELLED:
        yield "level", level_cell(item)
    if item.variant:
        yield "variant", item.variant
    if item.distance is not None and not item.is_control and item.test == "ML-I1":
        yield "distance", item.distance


def _note(sums: TestSums, item: Assessment, cut: Cut) -> None:
    if not item.verdict.is_judged:
        sums.unjudged += 1
        return
    passed = item.verdict is Outcome.PASSED
    sums.has_levels = sums.has_levels or item.level is not None
    if item.level is not None or item.test in LEVELLED:
        sums.document[cut(item), passed] += 1
    if item.pair:
        pair = sums.pairs.setdefault(item.pair, [item.dialogue, 0, 0, 0, 0])
        if item.is_control and not pair[4]:
            pair[0] = _cluster(item.pair, item)
        place = 3 if item.is_control else 1
        pair[place] += passed
        pair[place + 1] += 1


def add_sums(all_of_them: Sums, more: Sums) -> None:
    """Add the sums of other conversations."""
    for test, sums in more.items():
        all_of_them.setdefault(test, TestSums()).add(sums)


def measure(sums: Sums, by_level: Collection[str] | None = None) -> tuple[TestResult, ...]:
    """Return the result of each test, in the order of the document."""
    known = [test for test in TITLES if test in sums]
    return tuple(
        _result(test, sums[test], shows_levels=by_level is None or test in by_level)
        for test in (*known, *sorted(set(sums) - set(known)))
    )


def aggregate(
    assessments: Iterable[Assessment], cut: Cut | None = None, by_level: Collection[str] | None = None
) -> tuple[TestResult, ...]:
    """Return the results of the tests that verdicts belong to."""
    return measure(sum_up(assessments, cut), by_level)


def _result(test: str, sums: TestSums, *, shows_levels: bool) -> TestResult:
    control = sums.cells.get(("control", ""))
    is_levelled = shows_levels and (test in LEVELLED or sums.has_levels)
    counts = sums.document
    return TestResult(
        test=test,
        title=TITLES.get(test, ""),
        total=sums.cells.get(("total", ""), CellSums()).measure("", 0),
        unjudged=sums.unjudged,
        control=control.measure("control", 0) if control is not None and any(control.attempts) else None,
        levels=_numbered(sums.select("level"), lambda n: name_level(test, n)) if is_levelled else (),
        distances=_numbered(sums.select("distance"), str),
        variants=_named(sums.select("variant")),
        paired=_compare_pairs(sums.pairs),
        labels=_named(sums.select("label")),
        cells=tuple((counts[n, True], counts[n, True] + counts[n, False]) for n in range(CELLS))
        if is_levelled
        else (),
    )


def _compare_pairs(pairs: Mapping[str, Sequence[int]]) -> Difference | None:
    """Return how much worse questions do than the controls on the same facts; None without any pair.

    Several questions that share a control count as one pair, by their mean. Conversations are the clusters;
    two that are twins are one.
    """
    return rate_difference(
        [
            Pair(cluster, good_controls / controls, good / asked)
            for cluster, good, asked, good_controls, controls in pairs.values()
            if asked and controls
        ]
    )


def _cluster(name: str, control: Assessment) -> int:
    """Return the conversation of a pair, or the number of the twins that hold it (below zero)."""
    twins, slash, _ = name.partition("/")
    return -1 - int(twins.removeprefix(TWINS)) if slash and twins.startswith(TWINS) else control.dialogue


def level_cell(item: Assessment) -> int:
    """Return the cell of a realised level: a count as it is, a share in steps of 5 %; the last is open."""
    level = item.level or 0.0
    return min(CELLS - 1, int(level) if item.test in _WHOLE else int(level * 20 + 1e-9))


def name_level(test: str, number: int) -> str:
    """Return what a cell holds, in words."""
    if test in _WHOLE:
        return f"{number}" + ("+" if number == CELLS - 1 else "")
    return f"{number * 5}–{number * 5 + 5} %"


def _numbered(cells: Mapping[str | int, CellSums], name: Callable[[int], str]) -> tuple[Cell, ...]:
    places = sorted(int(which) for which in cells)
    return tuple(cells[place].measure(name(place), place) for place in places)


def _named(cells: Mapping[str | int, CellSums]) -> tuple[Cell, ...]:
    return tuple(cell.measure(str(name), place) for place, (name, cell) in enumerate(cells.items()))
