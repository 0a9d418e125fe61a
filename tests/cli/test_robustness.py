"""Robustness at the command line."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.calling import Caller


def test_robustness_is_in_every_report(work: Path, call: Caller) -> None:
    arguments = (
        "test",
        "seed.yml",
        "-g",
        "my_module:perfect",
        "--perturb",
        "case,value-swap",
        "--levels",
        "1",
    )
    answer = call(*arguments, "--html", "r.html", "--output-file", "r.json", "-q")
    assert "ROBUSTNESS" in answer.out
    data = json.loads(Path("r.json").read_text(encoding="utf-8"))["robustness"]
    assert [level["perturbation"] for level in data["levels"]] == ["case", "value-swap"]
    assert '"robustness":{' in Path("r.html").read_text(encoding="utf-8")
    assert call("test", "seed.yml", "--perturb", "typo").code == 2
    assert call("test", "seed.yml", "--perturb", "typos", "--levels", "x").code == 2
