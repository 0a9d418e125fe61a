"""What a command is: a name, a pattern, and the way from text and back."""

from __future__ import annotations

import json
import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar, Protocol, Self

import regex

from du_eval.errors import CommandDefinitionError

_WORD = regex.compile(r"\p{Lu}+(?=\p{Lu}\p{Ll}|\d|$)|\p{Lu}?[\p{L}--\p{Lu}]+|\p{Lu}+|\d+", regex.VERSION1)


class MatchLike(Protocol):
    """The part of a regular expression match that commands read."""

    def group(self, *names: int | str) -> Any:
        """Return the text of groups."""

    def groups(self, default: object = None) -> tuple[Any, ...]:
        """Return the texts of all groups."""

    def groupdict(self, default: object = None) -> dict[str, Any]:
        """Return the texts of the named groups."""


class MatchedText(str):
    """The text that a command's pattern matched; answers for the groups of the match, too."""

    __slots__ = ("_match",)
    _match: MatchLike

    @classmethod
    def of(cls, match: MatchLike) -> Self:
        """Return the matched text of a match."""
        text = cls(match.group(0))
        text._match = match
        return text

    def group(self, *names: int | str) -> Any:
        """Return groups of the match, like a match object does."""
        return self._match.group(*names)

    def groups(self, default: object = None) -> tuple[Any, ...]:
        """Return all groups of the match, like a match object does."""
        return self._match.groups(default)

    def groupdict(self, default: object = None) -> dict[str, Any]:
        """Return the named groups of the match, like a match object does."""
        return self._match.groupdict(default)


def split_name(class_name: str) -> str:
    """Return a class name as lower-case words, without a closing 'Command'."""
    words = [word.lower() for word in _WORD.findall(class_name)]
    if len(words) > 1 and words[-1] == "command":
        words.pop()
    return " ".join(words) or class_name


class Command(ABC):
    """Something that the assistant shall do; subclass it to add a command of your own."""

    __slots__ = ()
    name: ClassVar[str] = ""
    """The name in metrics; made from the class name where neither the class nor a parent gives one."""
    _made_name: ClassVar[str] = ""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        _check_name(cls)
        if "name" in vars(cls) and "_made_name" not in vars(cls):
            cls._made_name = ""
        elif cls.name == cls._made_name:
            cls.name = cls._made_name = split_name(cls.__name__)

    @abstractmethod
    def to_dsl(self) -> str:
        """Return the command as text."""

    @classmethod
    @abstractmethod
    def from_dsl(cls, dsl: object) -> Command | None:
        """Return the command for a matched text, or None if the text is no such command after all."""

    @staticmethod
    @abstractmethod
    def regex_pattern() -> str:
        """Return the pattern that finds the command in a line of text."""

    def matches(self, predicted: Command) -> bool:
        """Tell whether a prediction fulfils this expectation."""
        return self == predicted

    def as_dict(self) -> dict[str, object]:
        """Return the command as plain data, with its name under `command`."""
        return {"command": self.name, **self.arguments()}

    def arguments(self) -> dict[str, object]:
        """Return the arguments by name."""
        command: Any = self
        if is_dataclass(command):
            return {field.name: getattr(command, field.name) for field in fields(command)}
        return dict(getattr(command, "__dict__", {}))

    @classmethod
    def from_arguments(cls, arguments: Mapping[str, object]) -> Command:
        """Return the command with these arguments; the counterpart of `arguments`."""
        return cls(**arguments)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.to_dsl() == getattr(other, "to_dsl")()  # noqa: B009

    def __hash__(self) -> int:
        return hash((type(self), self.to_dsl()))

    def __str__(self) -> str:
        return self.to_dsl()

    @classmethod
    def first_match(cls, dsl: str) -> MatchedText | None:
        """Return what this class's own pattern finds in a text."""
        if isinstance(dsl, MatchedText):
            return dsl
        match = regex.search(cls.regex_pattern(), dsl)
        return MatchedText.of(match) if match else None


