"""Where settings come from: flags, a run that goes on, the environment, and the nearest file."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from du_eval.assembly.activities import Kinds, find_settings
from du_eval.errors import ConfigError, Problem
from du_eval.settings.commands import TestSettings
from du_eval.settings.declare import SettingsModel
from du_eval.settings.shared import FILE_ENDINGS
from du_eval.settings.sources import (
    FLAG,
    SECTIONS,
    ConfigFile,
    Gathered,
    S,
    Settled,
    Source,
    merge_sources,
    read_environment,
    read_file,
)
from du_eval.trust.consent import require_consent
from du_eval.trust.effects import FoundSettings
from du_eval.trust.reading import find_place

CONFIG_FILE = "du-eval.yaml"
LEVELS = 12


def settle(
    model: type[S],
    flags: Mapping[str, object],
    environment: Mapping[str, str],
    more: Sequence[Source] = (),
    uses: Container[str] | None = None,
) -> Settled[S]:
    """Return the settings that hold for an activity with these flags, and with more that was named.

    What a found file would do must have been agreed to; `uses` names the settings that matter, if not all do.
    """
    given = {key: value for key, value in flags.items() if value not in (None, [], (), {})}
    first = Gathered((Source(FLAG, given, {}), *more))
    gathered = first + read_environment(model, environment)
    file = find_config(_find_paths(model, gathered.sources))
    if file is None:
        return merge_sources(model, gathered)
    parts = read_file(file, model, _find_others(file))
    found = merge_sources(model, gathered + parts)
    for part in parts.sources:
        check_source(found, part, FoundSettings(file.path, file.values), environment, uses)
    return found


def _find_paths(model: type[SettingsModel], sources: Iterable[Source]) -> list[str]:
    """Return the paths that a run is about: the configuration is looked for next to them."""
    given = next((source.values["paths"] for source in sources if source.values.get("paths")), None)
    field = model.model_fields.get("paths")
    default = field.default if field is not None and not field.is_required() else []
    found: Any = given or default or ["."]
    return [found] if isinstance(found, str) else list(found)


def _find_others(file: ConfigFile) -> list[str]:
    """Return the names of other packages' activities, where a file has sections that may be theirs."""
    if set(file.sections) <= set(SECTIONS):
        return []
    return list(Kinds())


def check_source(
    found: Settled[S],
    source: Source,
    whole: FoundSettings,
    environment: Mapping[str, str],
    uses: Container[str] | None,
) -> None:
    """Raise unless the user agreed to what the settings do that hold because of a source."""
    before = f"{source.section}." if source.section else ""
    used = {
        f"{before}{key}": source.lines.get(key, 0)
        for key in source.values
        if found.origins.get(key) == source.origin and (uses is None or key in uses)
    }
    require_consent(whole, environment, used)


def find_config(paths: Iterable[str]) -> ConfigFile | None:
    """Return the configuration nearest to all paths."""
    folders = [_folder(path.partition("::")[0]) for path in paths]
    try:
        common = Path(os.path.commonpath(folders))
    except ValueError:
        common = Path.cwd()
    for folder in (common, *common.parents)[:LEVELS]:
        source = find_config_in(folder)
        if source is not None:
            return source
    return None


def _folder(path: str) -> Path:
    resolved = find_place(path)
    return resolved if resolved.is_dir() else resolved.parent


def find_config_in(folder: Path) -> ConfigFile | None:
    """Return the configuration that a folder holds itself: du-eval.yaml, or a table in pyproject.toml."""
    file, project = folder / CONFIG_FILE, folder / "pyproject.toml"
    path = file if file.is_file() else project
    values = _read_yaml(file) if path is file else _read_toml(project) if project.is_file() else None
    if values is None:
        return None
    found = ConfigFile.divide(show_path(path), values)
    sections = {
        name: make_relative(source, folder, find_settings(name)) if name in SECTIONS else source
        for name, source in found.sections.items()
    }
    return replace(found, top=make_relative(found.top, folder, TestSettings), sections=sections)


def _read_yaml(file: Path) -> Mapping[str, object]:
    from du_eval.parsers.text_files import read_text_file
    from du_eval.parsers.yaml_parser import YamlMap, parse_yaml

    name = show_path(file)
    root = parse_yaml(read_text_file(name), name, typed=True).root
    if root is None:
        return {}
    if not isinstance(root, YamlMap):
        raise ConfigError(Problem(name, 1, "a configuration file is a mapping of settings"))
    return root


def _read_toml(file: Path) -> Mapping[str, object] | None:
    import tomllib

    from du_eval.parsers.text_files import read_text_file

    name = show_path(file)
    try:
        tools = tomllib.loads(read_text_file(name)).get("tool")
    except (ValueError, RecursionError) as error:
        raise ConfigError(Problem(name, 0, f"not valid TOML: {error}")) from error
    table = tools.get("du-eval") if isinstance(tools, dict) else None
    return table if isinstance(table, dict) else None


def make_relative(source: Source, folder: Path, model: type[SettingsModel]) -> Source:
    """Return settings whose paths are relative to the file that they stand in."""
    values = dict(source.values)
    for key, value in source.values.items():
        flag, endings = model.find_flag(key), FILE_ENDINGS.get(key, ())
        if (flag is not None and flag.is_path) or (isinstance(value, str) and value.endswith(endings)):
            many = isinstance(value, list)
            values[key] = [_joined(folder, one) for one in value] if many else _joined(folder, value)
    kind, _, file = str(values.get("generator") or "").partition(":")
    if kind == "recorded":
        values["generator"] = f"recorded:{_joined(folder, file)}"
    return replace(source, values=values)


def _joined(folder: Path, value: object) -> Any:
    return show_path(Path(os.path.normpath(folder / value))) if isinstance(value, str) else value


def show_path(path: Path) -> str:
    """Return a path as a reader wants it: from the working directory where that is shorter."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith(os.path.join("..", "..", "..")) else relative
