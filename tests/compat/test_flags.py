"""Options of `rasa test du` work, or are answered with ours."""

from __future__ import annotations

import pytest

from tests.cli.calling import Caller


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["-m", "models"], "-g rasa --url"),
        (["--model", "models/a.tar.gz"], "--model takes the name of a model"),
        (["--model=models/a.tar.gz"], "--model takes the name of a model"),
        (["--endpoints", "endpoints.yml"], "--action-endpoint"),
        (["--endpoints=endpoints.yml"], "--action-endpoint"),
        (["--remote-storage", "aws"], "-g rasa --url"),
        (["--sub-agents", "agents"], "-g rasa --url"),
        (["-vv"], "du-eval writes no log"),
        (["--debug"], "du-eval writes no log"),
    ],
)
def test_an_option_that_du_eval_does_not_have_is_answered(call: Caller, words: list[str], told: str) -> None:
    answer = call("test", "suite.yml", *words)
    assert answer.code == 2
    assert told in answer.err


def test_other_commands_keep_their_options(call: Caller) -> None:
    assert "rasa test du" not in call("agent", "-m", "x").err
