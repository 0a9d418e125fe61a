"""Edits of test files: another expectation of one user step, and nothing else changes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from difflib import unified_diff
from typing import Any

import yaml
from msgspec import Struct

from du_eval.errors import InputError, Problem

_KEYS = ("commands", "any_of")


class Edit(Struct, frozen=True):
    """A test file before and after an edit."""

    file: str
    line: int
    before: str
    after: str

    @property
    def difference(self) -> tuple[str, ...]:
        """The changed lines with what stands around them; lines that go begin with -, new ones with +."""
        lines = unified_diff(self.before.splitlines(), self.after.splitlines(), lineterm="", n=2)
        return tuple(line for line in lines if not line.startswith(("---", "+++")))


def edit_expectation(text: str, file: str, line: int, groups: Sequence[Sequence[str]]) -> Edit:
    """Return the file with another expectation of the user step at a line: one list, or any of several."""
    found = _find_step(text, line)
    if found is None:
        hint = "edit the file by hand"
        raise InputError(Problem(file, line, "there is no user step with an expectation here", hint))
    key, value = found
    start, end = key.start_mark.index, _find_end(value)
    if end < start:
        hint = "edit the place that it is repeated from"
        raise InputError(Problem(file, line, "this expectation is repeated from elsewhere in the file", hint))
    made = _write(groups, key.start_mark.column)
    return Edit(file, key.start_mark.line + 1, text, text[:start] + made + text[end:])


def _find_step(text: str, line: int) -> tuple[Any, Any] | None:
    for node in _walk(yaml.compose(text, Loader=yaml.SafeLoader)):
        if not isinstance(node, yaml.MappingNode) or node.start_mark.line + 1 != line:
            continue
        keys = {key.value: (key, value) for key, value in node.value if isinstance(key, yaml.ScalarNode)}
        if "user" in keys:
            return next((keys[name] for name in _KEYS if name in keys), None)
    return None


def _walk(node: object) -> Iterator[object]:
    if node is None:
        return
    waiting, seen = [node], set[int]()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        if isinstance(one, yaml.MappingNode):
            waiting += [part for pair in one.value for part in pair]
        elif isinstance(one, yaml.SequenceNode):
            waiting += one.value


def _find_end(node: Any) -> int:
    """Return where a value ends: a block ends with its last word, and not where the next thing begins."""
    if isinstance(node, yaml.SequenceNode) and not node.flow_style and node.value:
        return _find_end(node.value[-1])
    return int(node.end_mark.index)


def _write(groups: Sequence[Sequence[str]], column: int) -> str:
    pad = " " * (column + 2)
    if len(groups) == 1:
        return (
            "\n".join(["commands:", *(f"{pad}- {_quote(one)}" for one in groups[0])])
            if groups[0]
            else "commands: []"
        )
    lines = ["any_of:"]
    for group in groups:
        marks = ["- - ", *["  - "] * (len(group) - 1)]
        lines += [f"{pad}{mark}{_quote(one)}" for mark, one in zip(marks, group, strict=False)] or [
            f"{pad}- []"
        ]
    return "\n".join(lines)


def _quote(text: str) -> str:
    """Return a text as YAML reads it: as it is where that is safe."""
    try:
        is_plain = yaml.safe_load(f"- {text}") == [text]
    except yaml.YAMLError:
        is_plain = False
    return text if is_plain and "\n" not in text else json.dumps(text, ensure_ascii=False)
