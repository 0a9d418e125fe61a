"""The rates of a run are counted by conversation."""

from __future__ import annotations

import pytest

from du_eval.errors import InputError
from du_eval.reports.sizing import (
    Pilot,
    check_run,
    describe_pilot,
    encode_sizing,
    render_sizing,
    selfcheck_data,
    selfcheck_text,
)
from du_eval.runs.measures import cluster_rates
from du_eval.runs.record import Head, Spent
from du_eval.runs.records import RunRecord, StepRecord
from du_eval.statistics.counts import Counts
from du_eval.statistics.planning import Wish
from du_eval.statistics.selfcheck import Simulation


def step(case: str, outcome: str, **more) -> StepRecord:
    return StepRecord("f.yml", case, 1, "hi", outcome, **more)


RUN = RunRecord(
    "run",
    (
        step("a", "passed", counts={"set slot": Counts(2, 1, 0, 2)}, scores={"parsed": 1.0, "length": 3.5}),
        step("a", "failed", counts={"set slot": Counts(0, 0, 1, 1)}, scores={"parsed": 0.0}),
        step("b", "errored", counts={"set slot": Counts(5, 5, 5, 5)}),
        step("b", "passed"),
    ),
)


def test_each_rate_has_the_successes_and_attempts_of_each_conversation() -> None:
    assert cluster_rates(RUN) == {
        "accuracy": [(1, 2), (1, 1)],
        "precision.set_slot": [(2, 3)],
        "recall.set_slot": [(2, 3)],
        "f1.set_slot": [(2, 4)],
        "parsed": [(1, 2)],
    }


def test_a_check_of_a_run_shows_each_rate_with_its_coverage_and_the_power() -> None:
    found = check_run(RUN, (0.1, 0.9), Simulation(30))
    data = selfcheck_data(found)
    assert [one["name"] for one in data["figures"]] == [*cluster_rates(RUN), "f1.macro"]
    assert data["figures"][0]["conversations"] == 2
    (f1,) = (one for one in data["figures"] if one["name"] == "f1.set_slot")
    assert (f1["value"], f1["method"]) == (pytest.approx(2 / 3), "clustered-jaccard:0.95")
    assert set(data["power"]) == {"0.1", "0.9"}
    text = selfcheck_text(found)
    assert "chance that a comparison proves a loss of accuracy" in text
    assert "signature: intervals:clustered-wilson:0.95+clustered-jaccard:0.95" in text


def test_a_run_without_rates_cannot_be_checked_or_planned_with() -> None:
    empty = RunRecord("empty", ())
    with pytest.raises(InputError, match="no rate to check"):
        check_run(empty, (0.1,), Simulation(30))
    with pytest.raises(InputError, match="nothing that was judged"):
        describe_pilot(empty, None)


def test_a_plan_takes_lengths_time_and_cost_from_a_run() -> None:
    head = Head("test", seconds=30.0, samples=1, spent=Spent(calls=10, cost=2.0))
    pilot = describe_pilot(RUN, head)
    assert (pilot.steps, pilot.seconds, pilot.cost) == (1.5, 3.0, 0.2)
    first = encode_sizing(Wish(0.1), pilot)["plans"][0]
    assert first["seconds"] == pytest.approx(3 * first["calls"])
    assert first["cost"] == pytest.approx(0.2 * first["calls"])
    assert f"cost {first['cost']:.2f}" in render_sizing(Wish(0.1), pilot)


def test_a_plan_without_a_run_tells_no_time() -> None:
    text = render_sizing(Wish(0.03), Pilot(4))
    assert "to prove a loss of 0.03 with a chance of 80%" in text
    assert "min" not in text.splitlines()[2]
