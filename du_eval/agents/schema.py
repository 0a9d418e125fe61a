"""The shape of an agent case as a JSON schema; HOCON has it once its dots and includes are resolved."""

from __future__ import annotations

from typing import Any

from du_eval.agents.checks.base import CheckScope
from du_eval.agents.checks.evaluate import list_check_names
from du_eval.agents.connections.base import KINDS, SERVER_KEYS
from du_eval.agents.expectations import PARTS
from du_eval.agents.load import CASE_KEYS, DIRECT_KEYS, INTERACTION_KEYS
from du_eval.agents.model import ChatFilter

_TEXT: dict[str, Any] = {"type": ["string", "null"]}
_FLAG: dict[str, Any] = {"type": ["boolean", "null"]}
_SECONDS: dict[str, Any] = {"type": ["number", "null"], "exclusiveMinimum": 0}
_OBJECT: dict[str, Any] = {"type": ["object", "null"]}
_CASE: dict[str, dict[str, Any]] = {
    "agent": {"type": "string", "pattern": r"\S", "description": "The name of the agent."},
    "connections": {
        "anyOf": [
            {"$ref": "#/$defs/connection"},
            {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/connection"}},
            {"type": "null"},
        ],
        "description": "How the agent is reached; each connection is run and reported separately.",
    },
    "success_ratio": {
        "type": "string",
        "pattern": r"^\s*[0-9]{1,6}\s*/\s*[0-9]{1,6}\s*$",
        "description": "Share of samples that must pass, such as 2/3.",
    },
    "use_direct": {**_FLAG, "description": "Whether a direct agent calls other agents within the process."},
    "metadata": {
        "type": ["object", "null"],
        "additionalProperties": {"type": ["string", "number", "boolean"]},
        "description": "Sent with each request.",
    },
    "timeout_in_seconds": {**_SECONDS, "description": "Time limit for the whole case, over one connection."},
    "interactions": {
        "type": "array",
        "minItems": 1,
        "items": {"$ref": "#/$defs/interaction"},
        "description": "What is said and expected, in order.",
    },
    "name": {**_TEXT, "description": "Name of the case in reports."},
    "direct": {
        "anyOf": [{"type": ["string", "null"]}, {"$ref": "#/$defs/direct"}],
        "description": "What a direct connection calls: module:name, or an object.",
    },
    "neuro_san_compat": {**_FLAG, "description": "Whether to reproduce details of the original tool."},
}
_INTERACTION: dict[str, dict[str, Any]] = {
    "text": {**_TEXT, "description": "The user's message."},
    "sly_data": {**_OBJECT, "description": "Private data sent along with the message."},
    "timeout_in_seconds": {**_SECONDS, "description": "How long to wait for this answer."},
    "chat_filter": {"enum": [*(one.value for one in ChatFilter), None]},
    "continue_conversation": {**_FLAG, "description": "false starts a new dialogue here."},
    "response": {"anyOf": [{"$ref": "#/$defs/response"}, {"type": "null"}]},
}


def make_case_schema() -> dict[str, object]:
    """Return the JSON schema of an agent case."""
    names = dict.fromkeys(name for keys in KINDS.values() for name in keys)
    texts = {name: _TEXT if name in {*SERVER_KEYS, "url"} else {} for name in names}
    kind = {"enum": list(KINDS)}
    port = {"type": ["integer", "null"], "minimum": 1, "maximum": 65535}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "du-eval: an agent case",
        **_exactly({key: _CASE[key] for key in CASE_KEYS}, ["agent", "interactions"]),
        "$defs": {
            "connection": {
                "anyOf": [
                    kind,
                    {
                        "type": "object",
                        "properties": {**texts, "kind": kind, "port": port},
                        "required": ["kind"],
                    },
                ]
            },
            "direct": {
                **_exactly(dict.fromkeys(DIRECT_KEYS, _TEXT)),
                "oneOf": [{"required": ["python"]}, {"required": ["instructions"]}],
            },
            "interaction": _exactly({key: _INTERACTION[key] for key in INTERACTION_KEYS}),
            "response": {
                "type": "object",
                "properties": {part: {"$ref": "#/$defs/level"} for part in PARTS},
                "patternProperties": {_any_case(list_check_names(CheckScope.RESPONSE)): {}},
                "additionalProperties": False,
                "description": "The parts of the answer with their checks, and checks of the whole answer.",
            },
            "level": {
                "type": "object",
                "minProperties": 1,
                "properties": dict.fromkeys(list_check_names(CheckScope.VALUE), True),
                "description": "Checks, or keys of the answer's objects and indices of its lists.",
            },
        },
    }


def _exactly(properties: dict[str, object], required: list[str] | None = None) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


def _any_case(names: tuple[str, ...]) -> str:
    """Return a pattern of names in small or capital letters, as every dialect of patterns reads it."""
    spelled = ("".join(f"[{c}{c.upper()}]" if c.isalpha() else c for c in name) for name in names)
    return f"^({'|'.join(spelled)})$"
