"""Class paths into classes: what a user names on the command line, found from the working directory."""

from __future__ import annotations

import importlib
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

from du_eval.errors import PluginError, did_you_mean


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
                f"there is no module '{name}' (it is looked for in the working directory {Path.cwd()} "
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
