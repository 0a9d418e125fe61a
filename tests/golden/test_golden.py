"""What every activity says, in every format, is what the files beside this test hold.

After a change that is meant, write them anew and read the difference:
`DU_EVAL_UPDATE_GOLDEN=1 .venv/bin/python -m pytest tests/golden`.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.golden.normal import normal_file, normal_output, normal_text

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
UPDATE = os.environ.get("DU_EVAL_UPDATE_GOLDEN") == "1"


@dataclass(frozen=True)
class Session:
    """Commands that one user types, and the files they leave that matter."""

    name: str
    """The folder of the golden files: activity/what it is about."""
    commands: tuple[str, ...]
    files: tuple[str, ...] = ()
    on_github: bool = False


_TEST = "test suite --assistant assistant"
_E2E = "e2e e2e --assistant assistant"
_PROTOCOL = "protocol run --language protocol/en.yml --dialogues 2 --similarity tfidf"
_METRICS = (
    "metrics corpus/responses --source corpus/source.txt --target corpus/target.txt --metrics"
    " bleu-2,distinct-1,length,unigram-kl-div"
)

SESSIONS = (
    Session(
        "test/formats",
        (
            (
                f"{_TEST} -g recorded:recorded.jsonl --label first --output-file run.yml --html page.html"
                " --junitxml junit.xml --markdown run.md --fail-under accuracy=0.5"
            ),
            f"{_TEST} -g recorded:recorded.jsonl --output-file run.json --no-journal -q",
            "export run.json -o run.xlsx",
            "report last -o shown.html",
        ),
        ("run.yml", "run.json", "page.html", "junit.xml", "run.md", "run.xlsx", "shown.html"),
    ),
    Session("test/json", (f"{_TEST} -g recorded:recorded.jsonl --json --no-output --no-journal",)),
    Session(
        "test/rasa",
        (f"{_TEST} -g recorded:recorded.jsonl --match rasa --output-file run.yml --no-journal",),
        ("run.yml",),
    ),
    Session(
        "test/github",
        (f"{_TEST} -g recorded:recorded.jsonl --no-output --no-journal -q",),
        ("summary.md",),
        on_github=True,
    ),
    Session(
        "test/compare",
        (
            f"{_TEST} -g recorded:recorded.jsonl --output-file first.json -q --no-journal",
            f"{_TEST} -g recorded:better.jsonl --output-file second.json -q --no-journal",
            "compare first.json second.json",
            "compare first.json second.json --markdown",
            "compare first.json second.json --json",
            "gate --baseline second.json first.json",
            "report first.json second.json -o both.html",
        ),
        ("both.html",),
    ),
    Session(
        "test/deciding",
        (
            f"{_TEST} -g recorded:recorded.jsonl --output-file first.json -q --no-journal",
            f"{_TEST} -g recorded:better.jsonl --output-file second.json -q --no-journal",
            "compare first.json second.json --comment comment.md",
            "gate --baseline second.json first.json --max-errors 0.2",
            "selfcheck first.json",
            "plan --detect 0.1 first.json",
            "experiment experiment.yaml -n 1 --no-journal",
            "stress suite --assistant assistant -g recorded:recorded.jsonl --flows 4 --changes distractors",
        ),
        ("comment.md",),
    ),
    Session(
        "test/samples",
        (
            (
                f"{_TEST} -g answers:waver --samples 3 --success-ratio 2/3 --all-samples -n 1 --no-journal"
                " --output-file run.json"
            ),
        ),
        ("run.json",),
    ),
    Session("test/histories", (f"{_TEST} -g answers:understand --history both --no-output --no-journal",)),
    Session(
        "test/robustness",
        (f"{_TEST} -g answers:understand --perturb typos --levels 0,0.4 --no-output --no-journal -q",),
    ),
    Session(
        "test/exit_codes",
        (
            "test suite/contacts.yml --assistant assistant -g answers:understand --no-output -q",
            "test nowhere -g answers:understand",
            f"{_TEST} -g answers:understand -k zzz",
            f"{_TEST} -g answers:understand -k greeting --no-output --html no/such/folder/page.html",
            f"{_TEST} -g answers:nothing",
        ),
    ),
    Session(
        "e2e/formats",
        (
            (
                f"{_E2E} -g answers:understand --output-file run.yml --html page.html --junitxml junit.xml"
                " --markdown run.md --label first"
            ),
            f"{_E2E} -g answers:understand --no-output --json",
            "export last -o run.xlsx",
            "e2e --resume -q",
            "e2e e2e/cases.yml::'a payment' --assistant assistant -g answers:understand --no-output",
            f"{_E2E} -g answers:understand --no-output -k 'payment or wrong'",
            f"{_E2E} -g answers:understand --no-output -k zzz",
        ),
        ("run.yml", "page.html", "run.xlsx", "junit.xml", "run.md"),
    ),
    Session(
        "quality/formats",
        (
            "quality run quality/bot.yaml --folder bot --html page.html",
            "export bot/run.json -o run.xlsx",
            "quality run quality/nothing.yaml",
        ),
        ("bot/run.json", "bot/report.xlsx", "bot/summary.xlsx", "page.html", "run.xlsx"),
    ),
    Session(
        "quality/emely",
        ("quality run quality/bot.yaml --folder bot --compat emely",),
        ("bot/report.xlsx", "bot/summary.xlsx"),
    ),
    Session(
        "quality/compare",
        (
            "quality run quality/bot.yaml --folder bot",
            "quality run quality/worse.yaml --folder worse",
            "compare bot/run.json worse/run.json",
            "gate --baseline bot/run.json worse/run.json",
        ),
    ),
    Session(
        "protocol/formats",
        (
            f"{_PROTOCOL} --bot protocol/bot.yaml -o run.json --html page.html",
            "export run.json -o run.xlsx",
            f"{_PROTOCOL} --bot nobody",
        ),
        ("run.json", "page.html", "run.xlsx"),
    ),
    Session(
        "protocol/compare",
        (
            f"{_PROTOCOL} --bot protocol/bot.yaml -o bot.json",
            f"{_PROTOCOL} --bot protocol/worse.yaml -o worse.json",
            "compare bot.json worse.json",
            "gate --baseline bot.json worse.json",
        ),
    ),
    Session(
        "agent/formats",
        (
            "agent agents -n 1 --no-journal -v -o run.json -o junit.xml -o run.txt --html page.html --transcripts talks",
            "export run.json -o run.xlsx",
            "agent agents -n 1 --no-journal -k moody --all-samples",
            "agent agents -k zzz",
            "agent nowhere",
        ),
        ("run.json", "junit.xml", "page.html", "run.xlsx", "talks/hours/direct/sample_1.txt"),
    ),
    Session(
        "agent/compare",
        (
            "agent agents/hours.hocon agents/moody.yaml -n 1 --no-journal -o first.json",
            "agent agents/hours.hocon agents/moody.yaml -n 1 --no-journal -o second.json --all-samples",
            "compare first.json second.json",
            "gate --baseline first.json second.json",
        ),
    ),
    Session(
        "metrics/formats",
        (
            f"{_METRICS} -o run.json -o run.txt -o run.md -o run.csv -o run.tex -o run.xlsx --html page.html",
            f"{_METRICS} --baseline early --format markdown",
            f"{_METRICS} --format json",
            "export run.json -o tables.xlsx",
            "compare run.json run.json",
            "metrics nowhere",
        ),
        ("run.json", "run.md", "run.csv", "run.tex", "run.xlsx", "page.html", "tables.xlsx"),
    ),
)


@pytest.mark.parametrize("session", SESSIONS, ids=lambda session: session.name)
def test_a_session_looks_as_recorded(session: Session, tmp_path: Path) -> None:
    project = tmp_path / "project"
    shutil.copytree(HERE / "project", project)
    found = {"session.txt": _typed(session, project)}
    for file in session.files:
        found[f"{file.replace('/', '-')}.txt"] = normal_file(project / file, project)
    folder = HERE / session.name
    if UPDATE:
        _write(found, folder)
    assert sorted(found) == sorted(path.name for path in folder.iterdir())
    for name, text in found.items():
        assert text == (folder / name).read_text(encoding="utf-8"), f"{session.name}/{name} changed"


def _typed(session: Session, project: Path) -> str:
    """Type the commands of a session in a process whose stop-watch stands still; return what it showed."""
    environment = {**os.environ, "COLUMNS": "100", "PYTHONPATH": str(ROOT)}
    if session.on_github:
        environment |= {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(project / "summary.md")}
    commands = json.dumps([shlex.split(command) for command in session.commands])
    done = subprocess.run(
        [sys.executable, str(HERE / "typing_commands.py"), commands],
        cwd=project, env=environment, capture_output=True, text=True, encoding="utf-8", check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout)
    texts = []
    for command, (code, out, err) in zip(session.commands, answers, strict=True):
        error = f"--- standard error\n{err}" if err else ""
        texts.append(f"$ du-eval {command}\n{normal_output(out)}{error}--- exit code {code}\n")
    return normal_text("\n".join(texts), project)


def _write(found: dict[str, str], folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, text in found.items():
        (folder / name).write_text(text, encoding="utf-8")


def test_every_folder_of_golden_files_belongs_to_a_session() -> None:
    kept = {str(path.parent.relative_to(HERE)) for path in HERE.glob("*/*/session.txt")}
    assert kept == {session.name for session in SESSIONS}
