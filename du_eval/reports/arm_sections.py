"""Sections about several arms of an experiment: who answered what, and what a better figure costs."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

from du_eval.runs.outcome import Outcome
from du_eval.statistics.intervals import Measurement

if TYPE_CHECKING:
    from du_eval.reports.sections import Detail


class Agreement(StrEnum):
    """How far arms agree about a step."""

    DIFFERENT = "different"
    ONE_RIGHT = "only one right"
    """A special case of a difference."""
    ALL_WRONG = "all wrong"
    ALL_RIGHT = "all right"


class ArmReply(Struct, frozen=True):
    """An answer that an arm gave to a step, in one or several samples."""

    text: str
    outcome: Outcome | None
    kinds: tuple[str, ...] = ()
    """The kinds of its mistakes."""
    count: int = 1


class ArmRow(Struct, frozen=True):
    """One step, and what each arm answered to it."""

    id: str
    """Stable over runs, the anchor of its link."""
    place: str
    case: str
    title: str
    expected: str
    cells: tuple[tuple[ArmReply, ...], ...]
    """The different answers of each arm; empty where it was not asked."""
    facets: tuple[tuple[str, str], ...] = ()
    detail: tuple[Detail, ...] = ()

    @property
    def agreement(self) -> Agreement:
        """How far the arms agree; repeats of a step count as right if all of them are."""
        judged = [cell for cell in self.cells if any(one.outcome is not None for one in cell)]
        right = sum(all(one.outcome is Outcome.PASSED for one in cell) for cell in judged)
        if not judged or right in {0, len(judged)}:
            return Agreement.ALL_RIGHT if judged and right else Agreement.ALL_WRONG
        return Agreement.ONE_RIGHT if right == 1 and len(judged) > 2 else Agreement.DIFFERENT


class ArmMatrix(Struct, frozen=True):
    """Steps by arms: who answered what."""

    title: str
    unit: str
    arms: tuple[str, ...]
    rows: tuple[ArmRow, ...]


class Trade(Struct, frozen=True):
    """One thing in a picture of two figures, of which one or both should be low or high."""

    name: str
    x: float
    y: Measurement
    is_best: bool = False
    """Whether nothing else is at least as good in every figure and better in one."""


class Trades(Struct, frozen=True):
    """What a better figure costs: accuracy over cost, or over latency."""

    title: str
    x_title: str
    y_title: str
    trades: tuple[Trade, ...]
    is_share: bool = True
