"""Ten different mistakes in three files get ten messages with the right lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calling import Caller

FILES = {
    "first.yml": """\
test_cases:
  - test_case: one
    steps:
      - user: hello
        comands:
          - ChitChat()
      - user: set it
        commands:
          - SetSlot(note, a: b)
      - user: stop
        commands:
          - Cancel()
      - utterr: utter_greet
""",
    "second.yml": """\
test_cases:
  - test_case: two
    fixtures: [nobody]
    steps:
      - user: no expectation
      - user: both
        commands: [ChitChat()]
        any_of: [[ChitChat()]]
      - user: broken
        commands:
          - StartFlow(a b c)
  - test_case: three
    metadata: nothing
    steps: []
""",
    "third.yml": """\
test_cases:
  - test_case: four
    steps:
      - user: twice
        user: again
        commands: [ChitChat()]
""",
}
MISTAKES = [
    ("first.yml:5", "unknown key 'comands' (did you mean 'commands'?)"),
    ("first.yml:9", 'quote it: "SetSlot(note, a: b)"'),
    ("first.yml:12", "did you mean 'CancelFlow'?"),
    ("first.yml:13", "did you mean 'utter'"),
    ("second.yml:3", "fixture 'nobody' is not defined anywhere"),
    ("second.yml:5", "the user step has no expected commands"),
    ("second.yml:8", "either commands or any_of"),
    ("second.yml:11", "is not a valid StartFlow"),
    ("second.yml:13", "metadata 'nothing' is not defined anywhere"),
    ("second.yml:14", "'steps' is empty"),
    ("third.yml:5", "the key 'user' is given twice (first in line 4)"),
]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Caller:
    return Caller(capsys)


def test_all_mistakes_of_all_files_are_told_at_once_with_their_lines(
    call: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")
    answer = call("test", ".")
    assert answer.code == 2
    lines = [line.removeprefix("error: ") for line in answer.err.splitlines()]
    assert lines[-1] == f"{len(MISTAKES)} problems found"
    for line, (place, text) in zip(lines, MISTAKES, strict=False):
        assert line.startswith(place + ":")
        assert text in line
    assert "Traceback" not in answer.err
