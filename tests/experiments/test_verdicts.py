"""Arms are told apart pair by pair; many arms make it harder to be called different."""

from __future__ import annotations

from random import Random

from msgspec.structs import replace

from du_eval.experiments.concluding import judge_arms
from du_eval.runs.records import RunRecord
from du_eval.statistics.verdict import Criteria, Verdict
from tests.runs.test_comparison import record


def arms(**outcomes: str) -> dict[str, RunRecord]:
    return {name: record(letters, name=name) for name, letters in outcomes.items()}


def test_the_best_arm_is_the_one_that_wins_against_the_others() -> None:
    found = judge_arms(arms(a="p" * 30 + "f" * 30, b="p" * 58 + "ff", c="p" * 57 + "fff"), Criteria())
    assert found.best == "b"
    assert found.rivals == ("c",)
    verdicts = {(pair.first, pair.second): pair.verdict for pair in found.pairs}
    assert verdicts["a", "b"] is Verdict.IMPROVED
    assert verdicts["b", "c"] is Verdict.UNDECIDED


def test_of_arms_that_are_equally_accurate_the_cheapest_is_the_best() -> None:
    found = judge_arms(arms(a="ppff", b="ffpp"), Criteria(), {"a": 2.0, "b": 1.0})
    assert found.best == "b"
    assert judge_arms(arms(a="ppff", b="ffpp"), Criteria()).best == "a"


def test_only_arms_that_answered_alike_are_equivalent_without_a_test() -> None:
    found = arms(a="ppff", b="ppff")
    (pair,) = judge_arms(found, Criteria()).pairs
    assert pair.verdict is Verdict.EQUIVALENT
    other = tuple(replace(step, predicted=("CancelFlow()",)) for step in found["b"].steps)
    (pair,) = judge_arms({**found, "b": replace(found["b"], steps=other)}, Criteria()).pairs
    assert pair.verdict is Verdict.UNDECIDED


def test_many_arms_raise_the_bar_for_each_pair() -> None:
    alone = judge_arms(arms(a="p" * 20 + "f" * 10, b="p" * 26 + "f" * 4), Criteria()).pairs[0]
    random = Random(1)
    others = {f"n{at}": "".join(random.choice("pf") for _ in range(30)) for at in range(6)}
    among = judge_arms(arms(a="p" * 20 + "f" * 10, b="p" * 26 + "f" * 4, **others), Criteria()).pairs[0]
    assert alone.adjusted_p == alone.difference.p
    assert among.adjusted_p > alone.adjusted_p


def test_arms_without_a_common_step_are_not_compared() -> None:
    found = judge_arms({"a": record("pp"), "b": record("pp", file="other/else.yml", per_case=2)}, Criteria())
    assert not found.pairs
