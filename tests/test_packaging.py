"""What is published is complete and always the same, and the files around it name what exists."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
import yaml

from du_eval.cli.main import COMMANDS

PROJECT = Path(__file__).parent.parent


def build(kind: str, folder: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)]
    subprocess.run(command, cwd=PROJECT, check=True, capture_output=True)
    (found,) = folder.iterdir()
    return found


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_two_builds_are_the_same_to_the_last_byte(kind: str, tmp_path: Path) -> None:
    one, two = build(kind, tmp_path / "one"), build(kind, tmp_path / "two")
    assert hashlib.sha256(one.read_bytes()).digest() == hashlib.sha256(two.read_bytes()).digest()


def test_the_source_archive_holds_what_the_commands_of_the_readme_need(tmp_path: Path) -> None:
    with tarfile.open(build("sdist", tmp_path)) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    needed = ["constraints.txt", "pyproject.toml", "README.md", "LICENSE", "Makefile", ".ci/run"]
    folders = ["du_eval", "tests", "examples", "dialogue_understanding_tests", "schemas", "docs", "scripts"]
    tracked = subprocess.run(
        ["git", "ls-files", *folders], cwd=PROJECT, capture_output=True, text=True, check=False
    ).stdout.split("\n")
    assert [name for name in (*needed, *filter(None, tracked)) if name not in names] == []


def test_the_wheel_holds_the_package_with_its_data_and_nothing_else(tmp_path: Path) -> None:
    with zipfile.ZipFile(build("wheel", tmp_path)) as wheel:
        names = wheel.namelist()
    assert {name.partition("/")[0] for name in names} == {"du_eval", *(n for n in [info(names)] if n)}
    assert "du_eval/py.typed" in names
    assert "du_eval/cli/project/flows.yml" in names


def info(names: list[str]) -> str:
    return next(name.partition("/")[0] for name in names if ".dist-info/" in name)


def test_hooks_actions_and_images_call_commands_that_exist() -> None:
    hooks = yaml.safe_load((PROJECT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert {hook["entry"].split()[1] for hook in hooks} <= set(COMMANDS)
    action = yaml.safe_load((PROJECT / "action.yml").read_text(encoding="utf-8"))
    assert action["inputs"]["command"]["default"] in COMMANDS
    used = set(re.findall(r"inputs\.([\w-]+)", (PROJECT / "action.yml").read_text(encoding="utf-8")))
    assert used == set(action["inputs"])


def test_the_action_keeps_quoted_words_together(tmp_path: Path) -> None:
    called = tmp_path / "du-eval"
    called.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > called.txt\n', encoding="utf-8")
    called.chmod(0o755)
    action = yaml.safe_load((PROJECT / "action.yml").read_text(encoding="utf-8"))
    (step,) = (step for step in action["runs"]["steps"] if step.get("id") == "run")
    given = {
        "COMMAND": 'test my_tests --label "new prompt"',
        "FAIL_UNDER": "accuracy=0.9",
        "MAX_ERRORS": "0.05",
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "PATH": f"{tmp_path}:{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    subprocess.run(["bash", "-e", "-c", step["run"]], cwd=tmp_path, env=given, check=True)
    words = (tmp_path / "called.txt").read_text(encoding="utf-8").split("\n")
    assert words[:4] == ["test", "my_tests", "--label", "new prompt"]
    assert words[-5:] == ["--fail-under", "accuracy=0.9", "--max-errors", "0.05", ""]


def test_one_version_is_named_everywhere() -> None:
    import du_eval

    project = (PROJECT / "pyproject.toml").read_text(encoding="utf-8")
    citation = yaml.safe_load((PROJECT / "CITATION.cff").read_text(encoding="utf-8"))
    assert f'version = "{du_eval.__version__}"' in project
    assert citation["version"] == du_eval.__version__
