"""One expectation of a test file is replaced; everything else stays as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from du_eval.errors import InputError
from du_eval.suites.editing import edit_expectation
from du_eval.suites.load import load_suite
from tests.suites.writing import FIRST_EXAMPLE


def expectations(text: str, folder: Path) -> list[list[list[str]]]:
    (folder / "edited.yml").write_text(text, encoding="utf-8")
    (case,) = load_suite([folder / "edited.yml"])
    return [[[one.text for one in group] for group in step.alternatives] for step in case.user_steps]


def test_a_list_of_commands_is_replaced_in_place(tmp_path: Path) -> None:
    edit = edit_expectation(FIRST_EXAMPLE, "f.yml", 8, [["SetSlot(name, @adale)", "CancelFlow()"]])
    assert expectations(edit.after, tmp_path) == [
        [["StartFlow(add_contact)"]],
        [["SetSlot(name, @adale)", "CancelFlow()"]],
        [["SetSlot(name, Adal)"]],
    ]
    assert edit.line == 9
    assert [line for line in edit.difference if line[0] in "+-"] == [
        "-          - SetSlot(handle, @adale)",
        "+          - SetSlot(name, @adale)",
        "+          - CancelFlow()",
    ]


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ([["A()"], ["B()", "C()"]], [["A()"], ["B()", "C()"]]),
        ([[]], [[]]),
        ([["A()"], []], [["A()"], []]),
        ([['SetSlot(note, "a: b # c")']], [['SetSlot(note, "a: b # c")']]),
    ],
)
def test_what_is_written_is_read_back(
    groups: list[list[str]], expected: list[list[str]], tmp_path: Path
) -> None:
    edit = edit_expectation(FIRST_EXAMPLE, "f.yml", 4, groups)
    assert expectations(edit.after, tmp_path)[0] == expected
    assert edit.after.splitlines()[-6:] == FIRST_EXAMPLE.splitlines()[-6:]


def test_a_list_in_brackets_and_comments_around_it_are_left_in_order(tmp_path: Path) -> None:
    text = "test_cases:\n  - test_case: a\n    steps:\n      - user: hi  # a greeting\n        commands: [A()]  # wrong\n      - bot: yes\n"
    edit = edit_expectation(text, "f.yml", 4, [["B(1, 2)"]])
    assert edit.after == text.replace("commands: [A()]", "commands:\n          - B(1, 2)")
    assert expectations(edit.after, tmp_path) == [[["B(1, 2)"]]]


@pytest.mark.parametrize("line", [1, 7, 99])
def test_a_line_without_an_expectation_is_refused(line: int) -> None:
    with pytest.raises(InputError, match="no user step"):
        edit_expectation(FIRST_EXAMPLE, "f.yml", line, [["A()"]])


def test_an_expectation_that_is_repeated_from_elsewhere_is_refused() -> None:
    text = "x: &a [A()]\ntest_cases:\n  - test_case: a\n    steps:\n      - user: hi\n        commands: *a\n"
    with pytest.raises(InputError, match="repeated from elsewhere"):
        edit_expectation(text, "f.yml", 5, [["B()"]])
