"""Slot values in the type of their slot."""

from __future__ import annotations

import json
import math

from du_eval.assistants.model import BOOL, CATEGORICAL, FLOAT, LIST, Slot

_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def coerce_value(slot: Slot, value: object) -> object:
    """Return a value as its slot holds it; a value that does not fit the type stays as it is."""
    if value is None:
        return None
    if not isinstance(value, str):
        return _coerced_data(slot, value)
    if slot.type == BOOL:
        return _BOOLEANS.get(value.strip().casefold(), value)
    if slot.type == FLOAT:
        return _number(value)
    if slot.type == CATEGORICAL:
        return _category(value, slot.values)
    if slot.type == LIST:
        return _listed(value)
    return value


def fits(slot: Slot, value: object) -> bool:
    """Tell whether a coerced value is of the slot's type; nothing fits every slot."""
    if value is None:
        return True
    if slot.type == BOOL:
        return isinstance(value, bool)
    if slot.type == FLOAT:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return slot.type != CATEGORICAL or value in slot.values


def _coerced_data(slot: Slot, value: object) -> object:
    """Return a value that is no text, as files and actions give them."""
    if slot.type == BOOL and isinstance(value, int | float):
        return value == 1
    if slot.type == FLOAT and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if slot.type == CATEGORICAL:
        return _category(str(value).lower() if isinstance(value, bool) else str(value), slot.values)
    if slot.type == LIST and not isinstance(value, list):
        return [value]
    return value


def _number(value: str) -> object:
    try:
        number = float(value)
    except ValueError:
        return value
    return number if math.isfinite(number) and "_" not in value else value


def _category(value: str, categories: tuple[str, ...]) -> str:
    if value in categories:
        return value
    folded = value.strip().casefold()
    return next((category for category in categories if category.casefold() == folded), value)


def _listed(value: str) -> list[object]:
    if value.lstrip().startswith("["):
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            return [value]
        if isinstance(parsed, list):
            return parsed
    return [value]
