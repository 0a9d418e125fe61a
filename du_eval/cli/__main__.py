"""The start of the program, also by `python -m du_eval.cli`."""

from __future__ import annotations

import gc
import signal


def start() -> None:
    """Run the command line; while it is being loaded, Ctrl-C ends the process without a word."""
    # Nearly everything that a command loads and makes lives until its end: looking for garbage is wasted.
    gc.set_threshold(50_000, 20, 20)
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    from du_eval.cli.main import main

    signal.signal(signal.SIGINT, before)
    main()


if __name__ == "__main__":
    start()
