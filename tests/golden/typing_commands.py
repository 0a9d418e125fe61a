"""Runs commands one after the other in the working directory, with a stop-watch that stands still.

Prints what each one returned and said, as JSON.
"""

import json
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

time.perf_counter = lambda: 0.0

from du_eval.cli.main import main  # noqa: E402


def typed(arguments: list[str]) -> tuple[int, str, str]:
    """Return the exit code, standard output and standard error of one command."""
    code: object = 0
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        try:
            main(arguments)
        except SystemExit as stop:
            code = stop.code
    return int(str(code or 0)), out.getvalue(), err.getvalue()


if __name__ == "__main__":
    answers = [typed(arguments) for arguments in json.loads(sys.argv[1])]
    sys.stdout.write(json.dumps(answers))
