"""Options are made from settings: spelled, grouped, described and checked as the fields say."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import pytest
import typer
from pydantic import Field
from typer.testing import CliRunner

from du_eval.cli.generated import collect, with_settings
from du_eval.errors import ConfigError
from du_eval.settings.declare import Flag, FlagSwitch, SettingsModel, setting
from du_eval.settings.words import parse_pairs


class Own(SettingsModel):
    """Settings of a test."""

    refused: ClassVar[dict[str, str]] = {"--shard": "there is only one case"}

    paths: list[str] = setting(["here"], "Files.", flag=Flag(is_argument=True))
    depth: int = setting(3, "How deep.", "-d", "--depth", ge=1)
    form: Literal["round", "square"] = setting("round", "The form.")
    loud: bool = setting(default=False, description="Speak up.")
    kept: bool = setting(
        default=True, description="Keep it.", flag=Flag(switches=(FlagSwitch("--no-kept", value=False),))
    )
    names: list[str] = setting([], "Names.", flag=Flag(("--name",), old=("--called",)))
    pairs: dict[str, Any] = setting({}, "Pairs.", flag=Flag(("--pair",), "NAME=VALUE", parse=parse_pairs))
    speed: int | None = setting(
        None, "Speed.", flag=Flag(("--speed",), switches=(FlagSwitch("-f", 9, "Fast."),))
    )
    inner: dict[str, int] = Field(default={})


def call(*words: str, names: tuple[str, ...] = ()) -> Any:
    found: list[dict[str, Any]] = []
    app = typer.Typer()

    @app.command()
    @with_settings(Own, *names)
    def command(given: dict[str, Any]) -> None:
        """Do it."""
        found.append(given)

    answer = CliRunner().invoke(app, words)
    return found[0] if found else answer


def test_only_what_is_given_arrives() -> None:
    assert call() == {}
    assert call("a", "b", "-d", "0", "--loud") == {"paths": ["a", "b"], "depth": 0, "loud": True}


def test_switches_set_their_values() -> None:
    assert call("--no-kept", "-f") == {"kept": False, "speed": 9}


def test_two_flags_for_one_setting_exclude_each_other() -> None:
    answer = call("-f", "--speed", "2")
    assert answer.exit_code == 2
    with pytest.raises(ConfigError, match="-f and --speed cannot be combined"):
        collect(Own, {"speed__switch_0": True, "speed": 2})


def test_old_spellings_still_work_and_join_the_new_ones() -> None:
    assert call("--called", "a", "--name", "b") == {"names": ["b", "a"]}


def test_words_become_values_where_the_setting_says_how() -> None:
    assert call("--pair", "a=1", "--pair", "b=x") == {"pairs": {"a": 1, "b": "x"}}


def test_choices_are_checked_and_arrive_as_text() -> None:
    assert call("--form", "square") == {"form": "square"}
    assert call("--form", "oval").exit_code == 2


def test_a_flag_that_makes_no_sense_says_so() -> None:
    with pytest.raises(ConfigError, match="--shard: there is only one case"):
        collect(Own, {"refused__0": "1/2"})
    assert call("--shard", "1/2").exit_code == 2


def test_some_settings_can_be_chosen() -> None:
    assert call("--depth", "5", names=("depth",)) == {"depth": 5}
    assert call("--loud", names=("depth",)).exit_code == 2


def test_help_shows_descriptions_and_defaults_but_no_old_spelling() -> None:
    told = " ".join(call("--help").output.replace("│", " ").split())
    assert "How deep. Default: 3." in told
    assert "--called" not in told
    assert "--inner" not in told
