"""`python -m du_eval.cli` is the same as `du-eval`."""

from du_eval.cli.main import main

main()
