"""How fast an endpoint is asked."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from du_eval.llm.limits import AdaptiveConcurrency, FakeClock, Limits, Pace, Throttle


def test_requests_are_spread_over_the_minute() -> None:
    clock = FakeClock()
    pace = Pace(60, clock)
    waits = [pace.reserve(1) for _ in range(4)]
    assert waits == [0.0, 1.0, 2.0, 3.0]


def test_an_idle_minute_allows_a_burst_of_one_second_only() -> None:
    clock = FakeClock()
    pace = Pace(600, clock)
    clock.time = 60.0
    waits = [pace.reserve(1) for _ in range(12)]
    assert waits[:11] == pytest.approx([0.0] * 11)
    assert waits[11] == pytest.approx(0.1)


def test_tokens_beyond_the_estimate_delay_the_next_call() -> None:
    clock = FakeClock()
    throttle = Throttle(Limits(tokens_per_minute=6000), clock)

    async def run() -> None:
        async with throttle.slot(100):
            throttle.correct(500)
        async with throttle.slot(100):
            pass

    asyncio.run(run())
    assert clock.time == pytest.approx(6.0)


def test_a_pause_that_the_endpoint_asks_for_holds_for_all_calls() -> None:
    clock = FakeClock()
    throttle = Throttle(Limits(), clock)
    throttle.pause(7.0)

    async def run() -> None:
        async with throttle.slot():
            pass

    asyncio.run(run())
    assert clock.time == 7.0


def test_refusals_halve_the_concurrency_once_for_calls_that_ran_together() -> None:
    limit = AdaptiveConcurrency(64)
    for _ in range(10):
        limit.note_refusal(0)
    assert limit.limit == 32
    limit.note_refusal(1)
    assert limit.limit == 16


def test_concurrency_grows_back_while_calls_go_well_and_never_beyond_the_maximum() -> None:
    limit = AdaptiveConcurrency(4)
    limit.note_refusal(0)
    for _ in range(100):
        limit.went_well()
    assert limit.limit == 4


def test_concurrency_never_falls_below_one() -> None:
    limit = AdaptiveConcurrency(2)
    for generation in range(5):
        limit.note_refusal(generation)
    assert limit.limit == 1


@given(st.integers(1, 8), st.lists(st.sampled_from(["ok", "refused", "cancelled"]), min_size=1, max_size=60))
def test_no_more_calls_run_than_the_limit_and_every_call_gets_its_turn(
    maximum: int, fates: list[str]
) -> None:
    limit = AdaptiveConcurrency(maximum)
    running = peak = done = 0

    async def call(fate: str) -> None:
        nonlocal running, peak, done
        generation = await limit.take()
        running += 1
        peak = max(peak, running)
        try:
            await asyncio.sleep(0)
        finally:
            running -= 1
            limit.give_back()
        done += 1
        if fate == "refused":
            limit.note_refusal(generation)
        else:
            limit.went_well()

    async def run() -> None:
        tasks = [asyncio.create_task(call(fate)) for fate in fates]
        await asyncio.sleep(0)
        for task, fate in zip(tasks, fates, strict=True):
            if fate == "cancelled":
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(asyncio.wait_for(run(), 10))
    assert peak <= maximum
    assert limit._running == 0
    assert done >= len([fate for fate in fates if fate != "cancelled"])
