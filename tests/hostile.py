"""Texts that keep a regular expression busy, made from its own parts; and all expressions of the package."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterable, Iterator
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

import du_eval

_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT)
_SAMPLES = "a1 -\n.?,'\"([{б"


def find_patterns() -> dict[re.Pattern[str], str]:
    """Return the expressions that modules of the package hold, with their names."""
    found: dict[re.Pattern[str], str] = {}
    for module in pkgutil.walk_packages(du_eval.__path__, "du_eval."):
        if module.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            for pattern in _walk(value, depth=3):
                found.setdefault(pattern, f"{module.name}.{name}")
    return found


def _walk(value: object, depth: int) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield value
    inner: Iterable[object] = ()
    if isinstance(value, dict):
        inner = value.values()
    elif isinstance(value, (list, tuple, set, frozenset)):
        inner = value
    elif hasattr(value, "__struct_fields__") and not isinstance(value, type):
        inner = (getattr(value, name) for name in value.__struct_fields__)
    for one in inner if depth else ():
        yield from _walk(one, depth - 1)


def make_texts(pattern: re.Pattern[str], size: int) -> Iterator[str]:
    """Yield texts that repeat what the expression repeats, or begin anew again and again, and do not end well."""
    parts = {("", sample) for sample in _SAMPLES} | set(
        _repeated(_parser.parse(pattern.pattern, pattern.flags), "")
    )
    for before, part in sorted(parts):
        yield before + part * (size // len(part)) + "\0"


def _repeated(tree: Any, before: str) -> Iterator[tuple[str, str]]:
    for kind, value in tree:
        if kind in _REPEATS:
            yield from _repeated(value[2], before)
            if value[1] > 20 and (part := _example([(kind, value)])):
                yield from ((before, part), ("", before + part), ("", before or part))
        elif kind is op.SUBPATTERN:
            yield from _repeated(value[3], before)
        elif kind is op.BRANCH:
            for branch in value[1]:
                yield from _repeated(branch, before)
        elif kind in (op.ASSERT, op.ASSERT_NOT):
            yield from _repeated(value[1], before)
        before += _example([(kind, value)])


def _example(tree: Any) -> str:
    """Return a short text that these parts of an expression match, if nothing looks around."""
    return "".join(_example_of(kind, value) for kind, value in tree)


def _example_of(kind: Any, value: Any) -> str:
    if kind is op.LITERAL:
        return chr(value)
    if kind in _REPEATS:
        return _example(value[2]) * max(value[0], 1)
    if kind is op.SUBPATTERN:
        return _example(value[3])
    if kind is op.BRANCH:
        return _example(value[1][0])
    if kind in (op.ANY, op.IN, op.NOT_LITERAL):
        tree = _parser.SubPattern(_parser.State(), [(kind, value)])
        one = re._compiler.compile(tree)  # type: ignore[attr-defined]
        return next(filter(one.fullmatch, (*_SAMPLES, *map(chr, range(33, 0x500)))), "a")
    return ""
