"""Files for the user's eyes only: written whole or not at all, and on the disk before we say so."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from io import FileIO
from pathlib import Path

_FILE, _FOLDER = 0o600, 0o700


def make_private_folder(path: Path) -> None:
    """Make a folder and those above it that are missing; nobody else may look into the new ones."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(mode=_FOLDER, exist_ok=True)


def write_privately(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a file so that a reader sees the old or the new one, also after a power cut.

    A new file is for the user alone; one that is there keeps its rights.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        make_private_folder(path.parent)
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _FILE), "wb") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        if path.is_file():
            partial.chmod(path.stat().st_mode & 0o777)
        partial.replace(path)
        _sync_folder(path.parent)
    except BaseException:
        with suppress(OSError):
            partial.unlink()
        raise


def open_privately(path: Path) -> FileIO:
    """Open a file for reading and appending, without a buffer."""
    make_private_folder(path.parent)
    return FileIO(os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, _FILE), "r+")


def _sync_folder(path: Path) -> None:
    """Make a change of names last; not every system knows that."""
    with suppress(OSError):
        number = os.open(path, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
