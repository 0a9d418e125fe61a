"""Files of others: opened only if they are files, and read as a whole only up to a size."""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader, FileIO
from pathlib import Path

_OPEN_ALREADY = ("/dev/", "/proc/")
"""Where a pipe is one end of a command that runs, as in `<(zcat replies.gz)`."""
_PIECE = 1 << 20
MOST_BYTES = 1 << 30
"""The largest file that is read as a whole."""


def open_file(path: str | Path) -> BufferedReader:
    """Open a file for reading; raise OSError for what is none."""
    return BufferedReader(open_unbuffered(path))


def open_unbuffered(path: str | Path) -> FileIO:
    """Open a file, not a pipe or a device, as reading those may never end.

    What was opened is looked at, without waiting for anybody: something else may take the place of a file.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        number = os.open(path, flags)
    except ValueError as error:  # a NUL, or half a character
        raise OSError(errno.EINVAL, "no file can have this name", str(path)) from error
    try:
        _check(os.fstat(number), path)
        os.set_blocking(number, True)
        return FileIO(number, "rb")
    except BaseException:
        os.close(number)
        raise


def _check(found: os.stat_result, path: str | Path) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if stat.S_ISFIFO(found.st_mode) and not os.path.abspath(path).startswith(_OPEN_ALREADY):
        told = "it is a pipe, not a file: save what comes out of it as a file"
        raise OSError(errno.EINVAL, told, str(path))
    if is_device(found) and not os.path.samestat(found, os.stat(os.devnull)):
        raise OSError(errno.EINVAL, "it is a device, not a file", str(path))


def is_device(found: os.stat_result) -> bool:
    """Tell whether something is a device such as /dev/zero or a terminal."""
    return stat.S_ISCHR(found.st_mode) or stat.S_ISBLK(found.st_mode)


def read_file(path: str | Path) -> bytes:
    """Return the content of a file; raise OSError for what is none, and for what is too large to hold."""
    with open_file(path) as file:
        pieces, size = list[bytes](), os.fstat(file.fileno()).st_size
        while size <= MOST_BYTES and (piece := file.read(_PIECE)):
            pieces.append(piece)
            size = max(size, len(pieces) * _PIECE)
    if size > MOST_BYTES:
        told = f"it is larger than {MOST_BYTES >> 30} GB, the most that is read at once: divide it"
        raise OSError(errno.EFBIG, told, str(path))
    return b"".join(pieces)


def find_place(path: str | Path) -> Path:
    """Return where a path leads; of links that lead in a circle, some place that cannot be read."""
    return Path(os.path.realpath(path))
