"""Files for the user's eyes only: written whole or not at all, and on the disk before we say so."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from io import FileIO
from pathlib import Path

from du_eval.trust.reading import is_device

_FILE, _FOLDER = 0o600, 0o700


def make_private_folder(path: Path) -> None:
    """Make a folder and those above it that are missing; nobody else may look into the new ones."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(mode=_FOLDER, exist_ok=True)


def write_privately(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a file so that a reader sees the old or the new one, also after a power cut.

    A new file is for the user alone; one that is there keeps its rights. A device or a pipe gets the content.
    """
    if _is_open_ended(path):
        _write_into(path, pieces)
        return
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


def _is_open_ended(path: Path) -> bool:
    """Tell whether a path is a device or a pipe, such as /dev/stdout, that must not be replaced by a file."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return False
    return is_device(found) or stat.S_ISFIFO(found.st_mode)


def _write_into(path: Path, pieces: Iterable[bytes]) -> None:
    try:
        number = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))  # to wait for nobody
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise OSError(errno.ENXIO, "no process reads from this pipe", str(path)) from error
        raise
    os.set_blocking(number, True)
    with os.fdopen(number, "wb") as file:
        file.writelines(pieces)


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
