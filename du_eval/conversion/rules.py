"""The rules of a mapping file: which spelling of a command becomes which."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import regex
from msgspec import Struct

from du_eval.assistants.reading import Reader
from du_eval.errors import ConfigError, PatternTimeoutError, did_you_mean
from du_eval.parsers.text_files import read_text_file
from du_eval.parsers.yaml_parser import YamlMap, parse_yaml

_KEYS = ("from_dsl_regex", "to_dsl_pattern", "input_separators", "output_separator")
_SECONDS = 1.0
_GROUP = re.compile(r"\{(\d+)\}")
_QUOTED = re.compile(r'(?<=:)(\s*)"((?:[^"\\]|\\.)*)"')
_BACKSLASH = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = frozenset('0abt\tnvfre "/\\N_LPxuU')


class Rule(Struct, frozen=True):
    """One spelling, and what it becomes."""

    pattern: regex.Pattern[str]
    template: str
    separators: regex.Pattern[str] | None
    separator: str
    line: int

    def apply(self, command: str) -> str | None:
        """Return the new spelling, or None where the rule is about something else than the whole command."""
        try:
            match = self.pattern.fullmatch(command, timeout=_SECONDS)
        except TimeoutError as error:
            raise PatternTimeoutError(
                f"the rule in line {self.line} took longer than {_SECONDS:g} s on {command!r}; simplify it"
            ) from error
        if match is None:
            return None
        # One pass over the template: what a group holds is never looked at again.
        return _GROUP.sub(lambda found: self._separated(match[int(found[1])] or ""), self.template)

    def _separated(self, text: str) -> str:
        if self.separators is None:
            return text
        return self.separator.join(part for part in self.separators.split(text.strip()) if part)


def rewrite_command(command: str, rules: Sequence[Rule]) -> str | None:
    """Return a command by the first rule that fits, or None where none does."""
    return next((found for rule in rules if (found := rule.apply(command)) is not None), None)


def load_rules(path: str | Path) -> tuple[Rule, ...]:
    """Return the rules of a file; raise ConfigError with every problem in it."""
    text = read_text_file(path)
    reader = Reader(str(path))
    root = parse_yaml(_with_plain_backslashes(text), str(path)).root
    items = reader.items(reader.as_mapping(root, 1, "the file"), "mappings")
    if isinstance(root, YamlMap) and not items:
        reader.refuse(1, "there are no rules under 'mappings'")
    rules = [_rule(item, line, reader) for item, line in zip(items, items.lines, strict=True)]
    if reader.problems:
        raise ConfigError(sorted(reader.problems))
    return tuple(rule for rule in rules if rule is not None)


def _with_plain_backslashes(text: str) -> str:
    """Let a regular expression stand in double quotes with the backslashes that its author writes."""

    def doubled(match: re.Match[str]) -> str:
        return match[0] if match[1] in _ESCAPES else "\\" + match[0]

    def quoted(match: re.Match[str]) -> str:
        return f'{match[1]}"{_BACKSLASH.sub(doubled, match[2])}"'

    return _QUOTED.sub(quoted, text)


def _rule(item: object, line: int, reader: Reader) -> Rule | None:
    node = reader.as_mapping(item, line, "a rule")
    count = len(reader.problems)
    for key in node:
        if key not in _KEYS:
            reader.refuse(node.lines[key], f"unknown key '{key}'", did_you_mean(key, _KEYS))
    for key in _KEYS[:2]:
        if isinstance(item, YamlMap) and not node.get(key):
            reader.refuse(line, f"the rule has no '{key}'")
    if ("input_separators" in node) != ("output_separator" in node):
        reader.refuse(line, "input_separators and output_separator must be given together")
    pattern = _compiled(node, reader)
    template = reader.text(node, "to_dsl_pattern")
    if pattern is not None:
        _check_groups(node, template, pattern, reader)
    separators = [str(separator) for separator in reader.items(node, "input_separators") if separator]
    if len(reader.problems) > count or pattern is None:
        return None
    between = (
        regex.compile("(?:" + "|".join(regex.escape(one) for one in separators) + ")+")
        if separators
        else None
    )
    return Rule(pattern, template, between, reader.text(node, "output_separator"), line)


def _compiled(node: YamlMap, reader: Reader) -> regex.Pattern[str] | None:
    try:
        return regex.compile(reader.text(node, "from_dsl_regex"))
    except regex.error as error:
        reader.refuse(node.lines["from_dsl_regex"], f"from_dsl_regex is not a regular expression: {error}")
        return None


def _check_groups(node: YamlMap, template: str, pattern: regex.Pattern[str], reader: Reader) -> None:
    for number in {int(found) for found in _GROUP.findall(template)}:
        if number > pattern.groups:
            message = f"to_dsl_pattern names the group {{{number}}}, but from_dsl_regex has {pattern.groups}"
            reader.refuse(node.lines["to_dsl_pattern"], message, "put parentheses around what is to be kept")
