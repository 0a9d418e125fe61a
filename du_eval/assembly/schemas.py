"""The JSON schemas of all files that people write, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import AliasChoices

from du_eval.errors import ConfigError, did_you_mean

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_of(name: str) -> dict[str, Any]:
    """Return the schema of a kind of file."""
    if name not in SCHEMAS:
        hint = did_you_mean(name, SCHEMAS) or f"known are: {', '.join(SCHEMAS)}"
        raise ConfigError(f"there is no schema '{name}' ({hint})")
    return SCHEMAS[name]()


def _suite() -> dict[str, Any]:
    from du_eval.suites.schema import json_schema

    return json_schema()


def _config() -> dict[str, Any]:
    from du_eval.config import RunConfig

    return {"$schema": _DIALECT, **RunConfig.model_json_schema(), "title": "du-eval: settings (du-eval.yaml)"}


def _quality_config() -> dict[str, Any]:
    from du_eval.quality.config import QualityConfig
    from du_eval.quality.document_names import DOCUMENT_PATTERNS, document_properties

    schema = QualityConfig.model_json_schema(by_alias=False)
    shapes = schema.get("$defs", {})
    for field in QualityConfig.model_fields.values():
        kind = field.annotation
        if isinstance(kind, type) and kind.__name__ in shapes and hasattr(kind, "model_fields"):
            _add_aliases(shapes[kind.__name__]["properties"], kind.model_fields)
    schema["properties"] |= document_properties(schema["properties"])
    schema["patternProperties"] = DOCUMENT_PATTERNS
    return {"$schema": _DIALECT, **schema, "title": "du-eval: settings of a quality run"}


def _add_aliases(properties: dict[str, Any], fields: Mapping[str, Any]) -> None:
    """Let a setting have the other names that it may be written with."""
    for name, field in fields.items():
        alias = field.validation_alias
        if isinstance(alias, AliasChoices):
            others = [str(other) for other in alias.choices if other != name]
            properties |= {
                other: {**properties[name], "description": f"The same as {name}."} for other in others
            }


def _quality_facts() -> dict[str, Any]:
    from du_eval.quality.facts.schema import facts_schema

    return facts_schema()


def _agent_case() -> dict[str, Any]:
    from du_eval.agents.schema import case_schema

    return case_schema()


SCHEMAS: Mapping[str, Callable[[], dict[str, Any]]] = {
    "suite": _suite,
    "config": _config,
    "quality-config": _quality_config,
    "quality-facts": _quality_facts,
    "agent-case": _agent_case,
}
