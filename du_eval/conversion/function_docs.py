"""Descriptions of functions: their parameters in order, and the assistant that offers them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from du_eval.commands.function_calls import CallFunction
from du_eval.conversion.service_schema import spell_words
from du_eval.conversion.suite_folder import talking_flow, talking_patterns, write_yaml

_TYPES = {"boolean": "bool", "integer": "float", "float": "float", "number": "float", "array": "list"}


@dataclass(frozen=True, slots=True)
class FunctionDoc:
    """A function that may be called."""

    name: str
    description: str = ""
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The name without dots and other signs."""
        return re.sub(r"\W+", "_", self.name)


def read_doc(item: Mapping[str, Any]) -> FunctionDoc:
    """Return a function from its description."""
    parameters = item.get("parameters") or {}
    return FunctionDoc(item["name"], item.get("description", ""), parameters.get("properties") or {})


def read_call(text: str, docs: Mapping[str, FunctionDoc]) -> str:
    """Return a call in Python as a command; values without a name get the name of their place."""
    call = _parse_call(text)
    name = ast.unparse(call.func)
    doc = docs.get(name.replace(".", "_")) or docs.get(name.rpartition(".")[2])
    names = list(doc.parameters) if doc else []
    if len(call.args) > len(names):
        raise ValueError(f"'{text}' has more values than the description of {name} has parameters")
    given = {place: ast.literal_eval(value) for place, value in zip(names, call.args, strict=False)}
    given |= {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords if keyword.arg}
    return CallFunction(doc.id if doc else name, _json(given)).to_dsl()


def _parse_call(text: str) -> ast.Call:
    try:
        call: ast.expr | None = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        call = None
    if isinstance(call, ast.Call):
        return call
    raise ValueError(f"'{text}' is no call of a function")


def _json(value: object) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _json(inner) for key, inner in value.items()}
    return [_json(inner) for inner in value] if isinstance(value, list | tuple | set) else value


def write_functions(folder: Path, docs: Iterable[FunctionDoc]) -> None:
    """Write functions as an assistant: each a flow, each of its parameters a slot."""
    slots: dict[str, Any] = {}
    flows: dict[str, Any] = {}
    for doc in docs:
        collects = []
        for name, parameter in doc.parameters.items():
            slot = re.sub(r"\W+", "_", f"{doc.id}_{name}")
            slots[slot] = _slot(parameter)
            about = str(parameter.get("description", "")).strip() or spell_words(name)
            collects.append({"collect": slot, "description": about})
        about = doc.description.strip() or spell_words(doc.name)
        flows[doc.id] = talking_flow(spell_words(doc.name), about, collects)
    responses = {f"utter_ask_{slot}": [{"text": f"{spell_words(slot)}?"}] for slot in slots}
    write_yaml(
        folder / "domain.yml", {"slots": slots, "responses": responses or {"utter_hello": [{"text": "Hi"}]}}
    )
    write_yaml(folder / "data" / "flows.yml", {"flows": flows})
    write_yaml(folder / "data" / "patterns.yml", {"flows": talking_patterns()})


def _slot(parameter: Mapping[str, Any]) -> dict[str, Any]:
    kind = str(parameter.get("type", "string")).lower()
    values = [str(value) for value in parameter.get("enum") or () if value is not None]
    mappings = {"mappings": [{"type": "from_llm"}]}
    if values and kind == "string":
        return {"type": "categorical", "values": values, **mappings}
    return {"type": _TYPES.get(kind, "text" if kind == "string" else "any"), **mappings}
