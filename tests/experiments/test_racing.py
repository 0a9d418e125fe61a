"""A race drops arms that are clearly worse, and keeps those that are not."""

from __future__ import annotations

import numpy as np

from du_eval.experiments.racing import Drop, Racing, divide


def play(accuracies: list[float], conversations: int = 240, seed: int = 3) -> Racing:
    """Return a race after all its looks; arms share how hard a step is."""
    random = np.random.default_rng(seed)
    racing = Racing(len(accuracies), 12)
    for _ in range(12):
        batch = [
            (random.random((3, 1)) * 0.7 + random.random((3, len(accuracies))) * 0.3 < np.array(accuracies))
            * 1.0
            for _ in range(conversations // 12)
        ]
        racing.look(batch)
    return racing


def test_arms_that_are_clearly_worse_are_dropped() -> None:
    assert play([0.5, 0.8, 0.55, 0.5]).left == [1]


def test_equal_arms_are_hardly_ever_dropped() -> None:
    kept = [len(play([0.7, 0.7, 0.7], conversations=60, seed=seed).left) for seed in range(40)]
    assert sum(kept) >= 0.92 * 3 * 40


def test_what_nobody_judged_tells_nothing() -> None:
    racing = Racing(2, 2)
    table = np.array([[1.0, np.nan], [np.nan, 0.0]])
    assert racing.look([table] * 50) == []
    assert racing.look([table] * 50) == []


def test_few_conversations_decide_nothing_however_clear_they_are() -> None:
    racing = Racing(2, 10)
    assert racing.look([np.array([[0.0, 1.0]])] * 3) == []


def talks(*leads: int) -> list[np.ndarray]:
    """Return conversations in which the second arm is ahead by so many steps."""
    return [np.array([[float(lead < 0), float(lead > 0)]] * abs(lead)) for lead in leads]


def test_a_lead_that_rare_and_large_losses_may_still_undo_drops_nobody() -> None:
    assert Racing(2, 1).look(talks(*[1] * 26, *[-1] * 8)) == [Drop(0, 1)]
    assert Racing(2, 1).look(talks(*[1] * 50, -6, -6)) == []


def test_what_a_rival_won_before_it_led_does_not_count() -> None:
    won = [np.array([[0.0, 1.0]])] * 30
    assert Racing(2, 1).look(won) == [Drop(0, 1)]
    ahead = np.tile([0.0, 0.0, 1.0], (40, 1))
    assert Racing(3, 1).look([ahead, *([np.array([[0.0, 1.0, 0.0]])] * 30)]) == []


def test_two_arms_need_a_clearer_lead_than_many() -> None:
    def talk(arms: int, *, is_won: bool) -> np.ndarray:
        return np.array([[float((arm == 1) == is_won) for arm in range(arms)]])

    for arms, gone in ((2, []), (8, [0, 2, 3, 4, 5, 6, 7])):
        drops = Racing(arms, 1).look([talk(arms, is_won=at < 26) for at in range(40)])
        assert [drop.arm for drop in drops] == gone


def test_the_first_and_the_last_looks_spend_nothing() -> None:
    clear = [np.array([[0.0, 1.0]])] * 60
    racing = Racing(2, 20)
    assert [racing.look(clear) for _ in range(4)] == [[]] * 4
    assert racing.look(clear) == [Drop(0, 1)]
    racing = Racing(2, 20)
    assert [racing.look(clear[:0]) for _ in range(17)] == [[]] * 17
    assert [racing.look(clear) for _ in range(3)] == [[]] * 3


def test_there_are_twenty_looks_unless_batches_are_given() -> None:
    assert divide(122) == [7] * 17 + [3]
    assert divide(50, 20) == [20, 20, 10]
    assert divide(3) == [1, 1, 1]
