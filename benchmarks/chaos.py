"""Kill every activity with SIGKILL at random points, resume it, and compare: `make chaos`.

    python benchmarks/chaos.py [--kills 100] [activity ...]

Each process is a fork of this one, which has everything loaded, so that several are killed a second. Every
call of the tested function is counted outside of the process. Between two kills there may be at most as many
calls without an answer in the journal as were in flight, and none after the last; no answer may be in the
journal twice; the report must be that of a run which nobody disturbed; and `du-eval verify` must hold.
Metrics and assessments have nothing to resume: they start again, and what a killed one left disturbs nobody.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

PROJECT = Path(__file__).parent.parent
sys.path.insert(0, str(PROJECT))

from du_eval.cli.main import main as call  # noqa: E402

AT_ONCE = 2
LOADED = ("du_eval.", "matplotlib.", "numpy.", "xlsxwriter.")
"""What this process loads for the others."""
SUBJECT = """
import os, time
from answers import Bot as _Bot, clerk as _clerk, understand as _understand

def _note():
    with open(os.environ["CALLS"], "ab", buffering=0) as file:
        file.write(b"1")
    time.sleep(0.003)

def answer(request):
    _note()
    return _understand(request)

def agent(text):
    _note()
    return _clerk(text)

class Bot(_Bot):
    def get_response(self, conv_array):
        _note()
        return super().get_response(conv_array)
"""
CASE = """
agent: subject:agent
connections: direct
interactions:
  - text: When are you open?
    response: {text: {keywords: ['9']}}
