"""The official tool as values: how each of its versions reads, compares and counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from msgspec import Struct

from du_eval.assistants.model import Assistant
from du_eval.commands.base import Command
from du_eval.commands.flows import Clarify, ContinueAgent, HumanHandoff, RestartAgent, SetSlot
from du_eval.compat.rasa_parser import RasaCommandParser, RasaRules, strip_end
from du_eval.evaluation.compare import CommandDiff, Commands, JudgingPolicy
from du_eval.evaluation.expectations import ExpectationReader
from du_eval.parsers.command_parser import CommandParser, ParsedCommands
from du_eval.suites.model import TestSuite


class RasaPolicy(Struct, frozen=True):
    """The comparison of the official tool: duplicates go, presence counts, slot values ignore case."""

    def diff(self, expected: Commands, components: Sequence[Commands]) -> tuple[CommandDiff, bool]:
        """Look each command up in the other list."""
        predicted = [command for commands in components for command in _without_duplicates(commands)]
        matched, missing = [], []
        for command in expected:
            partner = next((other for other in predicted if _rasa_equal(command, other)), None)
            if partner is None:
                missing.append(command)
            else:
                matched.append((command, partner))
        unexpected = [
            other for other in predicted if not any(_rasa_equal(other, command) for command in expected)
        ]
        passes = len(expected) == len(predicted) and not missing
        return CommandDiff(tuple(matched), tuple(missing), tuple(unexpected)), passes


def _without_duplicates(commands: Commands) -> list[Command]:
    """Return each different command once; a custom one may be comparable without being hashable."""
    found: list[Command] = []
    for command in commands:
        if command not in found:
            found.append(command)
    return found


def _rasa_equal(first: Command, second: Command) -> bool:
    if isinstance(first, Clarify) and isinstance(second, Clarify):
        return not first.options or first.options == second.options
    if isinstance(first, SetSlot) and isinstance(second, SetSlot):
        return first.slot == second.slot and str(first.value).lower() == str(second.value).lower()
    return first == second


class _OfficialReader(Struct, frozen=True):
    """The official parsing rules, for predicted text."""

    parser: RasaCommandParser

    def parse(self, text: str) -> ParsedCommands:
        return ParsedCommands(self.parser.parse(text))


def _read_officially(parser: CommandParser, assistant: Assistant, rules: RasaRules) -> _OfficialReader:
    flows = frozenset(assistant.flows) or None
    return _OfficialReader(RasaCommandParser(parser.registry, parser.syntax, flows, rules=rules))


def _match_officially(_: Assistant) -> RasaPolicy:
    return RasaPolicy()


_AGENTS = (ContinueAgent, RestartAgent)
_3_12 = RasaRules(_AGENTS, keeps_empty_clarify=False, has_hyphens_in_options=False)
_3_13 = RasaRules(_AGENTS, keeps_empty_clarify=False, strips_values=True)
_3_14 = RasaRules(keeps_empty_clarify=False, strips_values=True)
_3_15 = RasaRules(has_bare_clarify_phrase=True, strips_values=True)
_3_16 = RasaRules((HumanHandoff,), has_bare_clarify_phrase=True, strips_values=True)
RASA = "rasa"
VERSIONS: dict[str, RasaRules] = {
    RASA: RasaRules(),
    "rasa-2025": RasaRules(keeps_empty_clarify=False),
    "rasa@3.12": _3_12,
    "rasa@3.13": _3_13,
    "rasa@3.14": _3_14,
    "rasa@3.15": _3_15,
    **{f"rasa@3.{minor}": _3_16 for minor in range(16, 22)},
}
"""The rules of each version, by the name of the policy that applies them."""


def find_rules(policy: str) -> RasaRules | None:
    """Return the rules of a policy such as `rasa@3.16`; a patch release has those of its minor one."""
    name, at, version = policy.partition("@")
    return VERSIONS.get(f"{name}{at}{'.'.join(version.split('.')[:2])}")


def find_version(name: str) -> JudgingPolicy | None:
    """Return how a version of the official tool judges and counts; None for a name that is none."""
    rules = find_rules(name)
    if rules is None:
        return None
    return JudgingPolicy(
        name,
        _match_officially,
        partial(_read_officially, rules=rules),
        rules.missing,
        judges_empty_steps=False,
        takes_passed_cases_as_right=True,
        undefined=0.0,
    )


def warn_of_stripped(suite: TestSuite, parser: CommandParser, policy: str) -> Iterator[str]:
    """Yield a warning about expected values that a version of Rasa can never predict: it cuts their ends."""
    rules = find_rules(policy)
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
