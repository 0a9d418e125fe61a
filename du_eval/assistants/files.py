"""Which files and folders belong to an assistant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

_SUFFIXES = frozenset({".yml", ".yaml"})
_KEYS = re.compile(
    r"""^["']?(flows|nlu|slots|responses|actions|intents|entities|forms|session_config|e2e_actions|agent)["']?\s*:""",
    re.MULTILINE,
)
_TESTS = re.compile(r"""^["']?test_cases["']?\s*:""", re.MULTILINE)
_TEST_FOLDER = re.compile(r"tests?|.*_tests?|tests?_.*", re.IGNORECASE)
_FOREIGN_FOLDERS = frozenset({"node_modules", "__pycache__", "site-packages"})
_PARTS = ("domain", "data", "flows")
"""Files (`domain.yml`) and folders that hold an assistant, by their names."""
_AGENTS = "sub_agents"


def list_assistant_files(path: Path, imports: tuple[str, ...] = ()) -> tuple[Path, ...]:
    """Return the YAML files of an assistant, in a stable order.

    In a folder with domain and flows these are `domain*`, `data`, `flows*`, the configurations of its agents
    and what its own configuration imports; any other folder is read as a whole, but for test folders.
    """
    if not path.is_dir():
        return (path,)
    if not is_assistant(path):
        return tuple(_walk(path, is_whole=False))
    found = dict.fromkeys(file for part in _list_parts(path) for file in _walk(part, is_whole=True))
    for folder in (path / named for named in imports):
        if folder.exists() and folder.resolve() != path.resolve():
            found.update(dict.fromkeys(list_assistant_files(folder)))
    return tuple(found)


def _list_parts(path: Path) -> Iterator[Path]:
    for stem in _PARTS:
        files = [path / f"{stem}{suffix}" for suffix in sorted(_SUFFIXES, reverse=True)]
        yield from (part for part in (*files, path / stem) if part.exists())
    agents = path / _AGENTS
    others = (
        folder for folder in sorted(path.iterdir()) if "agent" in folder.name.lower() and folder.is_dir()
    )
    yield from ([agents] if agents.is_dir() else list(others)[:1])


def _walk(path: Path, *, is_whole: bool) -> Iterator[Path]:
    if path.is_file():
        if path.suffix in _SUFFIXES:
            yield path
        return
    for entry in sorted(path.iterdir()):
        is_hidden = entry.name.startswith(".")
        if not is_hidden and (entry.is_file() or not _is_foreign(entry, is_whole=is_whole)):
            yield from _walk(entry, is_whole=is_whole)


def _is_foreign(folder: Path, *, is_whole: bool) -> bool:
    if folder.name in _FOREIGN_FOLDERS or (folder / "pyvenv.cfg").is_file():
        return True
    return not is_whole and _TEST_FOLDER.fullmatch(folder.name) is not None


def find_configuration(path: Path) -> Path | None:
    """Return the configuration of an assistant, if it has one."""
    names = (f"{folder}config{suffix}" for folder in ("", "config/") for suffix in (".yml", ".yaml"))
    return next((path / name for name in names if (path / name).is_file()), None)


def defines_assistant(text: str) -> bool:
    """Tell whether a file holds flows, domain or examples, and is no test file."""
    return _KEYS.search(text) is not None and _TESTS.search(text) is None


def is_assistant(folder: Path) -> bool:
    """Tell whether a folder holds a domain, and data or flows."""
    has_domain = _is_any_file(folder, "domain") or (folder / "domain").is_dir()
    has_flows = _is_any_file(folder, "flows") or any((folder / name).is_dir() for name in ("data", "flows"))
    return has_domain and has_flows


def _is_any_file(folder: Path, stem: str) -> bool:
    return any((folder / f"{stem}{suffix}").is_file() for suffix in _SUFFIXES)
