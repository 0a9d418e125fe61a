"""Commands, syntaxes and texts that the tests of the vocabulary and of its parser share."""

from __future__ import annotations

from hypothesis import strategies as st

from du_eval.commands import (
    CancelFlow,
    CannotHandle,
    ChitChat,
    Clarify,
    Command,
    CommandRegistry,
    ContinueAgent,
    HumanHandoff,
    RepeatLastBotMessages,
    RestartAgent,
    SearchAndReply,
    SetSlot,
    SkipQuestion,
    StartFlow,
    Syntax,
    default_commands,
)
from du_eval.commands.foreign import RequestSlot
from du_eval.commands.function_calls import CallFunction
from du_eval.parsers.syntax_file import read_syntax

ALL_COMMANDS: CommandRegistry = default_commands().adding(
    CannotHandle, ContinueAgent, RestartAgent, RequestSlot, CallFunction
)
COMPRESSED = read_syntax(
    r"""
commands:
  StartFlow: {regex: '^start (?P<flow>\S+)$', print: 'start {flow}'}
  SetSlot: {regex: '^set (?P<name>\S+) (?P<value>.*)$', print: 'set {name} {value}'}
  CancelFlow: {regex: '^cancel$', print: 'cancel'}
  Clarify: {regex: '^clarify(?: (?P<options>.*))?$', print: 'clarify {options}', separator: ' | '}
  SearchAndReply: {regex: '^search$', print: 'search'}
  RestartAgent: {regex: '^again <(?P<agent_id>[^>]+)>$', print: 'again <{agent_id}>'}
""",
    "compressed.yml",
)
SYNTAXES = (Syntax.CALLS, Syntax.PHRASES, Syntax.PHRASES_SEARCH, COMPRESSED)

BARE_COMMANDS: tuple[Command, ...] = (
    CancelFlow(),
    ChitChat(),
    SearchAndReply(),
    HumanHandoff(),
    SkipQuestion(),
    RepeatLastBotMessages(),
    ContinueAgent(),
)
_PIECES = (
    "a", "é", "\U0001f600", " ", "  ", "\t", "\n", "\r", "\x00", "\x1c", "\x85", "\u2028", "'", '"', "`", "```",
    "(", ")", "[", "]", "{", "}", "{value}", "\\", "\\n", "\\u0041", ",", ";", ":", "#", "- ", "1. ", "None", "null",
    "[missing]", ", start flow x", "; set slot a b", ", and cancel flow", "SetSlot(a, b)", "StartFlow(x)", ')"', '"]',
)  # fmt: skip

identifiers = st.from_regex(r"[A-Za-z_][A-Za-z0-9_-]{0,8}", fullmatch=True)
texts = st.one_of(st.text(max_size=30), st.lists(st.sampled_from(_PIECES), max_size=8).map("".join))
commands_with_arguments = st.one_of(
    st.builds(StartFlow, identifiers),
    st.builds(RestartAgent, identifiers),
    st.builds(CannotHandle, st.one_of(st.just(""), identifiers)),
    st.builds(Clarify, st.lists(identifiers.filter(lambda word: word not in {"and", "or"}), max_size=4)),
    st.builds(SetSlot, identifiers, texts),
)
commands = st.one_of(st.sampled_from(BARE_COMMANDS), commands_with_arguments)
