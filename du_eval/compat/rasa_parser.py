"""The parsing rules of the official tool, for runs that must reproduce its numbers.

A text is read line by line; each command class is searched once per line, in a fixed order; what does not
match is dropped; and flows decide what becomes of StartFlow, of SetSlot(flow_name, ...) and of Clarify.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cached_property

from msgspec import Struct, field

from du_eval.commands import flows
from du_eval.commands.base import (
    BareCommand,
    Command,
    MatchedText,
    argument,
    null_or_text,
    strip_quotes,
)
from du_eval.commands.registry import DEFAULT_COMMANDS, CommandRegistry
from du_eval.commands.syntax import Spelling, Syntax
from du_eval.parsers.patterns import CommandPattern, compile_patterns, read_match

OFFICIAL_ORDER: tuple[type[Command], ...] = (
    flows.SetSlot,
    flows.StartFlow,
    flows.CancelFlow,
    flows.ChitChat,
    flows.SkipQuestion,
    flows.SearchAndReply,
    flows.HumanHandoff,
    flows.Clarify,
    flows.RepeatLastBotMessages,
    flows.ContinueAgent,
    flows.RestartAgent,
)
_ID = r"[a-zA-Z0-9_-]+"
_SLOT = r"[a-zA-Z_][a-zA-Z0-9_-]*"
_CALLS: dict[type[Command], str] = {
    flows.SetSlot: rf"""SetSlot\(['"]?(?P<name>{_SLOT})['"]?, ?(?:(?P<value>.*)\)|.*(*SKIP)(*FAIL))""",
    flows.StartFlow: rf"""StartFlow\(['"]?(?P<flow>{_ID})['"]?\)""",
    flows.Clarify: r"""Clarify\((?P<options>['"a-zA-Z0-9_, -]*)\)""",
    flows.RestartAgent: rf"""RestartAgent\(['"]?(?P<agent_id>{_ID})['"]?\)""",
}
_QUOTE = r"""['"`]*"""
_START = r"^[\s\W\d]*"
_PHRASES: dict[type[Command], str] = {
    flows.SetSlot: rf"{_START}set slot {_QUOTE}(?P<name>{_SLOT}){_QUOTE} (?P<value>.+)$",
    flows.StartFlow: rf"{_START}start flow {_QUOTE}(?P<flow>{_ID}){_QUOTE}",
    flows.Clarify: rf"""{_START}disambiguate flows\s+(?P<options>['"`a-zA-Z0-9_, -]*){_QUOTE}$""",
    flows.RestartAgent: rf"{_START}restart agent {_QUOTE}(?P<agent_id>{_ID}){_QUOTE}",
}
_BARE_CLARIFY = rf"""{_START}disambiguate flows(?:\s+(?P<options>['"`a-zA-Z0-9_, -]*))?\W*$"""
_SEPARATORS = re.compile(r"[\s,]+")


class RasaRules(Struct, frozen=True):
    """What differs between the released versions of the official tool when it reads text."""

    missing: tuple[type[Command], ...] = ()
    """Commands that a version does not know (yet, or any more)."""
    keeps_empty_clarify: bool = True
    """A Clarify without valid options is one; otherwise it is dropped, unless options are optional."""
    has_hyphens_in_options: bool = True
    has_bare_clarify_phrase: bool = False
    """`disambiguate flows` without options is a command."""
    strips_values: bool = False
    """In phrases, values lose every character at their end that is no letter, digit or underscore."""


def _official_spellings(syntax: Syntax, rules: RasaRules) -> dict[type[Command], Spelling]:
    """Return the official patterns for a built-in syntax; a custom one keeps its own."""
    if not syntax.is_built_in:
        return dict(syntax.spellings)
    patterns: dict[type[Command], str]
    if not syntax.spellings:
        bare = (command for command in OFFICIAL_ORDER if issubclass(command, BareCommand))
        patterns = {command: rf"{command.call}\(\)" for command in bare} | _CALLS
    else:
        phrases = {command: spelling.template.split("{")[0] for command, spelling in syntax.spellings.items()}
        patterns = {
            command: rf"{_START}{phrase.strip()}{_QUOTE}$" for command, phrase in phrases.items()
        } | _PHRASES
        if rules.has_bare_clarify_phrase:
            patterns[flows.Clarify] = _BARE_CLARIFY
    if not rules.has_hyphens_in_options:
        patterns[flows.Clarify] = patterns[flows.Clarify].replace("_, -]", "_, ]")
    return {command: Spelling(pattern, "") for command, pattern in patterns.items()}


class RasaCommandParser(Struct, frozen=True, dict=True):
    """Reads text by the rules of the official tool."""

    registry: CommandRegistry
    syntax: Syntax = Syntax.CALLS
    flows: Collection[str] | None = None
    clarify_options_optional: bool = False
    rules: RasaRules = field(default_factory=RasaRules)

    @cached_property
    def patterns(self) -> tuple[CommandPattern, ...]:
        """The compiled patterns, in the official order; custom commands come last."""
        order = [command for command in OFFICIAL_ORDER if command not in self.rules.missing]
        defaults = [c for c in order if c in self.registry.commands or c not in DEFAULT_COMMANDS]
        others = [c for c in self.registry if c not in defaults and c not in self.rules.missing]
        spellings = _official_spellings(self.syntax, self.rules)
        official = Syntax(self.syntax.name, spellings, self.syntax.is_built_in)
        return compile_patterns((*defaults, *others), official)

    def parse(self, text: str | None) -> tuple[Command, ...]:
        """Return the commands of a text."""
        found: list[Command] = []
        for line in (text or "").strip().splitlines():
            found.extend(self._parse_line(line.strip()))
        return tuple(found)

    def _parse_line(self, line: str) -> Iterator[Command]:
        for pattern in self.patterns:
            match = pattern.find_first(line)
            if match is None:
                continue
            command = self._rewritten(_read(pattern.command, MatchedText.of(match), self.rules))
            if command is not None:
                yield command

    def _rewritten(self, command: Command | None) -> Command | None:
        """Return what the flows of the assistant make of a command; None drops it."""
        if type(command) is flows.SetSlot and command.slot == "flow_name":
            command = flows.StartFlow(command.value or "")
        if type(command) is flows.StartFlow:
            return command if self._is_user_flow(command.flow) else None
        if type(command) is flows.Clarify:
            return self._clarified(command.options)
        return command

    def _clarified(self, given: tuple[str, ...]) -> Command | None:
        options = tuple(option for option in given if self._is_user_flow(option))
        if len(set(options)) == 1:
            return flows.StartFlow(options[0])
        is_optional = self.clarify_options_optional and not given
        is_kept = options or self.rules.keeps_empty_clarify or is_optional
        return flows.Clarify(options) if is_kept else None

    def _is_user_flow(self, flow: str) -> bool:
        is_named = bool(flow) and not flow.startswith("pattern_")
        return is_named and (self.flows is None or flow in self.flows)


def _slot_value(text: MatchedText, rules: RasaRules) -> str | None:
    """Return a slot's value; in phrases, a bracket that closes nothing and backticks are not part of it."""
    value = argument(text, "value", 2)
    if rules.strips_values and not text.startswith("SetSlot("):
        return null_or_text(strip_quotes(strip_end(value)))
    if not text.endswith(")"):
        value = value.rstrip("'\"` \t") or value[:1]
        value = value if "[" in value else value.rstrip("]")
    return null_or_text(strip_quotes(value))


def strip_end(value: str) -> str:
    """Return a value as versions since 3.13 leave it: `15%` becomes `15`, `C++` becomes `C`."""
    end = len(value)
    while end > 1 and not (value[end - 1].isalnum() or value[end - 1] == "_"):
        end -= 1
    return value[:end]


def _read(command: type[Command], text: MatchedText, rules: RasaRules) -> Command | None:
    """Read a match; slot values and options have the official cleaning, without escapes."""
    if command is flows.SetSlot:
        return flows.SetSlot(argument(text, "name", 1), _slot_value(text, rules))
    if command is flows.Clarify:
        parts = _SEPARATORS.split(argument(text, "options", 1) or "")
        options = (part.strip("'\"`") for part in parts)
        return flows.Clarify(tuple(option for option in options if option))
    return read_match(command, text)
