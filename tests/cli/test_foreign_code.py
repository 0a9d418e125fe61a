"""Functions that hang, print and are interrupted: the run ends with its report, and standard output stays ours."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.reading import read_run

SUITE = "test_cases:\n" + "".join(
    f"  - test_case: case {n}\n    steps:\n      - user: say {n}\n        commands: [StartFlow(flow_{n})]\n"
    for n in range(20)
)
MODULE = """
import asyncio, os, sys, time

print("imported")

def right(request):
    return f"StartFlow(flow_{request.message.split()[1]})"

def hangs(request):
    return int(request.message.split()[1]) % 10 == 3

def sync(request):
    if hangs(request):
        time.sleep(600)
    return right(request)

async def awaiting(request):
    if hangs(request):
        await asyncio.sleep(600)
    return right(request)

async def blocking(request):
    if hangs(request):
        time.sleep(600)
    return right(request)

def printing(request):
    print("printed")
    os.system("echo from a shell")
    sys.stdout.write("written")
    return right(request)

def silent(request):
    return None if hangs(request) else right(request)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "suite.yml").write_text(SUITE, encoding="utf-8")
    (tmp_path / "mine.py").write_text(MODULE, encoding="utf-8")
    return tmp_path


def command(name: str, *options: str) -> list[str]:
    return [sys.executable, "-m", "du_eval.cli", "test", "suite.yml", "-g", f"mine:{name}", *options]


def ran(project: Path, name: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(name, *options), cwd=project, capture_output=True, text=True, timeout=90, check=False
    )


@pytest.mark.parametrize("name", ["sync", "awaiting", "blocking"])
def test_a_generator_that_hangs_on_one_step_in_ten_costs_one_step_in_ten(project: Path, name: str) -> None:
    done = ran(project, name, "--timeout", "1", "--json", "--no-output")
    data = read_run(done.stdout)
    assert done.returncode == 3
    assert data["steps"] == {"passed": 18, "failed": 0, "errored": 2}
    errors = {step["error"] for case in data["test_cases"] for step in case["steps"] if "error" in step}
    assert errors == {f"{name} did not answer within 1 s (--timeout)"}


def test_what_a_generator_prints_goes_to_standard_error(project: Path) -> None:
    done = ran(project, "printing", "--json", "--no-output")
    assert read_run(done.stdout)["steps"]["passed"] == 20
    for text in ("imported", "printed", "from a shell", "written"):
        assert text in done.stderr


def test_nothing_is_an_error_and_not_an_empty_prediction(project: Path) -> None:
    done = ran(
        project, "silent", "--json", "--no-output", "--fail-under", "accuracy=0.9", "--max-errors", "0.1"
    )
    assert read_run(done.stdout)["steps"] == {"passed": 18, "failed": 0, "errored": 2}
    assert "gate passed, even with 2 unjudged results counted as failed: accuracy=0.9" in done.stderr


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("sync", signal.SIGINT),
        ("blocking", signal.SIGINT),
        ("awaiting", signal.SIGTERM),
        ("sync", signal.SIGTERM),
    ],
)
def test_one_signal_ends_a_run_with_its_report(project: Path, name: str, how: signal.Signals) -> None:
    with subprocess.Popen(
        command(name, "-n", "4"), cwd=project, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            wait_for_answers(project / ".du-eval" / "runs")
            process.send_signal(how)
            out, err = process.communicate(timeout=20)
        finally:
            process.kill()
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "interrupted" in out


def wait_for_answers(runs: Path) -> None:
    deadline = time.monotonic() + 30
    while not any(path.stat().st_size > 500 for path in runs.glob("*/journal*")):
        assert time.monotonic() < deadline, list(runs.glob("*/*"))
        time.sleep(0.05)
    time.sleep(0.5)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_behind_standard_output_is_told(project: Path) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            command("silent", "--no-output"), cwd=project, stdout=full, stderr=subprocess.PIPE, text=True,
            timeout=60, check=False,
        )  # fmt: skip
    assert done.returncode == 4
    assert "error: standard output cannot be written: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_reader_of_the_report_who_goes_away_changes_neither_exit_code_nor_files(project: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        command("silent", "--fail-under", "accuracy=0.95", "--max-errors", "0.1", "--markdown", "run.md"),
        cwd=project, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=60, check=False,
    )  # fmt: skip
    os.close(writer)
    assert done.returncode == 3, done.stderr
    assert "no verdict" in done.stderr
    assert (project / "run.md").exists()
