"""Kill every resumable activity with SIGKILL at random points, resume it, and compare: `make chaos`.

    python benchmarks/chaos.py [--kills 100] [activity ...]

Every call of the tested function is counted outside of the process. After the last resumption the report must
be that of a run which nobody disturbed, `du-eval verify` must hold, and no answer that was in the journal may
have been asked for again.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parent.parent
AT_ONCE = 2
SUBJECT = """
import os, time
from answers import Bot as _Bot, clerk as _clerk, understand as _understand

def _note():
    with open(os.environ["CALLS"], "ab", buffering=0) as file:
        file.write(b"1")
    time.sleep(0.05)

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
GENERATOR = ["--assistant", "assistant", "-g", "subject:answer", "--no-output"]
ACTIVITIES: dict[str, tuple[list[str], list[str]]] = {
    "test": (["test", "suite", "--samples", "4", *GENERATOR], ["test", "--no-output"]),
    "e2e": (["e2e", "e2e", *GENERATOR], ["e2e", "--no-output"]),
    "quality": (["quality", "run", "bot.yaml", "--conversations", "4"], ["quality", "run"]),
    "protocol": (["protocol", "run", "--bot", "protocol.yaml", "--dialogues", "2"], ["protocol", "run"]),
    "agent": (["agent", "case.yaml", "--samples", "40"], ["agent"]),
}


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
    return folder


def start(folder: Path, arguments: list[str]) -> subprocess.Popen[bytes]:
    """Start du-eval in a folder."""
    concurrency = ["-n", str(AT_ONCE)] if arguments[0] in {"test", "e2e", "agent"} else []
    environment = {
        **os.environ,
        "PYTHONPATH": f"{PROJECT}{os.pathsep}{folder}",
        "CALLS": str(folder / "calls"),
        "DU_EVAL_CONFIG_DIR": str(folder / "config"),
        "DU_EVAL_TRUST": "1",
    }
    command = [sys.executable, "-m", "du_eval.cli", *arguments, *concurrency]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=quiet, stderr=quiet)


def count(folder: Path) -> tuple[int, int]:
    """Return how often the subject was asked, and how many answers the journal has."""
    calls = folder / "calls"
    lines = sum(path.read_bytes().count(b"\n") for path in folder.glob(".du-eval/runs/*/journal.jsonl"))
    return calls.stat().st_size if calls.exists() else 0, lines


def read_report(folder: Path) -> Any:
    """Return what must not depend on when a run was killed."""
    (path,) = folder.glob(".du-eval/runs/*/run.json")
    data = json.loads(path.read_text(encoding="utf-8"))
    for case in data["cases"]:
        for result in case["results"]:
            result.pop("seconds", None)
            result["detail"] = {}
    figures = {one["name"]: one["measured"]["value"] for one in data["figures"]}
    return data["cases"], {name: value for name, value in figures.items() if "latency" not in name}


def torment(name: str, kills: int, chance: random.Random) -> str:
    """Kill and resume an activity; return what there is to say about it, or raise."""
    begin, again = ACTIVITIES[name]
    calm, wild = make_folder(), make_folder()
    start(calm, begin).wait()
    wanted, done = count(calm)[1], 0
    process = start(wild, begin)
    while done < kills and process.poll() is None:
        target = count(wild)[1] + chance.randint(0, max(1, wanted // 3))
        while process.poll() is None and count(wild)[1] < min(target, wanted - 1):
            time.sleep(0.01)
        time.sleep(chance.random() * 0.1)
        if process.poll() is None and count(wild)[1]:
            process.send_signal(signal.SIGKILL)
            process.wait()
            done += 1
            process = start(wild, [*again, "--resume"])
    process.wait()
    calls, lines = count(wild)
    assert read_report(wild) == read_report(calm), f"{name}: the report differs"
    assert start(wild, ["verify"]).wait() in {0, 3}, f"{name}: the chain is broken"
    assert calls <= lines + done * AT_ONCE, f"{name}: {calls} calls for {lines} answers after {done} kills"
    shutil.rmtree(calm)
    shutil.rmtree(wild)
    return f"{name}: {done} kills, {lines} answers, {calls} calls (at most {AT_ONCE} in flight at each kill)"


def main() -> None:
    """Torment the activities that are named, or all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("activities", nargs="*", choices=[*ACTIVITIES, []])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    for name in asked.activities or ACTIVITIES:
        total, chance, rounds = 0, random.Random(asked.seed), 0
        while total < asked.kills and rounds < asked.kills:
            told = torment(name, asked.kills - total, chance)
            print(told, flush=True)
            total, rounds = total + int(told.split()[1]), rounds + 1


if __name__ == "__main__":
    main()
