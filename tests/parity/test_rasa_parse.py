"""Every recorded parse of the official tool comes out of the policy `rasa` unchanged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from du_eval import default_commands, parse_commands
from du_eval.commands.registry import FURTHER_COMMANDS
from du_eval.parsers.syntax_file import load_syntax
from du_eval.parsers.tool_calls import read_command_data

pytestmark = pytest.mark.parity

POLICIES = {"all": ("rasa", "rasa-2025"), "newest": ("rasa",), "older": ("rasa-2025",)}


@pytest.fixture(scope="module")
def cases(parity_data: Path) -> list[dict[str, Any]]:
    """Return the recorded parses."""
    found: list[dict[str, Any]] = json.loads(
        (parity_data / "oracles" / "rasa_parse.json").read_text(encoding="utf-8")
    )
    return found


def _parsed(case: dict[str, Any], policy: str) -> list[dict[str, object]]:
    found = parse_commands(
        case["input"],
        case["flows"],
        syntax=case["syntax_version"],
        policy=policy,
        clarify_options_optional=case["clarify_options_optional"],
    )
    return [command.as_dict() for command in found]


@pytest.mark.parametrize("policy", ["rasa", "rasa-2025"])
def test_every_recorded_parse_is_reproduced(cases: list[dict[str, Any]], policy: str) -> None:
    compared = [case for case in cases if policy in POLICIES[case["variant"]]]
    differing = [
        (case["syntax_version"], case["input"], case["expected_commands"], found)
        for case in compared
        if (found := _parsed(case, policy)) != case["expected_commands"]
    ]
    assert differing == []
    assert len(compared) > 200


@pytest.mark.parametrize("version", ["v1", "v2", "v3"])
def test_every_version_of_the_syntax_is_covered(cases: list[dict[str, Any]], version: str) -> None:
    assert sum(case["syntax_version"] == version for case in cases) > 40


def test_the_two_policies_differ_where_the_official_versions_do(cases: list[dict[str, Any]]) -> None:
    newest = [case for case in cases if case["variant"] == "newest"]
    assert any(_parsed(case, "rasa-2025") != case["expected_commands"] for case in newest)


def test_what_was_parsed_prints_in_its_own_syntax_as_recorded(cases: list[dict[str, Any]]) -> None:
    for case in cases:
        syntax = load_syntax(case["syntax_version"])
        native = case["expected_native"]
        if not any("), " in text for text in native):  # ours quotes a value that would not be read back
            registry = default_commands().adding(*FURTHER_COMMANDS)
            commands = [read_command_data(data, registry) for data in case["expected_commands"]]
            assert [syntax.print(command) for command in commands if command] == native
