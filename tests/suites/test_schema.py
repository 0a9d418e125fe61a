"""The JSON schema for editors says the same as the loader."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from du_eval.parsers.yaml_parser import parse_yaml
from du_eval.suites.load import read_suite
from du_eval.suites.schema import json_schema
from tests.suites.writing import FIRST_EXAMPLE, FIXTURES, METADATA, SECOND_EXAMPLE, STUBS, steps, write

SCHEMA = json_schema()
_TYPES: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "number": int | float,
    "boolean": bool,
    "null": type(None),
}
_SAYS_NOTHING = {"$defs", "$schema", "title", "description", "default"}


def is_valid(schema: Any, value: Any) -> bool:
    """Check a value against the keywords that our schema uses; fail on any other keyword."""
    if isinstance(schema, bool):
        return schema
    checks = {
        "$ref": lambda ref: is_valid(SCHEMA["$defs"][ref.removeprefix("#/$defs/")], value),
        "type": lambda types: _has_type(value, [types] if isinstance(types, str) else types),
        "enum": lambda known: value in known,
        "anyOf": lambda some: any(is_valid(one, value) for one in some),
        "oneOf": lambda some: sum(is_valid(one, value) for one in some) == 1,
        "items": lambda items: not isinstance(value, list) or all(is_valid(items, item) for item in value),
        "minItems": lambda least: not isinstance(value, list) or len(value) >= least,
        "minLength": lambda least: not isinstance(value, str) or len(value) >= least,
        "pattern": lambda pattern: not isinstance(value, str) or re.search(pattern, value) is not None,
        "required": lambda keys: not isinstance(value, dict) or all(key in value for key in keys),
        "propertyNames": lambda names: (
            not isinstance(value, dict) or all(is_valid(names, key) for key in value)
        ),
        "properties": lambda _: _has_valid_members(schema, value),
        "patternProperties": lambda _: _has_valid_members(schema, value),
        "additionalProperties": lambda _: _has_valid_members(schema, value),
    }
    return all(checks[keyword](said) for keyword, said in schema.items() if keyword not in _SAYS_NOTHING)


def _has_type(value: Any, names: list[str]) -> bool:
    if isinstance(value, bool):
        return "boolean" in names
    return any(isinstance(value, _TYPES[name]) for name in names)


def _has_valid_members(schema: dict[str, Any], value: Any) -> bool:
    return not isinstance(value, dict) or all(
        is_valid(_member(schema, key), inner) for key, inner in value.items()
    )


def _member(schema: dict[str, Any], key: str) -> Any:
    if key in schema.get("properties", {}):
        return schema["properties"][key]
    for pattern, member in schema.get("patternProperties", {}).items():
        if re.search(pattern, key):
            return member
    return schema.get("additionalProperties", True)


def as_an_editor_reads(text: str) -> Any:
    return parse_yaml(text, "f.yml", typed=True).root


GOOD = [
    FIRST_EXAMPLE,
    SECOND_EXAMPLE,
    FIXTURES,
    METADATA,
    STUBS,
    steps("- user: 5\n  commands: []\n- user: true\n  commands: []\n- bot: 1.5"),
    steps("- user: a\n  any_of: [[ChitChat()], []]"),
    steps("- user: a\n  commands: [ChitChat()]\n  metadata: m") + "metadata: [{m: {}}]\n",
    steps("- bot: a").replace("a case", "2024"),
    "fixtures: []\nmetadata:\nstub_custom_actions:\n" + steps("- bot: a"),
    "stub_custom_actions: {a: {events: , responses: []}}\n" + steps("- bot: a"),
]
BAD = [
    "test_cases: []",
    "test_cases:",
    "test_case: []",
    steps("- bot: a") + "more: 1\n",
    steps("- hello"),
    steps("- {}"),
    steps("- user: a"),
    steps("- user: a\n  commands:"),
    steps("- user: a\n  commands: ChitChat()"),
    steps("- user: a\n  commands: ['']"),
    steps("- user: a\n  commands: [{b: c}]"),
    steps("- user: a\n  any_of: []"),
    steps("- user: a\n  any_of:"),
    steps("- user: a\n  any_of: [ChitChat()]"),
    steps("- user: a\n  any_of: [[]]\n  commands: []"),
    steps("- user: a\n  bot: b\n  commands: []"),
    steps("- user: {a: b}\n  commands: []"),
    steps("- user:\n  commands: []"),
    steps("- user: a\n  commands: []\n  metadata:"),
    steps("- utter: ''"),
    steps("- utter: a\n  text: b"),
    steps("- bot: a").replace("    steps", "    colour: red\n    steps"),
    "fixtures: {}\n" + steps("- bot: a"),
    "fixtures: [{1f: []}]\n" + steps("- bot: a"),
    "fixtures: [{f: {a: b}}]\n" + steps("- bot: a"),
    "metadata: [{m: 5}]\n" + steps("- bot: a"),
    "stub_custom_actions: {a: {event: []}}\n" + steps("- bot: a"),
    "stub_custom_actions: {a: {events: [{event: nope}]}}\n" + steps("- bot: a"),
]


@pytest.mark.parametrize("text", GOOD)
def test_what_the_loader_takes_the_schema_takes(tmp_path: Path, text: str) -> None:
    assert read_suite([write(tmp_path, suite=text)])[1] == []
    assert is_valid(SCHEMA, as_an_editor_reads(text))


@pytest.mark.parametrize("text", BAD)
def test_what_the_loader_refuses_the_schema_refuses(tmp_path: Path, text: str) -> None:
    assert read_suite([write(tmp_path, suite=text) / "suite.yml"])[1] != []
    assert not is_valid(SCHEMA, as_an_editor_reads(text))


def test_the_schema_is_plain_json_and_says_which_draft_it_follows() -> None:
    assert json.loads(json.dumps(SCHEMA)) == SCHEMA
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_each_call_gives_a_schema_of_its_own() -> None:
    json_schema()["$defs"].clear()
    assert json_schema() == SCHEMA


def test_every_key_of_a_test_file_is_explained() -> None:
    for shape in (
        SCHEMA,
        SCHEMA["$defs"]["UserStepShape"],
        SCHEMA["$defs"]["BotStepShape"],
        SCHEMA["$defs"]["UtterStepShape"],
    ):
        assert all(
            "description" in member or key == "test_cases" for key, member in shape["properties"].items()
        )
