"""Which lines of a file of conversations belong together, and what they answer."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from du_eval.corpus.conversations import exchanges
from du_eval.corpus.load import is_conversations
from du_eval.corpus.reading import STANDARD_INPUT, text_blocks


@dataclass(frozen=True, slots=True)
class Grouping:
    """How many lines each conversation has, and a fingerprint of all that is answered and expected."""

    sizes: tuple[int, ...] = ()
    references: str = ""


def grouping_of(name: str, most: int) -> Grouping:
    """Return the conversations of a file with at most so many lines; lines of text are on their own."""
    if name == STANDARD_INPUT or not is_conversations(name):
        return Grouping()
    sizes: list[int] = []
    found, total = hashlib.sha256(), 0
    for line in (line for block in text_blocks(name) for line in block.split("\n")[:-1]):
        said = list(exchanges(iter([f"{line}\n"]), name))
        total += len(said)
        if total > most:
            return Grouping()
        if said:
            sizes.append(len(said))
        for one in said:
            found.update(f"{one.source}\x1f{one.target}\x1e".encode())
    return Grouping(tuple(sizes), found.hexdigest()[:16])
