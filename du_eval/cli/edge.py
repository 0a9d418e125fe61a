"""Where errors become messages and exit codes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from du_eval.errors import DuEvalError, InputError


@contextmanager
def reporting_errors() -> Iterator[None]:
    """Print what du-eval raises on purpose, and leave with its exit code."""
    try:
        yield
    except DuEvalError as error:
        problems = error.problems if isinstance(error, InputError) else (error,)
        for problem in problems:
            typer.echo(f"error: {problem}", err=True)
        raise typer.Exit(int(error.exit_code)) from error
