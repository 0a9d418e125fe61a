"""Settings from their sources: flag over environment over section over top of the file over default."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace
from pydantic import ValidationError

from du_eval.errors import ConfigError, Problem, did_you_mean, find_line
from du_eval.settings.commands import TestSettings
from du_eval.settings.declare import SettingsModel
from du_eval.settings.shared import JudgeModelSettings
from du_eval.settings.words import tell_mistake

ENVIRONMENT_PREFIX = "DU_EVAL_"
SECTIONS = ("test", "e2e", "agent", "quality", "protocol", "metrics")
"""The sections of du-eval.yaml of our own activities; those of other packages have the names of theirs."""
OTHER_VARIABLES = frozenset(
    {"DU_EVAL_PARITY_DATA", "DU_EVAL_DEBUG", "DU_EVAL_CACHE_DIR", "DU_EVAL_CONFIG_DIR", "DU_EVAL_TRUST"}
)
"""Variables with our prefix that are no settings of a run."""
FLAG, ENVIRONMENT = "flag", "environment"
_MOST_SHOWN = 200
_FORMS = frozenset({"float", "int", "str", "bool"})
"""How pydantic calls the forms that one value may have."""
S = TypeVar("S", bound=SettingsModel)


class Source(Struct, frozen=True):
    """Where settings come from, and what they are."""

    name: str
    values: Mapping[str, Any]
    lines: Mapping[str, int]
    section: str = ""
    """The section of a file that they stand in."""

    @property
    def origin(self) -> str:
        """Where they come from, for people."""
        return f"{self.name}, section {self.section}" if self.section else self.name


class ConfigFile(Struct, frozen=True):
    """A configuration: what all activities share, and sections of what only one of them has."""

    path: Path
    top: Source
    sections: Mapping[str, Source]

    @classmethod
    def divide(cls, name: str, values: Mapping[str, object]) -> ConfigFile:
        """Return the parts of a file; values of YAML know their lines."""
        lines = normalise(getattr(values, "lines", {}))
        known, top, sections = list_top(), dict[str, Any](), dict[str, Source]()
        for key, value in normalise(values).items():
            if isinstance(value, Mapping) and key not in known:
                inner = normalise(getattr(value, "lines", {}))
                sections[key] = Source(name, normalise(value), inner or {"": lines.get(key, 0)}, key)
            else:
                top[key] = value
        return cls(Path(name), Source(name, top, lines), sections)

    @property
    def values(self) -> dict[str, Any]:
        """All settings; those of sections have their section before them."""
        inner = {
            f"{section}.{key}": value
            for section, source in self.sections.items()
            for key, value in source.values.items()
        }
        return {**self.top.values, **inner}


class Settled(Struct, Generic[S], frozen=True):
    """The settings that hold, and where each comes from."""

    config: S
    origins: Mapping[str, str]


class Gathered(Struct, frozen=True):
    """Some sources, the strongest first, and what is wrong with their keys."""

    sources: tuple[Source, ...] = ()
    problems: tuple[Problem, ...] = ()

    def __add__(self, other: Gathered) -> Gathered:
        return Gathered((*self.sources, *other.sources), (*self.problems, *other.problems))


def merge_sources(model: type[S], gathered: Gathered) -> Settled[S]:
    """Merge sources, the strongest first; raise with all wrong keys and values of all sources."""
    values: dict[str, Any] = {}
    origins = dict.fromkeys(model.model_fields, "default")
    owners: dict[str, Source] = {}
    for source in gathered.sources:
        for key, value in source.values.items():
            if key not in values:
                values[key], origins[key], owners[key] = value, source.origin, source
            else:
                values[key] = model.combine(key, values[key], value)
    try:
        found = model.model_validate(values)
    except ValidationError as error:
        raise ConfigError([*gathered.problems, *_list_problems(model, error, owners)]) from error
    if gathered.problems:
        raise ConfigError(gathered.problems)
    return Settled(found, origins)


def settle_values(model: type[S], name: str, values: Mapping[str, object]) -> S:
    """Return the settings that somebody gives, who goes by a name in errors."""
    return merge_sources(model, Gathered((Source(name, values, {}),))).config


def _list_problems(
    model: type[SettingsModel], error: ValidationError, owners: Mapping[str, Source]
) -> Iterator[Problem]:
    mistakes: dict[tuple[str | int, ...], list[Any]] = {}
    for found in error.errors(include_url=False):
        *outer, last = found["loc"] or ("",)
        is_form = bool(outer) and (last in _FORMS or str(last).startswith("literal["))
        mistakes.setdefault(tuple(outer) if is_form else found["loc"], []).append(found)
    for place, alternatives in mistakes.items():
        found = alternatives[0]
        source = owners.get(str(place[0])) if place else None
        source = source or _find_file(owners.values())
        name, line = ".".join(map(str, place)) or "settings", _find_line(source, place)
        if found["type"] == "extra_forbidden":
            yield _describe_unknown(source.name, line, name, model.list_names(place[:-1]))
        elif found["type"] == "missing":
            yield Problem(source.name, line, f"{name} is missing", "give it on the command line")
        else:
            told = f"{name}: {tell_mistake(alternatives, _shorten(found['input']))}"
            is_flag = source.name == FLAG
            yield (
                Problem("", 0, f"--{told.replace('_', '-', name.count('_'))}")
                if is_flag
                else Problem(source.name, line, told)
            )


def _find_file(sources: Iterable[Source]) -> Source:
    """Return the file that settings come from which have other names there."""
    return next((source for source in sources if source.lines), Source("", {}, {}))


def _describe_unknown(file: str, line: int, name: str, known: Iterable[str]) -> Problem:
    names = sorted(known)
    hint = did_you_mean(name.rpartition(".")[2], names) or "known: " + ", ".join(names)
    return Problem(file, line, f"unknown setting '{name}'", hint)


def _find_line(source: Source, place: tuple[str | int, ...]) -> int:
    """Return the line of a value in a file, or of the closest thing above it; 0 outside of files."""
    first = str(place[0]) if place else ""
    return find_line(source.values.get(first), place[1:], source.lines.get(first, 0))


def _shorten(value: object) -> str:
    """Return a value as it is shown; a number may have more digits than Python prints."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        return "something very long"
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def list_top() -> frozenset[str]:
    """Return the settings that may stand at the top of du-eval.yaml."""
    return TestSettings.list_shared() | JudgeModelSettings.list_shared()


