"""What users may say: intent examples, marked entity values and synonyms of an NLU file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from du_eval.assistants.reading import Reader, text_of
from du_eval.parsers.yaml_parser import YamlList, YamlMap

_MARKED = re.compile(r"\[(?P<text>[^\]]*)\](?:\((?P<entity>[^)]*)\)|(?P<options>\{[^}]*\}))")


@dataclass(frozen=True, slots=True)
class Examples:
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
            values = merged(values, _entity_values(lines))
        elif "synonym" in node:
            synonyms = merged(synonyms, {reader.text(node, "synonym"): lines})
        elif "lookup" in node:
            values = merged(values, {reader.text(node, "lookup"): lines})
    return Examples(intents, values, synonyms)


def merged(
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
    text = text_of(item.get("text")) if isinstance(item, dict) else text_of(item)
    return text.strip().removeprefix("-").strip()


def _entity_values(lines: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for line in lines:
        for match in _MARKED.finditer(line):
            entity, value = _marked(match)
            if entity:
                found = merged(found, {entity: (value,)})
    return found


def _marked(match: re.Match[str]) -> tuple[str, str]:
    if match["entity"] is not None:
        return match["entity"].partition(":")[0], match["text"]
    try:
        options = json.loads(match["options"])
    except ValueError:
        return "", match["text"]
    return str(options.get("entity", "")), str(options.get("value", match["text"]))
