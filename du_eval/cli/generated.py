"""Options made from settings: each field is an option, declared once, grouped as its class is."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from functools import wraps
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import typer
from msgspec import Struct

from du_eval.cli.edge import Command, guard_command
from du_eval.errors import ConfigError, ExitCode
from du_eval.settings.declare import PANELS, Flag, SettingsModel
from du_eval.settings.sources import settle_values

Options = TypeVar("Options", bound=SettingsModel)
Offered = Mapping[type[SettingsModel], tuple[str, ...]]
"""Settings by the models that have them."""
Given = dict[str, Any]
"""Settings that were given on the command line: words, numbers and lists, checked when they are settled."""
_OLD, _SWITCH, _PART, _REFUSED = "__old", "__switch_", "__part_", "refused__"


def with_settings(model: type[SettingsModel], *names: str) -> Callable[[Command], Callable[..., None]]:
    """Add the settings of a model to a command, all or some; it gets those that were given as `given`."""
    return _add_options(_make_all(model, names), lambda words: collect(model, words))


def with_settings_of(offered: Offered) -> Callable[[Command], Callable[..., None]]:
    """Add settings of several models to a command, which learns only later whose they are."""
    made: dict[str, inspect.Parameter] = {}
    for model, names in offered.items():
        for parameter in _make_all(model, names):
            made.setdefault(_spell(parameter), parameter)
    places = {parameter.name: spelling for spelling, parameter in made.items()}

    def read(words: Mapping[str, Any]) -> GivenWords:
        return GivenWords({places[name]: value for name, value in words.items() if _is_given(value)})

    return _add_options(made.values(), read)


class GivenWords(Struct, frozen=True):
    """Options as they were written, each by its spelling."""

    by_spelling: Mapping[str, Any]

    def collect(self, model: type[SettingsModel], names: tuple[str, ...]) -> Given:
        """Return the settings of a model; raise where an option is none of its own."""
        own = {_spell(parameter): parameter.name for parameter in _make_all(model, names)}
        strange = [spelling for spelling in self.by_spelling if spelling not in own]
        if strange:
            raise ConfigError(f"{', '.join(strange)}: not an option for a run of du-eval {model.section}")
        return collect(model, {own[spelling]: value for spelling, value in self.by_spelling.items()})


def _add_options(
    parameters: Iterable[inspect.Parameter], read: Callable[[Mapping[str, Any]], object]
) -> Callable[[Command], Callable[..., None]]:
    made = sorted(parameters, key=lambda made: _find_place(made.annotation))

    def decorate(command: Command) -> Callable[..., None]:
        own = inspect.signature(command, eval_str=True)
        kept = [parameter for name, parameter in own.parameters.items() if name != "given"]

        @guard_command
        @wraps(command)
        def wrapper(**values: Any) -> ExitCode | None:
            words = {parameter.name: values.pop(parameter.name) for parameter in made}
            return command(**values, given=read(words))

        wrapper.__signature__ = own.replace(parameters=[*kept, *made])  # type: ignore[attr-defined]
        wrapper.__annotations__ = {p.name: p.annotation for p in (*kept, *made)} | {"return": None}
        return wrapper

    return decorate


def _spell(parameter: inspect.Parameter) -> str:
    """Return how an option is written; typer keeps its first spelling as a default for now."""
    option = parameter.annotation.__metadata__[0]
    return ", ".join((option.default, *(option.param_decls or ())))


def _is_given(value: object) -> bool:
    return value is not None and value is not False and value != []  # 0 is a value


def with_options(
    model: type[Options],
) -> Callable[[Callable[[Options], ExitCode | None]], Callable[..., None]]:
    """Add the options of a model to a command, which gets them as one value: files do not set them."""

    def decorate(command: Callable[[Options], ExitCode | None]) -> Callable[..., None]:
        def take(given: Given) -> ExitCode | None:
            return command(settle_values(model, "the command line", given))

        take.__name__, take.__doc__ = command.__name__, command.__doc__
        return with_settings(model)(take)

    return decorate


def _find_place(annotation: Any) -> int:
    panel = annotation.__metadata__[0].rich_help_panel
    return PANELS.index(panel) if panel in PANELS else len(PANELS)


def _make_all(model: type[SettingsModel], names: tuple[str, ...]) -> Iterator[inspect.Parameter]:
    for name in names or model.model_fields:
        flag = model.find_flag(name)
        if flag is not None:
            yield from _make(model, name, flag)
    for number, spelling in enumerate(() if names else model.refused):
        option = _option(spelling, hidden=True)
        yield _parameter(f"{_REFUSED}{number}", str, option)


def _make(model: type[SettingsModel], name: str, flag: Flag) -> Iterator[inspect.Parameter]:
    field = model.model_fields[name]
    panel, description = model.find_panel(name), field.description or ""
    if flag.is_argument:
        shown = (
            f"{description} Default: {' '.join(field.default)}."
            if isinstance(field.default, list) and field.default
            else description
        )
        argument = typer.Argument(help=shown, show_default=False, metavar=flag.metavar or name.upper())
        yield _parameter(name, _read_type(field.annotation, flag), argument)
        return
    for number, switch in enumerate(flag.switches):
        option = _option(switch.name, help=switch.help or description, rich_help_panel=panel)
        yield _parameter(f"{name}{_SWITCH}{number}", bool, option)
    for number, part in enumerate(flag.parts):
        option = _option(part.name, help=part.help, rich_help_panel=panel, metavar="TEXT")
        yield _parameter(f"{name}{_PART}{number}", str, option)
    if (flag.switches or flag.parts) and not flag.names:
        return
    kind = _read_type(field.annotation, flag)
    metavar = flag.metavar or ("TEXT" if kind in {str, list[str]} else None)
    settings: dict[str, Any] = {"metavar": metavar, "rich_help_panel": panel}
    text = f"{description}{_show_default(field.default)}"
    yield _parameter(name, kind, _option(*flag.spell(name), help=text, hidden=flag.is_hidden, **settings))
    if flag.old:
        yield _parameter(f"{name}{_OLD}", kind, _option(*flag.old, hidden=True, **settings))


def _show_default(default: object) -> str:
    """Return a default for people, where there is one to speak of."""
    if not isinstance(default, str | int | float) or default is False or default == "":
        return ""
    return f" Default: {f'{default:g}' if isinstance(default, float) else default}."


def _read_type(annotation: object, flag: Flag) -> Any:
    """Return the type of an option: choices are an enumeration, everything else numbers, words or lists."""
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) in {Union, UnionType}:
        parts = [part for part in get_args(annotation) if part is not NoneType]
        annotation = parts[0] if len(parts) == 1 else str
    origin = get_origin(annotation)
    if flag.varies:
        return list[str]
    if origin is Literal:
        return StrEnum("Choices", {choice: choice for choice in get_args(annotation) if choice})
    if origin is list or (origin is dict and flag.metavar and flag.metavar.startswith("NAME")):
        return list[str]
    return annotation if annotation in {int, float, bool} else str


def _option(*names: str, **settings: Any) -> Any:
    return typer.Option(*names, show_default=False, **settings)


def _parameter(name: str, kind: Any, option: Any) -> inspect.Parameter:
    annotation = Annotated[kind | None, option]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def collect(model: type[SettingsModel], words: Mapping[str, Any]) -> Given:
    """Return the settings that were given on a command line; raise where flags cannot be combined."""
    found: Given = {}
    spelled: dict[str, str] = {}
    parts: dict[str, dict[str, Any]] = {}
    for word, value in words.items():
        if not _is_given(value):
            continue
        if word.startswith(_REFUSED):
            spelling = list(model.refused)[int(word.removeprefix(_REFUSED))]
            raise ConfigError(f"{spelling}: {model.refused[spelling]}")
        if _PART in word:
            name, _, number = word.partition(_PART)
            parts.setdefault(name, {})[(model.find_flag(name) or Flag()).parts[int(number)].key] = value
            continue
        name, _, number = word.partition(_SWITCH)
        name = name.removesuffix(_OLD)
        flag = model.find_flag(name) or Flag()
        switch = flag.switches[int(number)] if number else None
        spelling = switch.name if switch else flag.spell(name)[-1]
        if name in found and not isinstance(value, list):
            raise ConfigError(f"{spelled[name]} and {spelling} cannot be combined")
        made = switch.value if switch else flag.parse(value) if flag.parse else value
        made = str(made) if isinstance(made, StrEnum) else made
        if flag.varies and len(made) == 1:
            made = made[0]
        found[name] = [*found.get(name, ()), *made] if isinstance(made, list) else made
        spelled[name] = spelling
    for name, values in parts.items():
        flag = model.find_flag(name) or Flag()
        found[name] = flag.parse(values) if flag.parse else values
    return found
