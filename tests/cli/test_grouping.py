"""Help is grouped: commands by what they are for, options by what they concern."""

from __future__ import annotations

import re

from du_eval.cli.grouping import GROUPS, OTHERS
from du_eval.cli.main import COMMANDS
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
