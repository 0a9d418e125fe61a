"""When a run has to stop early: calls, money, errors and failures."""

from __future__ import annotations

from msgspec import Struct, field

from du_eval.errors import tell_count

_ENOUGH_FOR_A_RATE = 20
"""Finished steps before an error rate means anything."""


class StopRules(Struct, frozen=True):
    """What a user allows; None is no limit."""

    max_calls: int | None = None
    max_cost: float | None = None
    max_error_rate: float | None = None
    max_failed_cases: int | None = None


class Budget(Struct):
    """Counts what a run uses, and says when it is enough."""

    rules: StopRules = field(default_factory=StopRules)
    calls: int = 0
    cost: float = 0.0
    finished: int = 0
    errored: int = 0
    failed_cases: int = 0
    reason: str = ""
    """Why the run stops; empty while it goes on."""
    whole: Budget | None = None
    """What several runs share: calls and money count there, too."""

    def take_call(self) -> bool:
        """Tell whether one more request may be sent, and count it."""
        rules = self.rules
        if rules.max_calls is not None and self.calls >= rules.max_calls:
            self.stop(
                f"the budget of {rules.max_calls} call{'s' * (rules.max_calls != 1)} is used up (--max-calls)"
            )
            return False
        if rules.max_cost is not None and self.cost >= rules.max_cost:
            self.stop(f"the budget of {rules.max_cost:g} is used up: {self.cost:.4f} was spent (--max-cost)")
            return False
        if self.whole is not None and not self.whole.take_call():
            self.stop(self.whole.reason)
            return False
        self.calls += 1
        return True

    def add_calls(self, calls: int) -> None:
        """Count requests that others sent for this run."""
        self.calls += calls
        if self.whole is not None:
            self.whole.add_calls(calls)

    def add_cost(self, cost: float) -> None:
        """Count what a call cost."""
        self.cost += cost
        if self.whole is not None:
            self.whole.add_cost(cost)

    def count_step(self, *, is_error: bool) -> None:
        """Count a finished step."""
        self.finished += 1
        self.errored += is_error
        limit = self.rules.max_error_rate
        if limit is None or self.finished < _ENOUGH_FOR_A_RATE:
            return
        if self.errored / self.finished > limit:
            share = f"{self.errored} of {self.finished} steps"
            self.stop(f"{share} errored, more than the share of {limit:g} allowed (--max-error-rate)")

    def count_failed_case(self) -> None:
        """Count a failed case."""
        self.failed_cases += 1
        limit = self.rules.max_failed_cases
        if limit is not None and self.failed_cases >= limit:
            self.stop(f"{tell_count(self.failed_cases, 'test case')} failed (--maxfail)")

    def stop(self, reason: str) -> None:
        """End the run; the first reason counts."""
        self.reason = self.reason or reason
