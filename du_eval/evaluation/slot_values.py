"""Whether two values mean the same for a slot."""

from __future__ import annotations

import ast
import json
from decimal import Decimal, InvalidOperation

from du_eval.assistants.coercion import coerced
from du_eval.assistants.model import FLOAT, LIST, Slot


def is_same_value(slot: Slot, expected: str | None, predicted: str | None) -> bool:
    """Tell whether a slot would hold the same: numbers to the last digit, lists item by item."""
    if expected == predicted:
        return True
    if expected is None or predicted is None:
        return False
    if slot.type == LIST:
        return _items(expected) == _items(predicted)
    values = coerced(slot, expected), coerced(slot, predicted)
    if type(values[0]) is not type(values[1]) or values[0] != values[1]:
        return False
    return slot.type != FLOAT or _exact(expected) == _exact(predicted)


def _exact(value: str) -> Decimal | str:
    """Return a number with all its digits: a float would make long ones equal that are not."""
    try:
        return Decimal(value.strip())
    except InvalidOperation:
        return value


def _items(value: str) -> list[str]:
    """Return the items of a list, however it is written."""
    text = value.strip()
    if text.startswith(("[", "(")):
        for read in (json.loads, ast.literal_eval):
            try:
                found = read(text)
            except (ValueError, SyntaxError, MemoryError, RecursionError):
                continue
            if isinstance(found, list | tuple):
                return [str(item) for item in found]
        text = text.strip("[]()")
    return [item.strip(" \t'\"") for item in text.split(",")]
