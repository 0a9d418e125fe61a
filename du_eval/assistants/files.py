"""Which files make up an assistant, and where one is."""

from __future__ import annotations

import re
from pathlib import Path

_SUFFIXES = frozenset({".yml", ".yaml"})
_LEVELS = 6
_KEYS = re.compile(
    r"""^["']?(flows|nlu|slots|responses|actions|intents|entities|forms|session_config|e2e_actions|agent)["']?\s*:""",
    re.MULTILINE,
)
_TESTS = re.compile(r"""^["']?test_cases["']?\s*:""", re.MULTILINE)
_TEST_FOLDER = re.compile(r"tests?|.*_tests?|tests?_.*", re.IGNORECASE)
_FOREIGN_FOLDERS = frozenset({"node_modules", "__pycache__", "site-packages"})


def assistant_files(path: Path) -> tuple[Path, ...]:
    """Return the YAML files below a folder, in a stable order, without hidden and test folders."""
    if path.is_file():
        return (path,)
    found: list[Path] = []
    for entry in sorted(path.iterdir()):
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            if not _is_foreign(entry):
                found.extend(assistant_files(entry))
        elif entry.suffix in _SUFFIXES:
            found.append(entry)
    return tuple(found)


def _is_foreign(folder: Path) -> bool:
    return (
        folder.name in _FOREIGN_FOLDERS
        or _TEST_FOLDER.fullmatch(folder.name) is not None
        or (folder / "pyvenv.cfg").is_file()
    )


def defines_assistant(text: str) -> bool:
    """Tell whether a file holds flows, domain or examples, and is no test file."""
    return _KEYS.search(text) is not None and _TESTS.search(text) is None


def find_assistant(start: Path) -> Path | None:
    """Return the first folder at or above a test file or folder that looks like an assistant."""
    folder = start.resolve()
    if not folder.is_dir():
        folder = folder.parent
    for candidate in (folder, *folder.parents)[: _LEVELS + 1]:
        if is_assistant(candidate):
            return candidate
    return None


def is_assistant(folder: Path) -> bool:
    """Tell whether a folder holds a domain, and data or flows."""
    has_domain = _is_any_file(folder, "domain") or (folder / "domain").is_dir()
    has_flows = _is_any_file(folder, "flows") or any((folder / name).is_dir() for name in ("data", "flows"))
    return has_domain and has_flows


def _is_any_file(folder: Path, stem: str) -> bool:
    return any((folder / f"{stem}{suffix}").is_file() for suffix in _SUFFIXES)
