"""Slot values in the type of their slot."""

from __future__ import annotations

import json
import math

from du_eval.assistants.model import BOOL, CATEGORICAL, FLOAT, LIST, Slot

_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def coerced(slot: Slot, value: str | None) -> object:
    """Return a value as its slot holds it; a value that does not fit the type stays as it is."""
    if value is None:
        return None
    if slot.type == BOOL:
        return _BOOLEANS.get(value.strip().casefold(), value)
    if slot.type == FLOAT:
        return _number(value)
    if slot.type == CATEGORICAL:
        return _category(value, slot.values)
    if slot.type == LIST:
        return _listed(value)
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
        except ValueError:
            return [value]
        if isinstance(parsed, list):
            return parsed
    return [value]
