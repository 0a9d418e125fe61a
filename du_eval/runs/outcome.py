"""What can become of anything that is asked and judged."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum


class Outcome(StrEnum):
    """What became of an item: the only such enum of the package."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"
    """There is an answer, but its judge cannot tell."""
    ERRORED = "errored"
    """There is no answer to judge."""

    @property
    def is_judged(self) -> bool:
        """Tell whether it enters a rate."""
        return self in {Outcome.PASSED, Outcome.FAILED}


_WORST_FIRST = (Outcome.FAILED, Outcome.ERRORED, Outcome.UNDECIDED)


def combine(outcomes: Collection[Outcome]) -> Outcome:
    """Return the outcome of a whole: failed if a part failed, else as open as its most open part."""
    return next((worst for worst in _WORST_FIRST if worst in outcomes), Outcome.PASSED)
