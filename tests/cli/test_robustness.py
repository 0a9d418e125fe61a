"""Robustness at the command line."""

from __future__ import annotations

from pathlib import Path

from tests.cli.calling import Caller
from tests.reading import read_file

LOOSE = """
from my_module import GOLD


def ask(request):
    return {text.casefold(): commands for text, commands in GOLD.items()}.get(request.message.casefold(), "")
"""


def test_robustness_is_in_every_report(work: Path, call: Caller) -> None:
    Path("loose_generator.py").write_text(LOOSE, encoding="utf-8")
    arguments = (
        "test",
        "seed.yml",
        "-g",
        "loose_generator:ask",
        "--perturb",
        "case,value-swap",
        "--levels",
        "1",
    )
    answer = call(*arguments, "--html", "r.html", "--markdown", "r.md", "--output-file", "r.json", "-q")
    assert "Robustness by level" in answer.out
    data = read_file("r.json")["robustness"]
    assert [level["kind"] for level in data["levels"]] == ["case", "value-swap"]
    assert {"value", "interval"} <= data["levels"][0]["f1"]["set slot"]["measured"].keys()
    assert "| case | 1 |" in Path("r.md").read_text(encoding="utf-8")
    assert call(*arguments, "-q", "--perturb-history").code in {0, 1}
    assert "Robustness by level" in Path("r.html").read_text(encoding="utf-8")
    assert call("test", "seed.yml", "--perturb", "typo").code == 2
    assert call("test", "seed.yml", "--perturb", "typos", "--levels", "x").code == 2


COUNTING = """
from pathlib import Path
from my_module import GOLD


def ask(request):
    with Path("asked.txt").open("a") as file:
        file.write(request.message + chr(10))
    return GOLD.get(request.message, "")
"""


def test_changed_messages_that_were_answered_are_not_asked_again(work: Path, call: Caller) -> None:
    Path("counting_generator.py").write_text(COUNTING, encoding="utf-8")
    perturbed = ("--perturb", "drops", "--levels", "0.5", "-n", "1", "-q", "--output-file", "r.json")
    arguments = ("test", "seed.yml", "-g", "counting_generator:ask", *perturbed)
    call(*arguments)
    whole = read_file("r.json")["robustness"]
    asked = Path("asked.txt").read_text(encoding="utf-8").splitlines()
    Path("asked.txt").unlink()
    steps = len(asked) // 2
    stopped = call(*arguments, "--max-calls", str(steps + 1))
    assert "budget" in stopped.err + stopped.out or "max-calls" in stopped.err + stopped.out
    assert read_file("r.json")["robustness"]["levels"] == []
    call(*arguments, "--resume", "last", "--max-calls", "1000")
    assert sorted(Path("asked.txt").read_text(encoding="utf-8").splitlines()) == sorted(asked)
    assert read_file("r.json")["robustness"] == whole
