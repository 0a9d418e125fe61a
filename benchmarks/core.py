"""Loading, whole runs and start-up, as ratios against a stated peer measured in the same run.

    python benchmarks/core.py [--cases 10000] [--peer-cases 200]

The peer of loading is ruamel.yaml (round trip) with pykwalify, as in the official tool. It gets fewer files,
because it is slow; CPU rates are compared, in interleaved rounds, and the median ratio counts. Both packages
are in the extra `bench`.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from measuring import cli, cost_of, python
from suite_files import STEPS_PER_CASE, write_suite

PEER = """
import sys, time
from pathlib import Path
from ruamel.yaml import YAML
from pykwalify.core import Core
import logging
logging.disable(logging.CRITICAL)
step = {"type": "map", "mapping": {
    "user": {"type": "str"}, "utter": {"type": "str"}, "bot": {"type": "str"}, "metadata": {"type": "str"},
    "commands": {"type": "seq", "sequence": [{"type": "str"}]}}}
case = {"type": "map", "mapping": {
    "test_case": {"type": "str", "required": True}, "metadata": {"type": "str"},
    "fixtures": {"type": "seq", "sequence": [{"type": "str"}]},
    "steps": {"type": "seq", "required": True, "sequence": [step]}}}
schema = {"type": "map", "mapping": {"test_cases": {"type": "seq", "sequence": [case]}}}
start = time.process_time()
count = 0
for file in sorted(Path(sys.argv[1]).glob("*.yml")):
    data = YAML(typ="rt").load(file.read_text(encoding="utf-8"))
    Core(source_data=data, schema_data=schema).validate(raise_exception=True)
    count += len(data["test_cases"])
print(count, time.process_time() - start)
"""

OURS = """
import sys, time
from du_eval.suites.load import load_suite
start = time.process_time()
suite = load_suite([sys.argv[1]])
print(len(suite), time.process_time() - start)
"""

BARE = """
import typer
app = typer.Typer(rich_markup_mode=None)
@app.command()
def test(): "Run."
@app.command()
def other(): "Other."
app(["--help"])
"""


def _rate(code: str, folder: Path) -> tuple[float, float]:
    cost = cost_of(sys.executable, "-c", code, str(folder))
    if cost.exit_code:
        sys.exit(f"{cost.output}install what the benchmarks need: pip install -e '.[bench]'")
    cases, seconds = cost.output.split()[-2:]
    return int(cases) / float(seconds), cost.peak_megabytes


def loading(work: Path, cases: int, peer_cases: int) -> None:
    """Compare loading and validating with the peer."""
    write_suite(work / "peer", peer_cases)
    write_suite(work / "load", cases)
    rounds = [(_rate(PEER, work / "peer")[0], *_rate(OURS, work / "load")) for _ in range(5)]
    ratios = [ours / peer for peer, ours, _ in rounds]
    peer, ours = statistics.median(r[0] for r in rounds), statistics.median(r[1] for r in rounds)
    print(f"load and validate: {ours:,.0f} cases/s ({cases} cases, peak {rounds[0][2]:.0f} MB)")
    print(f"  peer (ruamel.yaml rt + pykwalify): {peer:,.0f} cases/s ({peer_cases} cases)")
    spread = f"{min(ratios):.1f} to {max(ratios):.1f} in {len(ratios)} rounds"
    print(f"  ratio: {statistics.median(ratios):.1f} ({spread}); mark: at least 30")


def whole_runs(work: Path, cases: int) -> None:
    """Measure whole runs with recorded predictions, and how they grow."""
    print(f"whole run of `du-eval test` with recorded predictions ({STEPS_PER_CASE} steps a case):")
    base = None
    for count in (cases // 10, cases):
        folder = work / f"run_{count}"
        predictions = write_suite(folder, count)
        report = str(work / f"report_{count}.yml")
        arguments = ("test", str(folder), "-g", f"recorded:{predictions}", "-q", "--output-file", report)
        cost = cli(*arguments)
        assert cost.exit_code == 1, cost.output[-2000:]
        assert " 0 errored" in cost.output, cost.output[-2000:]
        rate = count / cost.cpu_seconds
        used = f"{cost.cpu_seconds:.1f} s CPU, {rate:,.0f} cases/s, peak {cost.peak_megabytes:.0f} MB"
        print(f"  {count:6} cases: {used}")
        if base:
            growth = cost.cpu_seconds / base[1]
            print(f"  growth: {count / base[0]:.0f} x the cases, {growth:.1f} x the CPU time")
        base = (count, cost.cpu_seconds)
    print("  marks: linear growth; under 400 MB at 10,000 cases")


def start_up(rounds: int = 12) -> None:
    """Compare `du-eval --help` with a bare Typer application."""
    ours = statistics.median(cli("--help").cpu_seconds for _ in range(rounds))
    bare = statistics.median(python(BARE).cpu_seconds for _ in range(rounds))
    print(f"du-eval --help: {ours * 1000:.0f} ms CPU; a bare Typer app: {bare * 1000:.0f} ms")
    print(f"  ratio: {ours / bare:.2f}; mark: at most 1.5")


def main() -> None:
    """Run all benchmarks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--peer-cases", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        loading(Path(folder), options.cases, options.peer_cases)
        whole_runs(Path(folder), options.cases)
    start_up()


if __name__ == "__main__":
    main()