def read_environment(model: type[SettingsModel], environment: Mapping[str, str]) -> Gathered:
    """Return the settings in variables: DU_EVAL_AGENT_SERVER is for one activity, DU_EVAL_SEED for all.

    Lists are separated by spaces.
    """
    own: dict[str, Any] = {}
    top: dict[str, Any] = {}
    known, shared, problems = list_top(), model.list_shared(), []
    for variable, text in environment.items():
        if not variable.startswith(ENVIRONMENT_PREFIX) or variable in OTHER_VARIABLES:
            continue
        key = variable.removeprefix(ENVIRONMENT_PREFIX).lower()
        section, _, inner = key.partition("_")
        if key in shared:
            top[key] = _split(model, key, text)
        elif inner and section == model.section:
            own[inner] = _split(model, inner, text)
        elif key not in known and not (inner and section in SECTIONS):
            problems.append(_describe_unknown(ENVIRONMENT, 0, key, known))
    return Gathered((Source(ENVIRONMENT, own, {}), Source(ENVIRONMENT, top, {})), tuple(problems))


def _split(model: type[SettingsModel], key: str, text: str) -> Any:
    field = model.model_fields.get(key)
    return text.split() if field is not None and isinstance(field.default, list) else text


def read_file(file: ConfigFile, model: type[SettingsModel], others: Iterable[str] = ()) -> Gathered:
    """Return what a file says for an activity: its section, then what all share."""
    known, shared = list_top(), model.list_shared()
    sections, top = {*SECTIONS, model.section, *others}, file.top
    problems = [
        _describe_unknown(top.name, source.lines.get("", 0), name, {*known, *sections})
        for name, source in file.sections.items()
        if name not in sections
    ]
    for key in top.values.keys() - known:
        line = top.lines.get(key, 0)
        if key in sections:
            problems.append(Problem(top.name, line, f"{key}: a section is a mapping of settings"))
        elif key in model.model_fields:
            hint = f"move it below `{model.section}:`"
            problems.append(Problem(top.name, line, f"unknown setting '{key}' here", hint))
        else:
            problems.append(_describe_unknown(top.name, line, key, {*known, *sections}))
    own = file.sections.get(model.section)
    held = {key: value for key, value in top.values.items() if key in shared}
    sources = [*([own] if own else []), replace(top, values=held)]
    return Gathered(tuple(sources), tuple(sorted(problems)))


def normalise(values: Mapping[str, object]) -> dict[str, Any]:
    """Return settings with the names that we use: dashes are as good as underscores."""
    return {str(key).replace("-", "_"): value for key, value in values.items()}
