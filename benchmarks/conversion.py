"""How fast public dialogues become a suite, and how much memory it takes.

    python benchmarks/conversion.py SGD_DIR

SGD_DIR is a split of Schema-Guided Dialogue. Its dialogues are repeated, under new names, to 2,000 and to
20,000. Marks: at least 200 dialogues a second of processor time, no more memory for ten times the dialogues.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from itertools import cycle, islice
from pathlib import Path

from measuring import Cost, cli

SIZES = (2_000, 20_000)
A_FILE = 500
LEAST_A_SECOND, MOST_MEMORY = 200, 1.1


def enlarge(source: Path, folder: Path, size: int) -> None:
    """Write so many dialogues in the layout of the data set."""
    folder.mkdir()
    shutil.copy(source / "schema.json", folder)
    known = [item for file in sorted(source.glob("dialogues*.json")) for item in json.loads(file.read_text())]
    for start in range(0, size, A_FILE):
        some = islice(cycle(known), start, min(start + A_FILE, size))
        renamed = [{**item, "dialogue_id": f"{start + number}"} for number, item in enumerate(some)]
        (folder / f"dialogues_{start:06}.json").write_text(json.dumps(renamed))


def measure(source: Path, size: int) -> Cost:
    """Return what the conversion of so many dialogues costs."""
    with tempfile.TemporaryDirectory() as scratch:
        enlarge(source, Path(scratch) / "data", size)
        return cli("convert", "sgd", f"{scratch}/data", "-o", f"{scratch}/suite")


def main(source: Path) -> None:
    """Print both sizes and whether the marks are met."""
    costs = {size: measure(source, size) for size in SIZES}
    for size, cost in costs.items():
        rate = size / cost.cpu_seconds
        print(f"{size:6,} dialogues: {rate:5.0f} a second of processor time, {cost.peak_megabytes:.0f} MB")
    small, large = costs.values()
    growth = large.peak_megabytes / small.peak_megabytes
    slower = large.cpu_seconds / small.cpu_seconds * SIZES[0] / SIZES[1]
    is_met = SIZES[1] / large.cpu_seconds >= LEAST_A_SECOND and growth <= MOST_MEMORY
    print(f"ten times the dialogues: {slower:.2f} times the time for each, {growth:.2f} times the memory")
    print("marks met" if is_met else "MISSED a mark")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
