"""Completion in shells: the scripts that --show-completion prints, and what they are answered."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from du_eval.cli.main import COMMANDS

PROGRAM = Path(sys.executable).with_name("du-eval")
pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason="the command is not installed beside Python")


def ran(*command: str, **variables: str) -> str:
    path = f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"
    environment = {
        **os.environ,
        "PATH": path,
        "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1",
        **variables,
    }
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True, timeout=120
    ).stdout


@cache
def script(shell: str) -> str:
    return ran(str(PROGRAM), "--show-completion", shell)


def in_bash(*words: str) -> list[str]:
    """Return what a real bash offers for the last of the words."""
    line = " ".join(f"'{word}'" for word in words)
    code = (
        f"{script('bash')}\nCOMP_WORDS=({line}); COMP_CWORD={len(words) - 1}\n_du_eval_completion du-eval\n"
    )
    return ran("bash", "-c", code + 'printf "%s\\n" "${COMPREPLY[@]}"').split()


def in_zsh(line: str) -> str:
    """Return what the function for zsh is given to evaluate."""
    return ran(str(PROGRAM), _TYPER_COMPLETE_ARGS=line, _DU_EVAL_COMPLETE="complete_zsh")


def test_bash_completes_commands_groups_and_options() -> None:
    assert in_bash("du-eval", "") == list(COMMANDS)
    assert in_bash("du-eval", "qua") == ["quality"]
    assert in_bash("du-eval", "judges", "mea") == ["measure"]
    assert in_bash("du-eval", "test", "--juni") == ["--junitxml"]
    assert in_bash("du-eval", "protocol", "run", "--bl") == ["--blocks"]


def test_zsh_completes_with_the_line_of_help() -> None:
    assert '"protocol":"Test a persona chatbot against' in in_zsh("du-eval prot")
    assert '"--junitxml"' in in_zsh("du-eval test --juni")
    assert script("zsh").startswith("#compdef du-eval")


def test_the_shell_is_found_out_where_none_is_named() -> None:
    found = ran(
        "bash", "-c", "du-eval --show-completion; true", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION=""
    )
    assert "complete -o default -F _du_eval_completion du-eval" in found


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_reads_its_script(tmp_path: Path) -> None:
    (tmp_path / "_du-eval").write_text(script("zsh"), encoding="utf-8")
    ran("zsh", "-n", str(tmp_path / "_du-eval"))


def test_completion_is_installed_for_bash_and_zsh(tmp_path: Path) -> None:
    for shell, file in (("bash", ".bashrc"), ("zsh", ".zshrc")):
        ran(str(PROGRAM), "--install-completion", shell, HOME=str(tmp_path))
        assert (
            "completion" in (tmp_path / file).read_text(encoding="utf-8")
            or "fpath" in (tmp_path / file).read_text()
        )
