"""The benchmark of the engine runs, and turns do not get slower as a dialogue gets longer."""

import subprocess
import sys
from pathlib import Path

BENCHMARK = Path(__file__).parent.parent.parent / "benchmarks" / "engine.py"


def test_the_benchmark_runs_and_prints_its_ratios() -> None:
    command = [sys.executable, str(BENCHMARK), "--flows", "20", "--turns", "100"]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert result.returncode == 0, result.stderr
    assert "20 flows, 100 turns: " in result.stdout
    assert "a turn at the end against one at the beginning: " in result.stdout
