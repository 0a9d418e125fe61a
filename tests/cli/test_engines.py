"""Generators, agents and judges in other processes give the run of one process, and a lost worker changes nothing."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calling import Caller

ENGINES = (["--workers", "2"], ["--engine", "ray", "--workers", "2"])
SUBJECT = """
import os, time
from pathlib import Path

def answer(request):
    number = int(request.message.split()[-1])
    if number == 7 and os.environ.get("KILLS") and not Path("killed").exists():
        Path("killed").write_text("")
        os.kill(os.getpid(), 9)
    with open("calls", "ab", buffering=0) as file:
        file.write(b"%d %d\\n" % (os.getpid(), number))
    time.sleep(0.01)
    return "ChitChat()" if number % 3 else "StartFlow(a)"

def shout(request):
    return answer(request).replace("ChitChat()", "CancelFlow()")

def agent(text):
    return "yes" if text.endswith("1") else "no"
"""
CASE = """
agent: subject:agent
connections: direct
success_ratio: "2/4"
interactions:
  - text: Number {number}
    response: {{text: {{keywords: ['yes']}}}}
"""


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Caller:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("DU_EVAL_CONFIG_DIR", str(tmp_path / "config"))
    Path("subject.py").write_text(SUBJECT)
    cases = [
        f"- test_case: case {n}\n  steps:\n  - user: message {n}\n    commands: [ChitChat()]\n"
        for n in range(20)
    ]
    Path("suite.yml").write_text("test_cases:\n" + "".join(cases))
    Path("cases").mkdir()
    for n in range(4):
        Path(f"cases/{n}.yaml").write_text(CASE.format(number=n))
    yield Caller(capsys)
    sys.modules.pop("subject", None)


def read(path: str) -> Any:
    data = json.loads(Path(path).read_text())
    results = [
        (
            case["name"],
            [(one["outcome"], one.get("actual"), one["key"].get("sample")) for one in case["results"]],
        )
        for case in data["cases"]
    ]
    figures = [
        one for one in data["figures"] if "latency" not in one["name"] and "seconds" not in one["name"]
    ]
    return results, figures


def read_arms() -> dict[str, Any]:
    """Return what the kept runs of arms found, by their labels."""
    runs = [path for path in Path(".du-eval/runs").glob("*/run.json") if path.is_file()]
    return {json.loads(path.read_text())["head"]["label"]: read(str(path)) for path in runs}


@pytest.mark.parametrize("engine", ENGINES, ids=["processes", "ray"])
def test_arms_in_other_processes_give_the_runs_of_one(call: Caller, engine: list[str]) -> None:
    arms = ("test", "suite.yml", "-g", "subject:answer", "-g", "subject:shout", "-q")
    assert call(*arms).code == 0
    here = read_arms()
    shutil.rmtree(".du-eval")
    Path("calls").unlink()
    assert call(*arms, *engine).code == 0
    assert read_arms() == here
    assert here["subject:answer"] != here["subject:shout"]
    assert len(calls()) == 40
    assert os.getpid() not in {process for process, _ in calls()}
    assert len({process for process, _ in calls()}) == 2  # all arms share the workers


def calls() -> list[tuple[int, int]]:
    return [tuple(map(int, line.split())) for line in Path("calls").read_text().splitlines()]


def test_command_tests_in_workers_are_those_of_one_process(call: Caller) -> None:
    test = ["test", "suite.yml", "-g", "subject:answer", "-q"]
    call(*test, "-o", "here.json")
    Path("calls").unlink()
    answer = call(*test, "-o", "there.json", "--workers", "2")
    assert answer.code == 1, answer.err
    assert read("there.json") == read("here.json")
    found = calls()
    assert sorted(number for _, number in found) == list(range(20)), "each step is asked once"
    assert len({process for process, _ in found} - {os.getpid()}) == 2


@pytest.mark.parametrize("engine", ENGINES, ids=["local", "ray"])
def test_a_worker_that_is_killed_changes_nothing_and_no_finished_step_is_asked_again(
    call: Caller, monkeypatch: pytest.MonkeyPatch, engine: list[str]
) -> None:
    test = ["test", "suite.yml", "-g", "subject:answer", "-q", "-n", "4"]
    call(*test, "-o", "here.json")
    Path("calls").unlink()
    monkeypatch.setenv("KILLS", "1")
    call(*test, "-o", "there.json", *engine)
    assert Path("killed").exists()
    assert read("there.json") == read("here.json")
    numbers = [number for _, number in calls()]
    assert set(numbers) == set(range(20))
    assert len(numbers) <= 20 + 4, "only what was in flight may be asked again"


def start_ray(*words: str) -> subprocess.Popen[bytes]:
    """Start a command on a Ray of its own, whose processes all carry a mark; it leads a group, as in a shell."""
    command = [sys.executable, "-m", "du_eval.cli", *words, "--engine", "ray", "--workers", "2"]
    marked = os.environ | {"RAY_MARK": str(Path.cwd())}
    with Path("err").open("wb") as err:
        return subprocess.Popen(command, env=marked, stderr=err, start_new_session=True)


def wait_until(holds: Callable[[], bool], seconds: float = 120) -> bool:
    """Tell whether something holds in time."""
    end = time.monotonic() + seconds
    while not (found := holds()) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def list_marked() -> list[bytes]:
    """Return the command lines of the processes that belong to the command that was started."""
    mark = f"RAY_MARK={Path.cwd()}\0".encode()
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_bytes())
    return found


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "SIGKILL"])
def test_a_run_on_ray_that_is_stopped_is_kept_and_goes_on(call: Caller, stop: signal.Signals) -> None:
    Path("subject.py").write_text(SUBJECT.replace("0.01", "0.5"))
    running = start_ray("test", "suite.yml", "-g", "subject:answer", "-q", "-n", "2")
    assert wait_until(lambda: Path("calls").exists() and len(calls()) > 2)
    if stop is signal.SIGINT:
        os.killpg(running.pid, stop)  # a terminal sends it to all processes of the command
    else:
        running.send_signal(stop)
    assert running.wait(60) == (130 if stop is signal.SIGINT else -9), Path("err").read_text()
    assert wait_until(lambda: not list_marked(), 120)
    (kept,) = Path(".du-eval/runs").glob("*/manifest.json")
    status = "interrupted" if stop is signal.SIGINT else "running"
    assert json.loads(kept.read_text())["status"] == status
    (journal,) = Path(".du-eval/runs").glob("*/journal.jsonl")
    finished = {int(json.loads(line)["case"].split()[-1]) for line in journal.read_text().splitlines()}
    assert finished
    Path("calls").unlink()
    assert call("test", "--resume", "-q", "-o", "whole.json").code == 1
    assert sorted(number for _, number in calls()) == sorted({*range(20)} - finished)
    assert len(read("whole.json")[0]) == 20


def test_an_assessment_on_ray_that_is_told_to_end_leaves_nobody_behind(call: Caller) -> None:
    row = json.dumps({"prompt": "Where is the boat?", "reply": "The boat is in the harbour."})
    Path("talk.jsonl").write_text(f"{row}\n" * 40_000)
    running = start_ray("quality", "assess", "talk.jsonl")
    assert wait_until(lambda: any(b"RayWorker" in command for command in list_marked()))
    running.send_signal(signal.SIGTERM)
    assert running.wait(60) == 130, Path("err").read_text()
    assert wait_until(lambda: not list_marked(), 30)


def test_agent_cases_in_workers_are_those_of_one_process(call: Caller) -> None:
    call("agent", "cases", "-q", "-o", "here.json")
    answer = call("agent", "cases", "-q", "-o", "there.json", "--workers", "2")
    assert answer.code == 1, answer.err
    assert read("there.json") == read("here.json")


def test_agents_on_ray_that_are_stopped_are_kept_and_go_on(call: Caller) -> None:
    noted = "with open('asked', 'ab') as file:\n        file.write(b'.')"
    slow = f"def agent(text):\n    {noted}\n    time.sleep(0.3)\n"
    Path("subject.py").write_text(SUBJECT.replace("def agent(text):\n", slow))
    running = start_ray("agent", "cases", "-q", "-n", "2", "--samples", "9")
    assert wait_until(lambda: Path("asked").exists() and Path("asked").stat().st_size > 3)
    os.killpg(running.pid, signal.SIGINT)
    assert running.wait(60) == 130, Path("err").read_text()
    assert wait_until(lambda: not list_marked(), 30)
    (journal,) = Path(".du-eval/runs").glob("*/journal.jsonl")
    finished = len(journal.read_text().splitlines())
    assert finished
    Path("asked").unlink()
    assert call("agent", "--resume", "-q").code == 1
    assert Path("asked").stat().st_size == len(journal.read_text().splitlines()) - finished


def test_a_budget_of_calls_is_that_of_all_workers(call: Caller) -> None:
    answer = call(
        "test", "suite.yml", "-g", "subject:answer", "--max-calls", "9", "--workers", "2", "-n", "4"
    )
    assert "the budget of 9 calls is used up" in answer.out
    assert len(calls()) == 9


def test_judges_are_measured_in_workers_with_the_same_result(call: Caller) -> None:
    rows = [
        {"question": "Do you like tea?", "reply": reply, "label": label}
        for reply, label in (("Yes, a lot", "yes"), ("No, never", "no"), ("Maybe", "unclear")) * 5
    ]
    Path("labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    here = call("judges", "measure", "yes_no", "labels.jsonl", "--json")
    there = call("judges", "measure", "yes_no", "labels.jsonl", "--json", "--workers", "2")
    assert (there.code, there.out) == (here.code, here.out)
    refused = call(
        "judges", "measure", "yes_no", "labels.jsonl", "--judge", "llm", "--model", "m", "--workers", "2"
    )
    assert refused.code == 2
    assert "leave out --workers" in refused.err


def test_an_engine_needs_what_belongs_to_it(call: Caller) -> None:
    answer = call("test", "suite.yml", "-g", "subject:answer", "--ray-address", "auto")
    assert (answer.code, "--ray-address needs --engine ray" in answer.err) == (2, True)
