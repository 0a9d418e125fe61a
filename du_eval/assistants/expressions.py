"""The predicate language of conditions: text into a tree of small values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
      | (?P<number>-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.]))
      | (?P<mark><=|>=|==|!=|&&|\|\||[=<>!(){}\[\],])
      | (?P<word>[^\s=<>!(){}\[\],"'&|]+)
    )""",
    re.VERBOSE,
)
_ESCAPED = re.compile(r"\\(.)")
_CONSTANTS: dict[str, object] = {"true": True, "false": False, "null": None, "none": None, "undefined": None}
_EQUAL = {"=": "=", "==": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_DEEPEST = 50


class ConditionSyntaxError(ValueError):
    """A text that is no condition."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A value that is written in the condition."""

    value: object


@dataclass(frozen=True, slots=True)
class Reference:
    """A value that is looked up, such as `slots.amount`."""

    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """A set of values."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite."""

    inner: Expression


@dataclass(frozen=True, slots=True)
class Joined:
    """Several conditions of which all (`and`) or one (`or`) must hold."""

    word: str
    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """Two values and how they must relate."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Empty:
    """The keyword that equals every empty value."""


Expression = Literal | Reference | Group | Not | Joined | Compared | Empty


@lru_cache(maxsize=4_000)
def parsed_condition(text: str) -> Expression:
    """Return the tree of a condition; raise ConditionSyntaxError where it has no sense."""
    return _Parser(tuple(_tokens(text)), text).whole()


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    position, end = 0, len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None:
            raise ConditionSyntaxError(f"{text[position:].strip()[:20]!r} is not understood in {text!r}")
        position = match.end()
        yield str(match.lastgroup), match.group(str(match.lastgroup))


class _Parser:
    """Reads one condition from left to right; one use."""

    def __init__(self, tokens: tuple[tuple[str, str], ...], text: str) -> None:
        self._tokens = tokens
        self._text = text
        self._at = 0
        self._depth = 0

    def whole(self) -> Expression:
        """Read everything there is."""
        found = self._any()
        if self._at < len(self._tokens):
            raise self._error(f"{self._tokens[self._at][1]!r} is not expected")
        return found

    def _any(self) -> Expression:
        return self._joined("or", "||", self._all)

    def _all(self) -> Expression:
        return self._joined("and", "&&", self._negated)

    def _joined(self, word: str, mark: str, part: object) -> Expression:
        assert callable(part)
        parts: list[Expression] = [part()]
        while self._take(word) or self._take(mark):
            parts.append(part())
        return parts[0] if len(parts) == 1 else Joined(word, tuple(parts))

    def _negated(self) -> Expression:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._error("it is nested too deeply")
        try:
            if self._take("not") or self._take("!"):
                return Not(self._negated())
            return self._comparison()
        finally:
            self._depth -= 1

    def _comparison(self) -> Expression:
        left = self._operand()
        operator, is_negated = self._operator()
        if operator is None:
            return left
        found = Compared(operator, left, self._operand())
        return Not(found) if is_negated else found

    def _operator(self) -> tuple[str | None, bool]:
        kind, word = self._peek()
        if kind == "mark" and word in _EQUAL:
            self._at += 1
            return _EQUAL[word], False
        if self._take("is"):
            return ("!=", False) if self._take("not") else ("=", False)
        is_negated = self._peek(1)[1].lower() in {"in", "contains", "matches"} and self._take("not")
        for name in ("contains", "matches", "in"):
            if self._take(name):
                return name, is_negated
        return None, False

    def _operand(self) -> Expression:
        kind, word = self._peek()
        if kind == "mark":
            return self._bracketed(word)
        if not kind:
            raise self._error("it ends too early")
        self._at += 1
        if kind == "text":
            return Literal(_ESCAPED.sub(r"\1", word[1:-1]))
        if kind == "number":
            return Literal(float(word) if re.search(r"[.eE]", word) else int(word))
        if word.lower() in _CONSTANTS:
            return Literal(_CONSTANTS[word.lower()])
        return Empty() if word.lower() == "empty" else Reference(tuple(word.split(".")))

    def _bracketed(self, mark: str) -> Expression:
        closing = {"(": ")", "{": "}", "[": "]"}.get(mark)
        if closing is None:
            raise self._error(f"a value is expected before {mark!r}")
        self._at += 1
        if mark == "(":
            found = self._any()
            self._expect(closing)
            return found
        items: list[Expression] = []
        while not self._take(closing):
            if not self._take(","):
                items.append(self._operand())
        return Group(tuple(items))

    def _peek(self, ahead: int = 0) -> tuple[str, str]:
        at = self._at + ahead
        return self._tokens[at] if at < len(self._tokens) else ("", "")

    def _take(self, word: str) -> bool:
        kind, found = self._peek()
        if kind in {"word", "mark"} and found.lower() == word:
            self._at += 1
            return True
        return False

    def _expect(self, mark: str) -> None:
        if not self._take(mark):
            raise self._error(f"{mark!r} is missing")

    def _error(self, what: str) -> ConditionSyntaxError:
        return ConditionSyntaxError(f"the condition {self._text!r} cannot be read: {what}")
