"""Where settings come from: flags, a run that goes on, the environment, and the nearest file."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import Any

from du_eval.config import FILE_ENDINGS, PATH_KEYS, RunConfig, Settled, Source, environment_source, settled
from du_eval.errors import ConfigError, Problem
from du_eval.trust.consent import require_consent
from du_eval.trust.effects import FoundSettings

CONFIG_FILE = "du-eval.yaml"
LEVELS = 12


def settle(
    flags: Mapping[str, Any],
    environment: Mapping[str, str],
    run: Source | None = None,
    uses: Container[str] | None = None,
) -> Settled:
    """Return the settings that hold for a run with these flags; a run that goes on brings its own.

    What a found file would do must have been agreed to; `uses` names the settings that matter, if not all do.
    """
    given = Source(
        "flag", {key: value for key, value in flags.items() if value not in (None, [], (), {})}, {}
    )
    variables = environment_source(environment)
    sources = [given, *([run] if run else []), variables]
    paths = next(
        (source.values["paths"] for source in sources if source.values.get("paths")), RunConfig().paths
    )
    file = find_config(paths)
    found = settled([*sources, *([file] if file else [])])
    if file is not None:
        check_source(found, file, Path(file.name), environment, uses)
    return found


def check_source(
    found: Settled,
    source: Source,
    path: Path,
    environment: Mapping[str, str],
    uses: Container[str] | None,
) -> None:
    """Raise unless the user agreed to what the settings do that hold because of a source."""
    used = {
        key: source.lines.get(key, 0)
        for key in source.values
        if found.origins.get(key) == source.name and (uses is None or key in uses)
    }
    require_consent(FoundSettings(path, source.values), environment, used)


def find_config(paths: Iterable[str]) -> Source | None:
    """Return the configuration nearest to all paths."""
    folders = [_folder(path.partition("::")[0]) for path in paths]
    try:
        common = Path(os.path.commonpath(folders))
    except ValueError:
        common = Path.cwd()
    for folder in (common, *common.parents)[:LEVELS]:
        source = config_in(folder)
        if source is not None:
            return source
    return None


def _folder(path: str) -> Path:
    resolved = Path(path).resolve()
    return resolved if resolved.is_dir() else resolved.parent


def config_in(folder: Path) -> Source | None:
    """Return the configuration that a folder holds itself: du-eval.yaml, or a table in pyproject.toml."""
    file, project = folder / CONFIG_FILE, folder / "pyproject.toml"
    if file.is_file():
        return _relative_to(_from_yaml(file), folder)
    if project.is_file():
        found = _from_toml(project)
        return _relative_to(found, folder) if found else None
    return None


def _from_yaml(file: Path) -> Source:
    from du_eval.parsers.text_files import read_text_file
    from du_eval.parsers.yaml_parser import YamlMap, parse_yaml

    name = shown(file)
    root = parse_yaml(read_text_file(name), name, typed=True).root
    if root is None:
        return Source(name, {}, {})
    if not isinstance(root, YamlMap):
        raise ConfigError(Problem(name, 1, "a configuration file is a mapping of settings"))
    return Source(name, _normalised(root), _normalised(root.lines))


def _from_toml(file: Path) -> Source | None:
    from du_eval.parsers.text_files import read_text_file

    name = shown(file)
    try:
        tools = tomllib.loads(read_text_file(name)).get("tool")
    except (ValueError, RecursionError) as error:
        raise ConfigError(Problem(name, 0, f"not valid TOML: {error}")) from error
    table = tools.get("du-eval") if isinstance(tools, dict) else None
    return Source(name, _normalised(table), {}) if isinstance(table, dict) else None


def _normalised(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key.replace("-", "_"): value for key, value in values.items()}


def _relative_to(source: Source, folder: Path) -> Source:
    values = dict(source.values)
    for key in PATH_KEYS & values.keys():
        value = values[key]
        values[key] = (
            [_joined(folder, v) for v in value] if isinstance(value, list) else _joined(folder, value)
        )
    for key, endings in FILE_ENDINGS.items():
        value = values.get(key)
        if isinstance(value, str) and value.endswith(endings):
            values[key] = _joined(folder, value)
    return Source(source.name, values, source.lines)


def _joined(folder: Path, value: Any) -> Any:
    return shown(Path(os.path.normpath(folder / value))) if isinstance(value, str) else value


def shown(path: Path) -> str:
    """Return a path as a reader wants it: from the working directory where that is shorter."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith(os.path.join("..", "..", "..")) else relative
