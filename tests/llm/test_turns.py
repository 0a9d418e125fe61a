"""Answers are handed out one after the other."""

import asyncio
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from du_eval.llm.bodies import FairTurns


def test_what_one_task_sends_leaves_before_the_next_goes_on() -> None:
    log: list[str] = []

    async def send(name: str) -> None:
        log.append(f"{name} sent")

    async def work(name: str, turns: FairTurns) -> None:
        await turns.mine()
        log.append(f"{name} works")
        await asyncio.create_task(send(name))

    async def run() -> None:
        turns = FairTurns()
        await asyncio.gather(*(work(name, turns) for name in "abc"))

    asyncio.run(run())
    assert log == [f"{name} {what}" for name in "abc" for what in ("works", "sent")]


def test_a_lonely_task_does_not_wait() -> None:
    async def run() -> bool:
        waiting = asyncio.ensure_future(FairTurns().mine())
        await asyncio.sleep(0)
        return waiting.done()

    assert asyncio.run(run())


@given(st.lists(st.sampled_from(["stays", "leaves", "leaves later"]), min_size=1, max_size=20))
def test_tasks_that_give_up_hold_up_nobody(fates: list[str]) -> None:
    done: list[int] = []

    async def work(number: int, turns: FairTurns) -> None:
        await turns.mine()
        done.append(number)

    async def run() -> None:
        turns = FairTurns()
        tasks = [asyncio.create_task(work(number, turns)) for number in range(len(fates))]
        await asyncio.sleep(0)
        _cancel(tasks, lambda number: fates[number] == "leaves")
        for _ in range(3):
            await asyncio.sleep(0)
        _cancel(tasks, lambda number: fates[number] == "leaves later")
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(asyncio.wait_for(run(), 10))
    assert {number for number, fate in enumerate(fates) if fate == "stays"} <= set(done)
    assert done == sorted(set(done))


def _cancel(tasks: list[asyncio.Task[None]], is_meant: Callable[[int], bool]) -> None:
    for number, task in enumerate(tasks):
        if is_meant(number):
            task.cancel()
