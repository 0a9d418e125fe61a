"""When a call is tried again, and when not."""

from __future__ import annotations

import asyncio
import contextlib
from datetime import UTC, datetime

import pytest

from du_eval.errors import BudgetSpentError, EndpointError
from du_eval.llm.limits import FakeClock, Throttle
from du_eval.llm.persistence import (
    AttemptFailure,
    Persistence,
    RetryPolicy,
    classify_status,
    read_retry_after,
)


class Attempts:
    """Fails as it was told, then succeeds."""

    def __init__(self, *failures: AttemptFailure) -> None:
        self.failures = list(failures)
        self.count = 0

    async def __call__(self) -> str | AttemptFailure:
        self.count += 1
        return self.failures.pop(0) if self.failures else "answer"


def persist(tries: Attempts, clock: FakeClock, **settings: object) -> tuple[str, int]:
    policy = RetryPolicy(**settings)  # type: ignore[arg-type]
    persistence = Persistence(policy, Throttle(clock=clock), ("sk-secret",), clock=clock, chance=lambda: 1.0)
    return asyncio.run(persistence.answer(tries, "http://x"))


def test_a_passing_trouble_is_tried_again_with_growing_waits() -> None:
    clock = FakeClock()
    answer, retries = persist(Attempts(*[AttemptFailure("500")] * 3), clock)
    assert (answer, retries) == ("answer", 3)
    assert clock.slept == [0.5, 1.0, 2.0]


def test_a_deterministic_refusal_is_never_tried_again() -> None:
    attempts = Attempts(classify_status(400, "bad parameter", "", {}))
    with pytest.raises(EndpointError, match=r"HTTP 400: bad parameter \(after 1 attempt\)"):
        persist(attempts, FakeClock())
    assert attempts.count == 1


@pytest.mark.parametrize("status", [401, 403, 404, 422])
def test_other_client_errors_are_final_too(status: int) -> None:
    assert not classify_status(status, "", "", {}).is_retryable


def test_an_empty_account_is_final_although_its_status_is_that_of_a_rate_limit() -> None:
    assert not classify_status(429, "", "insufficient_quota", {}).is_retryable


def test_attempts_are_capped() -> None:
    attempts = Attempts(*[AttemptFailure("502")] * 9)
    with pytest.raises(EndpointError, match="after 3 attempts"):
        persist(attempts, FakeClock(), attempts=3)
    assert attempts.count == 3


def test_time_is_capped() -> None:
    clock = FakeClock()
    with pytest.raises(EndpointError, match="deadline of 10 s"):
        persist(Attempts(*[AttemptFailure("502")] * 99), clock, attempts=100, deadline_seconds=10)
    assert clock.time <= 10


def test_a_wait_beyond_the_deadline_is_not_even_begun() -> None:
    clock = FakeClock()
    with pytest.raises(EndpointError, match="deadline"):
        persist(Attempts(AttemptFailure("429", is_refusal=True, retry_after_seconds=3600.0)), clock)
    assert clock.time == 0


def test_the_wait_that_the_server_asks_for_is_honoured() -> None:
    clock = FakeClock()
    persist(Attempts(AttemptFailure("429", is_refusal=True, retry_after_seconds=12.0)), clock)
    assert clock.slept[0] >= 12.0


def test_secrets_do_not_show_in_causes() -> None:
    with pytest.raises(EndpointError) as caught:
        persist(Attempts(AttemptFailure("wrong key sk-secret", is_retryable=False)), FakeClock())
    assert "sk-secret" not in str(caught.value)


def test_no_attempt_is_made_when_the_budget_is_spent() -> None:
    attempts = Attempts()
    clock = FakeClock()
    persistence = Persistence(throttle=Throttle(clock=clock), clock=clock, may_call=lambda: False)
    with pytest.raises(BudgetSpentError):
        asyncio.run(persistence.answer(attempts, "http://x"))
    assert attempts.count == 0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "3"}, 3.0),
        ({"Retry-After": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "Retry-After": "3"}, 0.25),
        ({"Retry-After": "Mon, 16 Nov 2026 12:00:10 GMT"}, 10.0),
        ({"Retry-After": "Mon, 16 Nov 2026 11:00:00 GMT"}, 0.0),
        ({"Retry-After": "soon"}, None),
        ({}, None),
    ],
)
def test_servers_may_ask_for_a_wait_in_several_ways(headers: dict[str, str], seconds: float | None) -> None:
    assert read_retry_after(headers, datetime(2026, 11, 16, 12, tzinfo=UTC)) == seconds


class TestNobodyThere:
    """A server that no call has reached costs little time; one that was reached is waited for."""

    refused = AttemptFailure("no connection", is_unreached=True)

    async def _ask(self, persistence: Persistence, *failures: AttemptFailure) -> int:
        attempts = Attempts(*failures)
        with contextlib.suppress(EndpointError):
            await persistence.answer(attempts, "http://x")
        return attempts.count

    def _count(self, *calls: tuple[AttemptFailure, ...]) -> list[int]:
        clock = FakeClock()
        persistence = Persistence(throttle=Throttle(clock=clock), clock=clock)

        async def ask_all() -> list[int]:
            return [await self._ask(persistence, *failures) for failures in calls]

        return asyncio.run(ask_all())

    def test_the_first_call_tries_three_times_and_later_ones_once(self) -> None:
        dead = (self.refused,) * 99
        assert self._count(dead, dead, dead) == [3, 1, 1]

    def test_a_server_that_comes_late_gets_all_attempts_from_then_on(self) -> None:
        assert self._count((self.refused,) * 99, (), (self.refused,) * 5) == [3, 1, 6]

    def test_a_server_that_refused_service_was_reached(self) -> None:
        assert self._count((AttemptFailure("503"), *(self.refused,) * 99)) == [6]
