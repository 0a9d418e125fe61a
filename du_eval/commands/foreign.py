"""Commands and spellings of other tools: public benchmarks, Rasa's newer engine, what has only a name."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from du_eval.commands.base import (
    SLOT_NAME,
    BareCommand,
    Command,
    argument,
    find_match,
    require_text,
    split_name,
)
from du_eval.commands.flows import CancelFlow, CannotHandle, ChitChat, SearchAndReply, SetSlot, StartFlow
from du_eval.commands.syntax import Spelling, Syntax
from du_eval.errors import CommandReadError

METHODS = ("to_dsl", "from_dsl", "regex_pattern")


class ForeignCommand(Command):
    """A command of another framework, behind our own methods; each foreign class gets a subclass."""

    __slots__ = ("original",)
    foreign: type

    def __init__(self, original: object) -> None:
        self.original = original

    def to_dsl(self) -> str:
        """Return the text that the foreign command gives itself."""
        return str(self.original.to_dsl())  # type: ignore[attr-defined]

    @classmethod
    def from_dsl(cls, dsl: object) -> Command | None:
        """Let the foreign class read the text."""
        found = cls.foreign.from_dsl(dsl)  # type: ignore[attr-defined]
        return found if found is None or isinstance(found, Command) else cls(found)

    @staticmethod
    def regex_pattern() -> str:
        """Return the pattern of the foreign class; each subclass has its own."""
        raise NotImplementedError

    def arguments(self) -> dict[str, object]:
        """Return what the foreign command says about itself."""
        data = _describe(self.original) or vars(self.original)
        return {str(key): value for key, value in data.items() if key != "command"}

    @classmethod
    def from_arguments(cls, arguments: Mapping[str, object]) -> Command:
        """Return the command with these arguments."""
        read = getattr(cls.foreign, "from_dict", None)
        if callable(read):
            with suppress(NotImplementedError):
                return cls(read({"command": cls.name, **arguments}))
        return cls(cls.foreign(**arguments))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ForeignCommand) or type(self) is not type(other):
            return False
        return bool(self.original == other.original) or self.to_dsl() == other.to_dsl()

    def __hash__(self) -> int:
        return hash((type(self), self.to_dsl()))


def is_foreign(command: object) -> bool:
    """Tell whether a class has the methods of a command without being one of ours."""
    is_class = isinstance(command, type) and not issubclass(command, Command)
    return is_class and all(callable(getattr(command, method, None)) for method in METHODS)


@cache
def adopt(foreign: type) -> type[Command]:
    """Return the command class that stands for a foreign one: always the same."""
    # Their base class may ask for methods that only running a dialogue needs, and that are not needed here.
    with suppress(AttributeError, TypeError):
        foreign.__abstractmethods__ = frozenset()  # type: ignore[attr-defined]
    members = {
        "__doc__": foreign.__doc__,
        "__module__": foreign.__module__,
        "__slots__": (),
        "foreign": foreign,
        "name": _name_of(foreign),
        "regex_pattern": staticmethod(foreign.regex_pattern),  # type: ignore[attr-defined]
    }
    return type(foreign.__name__, (ForeignCommand,), members)


def _name_of(foreign: type) -> str:
    """Return the name in metrics: as the class says (`command()` or `name`), or made from its own."""
    told = getattr(foreign, "command", None)
    if callable(told):
        with suppress(Exception):
            found = told()
            if isinstance(found, str) and found:
                return found
    name = vars(foreign).get("name")
    return name if isinstance(name, str) and name else split_name(foreign.__name__)


def _describe(item: Any) -> dict[str, Any]:
    """Return what a foreign command says about itself; nothing where it leaves that to its subclasses."""
    with suppress(AttributeError, NotImplementedError):
        return dict(item.as_dict())
    return {}


def as_own(item: Any) -> Any:
    """Return a foreign command object as data or text that we read; anything else as it is."""
    if isinstance(item, Command | str | Mapping) or not callable(getattr(item, "to_dsl", None)):
        return item
    kind: Any = type(item)
    if is_foreign(kind) and not callable(getattr(item, "as_dict", None)):
        found: Any = adopt(kind)
        return found(item)
    try:
        data = _describe(item)
        return data if "command" in data else str(item.to_dsl())
    except Exception as error:
        raise CommandReadError(
            f"{type(item).__name__} cannot be read: {type(error).__name__}: {error}"
        ) from error


@dataclass(frozen=True, slots=True, repr=False)
class RequestSlot(SearchAndReply):
    """Tell the user the value of a slot that the user asks about."""

    name: ClassVar[str] = "request slot"
    call: ClassVar[str] = "RequestSlot"
    slot: str

    def __post_init__(self) -> None:
        require_text(self.slot)

    def to_dsl(self) -> str:
        """Return the call."""
        return f"RequestSlot({self.slot})"

    @classmethod
    def from_dsl(cls, dsl: object) -> RequestSlot:
        """Read the slot's name."""
        return cls(argument(find_match(cls, dsl), "name", 1))

    @classmethod
    def regex_pattern(cls) -> str:
        """Match the call, with or without quotes and spaces around the name."""
        return rf"""(?<!\w)RequestSlot\(\s*['"]?(?P<name>{SLOT_NAME})['"]?\s*\)"""

    def arguments(self) -> dict[str, object]:
        """Return the slot's name."""
        return {"slot": self.slot}

    def __repr__(self) -> str:
        return f"RequestSlot(slot={self.slot!r})"


class Complete(BareCommand):
    """Finish the active skill."""

    __slots__ = ()
    name = "complete"
    call = "complete"


class Listen(BareCommand):
    """Wait for the user."""

    __slots__ = ()
    name = "listen"
    call = "listen"


_VALUE = r""""(?:[^"\\]|\\.)*+"|'[^'\n]*+'|\[[^\[\]\n]*+\]|[^,(){}\[\]"'\n]++"""
_FIELD = rf"""\s*['"]?(?P<name>{SLOT_NAME})['"]?\s*[=:]\s*(?P<value>{_VALUE})(?=\s*[,)}}])"""
_IN_DOMAIN = r"""(?:['"]?in_domain['"]?\s*[=:]\s*)?"""
_SPELLINGS: dict[type[Command], Spelling] = {
    StartFlow: Spelling(
        r"""(?<!\w)activate\(\s*\{?\s*(?:['"]?skill['"]?\s*[=:]\s*)?['"]?(?P<flow>[\w-]+)['"]?\s*\}?\s*\)""",
        "activate({flow})",
    ),
    # The fields of one call follow each other without a gap: each gives a command.
    SetSlot: Spelling(
        rf"""(?:(?<!\w)set_fields\(\s*\{{?(?:\s*['"]?fields['"]?\s*[=:]\s*\{{)?|\G\s*,){_FIELD}""",
        "set_fields({name}={value})",
    ),
    CancelFlow: Spelling(r"(?<!\w)cancel\(\s*\)", "cancel()"),
    SearchAndReply: Spelling(r"(?<!\w)search_knowledge\([^()\n]*+\)", "search_knowledge()"),
    CannotHandle: Spelling(
        rf"(?<!\w)cannot_help\((?P<reason>)\s*(?:{_IN_DOMAIN}[Tt]rue)?\s*\)", "cannot_help(in_domain=true)"
    ),
    ChitChat: Spelling(rf"(?<!\w)cannot_help\(\s*{_IN_DOMAIN}[Ff]alse\s*\)", "cannot_help(in_domain=false)"),
}
MANTLE = Syntax("mantle", _SPELLINGS, adds=(CannotHandle, Complete, Listen))
