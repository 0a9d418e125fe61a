"""What an indirect reply says to a closed question, by the kind of question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from du_eval.judges.lexicon import read_data
from du_eval.judges.yes_no_statements import Said, is_doubtful, list_told

_JOINED = re.compile(r"^(?:but|yet|because|since|as|но|а) ")

_NOT_STATED = re.compile(r"(?:if|если)\b|(?:i|he|she|they) (?:told|tells?|said|says?|claims?)\b")


def read_by_situation(sentences: list[str], asked: str) -> Said | None:
    """Return the answer that a kind of question gets without yes or no: "we only take cash"."""
    stated = [one for one in sentences if not _NOT_STATED.match(one)]
    told = [one for one in stated if not one.endswith("?")]
    clauses = [*told, *(_JOINED.sub("", one) for one in list_told(stated))]
    found: dict[bool, str] = {}
    for pattern, refused, granted in _situations():
        if not pattern.search(asked):
            continue
        for clause in clauses:
            if match := refused.search(clause):
                found[False] = match[0]
            elif (match := granted.search(clause)) and not is_doubtful(clause):
                found[True] = match[0]
    if len(found) != 1:
        return None
    (is_yes, said), *_ = found.items()
    return Said(is_yes, f"says '{said}'")


@cache
def _situations() -> list[tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]]:
    return [
        (re.compile(one["asked"]), _any(one.get("no", ())), _any(one.get("yes", ())))
        for one in read_data("situations.yml")
    ]


def _any(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(patterns) or r"(?!)")
