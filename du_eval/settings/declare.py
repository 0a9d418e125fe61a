"""How a setting is declared: its value and description for files, its flags for the command line."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, ClassVar

from msgspec import Struct
from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo

OWN, SELECTION, GENERATOR, JUDGES = "Options", "Selection", "Generator and model", "Judges"
RUN, DECIDING, WORK, REPORTS = (
    "Run",
    "Deciding and robustness",
    "Where the work is done",
    "Reports and gate",
)
PANELS = (OWN, SELECTION, GENERATOR, JUDGES, RUN, DECIDING, WORK, REPORTS)
"""The groups of the help, in their order."""


class FlagSwitch(Struct, frozen=True):
    """A flag without a value: it sets its setting to a value of its own."""

    name: str
    value: Any
    help: str = ""


class FlagPart(Struct, frozen=True):
    """A flag that sets one key of a setting that is a mapping."""

    name: str
    key: str
    help: str


class Flag(Struct, frozen=True):
    """How a setting is given on the command line."""

    names: tuple[str, ...] = ()
    """Its spellings; --name-of-the-field where there is none."""
    metavar: str | None = None
    switches: tuple[FlagSwitch, ...] = ()
    parts: tuple[FlagPart, ...] = ()
    parse: Callable[[Any], Any] | None = None
    """Makes the setting of the words on the command line, where that is not the words themselves."""
    old: tuple[str, ...] = ()
    """Spellings that still work, and are not shown."""
    panel: str | None = None
    """The group of the help; None: that of its class."""
    is_argument: bool = False
    is_hidden: bool = False
    is_path: bool = False
    """Whether it is a path: in a file, relative to the file."""
    varies: bool = False
    """Whether it may be given several times: each value is an arm of an experiment."""

    def spell(self, field: str) -> tuple[str, ...]:
        """Return its spellings for a field."""
        return self.names or (f"--{field.replace('_', '-')}",)


def setting(
    default: object,
    description: str,
    *names: str,
    flag: Flag | None = None,
    panel: str | None = None,
    **limits: Any,
) -> Any:
    """Return a field with flags: those that are named, or else --name-of-the-field."""
    found: FieldInfo = Field(default, description=description, **limits)
    found.metadata.append(flag or Flag(names, panel=panel))
    return found


def switch(description: str, *names: str, flag: Flag | None = None, panel: str | None = None) -> Any:
    """Return a field that is off unless its flag is given."""
    return setting(default=False, description=description, flag=flag or Flag(names, panel=panel))


class SettingsModel(BaseModel):
    """The base of all settings: nothing unknown is accepted, nothing is changed later."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True, populate_by_name=True)

    section: ClassVar[str] = ""
    """The part of du-eval.yaml that holds what only this activity has."""
    panel: ClassVar[str] = OWN
    is_shared: ClassVar[bool] = False
    """Whether the fields that a class declares may stand at the top of du-eval.yaml, for all activities."""
    refused: ClassVar[Mapping[str, str]] = {}
    """Flags of other activities that make no sense here, with the sentence that says why."""

    def __init_subclass__(cls, panel: str | None = None, *, is_shared: bool = False, **more: Any) -> None:
        """Take the group of the help and whether fields are shared from the line that begins a class."""
        super().__init_subclass__(**more)
        cls.is_shared = is_shared
        if panel is not None:
            cls.panel = panel

    @classmethod
    def combine(cls, name: str, strong: object, weak: object) -> Any:  # noqa: ARG003 - for models that join values
        """Return the value of a setting that two sources give: that of the stronger one, unless they join."""
        return strong

    @classmethod
    def find_flag(cls, name: str) -> Flag | None:
        """Return how a setting is given on the command line; None where it is only set in files."""
        field = cls.model_fields.get(name)
        if field is None:
            return None
        if not _declare(cls, name):
            # A plain model of another package: what has no default is an argument.
            return Flag(is_argument=field.is_required())
        return next((one for one in field.metadata if isinstance(one, Flag)), None)

    @classmethod
    def find_panel(cls, name: str) -> str:
        """Return the group of the help that a setting belongs to."""
        flag = cls.find_flag(name)
        if flag is not None and flag.panel is not None:
            return flag.panel
        declaring = _declare(cls, name)
        return declaring[-1].panel if declaring else OWN

    @classmethod
    def list_shared(cls) -> frozenset[str]:
        """Return the settings that may stand at the top of du-eval.yaml."""
        if cls.is_shared:
            return frozenset(cls.model_fields)
        return frozenset(
            name for name in cls.model_fields if any(one.is_shared for one in _declare(cls, name))
        )

    @classmethod
    def list_names(cls, place: tuple[str | int, ...] = ()) -> list[str]:
        """Return the settings of a place: of the model, or of a group within it."""
        kind: Any = cls
        for part in place:
            field = kind.model_fields.get(str(part)) if hasattr(kind, "model_fields") else None
            kind = field.annotation if field is not None else None
        return list(getattr(kind, "model_fields", ()))


def _declare(model: type[SettingsModel], name: str) -> list[type[SettingsModel]]:
    """Return the classes that declare a field, the first one that did so last."""
    return [one for one in model.__mro__ if issubclass(one, SettingsModel) and name in _list_declared(one)]


@cache
def _list_declared(model: type[SettingsModel]) -> frozenset[str]:
    return frozenset(inspect.get_annotations(model))
