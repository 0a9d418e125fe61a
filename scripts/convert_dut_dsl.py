"""Convert the commands of test files into another spelling: see --help, and docs/converting.md."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from du_eval.cli.main import main

if __name__ == "__main__":
    main(["convert", "dsl", *sys.argv[1:]])
