"""The shape of a fact file as a JSON schema, for editors."""

from __future__ import annotations

from typing import Any

from du_eval.quality.facts.load import DOCUMENT_KEYS, FACT_KEYS, LIST_KEYS
from du_eval.quality.facts.model import CATEGORIES

_SCALAR = {"type": ["string", "number", "boolean"]}
_WORDS = {
    "id": "A number that no other fact has.",
    "about": "What the fact is about, for people.",
    "from": "The pool from which a value is drawn for each dialogue.",
    "closed": "Whether the questions are answered by yes or no.",
    "answer": "The answer, where no value is drawn.",
    "accepted": "Other answers that count as right.",
    "open": "The question by which an answer is found in a reply.",
    "information": "Statements that tell the fact; {value} is what is drawn.",
    "yes": "Statements after which the answer is yes.",
    "no": "Statements after which the answer is no.",
    "questions": "The same question in different words.",
    "context": "What is said before, so that the questions are understood.",
    "plain": "The question as it would be without its context.",
    "competing": "A statement about somebody else with another value: {other}.",
    "update": "A statement that changes the fact: {new}.",
    "coreference": "A statement that speaks of it by a pronoun.",
}


def facts_schema() -> dict[str, Any]:
    """Return the JSON schema of a file with facts for the quality tests."""
    own = {name: _property(name) for name in sorted(FACT_KEYS)}
    document = {old: own.get(new, {"enum": list(CATEGORIES)}) for old, new in DOCUMENT_KEYS.items()}
    fact = {
        "type": "object",
        "properties": {**own, **document, "category": {"enum": list(CATEGORIES)}},
        "required": ["id"],
        "anyOf": [{"required": ["questions"]}, {"required": ["question"]}],
        "additionalProperties": False,
    }
    pools = {"type": "object", "additionalProperties": {"type": "array", "items": _SCALAR, "minItems": 1}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "du-eval: facts for the quality tests",
        "type": "object",
        "properties": {
            "category": {"enum": list(CATEGORIES), "description": "The category of the file's facts."},
            "facts": {"type": "array", "items": {"$ref": "#/$defs/fact"}},
            "pools": {**pools, "description": "Named lists of values."},
        },
        "anyOf": [{"required": ["facts"]}, {"required": ["pools"]}],
        "$defs": {"fact": fact},
    }


def _property(name: str) -> dict[str, Any]:
    told = {"description": _WORDS[name]}
    if name == "id":
        return {"type": ["integer", "string"], "pattern": "^[0-9]+$", **told}
    if name == "closed":
        return {"enum": [True, False, "true", "false", "yes", "no"], **told}
    if name in LIST_KEYS:
        return {"anyOf": [{"type": "array", "items": _SCALAR}, _SCALAR], **told}
    return {**_SCALAR, **told}
