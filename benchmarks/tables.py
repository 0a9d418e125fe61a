"""Tables made by simulation: which of them are printed, from how many tries and which seed."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import sqrt

import numpy as np

Table = Callable[[int, np.random.Generator], Iterator[str]]


def print_tables(tables: Sequence[Table], tries: int) -> None:
    """Print the tables that the command line asks for."""
    by_name = {table.__name__: table for table in tables}
    parser = argparse.ArgumentParser()
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"of {', '.join(by_name)}; default: all")
    parser.add_argument("--tries", type=int, default=tries, help="simulations of each setting")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for name in arguments.tables or by_name:
        for line in by_name[name](arguments.tries, np.random.default_rng(arguments.seed)):
            print(line, flush=True)
        print()


def head(columns: str, *more: str) -> Iterator[str]:
    """Yield the first lines of a table; the first columns are named in one text, apart by bars."""
    names = [*columns.split(" | "), *more]
    yield "| " + " | ".join(names) + " |"
    yield "|" + "---|" * len(names)


def tell(found: Iterable[bool]) -> str:
    """Return a share with the error that the number of simulations leaves."""
    hits = [bool(one) for one in found]
    share, n = sum(hits) / len(hits), len(hits)
    return f"{share:.1%} ± {1.96 * sqrt(max(share * (1 - share), 1 / n) / n):.1%}"
