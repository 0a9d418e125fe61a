"""What models wrap around commands: reasoning, fences, prose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

import regex
from msgspec import Struct

from du_eval.commands.base import Command
from du_eval.commands.flows import Clarify, RestartAgent, SetSlot, StartFlow
from du_eval.commands.registry import CommandRegistry
from du_eval.commands.syntax import BUILT_IN_SYNTAXES
from du_eval.parsers.command_parser import CommandParser

_WORDS = (
    "think|thinking|thinking_process|thought|thoughts|reasoning|reason|reflection|scratchpad|analysis"
    "|chain_of_thought|cot"
)
_MAKER = r"(?:ant|[a-z]{2,10}[:_])?"
"""What some makers write before the word: <seed:think>, <longcat_think>, <antThinking>."""
_PAIRS = (
    (rf"<{_MAKER}(?:{_WORDS})(?:\s[^<>]*)?>", rf"</{_MAKER}(?:{_WORDS})\s*>"),
    (r"◁think▷", r"◁/think▷"),
    (r"\[THINK\]", r"\[/THINK\]"),
    (r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>"),
    (r"<\|START_THINKING\|>", r"<\|END_THINKING\|>"),
    (r"<unused94>(?:thought)?", r"<unused95>"),
    (r"\[unused16\]", r"\[unused17\]"),
    (r"<\|channel>\s*(?:thought|thinking|analysis)", r"<channel\|>"),
    (r"<\|inner_prefix\|>", r"<\|inner_suffix\|>"),
    (r"<\|think(?:ing)?\|>", r"<\|/think(?:ing)?\|>|<\|end\|>\s*<\|begin\|>\s*assistant\s*<\|content\|>"),
)
"""How models write the beginning and the end of what they think."""
# Marks that most answers do not have: their patterns are compiled on first use, which takes its time.
_OPEN = "|".join(f"(?:{start})" for start, _ in _PAIRS)
_CLOSE = "|".join(f"(?:{end})" for _, end in _PAIRS)
_MARK = f"(?i)(?P<open>{_OPEN})|(?P<close>{_CLOSE})"
_FENCE_OPENS = rf"(?i)\s*```+\s*(?:{_WORDS})\s*"
_FENCE_CLOSES = r"\s*```+\s*"
_INDENT = 100
_CHANNEL = (
    r"(?:<\|start\|>\s*\w+\s*)?<\|channel\|>\s*(?P<name>\w+)(?:\s+to=(?P<to>[\w.]+))?[^<]*?"
    r"(?:<\|constrain\|>[^<]*)?<\|message\|>"
)
_CHANNEL_ENDS = r"<\|(?:end|return|call|start)\|>(?:\s*assistant\s*)?"
_BARE_CHANNELS = regex.compile(
    r"^\s*(?:assistant)?analysis(?=[A-Z\s\"'])(?P<thought>.*?)assistantfinal", regex.S
)
_SOLUTION = (
    r"(?si)<(?P<tag>answer|final_answer|final|solution|response)\s*>(?P<answer>.*?)(?:</(?P=tag)\s*>|\Z)"
    r"|<\|begin_of_solution\|>(?P<answer>.*?)(?:<\|end_of_solution\|>|\Z)"
    r"|<\|START_(?:RESPONSE|TEXT)\|>(?P<answer>.*?)(?:<\|END_(?:RESPONSE|TEXT)\|>|\Z)"
)
_FINAL_LINE = regex.compile(
    r"^[ \t#*_>-]*(?:final answer|here(?: is|['’]s) my response)[ \t*_]*[:：][\s*_]*", regex.M | regex.I
)


class SaidAndThought(Struct, frozen=True):
    """A text in two parts."""

    said: str
    thought: str = ""
    is_open: bool = False
    """The thinking never ends: what would have followed it is missing."""


def separate_reasoning(text: str) -> SaidAndThought:
    """Return what a text says and what its writer only thought; nothing of it is lost."""
    if "<" not in text and "[" not in text and "`" not in text and "◁" not in text:
        found = _bare(text)
        return found or SaidAndThought(text)
    if "<|channel|>" in text:
        return _channels(text)
    thoughts: list[str] = []
    said, is_open = _without_blocks(_without_fences(text, thoughts), thoughts)
    said = _solution(said, thoughts)
    bare = _bare(said)
    if bare:
        thoughts.append(bare.thought)
        said = bare.said
    return (
        SaidAndThought(said, "\n".join(filter(None, thoughts)), is_open) if thoughts else SaidAndThought(text)
    )


def _without_fences(text: str, thoughts: list[str]) -> str:
    """Return a text without fenced blocks that say that they are thoughts."""
    if "```" not in text:
        return text
    said: list[str] = []
    inside: list[str] | None = None
    for line in text.splitlines(keepends=True):
        if inside is None and regex.fullmatch(_FENCE_OPENS, line):
            inside = []
        elif inside is not None and regex.fullmatch(_FENCE_CLOSES, line):
            thoughts.append("".join(inside).strip())
            inside = None
        else:
            (said if inside is None else inside).append(line)
    return text if inside is not None else "".join(said)


def _without_blocks(text: str, thoughts: list[str]) -> tuple[str, bool]:
    """Return a text without its blocks of thoughts, and whether the last one never ends."""
    said: list[str] = []
    is_inside, position = False, 0
    for mark in _marks(text):
        before = text[position : mark.start()]
        if mark["close"] and not is_inside:
            # The prompt itself opened the block, or blocks were nested: all so far was thought.
            thoughts.extend(part.strip() for part in [*said, before])
            said.clear()
        else:
            (thoughts if is_inside else said).append(before.strip() if is_inside else before)
        is_inside = bool(mark["open"])
        position = mark.end()
    rest = text[position:]
    (thoughts if is_inside else said).append(rest.strip() if is_inside else rest)
    return "".join(said), is_inside


def _marks(text: str) -> Iterator[regex.Match[str]]:
    """Yield where blocks begin and end; a beginning without an end counts only at the start of a line."""
    marks = list(regex.finditer(_MARK, text))
    last_close = max((mark.start() for mark in marks if mark["close"]), default=-1)
    for mark in marks:
        if mark["close"] or mark.start() < last_close or _is_at_start_of_line(text, mark.start()):
            yield mark


def _is_at_start_of_line(text: str, position: int) -> bool:
    before = text[max(0, position - _INDENT) : position]
    return not before.rpartition("\n")[2].strip() and ("\n" in before or position < _INDENT)


def _channels(text: str) -> SaidAndThought:
    """Return the final channel and calls of functions; everything else is thought."""
    said: list[str] = []
    thoughts: list[str] = []
    marks = list(regex.finditer(_CHANNEL, text))
    if not marks:
        return SaidAndThought(text)
    head = regex.sub(_CHANNEL_ENDS, "", text[: marks[0].start()]).strip()
    for mark, after in zip(marks, [*(mark.start() for mark in marks[1:]), len(text)], strict=True):
        part = regex.sub(_CHANNEL_ENDS, "", text[mark.end() : after]).strip()
        is_said = mark["name"].lower() == "final" or mark["to"]
        (said if is_said else thoughts).append(f"{mark['to']} {part}" if mark["to"] else part)
    return SaidAndThought(
        "\n".join(filter(None, [head, *said])), "\n".join(filter(None, thoughts)), is_open=not said
    )


def _solution(text: str, thoughts: list[str]) -> str:
    """Return what stands in the marks of an answer; what stands before them is thought."""
    match = regex.search(_SOLUTION, text)
    if match is None:
        return text
    before = text[: match.start()].strip()
    thoughts.append(before)
    return f"{match['answer']}\n{text[match.end() :]}".strip()


def _bare(text: str) -> SaidAndThought | None:
    """Return the parts of a text whose marks are words only."""
    channels = _BARE_CHANNELS.match(text)
    if channels:
        return SaidAndThought(text[channels.end() :].strip(), channels["thought"].strip())
    finals = list(_FINAL_LINE.finditer(text))
    if finals and text[: finals[-1].start()].strip():
        return SaidAndThought(text[finals[-1].end() :].strip(), text[: finals[-1].start()].strip())
    return None


_GAP = r"[\s_-]*"
_PARTS = regex.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_SEPARATORS = regex.compile(r"[\s,;=:|]+")
_KEYS = frozenset(
    {"flow", "flow_name", "flow_id", "name", "slot", "slot_name", "value", "slot_value", "options"}
)
_MUST_FOLLOW_A_WORD = r"(?=\s*[\(\[\{:]|\W*$)"
"""A name of one word is often a word of prose."""
_LONGEST = 20_000
_AROUND = " \t'\"`()[]{}<>.,;:*"


def read_leniently(text: str, registry: CommandRegistry) -> tuple[Command, ...]:
    """Return the commands of a vocabulary that a text names in any spelling, case or kind of bracket.

    Only for explaining what went wrong: such a reading is a guess, and counts for no outcome.
    """
    for syntax in BUILT_IN_SYNTAXES.values():
        found = CommandParser(registry, syntax).parse(text)
        if found.commands and not found.unparsed:
            return found.commands
    names = _names(registry)
    return tuple(command for line in text[:_LONGEST].splitlines() for command in _in_line(line, names))


def _in_line(line: str, names: Mapping[str, type[Command]]) -> Iterator[Command]:
    marks = list(regex.finditer("|".join(names), line, regex.IGNORECASE, timeout=1.0))
    ends = [mark.start() for mark in marks[1:]] + [len(line)]
    for mark, end in zip(marks, ends, strict=False):
        name = next(name for name in names if regex.match(name, line[mark.start() :], regex.I))
        command = _command(names[name], line[mark.end() : end])
        if command is not None:
            yield command


@lru_cache(maxsize=8)
def _names(registry: CommandRegistry) -> Mapping[str, type[Command]]:
    """Return patterns for the names of commands: of classes, of reports, and of phrases."""
    found: dict[str, type[Command]] = {}
    for command in registry:
        spelled = {command.__name__, command.name}
        for syntax in BUILT_IN_SYNTAXES.values():
            spelling = syntax.spellings.get(command)
            spelled |= {spelling.template.split("{")[0].strip()} if spelling else set()
        for name in spelled:
            words = _PARTS.findall(name)
            behind = r"(?![^\W_])" if len(words) > 1 else _MUST_FOLLOW_A_WORD
            found[rf"(?<![^\W_]){_GAP.join(words)}{behind}"] = command
    return dict(sorted(found.items(), key=lambda item: -len(item[0])))


def _command(kind: type[Command], rest: str) -> Command | None:
    words = [word.strip(_AROUND) for word in _SEPARATORS.split(rest.strip(_AROUND))]
    words = [word for word in words if word and word.casefold() not in _KEYS]
    if issubclass(kind, StartFlow | RestartAgent):
        return kind(words[0]) if words else None
    if issubclass(kind, Clarify):
        return kind(tuple(words))
    if issubclass(kind, SetSlot):
        return _slot(kind, words, rest)
    try:
        return kind.from_arguments({})
    except (TypeError, ValueError):
        return None


def _slot(kind: type[SetSlot], words: list[str], rest: str) -> SetSlot | None:
    if len(words) < 2:
        return None
    value = rest[rest.index(words[0]) + len(words[0]) :]
    value = regex.sub(r"^[\s,;=:|'\")\]]*(?:(?:slot_)?value\s*[=:]\s*)?", "", value)
    return kind(words[0], value.strip(_AROUND))
