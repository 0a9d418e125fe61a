"""The start of the program, also by `python -m du_eval.cli`."""

from __future__ import annotations

import gc
import signal


def start() -> None:
    """Run the command line; while it is being loaded, Ctrl-C ends the process without a word."""
    # Nearly everything that a command loads and makes lives until its end: looking for garbage is wasted.
    gc.set_threshold(100_000, 20, 20)
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    from du_eval.cli.main import main

    signal.signal(signal.SIGINT, before)
    try:
        main()
    finally:
        gc.freeze()  # at its end, the interpreter would walk over everything once more


if __name__ == "__main__":
    start()
