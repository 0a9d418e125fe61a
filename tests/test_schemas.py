"""The JSON schemas for editors: every example fits its schema, what is wrong does not, and headers lead there."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from du_eval.agents.document import plain, read_tree
from du_eval.assembly.schemas import SCHEMAS, find_schema
from du_eval.parsers.yaml_parser import parse_yaml
from du_eval.quality.config import JudgeSettings, QualityConfig, ShownTests
from tests.cli.calling import Caller

PROJECT = Path(__file__).parents[1]
HEADER = re.compile(r"# yaml-language-server: \$schema=(\S+)")
SUITES = sorted(PROJECT.glob("dialogue_understanding_tests/**/*.yml"))
CONFIGS = [
    *sorted(PROJECT.glob("dialogue_understanding_tests/*/du-eval.yaml")),
    PROJECT / "du_eval/cli/project/du-eval.yaml",
]
FACTS = [*sorted(PROJECT.glob("du_eval/quality/facts/data/*.yml")), PROJECT / "examples/quality/my_facts.yml"]
QUALITY = [PROJECT / "examples/quality/my_bot.yaml"]
AGENTS = sorted(
    path
    for path in PROJECT.glob("examples/agents/**/*")
    if path.suffix in {".hocon", ".yaml", ".json"} and not path.parent.name.startswith("_")
)
EXAMPLES = [
    *(("suite", path) for path in SUITES),
    *(("config", path) for path in CONFIGS),
    *(("quality-facts", path) for path in FACTS),
    *(("quality-config", path) for path in QUALITY),
    *(("agent-case", path) for path in AGENTS),
]


def content(kind: str, path: Path) -> Any:
    if kind == "agent-case":
        return plain(read_tree(path, {}).root)
    return plain(parse_yaml(path.read_text(encoding="utf-8"), str(path), typed=True).root)


def problems(kind: str, data: Any) -> list[str]:
    return [error.message for error in Draft202012Validator(find_schema(kind)).iter_errors(data)]


@pytest.mark.parametrize("kind", SCHEMAS)
def test_a_schema_is_a_schema_and_lies_in_the_project(kind: str) -> None:
    Draft202012Validator.check_schema(find_schema(kind))
    kept = PROJECT / "schemas" / f"{kind}.schema.json"
    assert json.loads(kept.read_text(encoding="utf-8")) == json.loads(json.dumps(find_schema(kind))), (
        "renew them: du-eval schema all --out schemas"
    )


@pytest.mark.parametrize(
    ("kind", "path"), EXAMPLES, ids=lambda value: value if isinstance(value, str) else value.name
)
def test_an_example_fits_its_schema(kind: str, path: Path) -> None:
    assert problems(kind, content(kind, path)) == []


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        (kind, path)
        for kind, path in EXAMPLES
        if path.suffix in {".yml", ".yaml"} and PROJECT / "du_eval" not in path.parents
    ],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_the_header_of_an_example_leads_to_its_schema(kind: str, path: Path) -> None:
    found = HEADER.match(path.read_text(encoding="utf-8").splitlines()[0])
    assert found is not None
    assert (path.parent / found[1]).resolve() == PROJECT / "schemas" / f"{kind}.schema.json"


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("suite", {"test_cases": [{"test_case": "a", "steps": [{"user": "hi", "command": []}]}]}),
        ("suite", {"test_cases": []}),
        ("config", {"generatr": "baseline"}),
        ("config", {"concurrency": 0}),
        ("quality-config", {"conversation": 3}),
        ("quality-config", {"prompts": "many"}),
        ("quality-facts", {"category": "XX", "facts": []}),
        ("quality-facts", {"category": "QA", "facts": [{"id": 1, "questions": ["a"], "anwser": "b"}]}),
        ("quality-facts", {"category": "QA", "facts": [{"id": 1}]}),
        ("agent-case", {"agent": "a", "interactions": []}),
        ("agent-case", {"agent": "a", "interactions": [{"text": "hi", "respons": {}}]}),
        ("agent-case", {"agent": "a", "interactions": [{"response": {"texts": {"value": 1}}}]}),
        ("agent-case", {"agent": "a", "interactions": [{}], "success_ratio": "often"}),
        ("agent-case", {"agent": "a", "interactions": [{}], "connections": ["ftp"]}),
    ],
)
def test_what_is_wrong_does_not_fit(kind: str, data: Any) -> None:
    assert problems(kind, data)


def test_other_names_of_a_setting_fit_wherever_it_has_them() -> None:
    fields = {
        "": QualityConfig.model_fields,
        "show": ShownTests.model_fields,
        "judges": JudgeSettings.model_fields,
    }
    for group, known in fields.items():
        for field in known.values():
            for name in getattr(field.validation_alias, "choices", ()):
                data = {name: field.get_default(call_default_factory=True)}
                assert problems("quality-config", {group: data} if group else data) == [], name


def test_names_of_the_original_document_and_checks_in_any_case_fit_too() -> None:
    assert (
        problems("quality-facts", {"facts": [{"id": 1, "test": "QA", "question": ["a?"], "QA": "b"}]}) == []
    )
    whole = {"agent": "a", "interactions": [{"response": {"Latency_Below": 3, "not_cost_below": 1}}]}
    assert problems("agent-case", whole) == []


def test_every_schema_has_one_door(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    call = Caller(capsys)
    for kind in SCHEMAS:
        assert json.loads(call("schema", kind).out) == json.loads(json.dumps(find_schema(kind)))
    assert json.loads(call("schema").out) == find_schema("suite")
    assert call("quality", "schema").out == call("schema", "quality-config").out
    assert call("schema", "all", "--out", str(tmp_path)).code == 0
    assert len(list(tmp_path.glob("*.schema.json"))) == len(SCHEMAS)
    answer = call("schema", "suit")
    assert answer.code == 2
    assert "did you mean 'suite'" in answer.err
    assert call("schema", "all").code == 2
