"""Standard output is ours: what generators, actions and plug-ins print goes to standard error."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from du_eval.errors import ReportError
from du_eval.trust.terminal import neutralise


class ForeignOutput(io.TextIOBase):
    """Stands where standard output was: looks like it, and writes to standard error."""

    def __init__(self, ours: TextIO) -> None:
        self.ours = ours

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of standard output."""
        return self.ours.encoding or "utf-8"

    def write(self, text: str) -> int:
        """Write to standard error."""
        return sys.stderr.write(text)

    def flush(self) -> None:
        """Flush standard error."""
        sys.stderr.flush()

    def isatty(self) -> bool:
        """Tell whether standard output is a terminal."""
        return not self.ours.closed and self.ours.isatty()

    def fileno(self) -> int:
        """Return the number of the file of standard error."""
        return sys.stderr.fileno()


def own_output() -> TextIO:
    """Return the stream that only reports are written to."""
    found: TextIO = getattr(sys.stdout, "ours", sys.stdout)
    return found


def write_own(text: str, *, is_styled: bool = False) -> None:
    """Write a report to standard output; what the terminal cannot encode is written as an escape."""
    stream = own_output()
    text = neutralise(text, is_styled=is_styled)
    encoding = stream.encoding or "utf-8"
    try:
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        drop_own_output()
        raise ReportError(f"standard output cannot be written: {error.strerror}") from error


def drop_own_output() -> None:
    """Let the rest of standard output go nowhere, so that nothing fails when the process ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), own_output().fileno())


@contextmanager
def keeping_output_clean() -> Iterator[None]:
    """Send what others print to standard error, also from other processes that they start."""
    ours = sys.stdout
    if isinstance(ours, ForeignOutput):
        yield
        return
    with _descriptor_kept(ours) as kept:
        sys.stdout = ForeignOutput(kept)
        try:
            yield
        finally:
            sys.stdout = ours


@contextmanager
def _descriptor_kept(ours: TextIO) -> Iterator[TextIO]:
    """Yield standard output under another number; under its own number, it is standard error meanwhile."""
    if ours is not sys.__stdout__ or sys.stderr is not sys.__stderr__:
        yield ours  # somebody collects what we print, as tests do
        return
    ours.flush()
    number = os.dup(1)
    os.dup2(2, 1)
    try:
        with open(number, "w", encoding=ours.encoding, errors=ours.errors, closefd=False) as stream:
            yield stream
    finally:
        os.dup2(number, 1)
        os.close(number)
