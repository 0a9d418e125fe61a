"""Robustness at the command line."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.calling import Caller

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
    assert "ROBUSTNESS" in answer.out
    data = json.loads(Path("r.json").read_text(encoding="utf-8"))["robustness"]
    assert [level["perturbation"] for level in data["levels"]] == ["case", "value-swap"]
    assert {"value", "low", "high"} <= data["levels"][0]["f1"]["set slot"].keys()
    assert "| case | 1 |" in Path("r.md").read_text(encoding="utf-8")
    call(*arguments, "--output-file", "r.yml", "-q", "--perturb-history")
    assert "robustness:" in Path("r.yml").read_text(encoding="utf-8")
    assert '"robustness":{' in Path("r.html").read_text(encoding="utf-8")
    assert call("test", "seed.yml", "--perturb", "typo").code == 2
    assert call("test", "seed.yml", "--perturb", "typos", "--levels", "x").code == 2
