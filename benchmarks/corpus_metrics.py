"""How much faster corpus metrics are than line by line: `python benchmarks/corpus_metrics.py`.

Both sides run in one session on the same corpus; CPU time (user and system) of whole processes counts, with
one thread of linear algebra each. The plain side is `corpus_plain.py`; its values must agree within 1e-9.
With DU_EVAL_PARITY_DATA set, the corpus comes from the generator there; else from the one below.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path

HERE = Path(__file__).parent
MARKS = {"whole 20000": 20, "whole 2000": 8, "kernel": 40, "growth": 10.5}


def generate(folder: Path, lines: int, dimensions: int = 50) -> None:
    data = os.environ.get("DU_EVAL_PARITY_DATA")
    if data:
        script = Path(data) / "oracles" / "dialog_eval" / "generate.py"
        subprocess.run(
            [sys.executable, script, folder, "--test", str(lines), "--dim", str(dimensions)], check=True
        )
        return
    draw = random.Random(1)
    words = [f"w{number}" for number in range(8000)]
    weights = list(accumulate(1 / (rank + 3) for rank in range(len(words))))

    def sentence() -> list[str]:
        return draw.choices(words, cum_weights=weights, k=1 + min(44, int(draw.gammavariate(2, 5))))

    (folder / "responses").mkdir(parents=True)
    rows = {name: [sentence() for _ in range(lines)] for name in ("test_source", "test_target")}
    rows["train_source"] = [sentence() for _ in range(20000)]
    rows["responses/test_responses"] = [
        [word if draw.random() < 0.7 else draw.choice(words) for word in target]
        for target in rows["test_target"]
    ]
    for name, texts in rows.items():
        (folder / f"{name}.txt").write_text("".join(" ".join(text) + "\n" for text in texts))
    (folder / "vocab.txt").write_text("\n".join(words[:6000]) + "\n")
    with (folder / "embeddings.txt").open("w") as file:
        for word in words[:7300]:
            numbers = " ".join(f"{draw.gauss(0.05, 0.4):.4f}" for _ in range(dimensions))
            file.write(f"{word} {numbers}\n")


def measured(command: list[str]) -> tuple[float, float, str]:
    """Return CPU seconds, peak memory in MB, and the output of a process of its own."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, env=environment, cwd=HERE.parent)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, command
        output.seek(0)
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output.read().decode()


def ours(folder: Path, *more: str) -> list[str]:
    start = [sys.executable, "-c", "from du_eval.cli.main import main; main()", "metrics"]
    named = {
        "--source": "test_source.txt",
        "--target": "test_target.txt",
        "--train-source": "train_source.txt",
        "--vocab": "vocab.txt",
        "--vectors": "embeddings.txt",
    }
    files = [word for option, name in named.items() for word in (option, str(folder / name))]
    return [*start, str(folder / "responses" / "test_responses.txt"), *files, "-q", *more]


def whole(folder: Path, lines: int) -> dict[str, float]:
    compatible = ours(folder, "--compat", "dialog-eval", "--format", "original", "--no-cache")
    slow = [sys.executable, str(HERE / "corpus_plain.py"), str(folder)]
    # Small runs are repeated in turns: the best of each side is what a busy machine spoils least.
    rounds = 5 if lines < 10000 else 1
    runs = [(measured(slow), min(measured(compatible) for _ in range(2))) for _ in range(rounds)]
    plain, fast = min(run[0] for run in runs), min(run[1] for run in runs)
    expected = json.loads(plain[2])
    found = [float(cell.split(",")[0]) for cell in fast[2].split("\n")[1].split()[1:]]
    worst = max(abs(a - b) for a, b in zip(expected, found, strict=True))
    assert worst < 1e-9, worst
    standard = min(measured(ours(folder, "--metrics", "dialog-eval", "--no-cache")) for _ in range(3))
    print(
        f"whole run, {lines:>6} lines: plain {plain[0]:6.2f} s, {plain[1]:4.0f} MB; "
        f"du-eval {fast[0]:5.2f} s, {fast[1]:4.0f} MB: {plain[0] / fast[0]:5.1f} times faster "
        f"(default mode, same 17: {plain[0] / standard[0]:.1f} times); largest difference {worst:.1e}"
    )
    return {"ratio": plain[0] / fast[0], "memory": fast[1] / plain[1], "seconds": fast[0]}


def best(function: Callable[[], object], times: int) -> float:
    found = []
    for _ in range(times):
        start = time.process_time()
        function()
        found.append(time.process_time() - start)
    return min(found)


def kernels(folder: Path) -> list[float]:
    from corpus_plain import Plain

    from du_eval.compat.dialog_eval import DIALOG_EVAL
    from du_eval.corpus.bleu import OriginalBleu
    from du_eval.corpus.catalogue import select_metrics
    from du_eval.corpus.embedding import EmbeddingExtrema, EmbeddingGreedy
    from du_eval.corpus.pipeline import prepare_corpora
    from du_eval.corpus.settings import Files, Settings

    plain = Plain(folder)
    rows = list(plain.lines())
    response = str(plain.responses)
    files = Files(
        (response,), str(plain.source), str(plain.target), str(folder / "train_source.txt"),
        vocabulary=str(folder / "vocab.txt"), vectors=str(folder / "embeddings.txt"),
    )  # fmt: skip
    metrics = (EmbeddingExtrema(), EmbeddingGreedy(clamped=True), OriginalBleu())
    corpus = prepare_corpora(files, select_metrics(metrics, []), Settings(mode=DIALOG_EVAL))[response]
    slow = (
        lambda: [plain.cosine(plain.extrema(r), plain.extrema(t)) for _, r, t in rows],
        lambda: [plain.greedy(r, t) for _, r, t in rows],
        lambda: [plain.bleu(r, t) for _, r, t in rows],
    )
    ratios = []
    for name, metric, loop in zip(("extrema", "greedy", "bleu 1-4"), metrics, slow, strict=True):
        seconds, before = best(lambda metric=metric: metric.score(corpus), 5), best(loop, 1)
        ratios.append(before / seconds)
        what = f"kernel {name:<8} d={plain.dimensions:<3}"
        print(f"{what}: {before:6.2f} s -> {seconds:.3f} s: {ratios[-1]:5.1f} times")
    return ratios


def growth(folder: Path, before: float) -> list[str]:
    generate(folder, 200000)
    command = ours(folder, "--compat", "dialog-eval", "--format", "original", "--no-cache")
    seconds, memory, _ = min(measured(command) for _ in range(2))
    print(f"growth, 20,000 to 200,000 lines: {seconds / before:.1f} times the time, {memory:.0f} MB")
    return ["growth"] if seconds / before > MARKS["growth"] else []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="2,000 lines only")
    quick = parser.parse_args().quick
    failed = []
    with tempfile.TemporaryDirectory() as root:
        sizes = [2000] if quick else [2000, 20000]
        results = {}
        for lines in sizes:
            folder = Path(root) / str(lines)
            generate(folder, lines)
            results[lines] = whole(folder, lines)
            if results[lines]["ratio"] < MARKS[f"whole {lines}"] or results[lines]["memory"] > 1:
                failed.append(f"whole {lines}")
        if not quick:
            # Kernels come last: a child is said to need the memory of the one that started it.
            failed += growth(Path(root) / "200000", results[20000]["seconds"])
            failed += ["kernel" for ratio in kernels(Path(root) / "20000") if ratio < MARKS["kernel"]]
            generate(Path(root) / "wide", 20000, 300)
            kernels(Path(root) / "wide")
    print(f"marks missed: {', '.join(failed)}" if failed else "all marks held")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
