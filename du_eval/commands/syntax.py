"""How the default commands are spelled: as calls, as phrases, or as a file says."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import ClassVar

import regex
from msgspec import Struct, field

from du_eval.commands import flows
from du_eval.commands.base import Command, MatchedText, is_plain, is_single_line, quote_value

_TIME_LIMIT_SECONDS = 0.2


class Spelling(Struct, frozen=True):
    """How one command is found in text and printed."""

    pattern: str
    template: str
    separator: str = " "

    def fill(self, arguments: Mapping[str, object]) -> str:
        """Return the template with the arguments in place."""
        texts = {name: self._text(value) for name, value in arguments.items()}
        return self.template.format_map(texts).strip()

    def _text(self, value: object) -> str:
        if isinstance(value, list | tuple):
            return self.separator.join(str(item) for item in value)
        return str(value)


class Syntax(Struct, frozen=True):
    """A spelling of the default commands; what it does not spell is written as the class itself says."""

    CALLS: ClassVar[Syntax]
    PHRASES: ClassVar[Syntax]
    PHRASES_SEARCH: ClassVar[Syntax]

    name: str
    spellings: Mapping[type[Command], Spelling] = field(default_factory=dict)
    is_built_in: bool = False
    adds: tuple[type[Command], ...] = ()
    """Commands beyond the default ones that a vocabulary in this syntax has."""

    def __hash__(self) -> int:
        return hash(self.name)

    def find_spelling(self, command: type[Command], method: str) -> Spelling | None:
        """Return the spelling of a class, unless the class (or a custom parent) defines the method itself."""
        owner = next(parent for parent in command.__mro__ if method in vars(parent))
        for parent in command.__mro__:
            if issubclass(parent, Command) and parent in self.spellings:
                return self.spellings[parent] if issubclass(parent, owner) else None
        return None

    def find_pattern(self, command: type[Command]) -> str:
        """Return the pattern that finds a command in a line."""
        spelling = self.find_spelling(command, "regex_pattern")
        return spelling.pattern if spelling else command.regex_pattern()

    def print(self, command: Command) -> str:
        """Return a command as text that this syntax reads back."""
        spelling = self.find_spelling(type(command), "to_dsl")
        if spelling is None:
            return command.to_dsl()
        arguments = command.arguments()
        text = spelling.fill(arguments)
        if not isinstance(command, flows.SetSlot) or _is_safe(text, command, spelling):
            return text
        return spelling.fill({**arguments, "value": quote_value(str(command.value))})


def _is_safe(text: str, command: flows.SetSlot, spelling: Spelling) -> bool:
    """Tell whether a slot's value is read back as it is, without quotes."""
    if command.value is None or is_plain(command.value):
        return True
    if not is_single_line(command.value):
        return False
    try:
        match = _compiled(spelling.pattern).search(text, timeout=_TIME_LIMIT_SECONDS)
    except TimeoutError:
        return False
    return (
        match is not None
        and (match.start(), match.end()) == (0, len(text))
        and type(command).from_dsl(MatchedText.of(match)) == command
    )


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> regex.Pattern[str]:
    return regex.compile(pattern)


_PHRASES: dict[type[Command], str] = {
    flows.StartFlow: "start flow",
    flows.SetSlot: "set slot",
    flows.CancelFlow: "cancel flow",
    flows.Clarify: "disambiguate flows",
    flows.ChitChat: "offtopic reply",
    flows.SearchAndReply: "provide info",
    flows.HumanHandoff: "hand over",
    flows.SkipQuestion: "skip question",
    flows.RepeatLastBotMessages: "repeat message",
    flows.ContinueAgent: "continue agent",
    flows.RestartAgent: "restart agent",
    flows.CannotHandle: "cannot handle",
}


def _phrase_spellings(phrases: Mapping[type[Command], str]) -> dict[type[Command], Spelling]:
    """Return spellings for phrases that stand at the start of a line or behind a comma or semicolon."""
    word = r"(?:and\s+|then\s+)?"
    behind = rf"[,;]\s*{word}"
    any_phrase = "|".join(sorted(phrases.values(), key=len, reverse=True))
    start = rf"(?:(?<=^[\W\d_]*)|(?<={behind}))"
    end = rf"""(?=['"`\s]*(?:$|{behind}(?:{any_phrase})\b))"""
    alone = rf"""(?=['"`\s.!]*(?:$|{behind}(?:{any_phrase})\b))"""
    quote = r"""['"`]*"""
    text = rf'"(?:[^"\\]|\\.)*+"{end}'
    one_id = rf"{quote}(?P<{{}}>[\w-]+){quote}"
    tails = {
        flows.StartFlow: " " + one_id.format("flow"),
        flows.RestartAgent: " " + one_id.format("agent_id"),
        flows.SetSlot: rf" {quote}(?P<name>[^\W\d][\w-]*){quote} (?P<value>{text}|.+?){end}",
        flows.Clarify: rf"""(?: (?P<options>[\w\s,;'"`-]*?))?{end}""",
        flows.CannotHandle: rf"(?: (?P<reason>[\w\s-]+?))?{alone}",
    }
    templates = {
        flows.StartFlow: " {flow}",
        flows.RestartAgent: " {agent_id}",
        flows.SetSlot: " {name} {value}",
        flows.Clarify: " {options}",
        flows.CannotHandle: " {reason}",
    }
    return {
        command: Spelling(start + phrase + tails.get(command, alone), phrase + templates.get(command, ""))
        for command, phrase in phrases.items()
    }


Syntax.CALLS = Syntax("calls", is_built_in=True)
Syntax.PHRASES = Syntax("phrases", _phrase_spellings(_PHRASES), is_built_in=True)
Syntax.PHRASES_SEARCH = Syntax(
    "phrases-search",
    _phrase_spellings({**_PHRASES, flows.SearchAndReply: "search and reply"}),
    is_built_in=True,
)

BUILT_IN_SYNTAXES: dict[str, Syntax] = {
    syntax.name: syntax for syntax in (Syntax.CALLS, Syntax.PHRASES, Syntax.PHRASES_SEARCH)
}
SYNTAX_ALIASES = {"v1": "calls", "v2": "phrases", "v3": "phrases-search"}


def find_built_in_syntax(name: str) -> Syntax | None:
    """Return a built-in syntax by its name or version."""
    return BUILT_IN_SYNTAXES.get(SYNTAX_ALIASES.get(name, name))
