"""The released versions of Rasa: what differs between them, and what users should know about it."""

from __future__ import annotations

from collections.abc import Iterator

from du_eval.commands.flows import SetSlot
from du_eval.evaluation.compare import policy_named
from du_eval.evaluation.expectations import ExpectationReader
from du_eval.parsers.command_parser import CommandParser
from du_eval.parsers.rasa_rules import strip_end
from du_eval.suites.model import TestSuite


def stripped_values(suite: TestSuite, parser: CommandParser, policy: str) -> Iterator[str]:
    """Yield a warning about expected values that a version of Rasa can never predict: it cuts their ends."""
    rules = policy_named(policy).rules
    if rules is None or not rules.strips_values or not parser.syntax.spellings:
        return
    reader = ExpectationReader(parser)
    found = dict.fromkeys(
        command.value
        for case in suite
        for step in case.user_steps
        for group in reader.alternatives(step)
        for command in group
        if isinstance(command, SetSlot) and command.value and strip_end(command.value) != command.value
    )
    if found:
        first = next(iter(found))
        yield (
            f"{len(found)} expected values end in characters that '{policy}' cuts off ({first!r} becomes "
            f"{strip_end(str(first))!r}): steps that expect them cannot pass"
        )