"""
AT = ["-n", str(AT_ONCE)]
GENERATOR = ["--assistant", "assistant", "-g", "subject:answer", "--no-output", *AT]
ASSESS = ["quality", "assess", "talks.jsonl"]
METRICS = ["metrics", "corpus/responses", "--target", "corpus/target.txt"]
ACTIVITIES: dict[str, tuple[list[str], list[str]]] = {
    "test": (["test", "suite", "--samples", "4", *GENERATOR], ["test", "--no-output", *AT, "--resume"]),
    "e2e": (["e2e", "e2e", *GENERATOR], ["e2e", "--no-output", *AT, "--resume"]),
    "quality": (["quality", "run", "bot.yaml", "--conversations", "4"], ["quality", "run", "--resume"]),
    "protocol": (
        ["protocol", "run", "--bot", "protocol.yaml", "--dialogues", "2"],
        ["protocol", "run", "--resume"],
    ),
    "agent": (["agent", "case.yaml", "--samples", "40", *AT], ["agent", *AT, "--resume"]),
    "assess": (ASSESS, ASSESS),
    "metrics": (METRICS, METRICS),
}
TALK = {"turns": [{"speaker": "user", "text": "Hi"}, {"speaker": "bot", "text": "Hello. Tell me more."}] * 20}


def make_folder() -> Path:
    """Return a project whose subject counts its calls."""
    folder = Path(tempfile.mkdtemp(prefix="chaos-"))
    shutil.copytree(PROJECT / "tests/golden/project", folder, dirs_exist_ok=True)
    (folder / "subject.py").write_text(SUBJECT, encoding="utf-8")
    (folder / "case.yaml").write_text(CASE, encoding="utf-8")
    settings = (folder / "quality/bot.yaml").read_text(encoding="utf-8").replace("answers.Bot", "subject.Bot")
    (folder / "bot.yaml").write_text(
        settings.replace("concurrency: 1", f"concurrency: {AT_ONCE}"), encoding="utf-8"
    )
    (folder / "protocol.yaml").write_text("type: function\nclass: subject.Bot\n", encoding="utf-8")
    for number in range(8):
        shutil.copy(folder / "e2e/cases.yml", folder / f"e2e/cases{number}.yml")
    lines = "".join(json.dumps(TALK | {"conversation": str(number)}) + "\n" for number in range(10))
    (folder / "talks.jsonl").write_text(lines, encoding="utf-8")
    return folder


def fork(folder: Path, arguments: list[str]) -> int:
    """Start du-eval in a folder, in a copy of this process; return its id."""
    process = os.fork()
    return process or run_here(folder, arguments)


def run_here(folder: Path, arguments: list[str]) -> NoReturn:
    """Be du-eval."""
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    os.environ |= {"CALLS": str(folder / "calls"), "DU_EVAL_CONFIG_DIR": str(folder / "config")}
    told = os.open(folder / "told", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    os.dup2(told, 1)
    os.dup2(told, 2)
    code: Any = 0
    try:
        call(arguments)
    except SystemExit as end:
        code = end.code
    sys.stdout.flush()
    (folder / "modules").write_text("\n".join(sys.modules), encoding="utf-8")
    os._exit(code or 0)


def wait(process: int, is_due: Callable[[], bool] = lambda: False) -> int | None:
    """Return the exit code of a process; None if it was killed because that was due."""
    while True:
        found, status = os.waitpid(process, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        if is_due():
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            return None
        time.sleep(0.001)


def count_calls(folder: Path) -> int:
    """Return how often the subject was asked."""
    calls = folder / "calls"
    return calls.stat().st_size if calls.exists() else 0


def list_answers(folder: Path) -> list[tuple[Any, ...]]:
    """Return the keys of what the journals hold, each with whether it is an error, which is asked again."""
    journals = folder.glob(".du-eval/runs/*/journal.jsonl")
    lines = (line for path in journals for line in path.read_bytes().rpartition(b"\n")[0].splitlines())
    return [
        (one["file"], one["case"], one["step"], one["sample"], "error" in one)
        for one in map(json.loads, lines)
    ]


def read_report(folder: Path) -> Any:
    """Return what must not depend on when a run was killed."""
    path = max(folder.glob(".du-eval/runs/*/run.json"))
    data = json.loads(path.read_text(encoding="utf-8"))
    for case in data["cases"]:
        for result in case["results"]:
            result.pop("seconds", None)
            result["detail"] = {}
    figures = {one["name"]: one["measured"]["value"] for one in data["figures"]}
    return data["cases"], {name: value for name, value in figures.items() if "latency" not in name}


@dataclass
class Torment:
    """An activity that is killed again and again."""

    name: str
    chance: random.Random
    calm: Path = field(default_factory=make_folder)
    seconds: float = 0.0

    def __post_init__(self) -> None:
        self.begin, self.again = ACTIVITIES[self.name]
        for _ in range(2):  # what the first loads, this process loads, too, so that all others start at once
            shutil.rmtree(self.calm)
            self.calm, begun = make_folder(), time.monotonic()
            self.code = wait(fork(self.calm, self.begin))
            self.seconds, self.report = time.monotonic() - begun, read_report(self.calm)
            for module in (self.calm / "modules").read_text(encoding="utf-8").splitlines():
                if module.startswith(LOADED) and module not in sys.modules:
                    import_module(module)

    def choose_point(self, wild: Path, calls: int) -> Callable[[], bool]:
        """Return what tells when to kill: after some time, or after some calls."""
        most, later = self.chance.randint(0, 12), self.chance.random()
        if later < 0.5:
            return lambda: count_calls(wild) >= calls + most
        end = time.monotonic() + (later - 0.5) * 1.6 * self.seconds
        return lambda: time.monotonic() > end

    def run(self, kills: int) -> tuple[int, int, int]:
        """Kill one run until it has ended; return the kills, answers and calls."""
        wild, done = make_folder(), 0
        while True:
            calls, lines = count_calls(wild), len(list_answers(wild))
            has_run = any(wild.glob(".du-eval/runs/*/manifest.json"))
            process = fork(wild, self.again if has_run else self.begin)
            code = wait(process, self.choose_point(wild, calls)) if done < kills else wait(process)
            lost = count_calls(wild) - calls - (len(list_answers(wild)) - lines)
            assert 0 <= lost <= (AT_ONCE if code is None else 0), f"{wild}: {lost} were asked again"
            if code is not None:
                break
            done += 1
        answers = [key for key in list_answers(wild) if not key[-1]]
        assert code == self.code, f"{wild}: exit code {code} instead of {self.code}"
        assert len(answers) == len(set(answers)), f"{wild}: an answer is in the journal twice"
        assert read_report(wild) == self.report, f"{wild}: the report differs from that of {self.calm}"
        assert wait(fork(wild, ["verify"])) == 0, f"{wild}: the run cannot be verified"
        found = done, len(list_answers(wild)), count_calls(wild)
        shutil.rmtree(wild)
        return found


def main() -> None:
    """Torment the activities that are named, or all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("activities", nargs="*", choices=[*ACTIVITIES, []])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3600.0, help="the most time for one activity")
    asked = parser.parse_args()
    os.environ["DU_EVAL_TRUST"] = "1"
    for name in asked.activities or ACTIVITIES:
        torment, runs = Torment(name, random.Random(asked.seed)), []
        end, left = time.monotonic() + asked.seconds, asked.kills
        while left and time.monotonic() < end:
            runs.append(torment.run(min(left, 10)))
            left -= runs[-1][0]
            print(f"{name}: {asked.kills - left} kills so far", file=sys.stderr, flush=True)
        kills, answers, calls = map(sum, zip(*runs, strict=True))
        told = f"{calls} calls, of which {calls - answers} were in flight at a kill"
        print(
            f"{name}: {kills} kills in {len(runs)} runs, {answers} answers, {told}; same reports", flush=True
        )


if __name__ == "__main__":
    main()
