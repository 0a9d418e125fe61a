"""How runs are judged and counted, as values: everything in which a policy differs is in one place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from du_eval.assistants.model import Assistant
from du_eval.errors import ConfigError, did_you_mean
from du_eval.evaluation.compare import ExactPolicy, MatchPolicy, RasaPolicy
from du_eval.parsers.rasa_rules import RASA_RULES, RasaRules, rules_named


@dataclass(frozen=True, slots=True)
class JudgingPolicy:
    """One way to judge and count."""

    name: str
    matching: Callable[[Assistant], MatchPolicy]
    rules: RasaRules | None = None
    """How text is read; None: by our own parser."""
    judges_empty_steps: bool = True
    """Judge steps that expect no command."""
    takes_passed_cases_as_right: bool = False
    """Count all that a passed case expects as found."""
    undefined: float | None = None
    """What a figure without anything to count is in the official form of the report."""


EXACT = JudgingPolicy("exact", lambda assistant: ExactPolicy(assistant.slots))


@cache
def policy_named(name: str) -> JudgingPolicy:
    """Return the policy of a name: exact, rasa, or rasa@VERSION."""
    rules = rules_named(name)
    if name == EXACT.name:
        return EXACT
    if rules is None:
        known = [EXACT.name, *RASA_RULES]
        near = did_you_mean(name, known) or "known are: " + ", ".join(known)
        raise ConfigError(f"unknown matching policy '{name}'; {near}")
    return JudgingPolicy(
        name,
        lambda _: RasaPolicy(),
        rules,
        judges_empty_steps=False,
        takes_passed_cases_as_right=True,
        undefined=0.0,
    )
