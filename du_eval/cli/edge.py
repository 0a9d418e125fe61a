"""Where errors become messages and exit codes."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from du_eval.cli.streams import drop_own_output, keeping_output_clean, write_own
from du_eval.errors import DuEvalError, ExitCode, InputError, SuiteError, UntrustedError, tell_count
from du_eval.trust.terminal import neutralise


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
        for warning in error.warnings:
            say(f"warning: {warning}")
    if isinstance(error, InputError):
        for problem in error.problems:
            say(f"error: {problem}")
        if len(error.problems) > 1:
            say(f"{tell_count(len(error.problems), 'problem')} found")
    else:
        say(f"error: {error}")


def say(message: str) -> None:
    """Print a line on standard error."""
    print(neutralise(message), file=sys.stderr)


def out(text: str, *, is_styled: bool = False) -> None:
    """Print text on standard output; what would steer a terminal is spelled out, but for colours of ours."""
    write_own(text, is_styled=is_styled)
