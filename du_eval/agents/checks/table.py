"""Every check by name."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from du_eval.agents.checks.base import CheckKind, CheckScope
from du_eval.agents.checks.behaviour import BEHAVIOUR_CHECKS
from du_eval.agents.checks.numbers import NUMBER_CHECKS
from du_eval.agents.checks.texts import JUDGED_CHECKS, TEXT_CHECKS
from du_eval.agents.model import Expectation
from du_eval.plugins import PlugIns

ANY_OF = "any_of"
IGNORE_CASE = "ignore_case"
NEGATION = "not_"
JUDGED = frozenset(check.name for check in JUDGED_CHECKS)

CHECKS: Mapping[str, CheckKind] = PlugIns(
    "checks",
    {check.name: check for check in (*TEXT_CHECKS, *NUMBER_CHECKS, *BEHAVIOUR_CHECKS, *JUDGED_CHECKS)},
)
"""Ours, and those of installed packages."""


class CheckName(Struct, frozen=True):
    """The name of a check, taken apart."""

    name: str
    negated: bool


def check_name(written: str) -> CheckName | None:
    """Return the check that a key names, whatever its case, or None."""
    name = written.lower()
    if name in CHECKS or name == ANY_OF:
        return CheckName(name, negated=False)
    base = name.removeprefix(NEGATION)
    if base != name and (base in CHECKS or base == ANY_OF):
        return CheckName(base, negated=True)
    return None


def words_for(name: CheckName, expected: object) -> str:
    """Return in words what is expected."""
    if name.name != ANY_OF:
        return "not " * name.negated + CHECKS[name.name].phrase(expected)
    groups: tuple[tuple[Expectation, ...], ...] = expected  # type: ignore[assignment]
    phrases = [" and ".join(one.words for one in group) for group in groups]
    return f"to fit {'none' if name.negated else 'one'} of these: " + "; ".join(phrases)


def names_of(scope: CheckScope) -> tuple[str, ...]:
    """Return the names of the checks that may stand there, with their negations."""
    names = [check.name for check in CHECKS.values() if check.scope is scope]
    names += [ANY_OF] if scope is CheckScope.VALUE else []
    return (*names, *(NEGATION + name for name in names))
