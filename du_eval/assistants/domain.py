"""Slots, responses and actions of a domain file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from msgspec import Struct, field

from du_eval.assistants.flows import check_condition, read_rejections
from du_eval.assistants.model import ANY, CATEGORICAL, SLOT_TYPES, Button, Response, ResponseVariation, Slot
from du_eval.assistants.reading import Reader, name_kind, read_text
from du_eval.errors import did_you_mean
from du_eval.parsers.yaml_parser import YamlList, YamlMap

DOMAIN_KEYS = frozenset(
    {"slots", "responses", "actions", "intents", "entities", "forms", "session_config", "e2e_actions"}
)


class Domain(Struct, frozen=True):
    """What one domain file defines."""

    slots: Mapping[str, Slot] = field(default_factory=dict)
    responses: Mapping[str, Response] = field(default_factory=dict)
    actions: frozenset[str] = frozenset()


def read_domain(root: YamlMap, reader: Reader) -> Domain:
    """Return slots, responses and actions of a domain file."""
    slots = reader.mapping(root, "slots")
    responses = reader.mapping(root, "responses")
    return Domain(
        slots={name: _slot(name, slots, reader) for name in slots},
        responses={name: _response(name, responses, reader) for name in responses},
        actions=_names(root, "actions", reader) | frozenset(reader.mapping(root, "forms")),
    )


def _names(root: YamlMap, key: str, reader: Reader) -> frozenset[str]:
    """Return the names in a list whose items are names, or mappings with a name as their key."""
    names: set[str] = set()
    for item in reader.items(root, key):
        names.update(item) if isinstance(item, dict) else names.add(read_text(item))
    return frozenset(names)


def _slot(name: str, slots: YamlMap, reader: Reader) -> Slot:
    line = slots.lines[name]
    node = reader.as_mapping(slots[name], line, f"the slot '{name}'")
    kind = reader.text(node, "type")
    if kind not in SLOT_TYPES and isinstance(slots[name], YamlMap):
        _refuse_type(name, kind, node, reader)
    values = tuple(read_text(value) for value in reader.items(node, "values"))
    if kind == CATEGORICAL and not values:
        message = f"the categorical slot '{name}' has no values: it accepts none"
        reader.warn(line, message, "list them under 'values'", "category-has-values")
    mappings = [_mapping_of(item, line, name, reader) for item in reader.items(node, "mappings")]
    entities = (read_text(mapping["entity"]) for mapping in mappings if mapping.get("entity"))
    return Slot(
        name=name,
        type=kind if kind in SLOT_TYPES else ANY,
        values=values,
        initial_value=node.get("initial_value"),
        mappings=tuple(dict.fromkeys(reader.text(mapping, "type") for mapping in mappings)) or ("from_llm",),
        file=reader.file,
        line=line,
        entities=tuple(dict.fromkeys(entities)),
        rejections=read_rejections(validation := reader.mapping(node, "validation"), reader),
        refill_utter=reader.text(validation, "refill_utter"),
    )


def _mapping_of(item: object, line: int, slot: str, reader: Reader) -> YamlMap:
    return reader.as_mapping(item, getattr(item, "line", line), f"a mapping of the slot '{slot}'")


def _refuse_type(name: str, kind: str, node: YamlMap, reader: Reader) -> None:
    line = node.lines.get("type", node.line)
    hint = did_you_mean(kind, SLOT_TYPES) or f"use one of {', '.join(SLOT_TYPES)}"
    # A class path names a slot type of the user's own: we cannot know what it holds.
    if "." in kind:
        return
    message = f"the slot '{name}' has the unknown type '{kind}'" if kind else f"the slot '{name}' has no type"
    reader.refuse(line, message, hint, "slot-has-type")


def _response(name: str, responses: YamlMap, reader: Reader) -> Response:
    items = reader.items(responses, name, f"the response '{name}'")
    variations = []
    for item, line in zip(items, items.lines, strict=True):
        node = reader.as_mapping(item, line, f"a variation of the response '{name}'")
        variations.append(_variation(node, reader))
    return Response(name, tuple(variations), reader.file, responses.lines[name])


def _variation(node: YamlMap, reader: Reader) -> ResponseVariation:
    text, buttons = reader.text(node, "text"), _buttons(node, reader)
    if isinstance(node.get("condition"), str | bool):
        check_condition(node, "condition", reader)
        return ResponseVariation(text, buttons, predicate=reader.text(node, "condition"))
    return ResponseVariation(text, buttons, _conditions(node, reader))


def _conditions(node: YamlMap, reader: Reader) -> tuple[tuple[str, object], ...]:
    items = reader.items(node, "condition")
    found = []
    for item, line in zip(items, items.lines, strict=True):
        condition = reader.as_mapping(item, line, "a condition of a response")
        if reader.text(condition, "type") in {"slot", ""} and "name" in condition:
            found.append((reader.text(condition, "name"), condition.get("value")))
    return tuple(found)


def _buttons(node: YamlMap, reader: Reader) -> tuple[Button, ...]:
    buttons = []
    items = reader.items(node, "buttons")
    for item, line in zip(items, items.lines, strict=True):
        if not isinstance(item, YamlMap):
            message = f"a button must have title and payload, not be {name_kind(item)}"
            reader.warn(line, message, rule="button-has-payload")
            continue
        title = reader.text(item, "title")
        if not title or not reader.text(item, "payload"):
            reader.warn(line, "a button has no title or no payload", rule="button-has-payload")
        buttons.append(Button(title, reader.text(item, "payload") or title))
    return tuple(buttons)


_MARKED = re.compile(r"\[(?P<text>[^][]*)\](?:\((?P<entity>[^()]*)\)|(?P<options>\{[^{}]*\}))")


class Examples(Struct, frozen=True):
    """What one NLU file teaches."""

    intents: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    entity_values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    synonyms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def read_examples(root: YamlMap, reader: Reader) -> Examples:
    """Return the examples by intent, as users would type them."""
    intents: dict[str, tuple[str, ...]] = {}
    synonyms: dict[str, tuple[str, ...]] = {}
    values: dict[str, tuple[str, ...]] = {}
    nodes = reader.items(root, "nlu")
    for item, line in zip(nodes, nodes.lines, strict=True):
        node = reader.as_mapping(item, line, "an item of 'nlu'")
        lines = _lines(node, reader)
        if "intent" in node:
            intent = reader.text(node, "intent")
            intents[intent] = intents.get(intent, ()) + tuple(surface(text) for text in lines)
            values = merge_lists(values, _entity_values(lines))
        elif "synonym" in node:
            synonyms = merge_lists(synonyms, {reader.text(node, "synonym"): lines})
        elif "lookup" in node:
            values = merge_lists(values, {reader.text(node, "lookup"): lines})
    return Examples(intents, values, synonyms)


def merge_lists(
    first: Mapping[str, tuple[str, ...]], second: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    """Return both, with the lists of a shared key joined and without doubles."""
    return {key: tuple(dict.fromkeys(first.get(key, ()) + second.get(key, ()))) for key in (*first, *second)}


def surface(example: str) -> str:
    """Return an example without the marks around its entities."""
    return _MARKED.sub(lambda match: match["text"], example)


def _lines(node: YamlMap, reader: Reader) -> tuple[str, ...]:
    examples = node.get("examples")
    if isinstance(examples, YamlList):
        texts: Iterable[str] = (_listed(item) for item in examples)
    else:
        block = reader.text(node, "examples")
        texts = (line.strip().removeprefix("-").strip() for line in block.splitlines())
    return tuple(text for text in texts if text)


def _listed(item: object) -> str:
    text = read_text(item.get("text")) if isinstance(item, dict) else read_text(item)
    return text.strip().removeprefix("-").strip()


def _entity_values(lines: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for line in lines:
        for match in _MARKED.finditer(line):
            entity, value = _marked(match)
            if entity:
                found = merge_lists(found, {entity: (value,)})
    return found


def _marked(match: re.Match[str]) -> tuple[str, str]:
    if match["entity"] is not None:
        return match["entity"].partition(":")[0], match["text"]
    try:
        options = json.loads(match["options"])
    except (ValueError, RecursionError):
        return "", match["text"]
    return str(options.get("entity", "")), str(options.get("value", match["text"]))
