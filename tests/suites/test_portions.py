"""Shards make up the suite, draws can be repeated, and an earlier run may choose or order the cases."""

from __future__ import annotations

import pytest

from du_eval.errors import ConfigError, NothingSelectedError
from du_eval.suites.model import TestCase, TestSuite
from du_eval.suites.select import draw_cases, only, take_shard, with_first

SUITE = TestSuite(tuple(TestCase(name, "s.yml", 1, ()) for name in "abcdefg"), ("a warning",))


def names(suite: TestSuite) -> str:
    return "".join(case.name for case in suite)


@pytest.mark.parametrize(
    ("shard", "cases"), [("1/1", "abcdefg"), ("1/3", "adg"), (" 2 / 3 ", "be"), ("3/3", "cf"), ("7/7", "g")]
)
def test_a_shard_is_every_nth_case_from_the_ith_on(shard: str, cases: str) -> None:
    assert names(take_shard(SUITE.cases, shard)) == cases


@pytest.mark.parametrize("shard", ["0/3", "4/3", "1", "1/0", "a/b", "-1/3", "1/3/5"])
def test_what_is_no_part_of_a_whole_is_wrong_input(shard: str) -> None:
    with pytest.raises(ConfigError, match="such as 1/4 for the first of four"):
        take_shard(SUITE.cases, shard)


def test_an_empty_shard_is_told() -> None:
    with pytest.raises(NothingSelectedError, match="--shard 8/8 of 7 cases is empty"):
        take_shard(SUITE.cases, "8/8")


def test_a_draw_keeps_the_order_and_can_be_repeated() -> None:
    found = names(draw_cases(SUITE, 3, seed=1))
    assert len(found) == 3
    assert found == "".join(sorted(found)) == names(draw_cases(SUITE, 3, seed=1))
    assert len({names(draw_cases(SUITE, 3, seed)) for seed in range(20)}) > 5


@pytest.mark.parametrize("count", [7, 8])
def test_a_draw_of_all_is_the_suite(count: int) -> None:
    assert draw_cases(SUITE, count, seed=1) is SUITE


def test_an_earlier_run_chooses_cases_or_puts_them_first() -> None:
    ids = {case.id for case in SUITE if case.name in "fb"}
    assert names(only(SUITE, ids)) == "bf"
    assert names(with_first(SUITE, ids)) == "bfacdeg"
