"""Portions of a suite: shards, random samples, and what an earlier run tells about the cases."""

from __future__ import annotations

import random
import re
from collections.abc import Collection
from dataclasses import replace

from du_eval.errors import ConfigError, NothingSelectedError
from du_eval.suites.model import TestCase, TestSuite

_SHARD = re.compile(r"\s*(\d+)\s*/\s*(\d+)\s*")


def sharded(suite: TestSuite, shard: str) -> TestSuite:
    """Return every n-th case, starting with the i-th, for a shard `i/n`: together they are the suite."""
    match = _SHARD.fullmatch(shard)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise ConfigError(
            f"--shard {shard!r} is no part of a whole: write i/n, such as 1/4 for the first of four"
        )
    return _kept(suite, suite.cases[int(match[1]) - 1 :: int(match[2])], f"--shard {shard}")


def drawn(suite: TestSuite, count: int, seed: int) -> TestSuite:
    """Return some cases drawn at random, in the order of the suite; the same seed draws the same."""
    if count >= len(suite):
        return suite
    # Not for secrets: the draw must be repeatable.
    numbers = sorted(random.Random(seed).sample(range(len(suite)), count))  # noqa: S311
    return replace(suite, cases=tuple(suite.cases[number] for number in numbers))


def only(suite: TestSuite, ids: Collection[str]) -> TestSuite:
    """Return the cases with these ids."""
    return replace(suite, cases=tuple(case for case in suite if case.id in ids))


def with_first(suite: TestSuite, ids: Collection[str]) -> TestSuite:
    """Return all cases, those with these ids first."""
    return replace(suite, cases=tuple(sorted(suite, key=lambda case: case.id not in ids)))


def _kept(suite: TestSuite, cases: tuple[TestCase, ...], what: str) -> TestSuite:
    if not cases:
        raise NothingSelectedError(f"no test case is left to run: {what} of {len(suite)} cases is empty")
    return replace(suite, cases=cases)
