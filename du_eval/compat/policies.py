"""Policies by name, and the library function that turns a model's answer into commands by one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from du_eval.commands.base import Command
from du_eval.commands.registry import build_registry
from du_eval.commands.syntax import Syntax
from du_eval.compat.rasa import VERSIONS, find_rules, find_version
from du_eval.compat.rasa_parser import RasaCommandParser
from du_eval.errors import ConfigError, InputError, did_you_mean
from du_eval.evaluation.compare import EXACT, JudgingPolicy
from du_eval.parsers.command_parser import CommandParser
from du_eval.parsers.syntax_file import load_syntax


@cache
def find_policy(name: str) -> JudgingPolicy:
    """Return the policy of a name: exact, rasa, or rasa@VERSION."""
    found = EXACT if name == EXACT.name else find_version(name)
    if found is None:
        known = [EXACT.name, *VERSIONS]
        near = did_you_mean(name, known) or "choose from: " + ", ".join(known)
        raise ConfigError(f"unknown matching policy '{name}'; {near}")
    return found


def parse_commands(  # noqa: PLR0913 - the documented call
    actions: str | None,
    flows: Iterable[str] | None = None,
    *,
    additional_commands: Sequence[type] = (),
    remove_default_commands: Sequence[type[Command] | str] = (),
    default_commands_to_remove: Sequence[type[Command] | str] = (),
    syntax: str | Syntax = "calls",
    policy: str = "exact",
    clarify_options_optional: bool = False,
) -> list[Command]:
    """Return the commands in a model's answer.

    `flows` are the names of the assistant's flows, or None where they are not known. The policy `exact` keeps
    every command in the order of the text. The policy `rasa` applies the rules of the official tool, whose
    result depends on the flows; `rasa@3.16` and others apply those of that version, `rasa-2025` those of an
    early one, in which a Clarify without options is only kept when `clarify_options_optional` says so.
    `default_commands_to_remove` is another name for `remove_default_commands`.
    """
    if not isinstance(actions, str | None):
        raise InputError(f"parse_commands reads a string, not {type(actions).__name__}: {actions!r:.60}")
    find_policy(policy)
    rules = find_rules(policy)
    registry = build_registry(additional_commands, [*remove_default_commands, *default_commands_to_remove])
    spelling = syntax if isinstance(syntax, Syntax) else load_syntax(syntax)
    registry = registry.adding(*spelling.adds)
    if rules is None:
        return list(CommandParser(registry, spelling).parse(actions).commands)
    known_flows = None if flows is None else frozenset(flows)
    parser = RasaCommandParser(registry, spelling, known_flows, clarify_options_optional, rules)
    return list(parser.parse(actions))
