"""Patterns that may be careless are searched against the clock, and say so when time is up."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from du_eval.commands import CancelFlow, Command, Spelling, StartFlow, Syntax
from du_eval.errors import CommandDefinitionError, CommandReadError, PatternTimeoutError
from du_eval.parsers.patterns import CommandPattern, compile_patterns, read_match


class Endless:
    """A compiled pattern that uses up all the time it is given."""

    pattern = "(a|a)+"

    def finditer(self, line: str, timeout: float | None = None) -> Iterator[None]:
        if timeout is not None:
            raise TimeoutError
        return iter(())


def searched(line: str, *, is_trusted: bool) -> str:
    """Return what is said about a line that takes all the time, or nothing where no clock runs."""
    try:
        list(CommandPattern(StartFlow, Endless(), is_trusted).find_all(line))  # type: ignore[arg-type]
    except PatternTimeoutError as error:
        return str(error)
    return ""


def test_our_own_patterns_have_no_clock_on_lines_of_usual_length() -> None:
    assert searched("a" * 2_000, is_trusted=True) == ""
    assert "took longer than 10 s" in searched("a" * 2_001, is_trusted=True)


def test_the_patterns_of_others_always_have_one() -> None:
    told = searched("aa", is_trusted=False)
    assert told == "the pattern of StartFlow took longer than 1 s on 'aa'; simplify it: '(a|a)+'"


def test_a_line_is_shown_whole_up_to_eighty_characters() -> None:
    assert f"'{'a' * 80}'" in searched("a" * 80, is_trusted=False)
    assert f"'{'a' * 77}...'" in searched("a" * 81, is_trusted=False)


def test_only_our_own_commands_in_our_own_spelling_are_trusted() -> None:
    class Custom(StartFlow):
        pass

    other = Syntax("other", {StartFlow: Spelling(r"begin (?P<flow>\w+)", "begin {flow}")})
    assert [one.is_trusted for one in compile_patterns((StartFlow, Custom), Syntax.CALLS)] == [True, False]
    assert [one.is_trusted for one in compile_patterns((StartFlow,), other)] == [False]


def test_a_pattern_that_is_none_is_told_with_its_class_and_syntax() -> None:
    broken = type("Broken", (Command,), {"regex_pattern": staticmethod(lambda: "(")})
    with pytest.raises(
        CommandDefinitionError, match=r"the pattern of Broken in the syntax 'calls' is not valid"
    ):
        compile_patterns((broken,), Syntax.CALLS)


def test_the_first_match_in_a_line_is_found() -> None:
    (pattern,) = compile_patterns((StartFlow,), Syntax.CALLS)
    found = pattern.find_first("well, StartFlow(a) and StartFlow(b)")
    assert found is not None
    assert found[0] == "StartFlow(a)"
    assert pattern.find_first("well") is None


@pytest.mark.parametrize("made", [CancelFlow(), None])
def test_a_class_may_make_a_command_of_a_match_or_nothing(made: Command | None) -> None:
    own = type("Own", (CancelFlow,), {"from_dsl": classmethod(lambda cls, dsl: made)})
    assert read_match(own, "x") is made  # type: ignore[arg-type]


def test_a_class_that_makes_something_else_of_a_match_is_told() -> None:
    own = type("Own", (CancelFlow,), {"from_dsl": classmethod(lambda cls, dsl: "CancelFlow()")})
    with pytest.raises(CommandReadError, match=r"Own\.from_dsl returned str for 'x', not a command"):
        read_match(own, "x")  # type: ignore[arg-type]
