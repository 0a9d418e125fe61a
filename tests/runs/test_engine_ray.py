"""A real Ray on loopback gives the results of this process, also when a worker is killed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from du_eval.errors import InputError
from du_eval.runs.engine import EngineError, EngineName, EngineSettings, EngineTask, InProcess, WorkEngine
from du_eval.runs.engine_local import open_engine
from tests.runs import engine_work as work


@pytest.fixture(scope="module")
def cluster() -> Iterator[WorkEngine]:
    with open_engine(EngineSettings(EngineName.RAY, 2)) as engine:
        yield engine


def test_ray_keeps_order_and_prepares_once_in_each_of_its_workers(
    cluster: WorkEngine, tmp_path: Path
) -> None:
    task = EngineTask(work.prepare, {"folder": str(tmp_path)}, work.square)
    found = list(cluster.map(task, range(60)))
    assert [value for value, _ in found] == [number**2 for number in range(60)]
    workers = {worker for _, worker in found}
    assert len(workers) == 2
    assert os.getpid() not in workers
    assert len(list(tmp_path.glob("prepared-*"))) == 2


def test_no_worker_of_ray_waits_for_a_slow_one(cluster: WorkEngine) -> None:
    work.check_nobody_waits(cluster)


def test_ray_sums_large_arrays_to_the_last_digit_of_this_process(cluster: WorkEngine) -> None:
    values = np.linspace(0, 1, 300_001)
    here = list(
        InProcess().map(EngineTask(work.prepare, {"values": values, "is_here": 1}, work.total), range(5))
    )
    assert list(cluster.map(EngineTask(work.prepare, {"values": values}, work.total), range(5))) == here


def test_a_worker_of_ray_killed_in_the_middle_changes_nothing(
    cluster: WorkEngine, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    task = EngineTask(work.prepare, {"folder": str(tmp_path), "at": 7}, work.die_once)
    assert list(cluster.map(task, range(20))) == [number * 10 for number in range(20)]
    assert (tmp_path / "died").exists()
    assert capfd.readouterr().out == "", "standard output belongs to reports"


def test_work_that_kills_every_worker_of_ray_ends_in_an_error_with_advice(cluster: WorkEngine) -> None:
    with pytest.raises(EngineError, match="fewer --workers"):
        list(cluster.map(EngineTask(work.prepare, {}, work.die), range(3)))


def test_errors_in_workers_of_ray_arrive_as_they_were_raised(cluster: WorkEngine) -> None:
    with pytest.raises(InputError, match=r"replies.jsonl:3: is not JSON \(one object a line\)"):
        list(cluster.map(EngineTask(work.prepare, {}, work.fail), range(9)))


def test_a_cluster_of_our_own_listens_on_loopback_only(cluster: WorkEngine) -> None:
    import ray

    assert ray.util.get_node_ip_address() == "127.0.0.1"
    assert os.environ["RAY_USAGE_STATS_ENABLED"] == "0"
    assert os.environ["RAY_AUTH_MODE"] == "token"
