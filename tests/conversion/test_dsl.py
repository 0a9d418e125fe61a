"""One spelling of commands into another: only commands change."""

import difflib
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from du_eval.conversion.dsl import rewrite_file
from du_eval.conversion.rules import load_rules, rewrite_command
from du_eval.errors import ConfigError, PatternTimeoutError
from du_eval.parsers.yaml_parser import parse_yaml
from tests.cli.calling import Answer, Caller

PROJECT = Path(__file__).parent.parent.parent
RULES = r"""
mappings:

- from_dsl_regex: "^StartFlow\\(([^)]*)\\)$"
  to_dsl_pattern: "start {1}"

- from_dsl_regex: "^SetSlot\\(([^,]+),\\s*(.*)\\)$"
  to_dsl_pattern: "set {1} {2}"

- from_dsl_regex: "Clarify\(([\"\'a-zA-Z0-9_, ]*)\)"
  to_dsl_pattern: "clarify {1}"
  input_separators:
    - ","
    - " "
  output_separator: " "
- from_dsl_regex: ^CancelFlow\(\)$
  to_dsl_pattern: "cancel: now"
"""
SUITE = """\
# a comment that stays
test_cases:
- test_case:   a name   # and another
  steps:
    - user: yes
      commands:
        - StartFlow(a)   # why
        - 'SetSlot(b, it''s)'
        - "SetSlot(c, \\"x\\")"
    - utter: utter_x
    - user: "on"
      any_of:
        - - Clarify(a, b ,c)
        - [CancelFlow(), StartFlow(z)]

    - user: |
        StartFlow(not_a_command)
      commands: []
    - user: more
      commands:
        - >-
          StartFlow(folded)
        - Unknown(thing)
"""


@pytest.fixture
def rules_file(tmp_path: Path) -> Path:
    file = tmp_path / "rules.yml"
    file.write_text(RULES, encoding="utf-8")
    return file


def commands_in(text: str) -> list[str]:
    root = parse_yaml(text, "x").root
    steps = [step for case in root["test_cases"] for step in case["steps"]]
    groups = [step.get("commands") or [] for step in steps] + [
        g for step in steps for g in step.get("any_of") or []
    ]
    return [command for group in groups for command in group]


def test_only_command_lines_change_and_quotes_and_comments_stay(rules_file: Path) -> None:
    result = rewrite_file(SUITE, "s.yml", load_rules(rules_file))
    lines = [line for line in difflib.ndiff(SUITE.splitlines(), result.text.splitlines()) if line[0] in "+-"]
    assert [line for line in lines if line[0] == "+"] == [
        "+         - start a   # why",
        "+         - 'set b it''s'",
        '+         - "set c \\"x\\""',
        "+         - - clarify a b c",
        '+         - ["cancel: now", start z]',
        "+         - start folded",
    ]
    assert len(lines) == 13  # the folded text took two lines
    assert [problem.message for problem in result.unmatched] == ["no rule matches 'Unknown(thing)'"]
    assert result.unmatched[0].line == 23
    assert result.changed == 7


def test_the_new_file_holds_the_new_commands(rules_file: Path) -> None:
    result = rewrite_file(SUITE, "s.yml", load_rules(rules_file))
    assert commands_in(result.text) == [
        "start a",
        "set b it's",
        'set c "x"',
        "start folded",
        "Unknown(thing)",
        "clarify a b c",
        "cancel: now",
        "start z",
    ]


def test_windows_line_ends_and_a_file_without_tests_stay_as_they_are(rules_file: Path) -> None:
    rules = load_rules(rules_file)
    windows = SUITE.replace("\n", "\r\n")
    assert rewrite_file(windows, "s.yml", rules).text.count("\r\n") >= windows.count("\r\n") - 1
    other = "flows:\n  a:\n    steps: [StartFlow(a)]\n"
    assert rewrite_file(other, "o.yml", rules).text == other


def test_a_byte_order_mark_and_characters_of_any_plane_stay(rules_file: Path) -> None:
    text = "\ufeff" + SUITE.replace("a comment", "ein Kommentar 🚲 ä").replace("user: more", "user: 🍕 日本")
    result = rewrite_file(text, "s.yml", load_rules(rules_file))
    assert result.text.startswith("\ufeff# ein Kommentar 🚲 ä that stays\n")
    assert "    - user: 🍕 日本\n      commands:\n        - start folded\n" in result.text


def test_captured_text_is_never_substituted_again(rules_file: Path) -> None:
    assert rewrite_command("SetSlot(a{2}, b{1}{0})", load_rules(rules_file)) == "set a{2} b{1}{0}"


def test_a_rule_is_about_the_whole_command(rules_file: Path) -> None:
    assert rewrite_command("Clarify(a, b) and more", load_rules(rules_file)) is None


