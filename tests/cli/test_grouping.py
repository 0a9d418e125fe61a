"""Help is grouped: commands by what they are for, options by what they concern."""

from __future__ import annotations

import re

from typer.main import get_command

from du_eval.cli.grouping import GROUPS, OTHERS
from du_eval.cli.main import COMMANDS, build_app
from tests.cli.calling import Caller


def sections(text: str) -> dict[str, str]:
    """Return the parts of a help text by their titles."""
    found = re.split(r"^(\S[^\n]*):$", text, flags=re.MULTILINE)
    return dict(zip(found[1::2], found[2::2], strict=True))


def test_every_command_is_in_one_group_and_the_most_used_comes_first(call: Caller) -> None:
    listed = [name for names in GROUPS.values() for name in names]
    assert sorted(listed) == sorted(COMMANDS)
    found = sections(call("--help").out)
    assert list(GROUPS) == [title for title in found if title in GROUPS]
    assert OTHERS not in found
    assert found["Run"].split()[0] == "test"


def test_the_options_of_a_test_run_are_grouped(call: Caller) -> None:
    found = sections(call("test", "--help").out)
    assert "--model" in found["Generator and model"]
    assert "--max-calls" in found["Run"]
    assert "--fail-under" in found["Reports and gate"]
    assert "--match" in found["Options"]


def test_the_commands_of_a_group_have_grouped_options_too(call: Caller) -> None:
    assert "--junitxml" in sections(call("quality", "run", "--help").out)["Reports and gate"]


def test_a_wrong_option_is_answered_with_similar_ones_of_all(call: Caller) -> None:
    assert "--fail-under" in call("test", "--fail-undr", "accuracy=1").err


def test_help_after_other_options_still_shows_all_options(call: Caller) -> None:
    assert call("test", "-q", "--help").out == call("test", "--help").out


def test_only_the_options_of_the_line_are_converted() -> None:
    words = ["test", "suite", "--samples", "3", "--quiet"]
    command = get_command(build_app(words)).commands["test"]
    context = command.make_context("test", words[1:])
    converted = {one.name for one in command.params if getattr(one, "_runtime_param", None) is not None}
    assert converted <= {"paths", "samples", "quiet"}
    assert context.params["samples"] == 3
    assert context.params["max_calls"] is None


def test_a_command_that_comes_first_is_the_only_one_that_is_built() -> None:
    assert list(get_command(build_app(["test", "agent"])).commands) == ["test"]
    assert len(get_command(build_app(["--help"])).commands) == len(COMMANDS)


def test_the_commands_of_a_group_are_listed_with_their_whole_line_of_help(call: Caller) -> None:
    listed = sections(call("judges", "--help").out)["Commands"]
    assert "how much it decides, and how often it is right." in " ".join(listed.split())
    assert "..." not in listed
