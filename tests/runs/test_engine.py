"""Engines do the same work with the same results, whoever does it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from du_eval.errors import ConfigError, InputError, MissingExtraError
from du_eval.runs.engine import (
    EngineError,
    EngineName,
    EngineSettings,
    EngineTask,
    InProcess,
    WorkEngine,
    count_cores,
)
from du_eval.runs.engine_local import open_engine
from tests.runs import engine_work as work


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkEngine]:
    with open_engine(EngineSettings(workers=2)) as engine:
        yield engine


def test_a_pool_keeps_the_order_of_its_items_and_works_in_other_processes(pool: WorkEngine) -> None:
    found = list(pool.map(EngineTask(work.prepare, {}, work.square), range(60)))
    assert [value for value, _ in found] == [number**2 for number in range(60)]
    assert os.getpid() not in {worker for _, worker in found}


def test_each_worker_prepares_once_for_all_its_pieces(pool: WorkEngine, tmp_path: Path) -> None:
    list(pool.map(EngineTask(work.prepare, {"folder": str(tmp_path)}, work.square), range(60)))
    assert 1 <= len(list(tmp_path.glob("prepared-*"))) <= 2


def test_large_arrays_are_mapped_by_workers_and_give_the_same_sums(pool: WorkEngine) -> None:
    values = np.linspace(0, 1, 300_001)
    here = list(
        InProcess().map(EngineTask(work.prepare, {"values": values, "is_here": 1}, work.total), range(5))
    )
    assert list(pool.map(EngineTask(work.prepare, {"values": values}, work.total), range(5))) == here


def test_a_pool_reads_no_further_ahead_than_its_workers_need(pool: WorkEngine) -> None:
    drawn = []

    def items() -> Iterator[int]:
        for number in range(100):
            drawn.append(number)
            yield number

    found = pool.map(EngineTask(work.prepare, {}, work.square), items())
    next(found)
    assert len(drawn) <= 2 * 16  # two workers, each with 16 results at most that wait to be taken


def test_no_worker_of_a_pool_waits_for_a_slow_one(pool: WorkEngine) -> None:
    work.check_nobody_waits(pool)


def test_what_a_killed_worker_had_is_done_again(pool: WorkEngine, tmp_path: Path) -> None:
    task = EngineTask(work.prepare, {"folder": str(tmp_path), "at": 7}, work.die_once)
    assert list(pool.map(task, range(20))) == [number * 10 for number in range(20)]
    assert (tmp_path / "died").exists()


def test_work_that_kills_every_worker_ends_in_an_error_with_advice(pool: WorkEngine) -> None:
    with pytest.raises(EngineError, match="fewer --workers"):
        list(pool.map(EngineTask(work.prepare, {}, work.die), range(3)))


@pytest.mark.parametrize(("first", "error"), [(3, InputError), (5, MissingExtraError)])
def test_errors_of_the_work_arrive_as_they_were_raised(
    pool: WorkEngine, first: int, error: type[InputError]
) -> None:
    with pytest.raises(error) as found:
        list(pool.map(EngineTask(work.prepare, {}, work.fail), range(first, 9)))
    with pytest.raises(error) as here:
        list(InProcess().map(EngineTask(work.prepare, {}, work.fail), range(first, 9)))
    assert found.value.problems == here.value.problems


def test_values_for_workers_are_deleted_when_the_work_is_done(
    pool: WorkEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = []
    from du_eval.runs import engine_local

    def remembered(value: object, write=engine_local.write_value) -> str:
        names.append(write(value))
        return names[-1]

    monkeypatch.setattr(engine_local, "write_value", remembered)
    list(pool.map(EngineTask(work.prepare, {}, work.square), range(3)))
    assert names
    assert not Path(names[0]).exists()


def test_ctrl_c_never_reaches_a_worker_even_while_it_starts(pool: WorkEngine) -> None:
    assert list(pool.map(EngineTask(work.prepare, {}, work.tell_held_back), range(2))) == [True, True]


KILLED = """
import sys
from du_eval.runs.engine import EngineTask
from du_eval.runs.engine_local import ProcessPool
from tests.runs import engine_work as work

if __name__ == "__main__":
    with ProcessPool(2) as pool:
        list(pool.map(EngineTask(work.prepare, {"folder": sys.argv[1]}, work.linger), range(4)))
"""


def wait_for(what: Callable[[], object]) -> None:
    end = time.monotonic() + 60
    while not what():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_workers_of_a_killed_command_end_and_remove_what_it_wrote(tmp_path: Path) -> None:
    (tmp_path / "killed.py").write_text(KILLED)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    process = subprocess.Popen([sys.executable, tmp_path / "killed.py", tmp_path], env=environment)
    wait_for(lambda: len(list(tmp_path.glob("prepared-*"))) == 2)
    workers = [int(path.name.partition("-")[2]) for path in tmp_path.glob("prepared-*")]
    folders = [Path(tempfile.gettempdir()), Path("/dev/shm")]
    written = [path for folder in folders for path in folder.glob(f"du-eval-{process.pid}-*")]
    assert written
    process.kill()
    process.wait()
    wait_for(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))
    assert not any(path.exists() for path in written)


def test_little_work_stays_in_this_process_unless_workers_are_named() -> None:
    assert isinstance(open_engine(EngineSettings(), is_small=True), InProcess)
    assert isinstance(open_engine(EngineSettings(workers=1)), InProcess)
    assert open_engine(EngineSettings(workers=3), is_small=True).workers == 3
    assert open_engine(EngineSettings()).workers == count_cores()


@pytest.mark.parametrize(
    ("settings", "option"),
    [(EngineSettings(workers=0), "--workers"), (EngineSettings(address="auto"), "--engine ray")],
)
def test_settings_that_make_no_sense_are_refused(settings: EngineSettings, option: str) -> None:
    with pytest.raises(ConfigError, match=option):
        open_engine(settings)


def test_ray_that_is_not_installed_is_named_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'du-eval\[ray\]'"):
        open_engine(EngineSettings(EngineName.RAY))
