"""Assertions of a test file, read with the shape they must have."""

from __future__ import annotations

from collections.abc import Callable

from du_eval.assistants.reading import Reader, read_text
from du_eval.endtoend.model import Assertion, SlotExpectation
from du_eval.errors import did_you_mean
from du_eval.parsers.yaml_parser import YamlList, YamlMap

GENERATIVE = ("generative_response_is_relevant", "generative_response_is_grounded")
_GENERATIVE_KEYS = ("threshold", "ground_truth", "utter_name", "utter_source")


def read_assertions(step: YamlMap, reader: Reader) -> tuple[Assertion, ...]:
    """Return the assertions of a user step."""
    items = reader.items(step, "assertions")
    found = (_assertion(item, line, reader) for item, line in zip(items, items.lines, strict=True))
    return tuple(assertion for assertion in found if assertion is not None)


def _assertion(item: object, line: int, reader: Reader) -> Assertion | None:
    node = reader.as_mapping(item, line, "an assertion")
    if len(node) != 1:
        reader.refuse(line, f"an assertion is a mapping with one key, found {len(node)}")
        return None
    kind = next(iter(node))
    if kind not in _READERS:
        known = did_you_mean(kind, _READERS) or "choose from " + ", ".join(_READERS)
        reader.refuse(line, f"unknown assertion '{kind}'", known)
        return None
    return _READERS[kind](kind, node, reader)


def _flows(kind: str, node: YamlMap, reader: Reader) -> Assertion:
    value, line = node[kind], node.lines[kind]
    if isinstance(value, YamlMap):
        operator = reader.text(value, "operator") or "all"
        if operator not in {"all", "any"}:
            reader.refuse(line, f"the operator of '{kind}' is all or any, not '{operator}'")
        flows = tuple(read_text(flow) for flow in reader.items(value, "flow_ids"))
        return Assertion(kind, line, flows, is_any=operator == "any")
    if isinstance(value, YamlList):
        return Assertion(kind, line, tuple(read_text(flow) for flow in value))
    return Assertion(kind, line, (read_text(value),))


def _flow_end(kind: str, node: YamlMap, reader: Reader) -> Assertion:
    value, line = node[kind], node.lines[kind]
    if not isinstance(value, YamlMap):
        return Assertion(kind, line, (read_text(value),))
    if "flow_id" not in value:
        reader.refuse(line, f"'{kind}' does not name its flow_id", "only flow_started takes flow_ids")
    return Assertion(kind, line, (reader.text(value, "flow_id"),), step=reader.text(value, "flow_step_id"))


def _action(kind: str, node: YamlMap, reader: Reader) -> Assertion:
    return Assertion(kind, node.lines[kind], name=reader.text(node, kind))


def _slots(kind: str, node: YamlMap, reader: Reader) -> Assertion:
    items = reader.items(node, kind)
    found = []
    for item, line in zip(items, items.lines, strict=True):
        slot = reader.as_mapping(item, line, f"an item of '{kind}'")
        if "name" not in slot:
            reader.refuse(line, f"an item of '{kind}' does not name its slot", "write - name: slot")
        value = slot.get("value")
        shown = None if value is None or value == "null" else _plain(value)
        found.append(SlotExpectation(reader.text(slot, "name"), shown, "value" in slot))
    return Assertion(kind, node.lines[kind], slots=tuple(found))


def _plain(value: object) -> str:
    return str(list(value)) if isinstance(value, list) else read_text(value)


def _message(kind: str, node: YamlMap, reader: Reader) -> Assertion:
    value = reader.mapping(node, kind)
    line = node.lines[kind]
    buttons = reader.items(value, "buttons")
    pairs = [
        (reader.text(button, "title"), reader.text(button, "payload"))
        for button in buttons
        if isinstance(button, YamlMap)
    ]
    text = reader.text(value, "text_matches") if "text_matches" in value else None
    if not {"utter_name", "text_matches", "buttons"} & set(value):
        reader.refuse(line, f"'{kind}' needs one of utter_name, text_matches, buttons")
    return Assertion(kind, line, name=reader.text(value, "utter_name"), text=text, buttons=tuple(pairs))


def _generative(kind: str, node: YamlMap, reader: Reader) -> Assertion:
    value = reader.mapping(node, kind)
    line = node.lines[kind]
    for key in value:
        if key not in _GENERATIVE_KEYS:
            hint = did_you_mean(key, _GENERATIVE_KEYS) or "choose from " + ", ".join(_GENERATIVE_KEYS)
            reader.refuse(value.lines[key], f"'{kind}' has the unknown key '{key}'", hint)
    return Assertion(
        kind,
        line,
        name=reader.text(value, "utter_name"),
        threshold=_threshold(kind, value, reader),
        truth=reader.text(value, "ground_truth"),
        source=reader.text(value, "utter_source"),
    )


def _threshold(kind: str, value: YamlMap, reader: Reader) -> float:
    if "threshold" not in value:
        return 0.5
    text = reader.text(value, "threshold")
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        reader.refuse(value.lines["threshold"], f"the threshold of '{kind}' is from 0 to 1, not '{text}'")
    return number


_READERS: dict[str, Callable[[str, YamlMap, Reader], Assertion]] = {
    "flow_started": _flows,
    "pattern_clarification_contains": _flows,
    "flow_completed": _flow_end,
    "flow_cancelled": _flow_end,
    "action_executed": _action,
    "slot_was_set": _slots,
    "slot_was_not_set": _slots,
    "bot_uttered": _message,
    "bot_did_not_utter": _message,
    **dict.fromkeys(GENERATIVE, _generative),
}
