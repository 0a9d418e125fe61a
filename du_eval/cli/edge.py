"""The edge to the user: errors become messages and exit codes, and standard output is for reports alone."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from itertools import islice
from typing import TextIO

import typer
from msgspec.structs import asdict

from du_eval.errors import (
    DuEvalError,
    ExitCode,
    InputError,
    Problem,
    ReportError,
    SuiteError,
    UntrustedError,
    tell_count,
)
from du_eval.trust.terminal import neutralise

Command = Callable[..., ExitCode | None]
"""What a user calls: it returns the exit code, or nothing where all is well."""
_LONGEST_MESSAGE = 5_000
_MOST_MESSAGES = 20


@contextmanager
def reporting_errors(*, is_json: bool = False) -> Iterator[None]:
    """Turn our own errors into messages on standard error and an exit code, without a traceback.

    What is wrong with the input is also printed as JSON, all of it, where a program asked for JSON.
    """
    with keeping_output_clean():
        try:
            yield
        except DuEvalError as error:
            if isinstance(error, UntrustedError) and can_ask():
                raise
            say_error(error)
            if is_json and isinstance(error, InputError):
                out({"problems": [asdict(problem) for problem in error.problems]})
            raise typer.Exit(error.exit_code) from None
        except BrokenPipeError:
            # Nobody reads standard error any more: nothing is left to say, and nobody to say it to.
            drop_own_output()
            raise typer.Exit(128 + signal.SIGPIPE) from None
        except OSError as error:
            place = error.filename or _find_lost_folder()
            if place is None or os.environ.get("DU_EVAL_DEBUG"):
                raise
            say_error(InputError(Problem(str(place), 0, str(error.strerror))))
            raise typer.Exit(ExitCode.INPUT) from None


def _find_lost_folder() -> str | None:
    """Return how the working directory is called if somebody deleted it."""
    try:
        os.getcwd()
    except OSError:
        return "the working directory"
    return None


def guard_command(command: Command) -> Callable[..., None]:
    """Return a command whose errors become messages, and whose result becomes the exit code."""

    @wraps(command)
    def guard(*given: object, **values: object) -> None:
        is_json = any(value for name, value in values.items() if name.startswith("json_output"))
        with reporting_errors(is_json=is_json):
            code = command(*given, **values)
        if code is not None:
            raise typer.Exit(code)

    return guard


@contextmanager
def ending_politely() -> Iterator[None]:
    """Take a request to terminate as an interruption: what is finished is kept and reported."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(*_: object) -> None:
    """Let whoever handles Ctrl-C at the moment (the event loop, mostly) handle this as well."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell does with what it starts by &
        raise KeyboardInterrupt
    signal.raise_signal(signal.SIGINT)


def can_ask() -> bool:
    """Tell whether somebody sits there who can be asked."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty() and "CI" not in os.environ


def say_error(error: DuEvalError) -> None:
    """Print each problem of an error on a line of its own."""
    if isinstance(error, SuiteError):
        say_all("warning", error.warnings)
    if isinstance(error, InputError):
        say_all("error", error.problems)
        if len(error.problems) > 1:
            more = " (--json prints all of them)" if len(error.problems) > _MOST_MESSAGES else ""
            say(f"{tell_count(len(error.problems), 'problem')} found{more}")
    else:
        say(cut_message(f"error: {error}"))


def cut_message(message: str) -> str:
    """Return a message, of one that quotes something huge only the beginning and the end."""
    half, left_out = _LONGEST_MESSAGE // 2, len(message) - _LONGEST_MESSAGE
    if left_out <= 0:
        return message
    return f"{message[:half]}... {left_out:,} more characters ...{message[-half:]}"


def say(message: str) -> None:
    """Print a line on standard error."""
    print(neutralise(message), file=sys.stderr)


def say_all(word: str, messages: Iterable[object]) -> None:
    """Print messages on standard error, each after a word such as `warning`; of many, the first."""
    found = iter(messages)
    for message in islice(found, _MOST_MESSAGES):
        say(cut_message(f"{word}: {message}"))
    if left_out := sum(1 for _ in found):
        say(f"{word}: ... and {left_out:,} more")


def out(told: str | Mapping[str, object], *, is_styled: bool = False) -> None:
    """Print text, or data as JSON, on standard output; what it cannot encode is written as an escape.

    What would steer a terminal is spelled out, but for colours of ours.
    """
    if not isinstance(told, str):
        from du_eval.reports.files import json_text

        told = json_text(told)
    stream = own_output()
    text, encoding = neutralise(told, is_styled=is_styled), stream.encoding or "utf-8"
    try:
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except BrokenPipeError:
        drop_own_output()  # The reader of a pipe went away; files are still written, and the exit code stays.
    except OSError as error:
        drop_own_output()
        raise ReportError(f"standard output cannot be written: {error.strerror}") from error


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
