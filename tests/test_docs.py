"""The documentation is true: its examples run, its test files load, its options exist."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from du_eval import errors
from du_eval.endtoend.load import load_end_to_end
from du_eval.parsers.syntax_file import read_syntax
from du_eval.parsers.yaml_parser import parse_yaml
from du_eval.suites.load import load_suite
from tests.cli.calling import Caller

PROJECT = Path(__file__).parent.parent
DIALOGUE_PAGES = ("docs/assistants.md", "docs/endtoend.md", "docs/converting.md")
PAGES = (
    "README.md",
    "docs/test-files.md",
    "docs/commands.md",
    "docs/running.md",
    "docs/reports.md",
    "docs/viewing.md",
    "docs/comparing.md",
    "docs/experiments.md",
    "docs/ci.md",
    "docs/library.md",
    "docs/plugins.md",
    "docs/generators.md",
    "docs/runs.md",
    *DIALOGUE_PAGES,
    "docs/quality.md",
    "docs/protocol.md",
    "docs/judges.md",
)
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: str, language: str) -> list[str]:
    text = (PROJECT / page).read_text(encoding="utf-8")
    return [body for kind, body in BLOCK.findall(text) if kind == language]


@pytest.mark.parametrize("page", PAGES)
def test_python_examples_run(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROJECT)
    for code in blocks(page, "python"):
        exec(compile(code, page, "exec"), {"__name__": "example"})


@pytest.mark.parametrize("page", PAGES)
def test_yaml_examples_load(page: str, tmp_path: Path) -> None:
    for number, text in enumerate(blocks(page, "yaml")):
        root = parse_yaml(text, page, typed=True).root
        if isinstance(root, dict) and "test_cases" in root:
            file = tmp_path / f"example_{number}.yml"
            file.write_text(text, encoding="utf-8")
            if page == "docs/endtoend.md":
                assert load_end_to_end([file]).cases
            else:
                assert len(load_suite([file])) >= 1
        elif isinstance(root, dict) and "commands" in root:
            assert read_syntax(text, page).spellings


@pytest.mark.parametrize("page", PAGES)
def test_options_in_examples_exist(page: str, call: Caller) -> None:
    for script in blocks(page, "bash"):
        for line in script.splitlines():
            words = line.partition("#")[0].split()
            if words[:1] == ["du-eval"]:
                options = [word for word in words[2:] if re.fullmatch(r"--?[a-z][\w-]*", word)]
                groups = {"cache", "config", "runs", "convert", "judges", "quality", "protocol"}
                group = words[1:3] if words[1] in groups else words[1:2]
                known = call(*group, "--help").out
                assert all(re.search(rf"(?<![\w-]){option}(?![\w-])", known) for option in options), line


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Caller:
    return Caller(capsys)


def test_every_page_that_is_linked_exists() -> None:
    for page in [PROJECT / "README.md", *(PROJECT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#:\s]+)\)", page.read_text(encoding="utf-8")):
            is_made = target.startswith("reference/")  # from the program, when the site is built
            assert is_made or (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("story", sorted((PROJECT / "docs/stories").glob("*.md")), ids=lambda path: path.stem)
def test_every_story_ends_in_a_decision(story: Path, tmp_path: Path) -> None:
    text = story.read_text(encoding="utf-8")
    scripts = [body for kind, body in BLOCK.findall(text) if kind == "bash"]
    script = "\n".join(line for line in "".join(scripts).splitlines() if not line.startswith("pip install"))
    with socket.socket() as probe:  # several stories may be told at the same time
        probe.bind(("127.0.0.1", 0))
        script = script.replace("8765", str(probe.getsockname()[1]))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "HOME": str(tmp_path)}
    found = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert "error" not in found.stderr, found.stderr
    assert re.search(r"^Improved: ", found.stdout, re.MULTILINE), found.stdout[-2000:]


def test_every_error_has_a_page() -> None:
    titles = set(
        re.findall(r"^## (\w+)$", (PROJECT / "docs/errors.md").read_text(encoding="utf-8"), re.MULTILINE)
    )
    named = re.findall(r"(\w+Error) ", errors.__doc__ or "")
    assert titles == set(named)


def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", str(tmp_path / "site")]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}  # we stay with the version that is pinned
    found = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (0, "")
    site = tmp_path / "site"
    listed = re.findall(r"\]\(([^)]*)\)", (site / "llms.txt").read_text(encoding="utf-8"))
    assert {"index.md", "reference/metrics/rouge-l.md", "reference/errors/SuiteError.md"} <= set(listed)
    assert all((site / name).is_file() for name in listed)
    untold = re.findall(
        r"^- \[[^]]*\]\(([^/)]*)\)$", (site / "llms.txt").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert not untold, "pages whose first paragraph says nothing to llms.txt"
    metric = (site / "reference/metrics/rouge-l.md").read_text(encoding="utf-8")
    assert "$ du-eval metrics responses.txt --target target.txt --metrics rouge-l\n" in metric
