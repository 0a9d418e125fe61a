"""A downloaded suite runs no code, contacts nobody and learns no secret before the user agrees."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from du_eval.cli.main import main
from tests.cli.calling import Caller
from tests.cli.networked import right, write_suite
from tests.llm.chat_server import Behaviour, ChatServer

KEY = "sk-very-secret-value"


@pytest.fixture
def downloaded(work: Path) -> Path:
    """Return a suite from elsewhere, below the working directory."""
    folder = work / "downloaded"
    folder.mkdir()
    write_suite(folder, cases=1, steps=1)
    return folder


def settings(folder: Path, text: str) -> None:
    (folder / "du-eval.yaml").write_text(text, encoding="utf-8")


def test_the_key_does_not_go_to_a_host_that_a_suite_names(
    call: Caller, downloaded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ChatServer(Behaviour(right)) as server:
        settings(downloaded, f"generator: llm\nmodel: m\nbase_url: {server.base_url}\nprompt: bare.jinja2\n")
        refused = call("test", "downloaded/suite.yml")
        assert refused.code == 2
        assert not server.calls
        assert f"downloaded/du-eval.yaml:3: base_url: {server.base_url}" in refused.err
        assert "du-eval trust downloaded/du-eval.yaml" in refused.err
        assert KEY not in refused.err

        assert call("trust", "downloaded").code == 0
        assert call("test", "downloaded/suite.yml").code == 0
        assert server.calls


@pytest.mark.parametrize("way", ["flag", "variable", "hash"])
def test_one_call_can_be_allowed(
    call: Caller, downloaded: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    settings(downloaded, "generator: my_module:perfect\n")
    if way != "flag":
        shown = call("trust", "downloaded", "--show").out
        monkeypatch.setenv("DU_EVAL_TRUST", "1" if way == "variable" else shown.split()[-1])
    flag = ["--trust"] if way == "flag" else []
    assert call("test", "downloaded/suite.yml", *flag).code == 3  # the function knows other messages
    monkeypatch.setenv("DU_EVAL_TRUST", "")
    assert call("test", "downloaded/suite.yml").code == 2


def test_what_is_given_on_the_command_line_needs_no_consent(call: Caller, downloaded: Path) -> None:
    settings(downloaded, "generator: evil:steal\n")
    assert call("test", "downloaded/suite.yml", "-g", "my_module:perfect").code == 3


@pytest.mark.parametrize("name", ["additional_commands: [evil.Command]", "actions: evil"])
@pytest.mark.parametrize("command", ["validate", "lint", "test", "flows", "doctor"])
def test_code_next_to_a_suite_is_not_imported(
    call: Caller, downloaded: Path, command: str, name: str
) -> None:
    (downloaded.parent / "evil.py").write_text(
        "import pathlib\npathlib.Path('pwned').touch()\n", encoding="utf-8"
    )
    settings(downloaded, name + "\n")
    words = [command] if command == "doctor" else [command, "downloaded/suite.yml"]
    call(*words)
    assert not (downloaded.parent / "pwned").exists()


@pytest.mark.parametrize("command", ["validate", "lint"])
def test_hosts_do_not_matter_where_nobody_is_asked(call: Caller, downloaded: Path, command: str) -> None:
    settings(downloaded, "generator: llm\nmodel: m\nbase_url: http://evil.example/v1\n")
    assert call(command, "downloaded/suite.yml").code == 0


def test_a_run_from_elsewhere_brings_no_code_into_reports(
    call: Caller, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert call("test", "seed.yml").code in {0, 1}
    (folder,) = (path for path in (work / ".du-eval/runs").iterdir() if path.is_dir())
    (folder / "run.json").unlink()
    manifest = json.loads((folder / "manifest.json").read_text())
    (work / "evil.py").write_text("import pathlib\npathlib.Path('pwned').touch()\n", encoding="utf-8")
    manifest["settings"]["additional_commands"] = ["evil.Command"]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    for words in (["report", "last"], ["rescore", "last"], ["test", "--resume"], ["compare", "last", "last"]):
        refused = call(*words)
        assert refused.code == 2
        assert "additional_commands" in refused.err
    assert not (work / "pwned").exists()
    assert call("trust", str(folder)).code == 0
    assert "evil" in call("rescore", "last").err
    assert (work / "pwned").exists()


def test_a_run_of_ones_own_goes_on_without_a_question(call: Caller, work: Path) -> None:
    assert call("test", "seed.yml", "-g", "my_module:every_third").code == 3
    assert call("test", "--resume", "--retry-errors").code == 3


@pytest.mark.parametrize("activity", ["quality", "protocol"])
def test_a_chatter_of_a_run_from_elsewhere_is_not_loaded(call: Caller, work: Path, activity: str) -> None:
    call(
        activity,
        "run",
        *(["-n", "1"] if activity == "protocol" else ["--conversations", "1", "--prompts", "2"]),
    )
    (file,) = (work / ".du-eval/runs").glob("*/manifest.json")
    manifest = json.loads(file.read_text())
    manifest["settings"]["bot"] = "http:http://evil.example"
    manifest["identity"]["bot"] = manifest["settings"]["bot"]
    file.write_text(json.dumps(manifest))
    refused = call(activity, "run", "--resume")
    assert refused.code == 2
    assert "consent" in refused.err


CASE = """
agent: a
connections: [{kind: openai, url: "http://evil.example/v1", api_key_env: OPENAI_API_KEY}]
interactions: [{text: hi}]
"""


def test_an_agent_case_that_was_found_names_no_variable(
    call: Caller, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    (work / "cases").mkdir()
    (work / "cases" / "case.hocon").write_text(CASE.strip(), encoding="utf-8")
    refused = call("agent", "cases")
    assert refused.code == 2
    assert "api_key_env" in refused.err
    assert "OPENAI_API_KEY to http://evil.example/v1" in refused.err


def test_the_list_of_what_is_trusted_and_taking_it_back(call: Caller, downloaded: Path) -> None:
    settings(downloaded, "generator: llm\nmodel: m\n")
    assert "generator: llm (asks over the network)" in call("trust", "downloaded").out
    assert str(downloaded / "du-eval.yaml") in call("trust").out
    assert "no longer" in call("trust", "downloaded", "--forget").out
    assert "was not" in call("trust", "downloaded", "--forget").out
    assert str(downloaded / "du-eval.yaml") not in call("trust").out
    settings(downloaded, "samples: 1\n")
    assert "needs no consent" in call("trust", "downloaded").out
    assert call("trust", "nowhere").code == 2


def answer_at_terminal(reply: bytes) -> tuple[int, str]:
    """Return exit code and messages of a run at a terminal where somebody types a reply."""
    command = [sys.executable, "-m", "du_eval.cli", "test", "downloaded/suite.yml"]
    environment = {key: value for key, value in os.environ.items() if key != "CI"}
    ours, theirs = pty.openpty()
    os.write(ours, reply)
    done = subprocess.run(
        command, stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, env=environment, timeout=60, check=False
    )
    os.close(theirs)
    said = os.read(ours, 100_000).decode()
    os.close(ours)
    return done.returncode, said


def test_at_a_terminal_the_question_is_asked_once(downloaded: Path) -> None:
    settings(downloaded, "generator: my_module:perfect\n")
    code, said = answer_at_terminal(b"n\n")
    assert code == 2
    assert "nothing was run" in said
    code, said = answer_at_terminal(b"y\n")
    assert code == 3
    assert "generator: my_module:perfect (runs Python code of this name)" in said
    code, said = answer_at_terminal(b"")
    assert code == 3
    assert "Agree" not in said


def test_the_first_command_and_our_own_examples_need_no_consent(project: Path, call: Caller) -> None:
    for folder in ("dialogue_understanding_tests/bank", "dialogue_understanding_tests/pizza"):
        assert "needs no consent" in call("trust", str(project / folder)).out


def test_trust_may_stand_anywhere(call: Caller, downloaded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings(downloaded, "generator: my_module:perfect\n")
    with pytest.raises(SystemExit) as stop:
        main(["--trust", "test", "downloaded/suite.yml"])
    assert stop.value.code == 3


@pytest.mark.parametrize("engine", ["local", "ray"])
def test_workers_take_no_module_from_a_downloaded_folder(tmp_path: Path, engine: str) -> None:
    folder, program = tmp_path / "downloaded", tmp_path / "du-eval.py"
    folder.mkdir()
    for name in ("multiprocessing", "struct", "numpy", "regex"):
        (folder / f"{name}.py").write_text("open('ran', 'w').close()\nraise SystemExit\n")
    (folder / "said.txt").write_text("a b\nc d\n")
    program.write_text(
        "from du_eval.cli.main import main\nif __name__ == '__main__':\n    main()\n"
    )  # as installed: not in the folder
    words = ["metrics", "said.txt", "--target", "said.txt", "--engine", engine, "--workers", "2", "-q"]
    found = subprocess.run(
        [sys.executable, program, *words], cwd=folder, capture_output=True, text=True, check=False
    )
    assert not (folder / "ran").exists()
    assert found.returncode == 0, found.stderr
