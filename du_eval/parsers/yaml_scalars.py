"""Scalars, anchors and the text of YAML that its author did not mean."""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct

from du_eval.errors import Problem

_INTEGER = re.compile(r"[-+]?[0-9]+")
_OTHER_INTEGER = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_SPECIAL: dict[str, object] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_MOST_DIGITS = 4_000


def read_scalar(text: str) -> object:
    """Return the value of an unquoted scalar by the core schema of YAML 1.2."""
    if text in _SPECIAL:
        return _SPECIAL[text]
    if len(text) > _MOST_DIGITS:
        return text
    if _INTEGER.fullmatch(text):
        return int(text)
    if _OTHER_INTEGER.fullmatch(text):
        return int(text, 0)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text


_REFUSED = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
OLD_LINE_BREAKS = re.compile("[\x85\u2028\u2029]")
_LINE_END = re.compile(r"\r\n?|\n")
_CUT_CALL = re.compile(r"\[[^][]*\w\([^(),]*,[^()'\"]*['\"]")


def without_old_line_breaks(text: str) -> tuple[str, dict[int, str]]:
    """Replace characters that end a line for YAML 1.1 but not for 1.2; return the way back, too."""
    present = sorted(set(OLD_LINE_BREAKS.findall(text)))
    free = (chr(code) for code in range(0xE000, 0xF8FF) if chr(code) not in text)
    stand_ins = dict(zip(present, free, strict=False))
    return text.translate(str.maketrans(stand_ins)), {ord(new): old for old, new in stand_ins.items()}


def describe_syntax_problem(error: Exception, file: str, text: str) -> Problem:
    """Return what is wrong with a text that is no YAML, in words that help."""
    refused = _REFUSED.search(text)
    if refused is not None:
        line = len(_LINE_END.split(text[: refused.start()]))
        name = f"U+{ord(refused.group()):04X}"
        return Problem(file, line, f"the character {name} is not allowed in YAML", "remove it")
    what = getattr(error, "problem", None) or "not valid"
    mark, opened = getattr(error, "problem_mark", None), getattr(error, "context_mark", None)
    line = mark.line + 1 if mark else 1
    lines = _LINE_END.split(text)
    last = max((number for number, written in enumerate(lines, 1) if written.strip()), default=1)
    if opened and line > last:
        line, what = min(opened.line + 1, last), "a quote or bracket is not closed"
    written = lines[line - 1].strip() if line <= len(lines) else ""
    shown = f" in {written[:80]!r}" if written else ""
    hint = "check the indentation, and put texts that contain ': ' or start with one of {[*&!@`%|> in quotes"
    if _CUT_CALL.search(written):
        hint = "put each command in quotes, or on a line of its own: YAML splits lists in brackets at commas"
    return Problem(file, line, f"not valid YAML: {what}{shown}", hint)


def cut_comments(ends: list[tuple[int, int, int]], file: str, text: str) -> tuple[Problem, ...]:
    """Find texts that YAML cuts at ` #` although no blank follows the hash: hardly a comment."""
    lines = _LINE_END.split(text)
    found = []
    for end_line, column, line in ends:
        if end_line >= len(lines):
            continue
        rest = lines[end_line][column:]
        cut = rest.lstrip()
        if rest[:1] in {" ", "\t"} and cut.startswith("#") and cut[1:2].strip() not in {"", "#"}:
            message = f"the text ends before {cut.strip()[:40]!r}: YAML reads it as a comment"
            found.append(Problem(file, line, message, "quote the whole text, or put a space after the #"))
    return tuple(found)


MOST_VALUES = 1_000_000
"""How many values all aliases of a file may stand for: a few lines can stand for billions."""


MOST_GENERATIONS = 16
"""How often a value that an alias stands for may hold another alias."""


class _Named(Struct):
    """A value with a name; while it is not complete, its size is where it began."""

    value: Any
    size: int
    generation: int = 1


class Anchors:
    """The values of one file that have a name."""

    def __init__(self) -> None:
        self._values: dict[str, _Named] = {}
        self._open: dict[int, tuple[str, _Named]] = {}
        self._added = 0
        self.is_used = False

    @property
    def is_exhausted(self) -> bool:
        """Tell whether the aliases so far stand for too much."""
        return self._added > MOST_VALUES

    def name_scalar(self, name: str, value: object) -> None:
        """Remember a scalar."""
        self.is_used = True
        self._values[name] = _Named(value, 1)

    def begin(self, name: str, node: object, events: int) -> None:
        """Note that a mapping or list with a name begins, after some events."""
        self.is_used = True
        self._values.pop(name, None)
        self._open[id(node)] = name, _Named(node, events + self._added)

    def end(self, node: object, events: int) -> None:
        """Remember a mapping or list once it is complete, if it has a name."""
        found = self._open.pop(id(node), None)
        if found is not None:
            name, named = found
            named.size = events + self._added - named.size
            self._values[name] = named

    def resolve(self, name: str) -> tuple[object, str]:
        """Return what an alias stands for, or why it stands for nothing."""
        if any(name == open_name for open_name, _ in self._open.values()):
            return None, f"the alias '*{name}' refers to something that contains it"
        named = self._values.get(name)
        if named is None:
            return None, f"the alias '*{name}' refers to nothing: there is no '&{name}' before it"
        self._added += named.size
        if self.is_exhausted:
            return None, f"the aliases of this file expand to more than {MOST_VALUES:,} values"
        if named.generation > MOST_GENERATIONS:
            return None, f"the alias '*{name}' stands for aliases in aliases, {MOST_GENERATIONS} deep"
        for _, around in self._open.values():
            around.generation = max(around.generation, named.generation + 1)
        return named.value, ""