def _check_name(command: type[Command]) -> None:
    """Refuse an argument called `name` at once: a dataclass would take the name in metrics for its value."""
    annotation = vars(command).get("__annotations__", {}).get("name", "ClassVar")
    if "ClassVar" not in str(annotation) and "name" not in vars(command):
        raise CommandDefinitionError(
            f"{command.__name__} has an argument `name`, but that is the command's name in metrics; "
            "rename the argument"
        )


IDENTIFIER = r"[\w-]+"
SLOT_NAME = r"[^\W\d][\w-]*"


def find_match(command: type[Command], dsl: Any) -> MatchLike:
    """Return the match behind a text: given by the parser, or found with the class's own pattern."""
    if hasattr(dsl, "groups"):
        return dsl  # type: ignore[no-any-return]
    found = command.first_match(str(dsl))
    if found is None:
        raise ValueError(f"{dsl!r} is not a {command.__name__} command")
    return found


def argument(match: MatchLike, name: str, position: int) -> str:
    """Return an argument by its group's name, or by position where the pattern has no such name."""
    named = match.groupdict()
    if name in named:
        return named[name] or ""
    groups = match.groups()
    return (groups[position - 1] or "") if len(groups) >= position else ""


def require_text(value: object) -> str:
    """Return a text as it is; raise TypeError for anything else."""
    if not isinstance(value, str):
        raise TypeError(f"must be a string, not {value!r}")
    return value


class BareCommand(Command):
    """A command without arguments, written as a call."""

    __slots__ = ()
    call: ClassVar[str]

    def to_dsl(self) -> str:
        """Return the call."""
        return f"{self.call}()"

    @classmethod
    def from_dsl(cls, dsl: object) -> Self:  # noqa: ARG003 - nothing to read
        """Return the command."""
        return cls()

    @classmethod
    def regex_pattern(cls) -> str:
        """Match the call."""
        return rf"(?<!\w){cls.call}\(\s*\)"

    def arguments(self) -> dict[str, object]:
        """Return nothing: there are no arguments."""
        return {}

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


NULL_WORDS = frozenset({"", "None", "null", "undefined", "[missing]", "[missing information]"})
_PLAIN = re.compile(r"[\w@$€£%&+/:.!?#*=~^°-]+(?: [\w@$€£%&+/:.!?#*=~^°-]+)*")
_BLANKS = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
    "\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""Every character that `str.isspace` knows."""


def strip_quotes(text: str) -> str:
    """Return the text without any mix of blanks and quotes around it."""
    return text.strip(_BLANKS + "'\"")


def unquote_value(text: str) -> str:
    """Return the text without quotes around it, undoing the escapes of a quoted text."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and "\\" in text:
        if text[0] == '"':
            text = _json_text(text)
        elif text[0] == "'":
            text = text.replace("\\'", "'")
    return strip_quotes(text)


def _json_text(text: str) -> str:
    try:
        return str(json.loads(text, strict=False))
    except ValueError:
        return text


def null_or_text(text: str) -> str | None:
    """Return None for the null words of the command language, else the text."""
    return None if text in NULL_WORDS else text


def slot_text(value: object) -> str | None:
    """Return any slot value in its canonical text form."""
    if value is None:
        return None
    if isinstance(value, list | tuple | dict):
        return json.dumps(value, ensure_ascii=False)
    return null_or_text(strip_quotes(str(value)))


def is_plain(text: str) -> bool:
    """Tell whether a value needs no second thought in any spelling."""
    return _PLAIN.fullmatch(text) is not None


def is_single_line(text: str) -> bool:
    """Tell whether a value holds no control character."""
    return not any(unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} for character in text)


def quote_value(text: str) -> str:
    """Return a value in double quotes, with escapes."""
    return json.dumps(text, ensure_ascii=not is_single_line(text))
