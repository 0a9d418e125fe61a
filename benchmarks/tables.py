"""Tables made by simulation: which of them are printed, from how many tries and which seed."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping

import numpy as np

Table = Callable[[int, np.random.Generator], Iterator[str]]


def print_tables(tables: Mapping[str, Table], tries: int) -> None:
    """Print the tables that the command line asks for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"of {', '.join(tables)}; default: all")
    parser.add_argument("--tries", type=int, default=tries, help="simulations of each setting")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for name in arguments.tables or tables:
        for line in tables[name](arguments.tries, np.random.default_rng(arguments.seed)):
            print(line, flush=True)
        print()
