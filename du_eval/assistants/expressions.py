"""The predicate language of conditions: text into a tree of small values, by the grammar of pypred."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from msgspec import Struct

_TOKEN = re.compile(
    r"""(?P<blank>[ \t\n]+|\#.*)
      | (?P<number>-?\d+(?:\.\d+)?)
      | (?P<word>[\w\-.:;]+|"[^"]*"|'[^']*')
      | (?P<mark>>=|<=|==|!=|[<>=(){}])""",
    re.VERBOSE,
)
_CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_COMPARISONS = {"=": "=", "==": "=", "is": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_RESERVED = frozenset({"is", "and", "or", "not", "contains", "matches", "undefined", "empty", *_CONSTANTS})
_QUOTES = "'\""
_DEEPEST = 50


class ConditionSyntaxError(ValueError):
    """A text that is no condition."""


class Literal(Struct, frozen=True):
    """A value that is written in the condition: a text, a number, true, false or null."""

    value: str | float | bool | None


class Reference(Struct, frozen=True):
    """A value that is looked up, such as `slots.amount`."""

    name: str


class Group(Struct, frozen=True):
    """A set of values."""

    items: tuple[Expression, ...]


class Not(Struct, frozen=True):
    """The opposite."""

    inner: Expression


class Joined(Struct, frozen=True):
    """Two conditions that must both hold (`and`), or of which one must (`or`)."""

    word: str
    left: Expression
    right: Expression


class Compared(Struct, frozen=True):
    """Two values and how they must relate."""

    operator: str
    left: Expression
    right: Expression


class Matched(Struct, frozen=True):
    """A value, and the regular expression that must be found in it."""

    left: Expression
    pattern: str


class Keyword(Struct, frozen=True):
    """`undefined`, which is what does not exist, or `empty`, which equals whatever has no length."""

    word: str


Expression = Literal | Reference | Group | Not | Joined | Compared | Matched | Keyword


@lru_cache(maxsize=4_000)
def parse_condition(text: str) -> Expression:
    """Return the tree of a condition; raise ConditionSyntaxError where it has no sense."""
    try:
        return _Parser(tuple(_tokens(text)), text).whole()
    except RecursionError as error:  # the caller may be deep itself
        raise ConditionSyntaxError(f"{text[:20]!r} is nested too deeply") from error


def _tokens(text: str) -> Iterator[str]:
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ConditionSyntaxError(f"{text[position:][:20]!r} is not valid in {text!r}")
        position = match.end()
        if match.lastgroup != "blank":
            word = match[0]
            yield word.lower() if word.lower() in _RESERVED else word


class _Parser:
    """Reads one condition from left to right; one use."""

    def __init__(self, tokens: tuple[str, ...], text: str) -> None:
        self._tokens = tokens
        self._text = text
        self._at = 0
        self._depth = 0

    def whole(self) -> Expression:
        """Read everything there is."""
        found = self._expression()
        if self._at < len(self._tokens):
            raise self._error(f"{self._tokens[self._at]!r} is unexpected")
        if isinstance(found, Keyword) or found == Group(()):
            raise self._error("it contains no comparison")
        return found

    def _expression(self) -> Expression:
        """Read conditions; `and` and `or` bind alike, and from the right."""
        return self._nested(self._joined)

    def _joined(self) -> Expression:
        left = self._negated()
        for word in ("and", "or"):
            if self._take(word):
                return Joined(word, left, self._expression())
        return left

    def _negated(self) -> Expression:
        return self._nested(lambda: Not(self._negated()) if self._take("not") else self._term())

    def _nested(self, read: Callable[[], Expression]) -> Expression:
        self._depth += 1
        if self._depth > 2 * _DEEPEST:
            raise self._error("it is nested too deeply")
        found = read()
        self._depth -= 1
        return found

    def _term(self) -> Expression:
        left = self._factor()
        word = self._peek()
        if word in _COMPARISONS:
            self._at += 1
            operator = "!=" if word == "is" and self._take("not") else _COMPARISONS[word]
            return Compared(operator, left, self._factor())
        if self._take("contains"):
            return self._contains(left)
        return self._matches(left) if self._take("matches") else left

    def _contains(self, left: Expression) -> Expression:
        right = self._factor()
        if not isinstance(right, Literal | Reference):
            raise self._error("'contains' needs a value or a name after it")
        return Compared("contains", left, right)

    def _matches(self, left: Expression) -> Expression:
        word = self._peek()
        right = self._factor()
        if isinstance(right, Reference):
            pattern = right.name
        elif isinstance(right, Literal) and isinstance(right.value, str):
            pattern = (word if word[:1] in _QUOTES else right.value).strip(_QUOTES)
        else:
            raise self._error("'matches' needs a regular expression after it")
        try:
            re.compile(pattern)
        except re.error as error:
            raise self._error(f"the regular expression {pattern!r} is not valid: {error}") from error
        return Matched(left, pattern)

    def _factor(self) -> Expression:
        word = self._peek()
        if not word:
            raise self._error("it ends unexpectedly")
        self._at += 1
        if word == "(":
            found = self._expression()
            self._expect(")")
            return found
        if word == "{":
            return self._group()
        return self._value(word)

    def _value(self, word: str) -> Expression:
        if word in _CONSTANTS:
            return Literal(_CONSTANTS[word])
        if word in {"undefined", "empty"}:
            return Keyword(word)
        if word in _RESERVED or not _TOKEN.fullmatch(word) or word in _COMPARISONS or word in ")}":
            raise self._error(f"expected a value, not {word!r}")
        if word[0] == word[-1] and word[0] in _QUOTES:
            return Literal(word[1:-1])
        return Literal(float(word)) if re.fullmatch(r"-?\d+(\.\d+)?", word) else Reference(word)

    def _group(self) -> Expression:
        items: list[Expression] = []
        while not self._take("}"):
            item = self._factor()
            if isinstance(item, Group):
                raise self._error("a set cannot contain another set")
            items.append(item)
        return Group(tuple(items))

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self, word: str) -> bool:
        if self._peek() == word:
            self._at += 1
            return True
        return False

    def _expect(self, mark: str) -> None:
        if not self._take(mark):
            raise self._error(f"{mark!r} is missing")

    def _error(self, what: str) -> ConditionSyntaxError:
        return ConditionSyntaxError(f"the condition {self._text!r} cannot be read: {what}")


_DOUBLE = re.compile(r"\{\{((?:(?!\{\{|\}\}).)*)\}\}", re.DOTALL)
_SINGLE = re.compile(r"\{([^{}\s]+)\}")
_PATH = re.compile(
    r"(?P<root>slots|context)(?P<path>(?:\.\w+)*?)(?P<keys>\.keys\(\))?"
    r"(?:\s*\|\s*join\((?:'(?P<single>[^']*)'|\"(?P<double>[^\"]*)\")\))?"
)


def render_text(text: str, slots: Mapping[str, object], context: Mapping[str, object]) -> str:
    """Return a text with its `{{ … }}` filled; what is no plain path stays as it is."""
    if "{{" not in text:
        return text

    def fill(match: re.Match[str]) -> str:
        path = _PATH.fullmatch(match[1].strip())
        return match[0] if path is None else _text_at(path, {"slots": slots, "context": context})

    return _DOUBLE.sub(fill, text)


def fill_response(text: str, slots: Mapping[str, object], context: Mapping[str, object]) -> str:
    """Return a response with both kinds of variables filled; an unknown name in braces stays as it is."""
    if "{" not in text:
        return text
    text = render_text(text, slots, context)

    def fill(match: re.Match[str]) -> str:
        name = match[1].removeprefix("slots.")
        return _shown(slots[name]) if name in slots else match[0]

    return _SINGLE.sub(fill, text)


def _text_at(path: re.Match[str], roots: Mapping[str, Mapping[str, object]]) -> str:
    value: object = roots[path["root"]]
    for part in path["path"].split(".")[1:]:
        value = value.get(part) if isinstance(value, Mapping) else None
    if path["keys"] and isinstance(value, Mapping):
        value = list(value)
    separator = path["single"] if path["single"] is not None else path["double"]
    if separator is not None and isinstance(value, list | tuple | Mapping):
        return separator.join(_shown(item) for item in value)
    return _shown(value)


def _shown(value: object) -> str:
    return ", ".join(str(item) for item in value) if isinstance(value, list | tuple) else str(value)
