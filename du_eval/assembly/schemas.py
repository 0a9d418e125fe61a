"""The JSON schemas of all files that people write, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import AliasChoices

from du_eval.errors import ConfigError, did_you_mean
from du_eval.plugins import load_own

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def find_schema(name: str) -> dict[str, Any]:
    """Return the schema of a kind of file."""
    if name not in SCHEMAS:
        hint = did_you_mean(name, SCHEMAS) or f"choose from: {', '.join(SCHEMAS)}"
        raise ConfigError(f"unknown schema '{name}' ({hint})")
    found: dict[str, Any] = load_own(SCHEMAS[name])()
    return found


def make_config_schema() -> dict[str, Any]:
    """Return what du-eval.yaml may hold: at its top what activities share, then their sections."""
    from pydantic.json_schema import models_json_schema

    from du_eval.assembly.activities import list_settings
    from du_eval.settings.declare import SettingsModel
    from du_eval.settings.shared import JudgeModelSettings
    from du_eval.settings.sources import list_top

    models = list_settings()
    declaring: list[type[SettingsModel]] = [*models, JudgeModelSettings]
    _, schema = models_json_schema([(model, "validation") for model in declaring], by_alias=False)
    shapes = schema["$defs"]
    _add_document_names(shapes["QualityConfig"], shapes)
    known = {
        name: shape
        for model in declaring
        for name, shape in shapes[model.__name__]["properties"].items()
        if name in list_top() and name in model.list_shared()
    }
    sections = {model.section: {"$ref": f"#/$defs/{model.__name__}"} for model in models}
    return {
        "$schema": _DIALECT,
        "title": "du-eval: settings (du-eval.yaml)",
        "type": "object",
        "properties": {**dict(sorted(known.items())), **sections},
        # Activities of other packages have sections, too.
        "additionalProperties": {"type": "object"},
        "$defs": shapes,
    }


def make_quality_schema() -> dict[str, Any]:
    """Return what the file of a quality run may hold."""
    from du_eval.quality.config import QualityConfig

    schema = QualityConfig.model_json_schema(by_alias=False)
    _add_document_names(schema, schema.get("$defs", {}))
    return {"$schema": _DIALECT, **schema, "title": "du-eval: settings of a quality run"}


def _add_document_names(schema: dict[str, Any], shapes: dict[str, Any]) -> None:
    """Let the settings of quality runs have the names of the original document, too."""
    from du_eval.quality.config import QualityConfig
    from du_eval.quality.document_names import DOCUMENT_PATTERNS, list_document_properties

    for field in QualityConfig.model_fields.values():
        kind = field.annotation
        if isinstance(kind, type) and kind.__name__ in shapes and hasattr(kind, "model_fields"):
            _add_aliases(shapes[kind.__name__]["properties"], kind.model_fields)
    schema["properties"] |= list_document_properties(schema["properties"])
    schema["patternProperties"] = DOCUMENT_PATTERNS


def _add_aliases(properties: dict[str, Any], fields: Mapping[str, Any]) -> None:
    """Let a setting have the other names that it may be written with."""
    for name, field in fields.items():
        alias = field.validation_alias
        if isinstance(alias, AliasChoices):
            others = [str(other) for other in alias.choices if other != name]
            properties |= {
                other: {**properties[name], "description": f"The same as {name}."} for other in others
            }


SCHEMAS: Mapping[str, str] = {
    "suite": "du_eval.suites.schema:json_schema",
    "config": "du_eval.assembly.schemas:make_config_schema",
    "quality-config": "du_eval.assembly.schemas:make_quality_schema",
    "quality-facts": "du_eval.quality.facts.load:make_facts_schema",
    "agent-case": "du_eval.agents.schema:make_case_schema",
}
"""Kinds of files, and the function that makes their schema, loaded when it is asked for."""
