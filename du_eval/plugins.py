"""Names into objects: class paths from the working directory, and what installed packages add to a kind."""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from du_eval.errors import PluginError, did_you_mean

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUPS = ("activities", "generators", "judges", "checks", "metrics", "perturbations", "reporters")
"""What packages may add to, by entry points of the groups `du_eval.activities` and so on."""


@dataclass(frozen=True, eq=False)
class PlugIns(Mapping[str, Any]):
    """Everything of a kind by its name: our own, and what installed packages add, through the same door.

    Our own are objects, or paths such as `module:attribute` that are loaded when they are looked up.
    """

    group: str
    own: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        """Return what has a name; raise PluginError where it cannot be loaded, or the name is taken twice."""
        points = [point for point in list_installed(self.group) if point.name == name]
        if len(points) + (name in self.own) > 1:
            told = [f"{name_package(point)} ({point.value})" for point in points]
            places = " and ".join(["du-eval itself"] * (name in self.own) + told)
            raise PluginError(
                f"{self.group}: the name '{name}' is taken twice, by {places}; uninstall one of the packages"
            )
        if points:
            return _load_point(points[0])
        found = self.own[name]
        return load_own(found) if isinstance(found, str) else found

    def __contains__(self, name: object) -> bool:
        return name in self.own or any(point.name == name for point in list_installed(self.group))

    def __iter__(self) -> Iterator[str]:
        """Yield all names, our own first."""
        yield from dict.fromkeys([*self.own, *(point.name for point in list_installed(self.group))])

    def __len__(self) -> int:
        return sum(1 for _ in self)


def load_own(path: str) -> Any:
    """Return one of our own objects by its path `module:attribute`; the working directory plays no part."""
    module, _, attribute = path.partition(":")
    return getattr(importlib.import_module(module), attribute)


def list_installed(group: str) -> tuple[EntryPoint, ...]:
    """Return what installed packages add to a group."""
    # Reading the metadata of all packages takes time: once for each import path.
    return _scan(group, tuple(sys.path))


@lru_cache
def _scan(group: str, path: tuple[str, ...]) -> tuple[EntryPoint, ...]:  # noqa: ARG001 - part of the key
    from importlib.metadata import entry_points  # noqa: PLC0415 - most commands do not need it

    return tuple(entry_points(group=f"du_eval.{group}"))


def name_package(point: EntryPoint) -> str:
    """Return the package that an entry point comes from, for people."""
    return f"the package {point.dist.name} {point.dist.version}" if point.dist else "an installed package"


def _load_point(point: EntryPoint) -> Any:
    try:
        return point.load()
    except (Exception, SystemExit) as error:
        raise PluginError(
            f"'{point.name}' of {name_package(point)} ({point.group}) cannot be loaded: {_where(error)}"
        ) from error


def load_object(path: str) -> Any:
    """Return the object of a path such as `my_module.MyClass` or `my_module:attribute`."""
    module_name, separator, attribute = path.partition(":") if ":" in path else _last_dot(path)
    if not separator or not module_name or not attribute:
        raise PluginError(f"'{path}' is not a class path; write my_module.MyClass or my_module:attribute")
    found: Any = load_module(module_name)
    for part in attribute.split("."):
        if not hasattr(found, part):
            near = did_you_mean(part, [name for name in dir(found) if not name.startswith("_")])
            raise PluginError(f"'{module_name}' has no attribute '{part}'{f' ({near})' if near else ''}")
        found = getattr(found, part)
    return found


def _last_dot(path: str) -> tuple[str, str, str]:
    module_name, separator, attribute = path.rpartition(".")
    return module_name, separator, attribute


def load_module(name: str) -> ModuleType:
    """Import a module, looking into the working directory first."""
    _make_working_directory_importable()
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or name
        if name == missing or name.startswith(missing + "."):
            raise PluginError(
                f"there is no module '{name}' (searched in the working directory {Path.cwd()} "
                "and among the installed packages)"
            ) from error
        raise PluginError(f"'{name}' imports '{missing}', which is not installed") from error
    except (Exception, SystemExit) as error:
        raise PluginError(f"'{name}' cannot be imported: {_where(error)}") from error


def _where(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}: {error}{place}"


def _make_working_directory_importable() -> None:
    """Put the working directory on the import path; it stays there, since modules may import later."""
    look_into(Path.cwd())


def look_into(folder: Path) -> None:
    """Find modules of a folder from now on, before those that are installed."""
    here = str(folder.resolve())
    if here not in sys.path:
        sys.path.insert(0, here)