def test_a_group_that_took_part_in_nothing_is_empty(tmp_path: Path) -> None:
    file = tmp_path / "r.yml"
    file.write_text(
        "mappings:\n- from_dsl_regex: 'A(x)?(y)'\n  to_dsl_pattern: '<{1}|{2}>'\n", encoding="utf-8"
    )
    assert rewrite_command("Ay", load_rules(file)) == "<|y>"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("mappings:\n- from_dsl_regex: '(a'\n  to_dsl_pattern: x\n", 2, "not a regular expression"),
        ("mappings:\n- from_dsl_regex: '(a)'\n  to_dsl_pattern: '{2}'\n", 3, "names the group {2}"),
        ("mappings:\n- from_dsl_regex: a\n", 2, "the rule has no 'to_dsl_pattern'"),
        (
            "mappings:\n- from_dsl_regex: a\n  to_dsl_pattern: b\n  output_seperator: x\n",
            4,
            "output_seperator",
        ),
        (
            "mappings:\n- from_dsl_regex: a\n  to_dsl_pattern: b\n  output_separator: x\n",
            2,
            "must be given together",
        ),
        ("mappings: []\n", 1, "there are no rules"),
        ("mappings:\n- just text\n", 2, "a rule must be a mapping"),
    ],
)
def test_a_bad_rule_is_an_error_with_its_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    file = tmp_path / "r.yml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=re.escape(message)) as caught:
        load_rules(file)
    assert caught.value.problems[0].line == line


def test_a_pattern_that_explodes_ends_in_time(tmp_path: Path) -> None:
    file = tmp_path / "r.yml"
    file.write_text("mappings:\n- from_dsl_regex: '(?:a|aa)+[bc]'\n  to_dsl_pattern: x\n", encoding="utf-8")
    with pytest.raises(PatternTimeoutError, match="line 2"):
        rewrite_command("a" * 60 + "d", load_rules(file))


@given(st.text(alphabet=st.characters(blacklist_categories=("Cs", "Cc")), max_size=20))
def test_any_value_survives_the_new_spelling(value: str) -> None:
    import regex

    from du_eval.conversion.rules import Rule

    rules = [Rule(regex.compile("X"), value.replace("{", "(").replace("}", ")") or "y", None, "", 1)]
    text = "test_cases:\n- test_case: c\n  steps:\n  - user: u\n    commands:\n    - X\n    - [X]\n"
    text = text.replace("    - [X]\n", "  - user: v\n    commands: [X]\n")
    expected = value.replace("{", "(").replace("}", ")") or "y"
    assert commands_in(rewrite_file(text, "s.yml", rules).text) == [expected, expected]


@pytest.fixture
def convert(capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    return lambda *arguments: Caller(capsys)("convert", "dsl", *arguments)


@pytest.fixture
def folder(tmp_path: Path, rules_file: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tests" / "deep").mkdir(parents=True)
    (tmp_path / "tests" / "deep" / "s.yml").write_text(SUITE, encoding="utf-8")
    (tmp_path / "tests" / "other.yaml").write_text("a: 1   # kept\n", encoding="utf-8")
    return tmp_path


def options(target: str = "new") -> list[str]:
    return ["--dut-tests-dir", "tests", "--output-dir", target, "--dsl-mappings", "rules.yml"]


def test_the_script_writes_the_same_tree(folder: Path) -> None:
    command = [sys.executable, str(PROJECT / "scripts" / "convert_dut_dsl.py"), *options()]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert result.returncode == 0, result.stderr
    assert "warning: tests/deep/s.yml:23: no rule matches 'Unknown(thing)'" in result.stderr
    assert "start a   # why" in (folder / "new" / "deep" / "s.yml").read_text(encoding="utf-8")
    assert (folder / "new" / "other.yaml").read_text(encoding="utf-8") == "a: 1   # kept\n"


def test_a_check_shows_the_difference_and_writes_nothing(
    folder: Path, convert: Callable[..., Answer]
) -> None:
    result = convert(*options(), "--check")
    assert "+        - start a   # why" in result.out
    assert not (folder / "new").exists()


def test_strict_fails_on_commands_that_fit_no_rule(folder: Path, convert: Callable[..., Answer]) -> None:
    result = convert(*options(), "--strict")
    assert result.code == 1
    assert not (folder / "new").exists()


def test_the_input_is_written_over_only_when_asked(folder: Path, convert: Callable[..., Answer]) -> None:
    refused = convert(*options("tests"))
    assert refused.code == 2
    assert "--in-place" in refused.err
    assert convert(*options("tests"), "--in-place").code == 0
    assert "start a" in (folder / "tests" / "deep" / "s.yml").read_text(encoding="utf-8")


def test_an_output_inside_the_input_is_refused(folder: Path, convert: Callable[..., Answer]) -> None:
    assert "is inside" in convert(*options("tests/new")).err
