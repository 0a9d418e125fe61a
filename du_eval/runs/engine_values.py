"""Large values for many processes: written to a file once, mapped into memory by each that reads it."""

from __future__ import annotations

import mmap
import os
import pickle
import tempfile
from pathlib import Path
from typing import Any

_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - only for the file of a process of our own
_ALIGNED = 64


def write_value(value: object) -> str:
    """Write a value, and return the name of the file; arrays stand in it as they are."""
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    raw = [buffer.raw() for buffer in buffers]
    index = pickle.dumps((len(head), [len(one) for one in raw]))
    handle, name = tempfile.mkstemp(prefix="du-eval-", dir=_find_folder(len(head) + sum(map(len, raw))))
    with os.fdopen(handle, "wb") as file:
        file.write(len(index).to_bytes(8, "little"))
        parts: list[bytes | memoryview] = [index, head, *raw]
        for part in parts:
            file.write(part)
            file.write(bytes(-file.tell() % _ALIGNED))
    return name


def _find_folder(size: int) -> str | None:
    """Return the folder that lies in memory where there is room, else the usual one."""
    try:
        status = os.statvfs(_SHARED_MEMORY)
    except (OSError, AttributeError):
        return None
    return str(_SHARED_MEMORY) if status.f_bavail * status.f_frsize > 2 * size else None


def read_value(name: str) -> Any:
    """Return the value of a file; its arrays cannot be written to, and take no memory of their own."""
    with Path(name).open("rb") as file:
        view = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    length = int.from_bytes(view[:8], "little")
    size, sizes = pickle.loads(view[8 : 8 + length])  # noqa: S301 - written by the process that started this one
    place = _align(8 + length)
    head, place = view[place : place + size], _align(place + size)
    buffers = []
    for one in sizes:
        buffers.append(view[place : place + one])
        place = _align(place + one)
    return pickle.loads(head, buffers=buffers)  # noqa: S301 - as above


def _align(place: int) -> int:
    return place + -place % _ALIGNED
