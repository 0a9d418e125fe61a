"""Where errors become messages and exit codes."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps

import typer

from du_eval.cli.streams import drop_own_output, keeping_output_clean, write_own
from du_eval.errors import DuEvalError, ExitCode, InputError, SuiteError, UntrustedError, tell_count
from du_eval.trust.terminal import neutralise

Command = Callable[..., ExitCode | None]
"""What a user calls: it returns the exit code, or nothing where all is well."""
_LONGEST_MESSAGE = 5_000


@contextmanager
def reporting_errors() -> Iterator[None]:
    """Turn our own errors into messages on standard error and an exit code, without a traceback."""
    with keeping_output_clean():
        try:
            yield
        except DuEvalError as error:
            if isinstance(error, UntrustedError) and can_ask():
                raise
            say_error(error)
            raise typer.Exit(error.exit_code) from None
        except BrokenPipeError:
            # The reader of a pipe went away: nothing is left to say, and nobody to say it to.
            drop_own_output()
            raise typer.Exit(ExitCode.PASSED) from None


def guarded(command: Command) -> Callable[..., None]:
    """Return a command whose errors become messages, and whose result becomes the exit code."""

    @wraps(command)
    def guard(*given: object, **values: object) -> None:
        with reporting_errors():
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
            say(f"{tell_count(len(error.problems), 'problem')} found")
    else:
        say(_begin(f"error: {error}"))


def _begin(message: str) -> str:
    """Return a message, of one that quotes something huge only the beginning."""
    left_out = len(message) - _LONGEST_MESSAGE
    return f"{message[:_LONGEST_MESSAGE]}... and {left_out:,} more characters" if left_out > 0 else message


def say(message: str) -> None:
    """Print a line on standard error."""
    print(neutralise(message), file=sys.stderr)


def say_all(word: str, messages: Iterable[object]) -> None:
    """Print messages on standard error, each after a word such as `warning`."""
    for message in messages:
        say(_begin(f"{word}: {message}"))


def out(told: str | Mapping[str, object], *, is_styled: bool = False) -> None:
    """Print text, or data as JSON; what would steer a terminal is spelled out, but for colours of ours."""
    if not isinstance(told, str):
        from du_eval.reports.files import json_text

        told = json_text(told)
    write_own(told, is_styled=is_styled)
