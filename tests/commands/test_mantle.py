"""The tool calls of the newer engine are read as commands, from text and from data."""

from __future__ import annotations

import json
from typing import Any

import pytest

from du_eval import (
    CannotHandle,
    ChitChat,
    CommandParser,
    SetSlot,
    StartFlow,
    default_commands,
    parse_commands,
)
from du_eval.commands.foreign import MANTLE
from du_eval.generators.answers import AnswerReader
from du_eval.generators.base import Prediction
from tests.growth import assert_grows_evenly

PARSER = CommandParser(default_commands().adding(*MANTLE.adds), MANTLE)


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("activate(transfer_money)", ["StartFlow(transfer_money)"]),
        ("activate(skill='transfer__block')", ["StartFlow(transfer__block)"]),
        ("set_fields(amount=50)", ["SetSlot(amount, 50)"]),
        ('set_fields(amount=50, who="Ann, Bob")', ["SetSlot(amount, 50)", "SetSlot(who, Ann, Bob)"]),
        ('set_fields({"a": "x", "b": null})', ["SetSlot(a, x)", "SetSlot(b, None)"]),
        ('set_fields({"a": ["x", "y"], "b": 2})', ['SetSlot(a, ["x", "y"])', "SetSlot(b, 2)"]),
        ('set_fields({"fields": {"a": 1, "b": 2}})', ["SetSlot(a, 1)", "SetSlot(b, 2)"]),
        ("set_fields(fields={'a': [1]})", ["SetSlot(a, [1])"]),
        ('activate({"skill": "a"})', ["StartFlow(a)"]),
        ("cancel()", ["CancelFlow()"]),
        ('search_knowledge("fees?")', ["SearchAndReply()"]),
        ("cannot_help(in_domain=true)", ["CannotHandle()"]),
        ("cannot_help()", ["CannotHandle()"]),
        ("cannot_help(in_domain=False)", ["ChitChat()"]),
        ("complete()", ["complete()"]),
        ("activate(a)\nset_fields(b=1)\nlisten()", ["StartFlow(a)", "SetSlot(b, 1)", "listen()"]),
    ],
)
def test_a_call_in_text_is_a_command(text: str, commands: list[str]) -> None:
    found = PARSER.parse(text)
    assert ([str(command) for command in found.commands], found.unparsed) == (commands, ())
    assert [str(command) for command in parse_commands(text, syntax="mantle")] == commands


@pytest.mark.parametrize(
    ("name", "arguments", "commands"),
    [
        ("activate", {"skill": "transfer"}, ["StartFlow(transfer)"]),
        ("set_fields", {"amount": 50, "who": "Ann"}, ["SetSlot(amount, 50)", "SetSlot(who, Ann)"]),
        ("set_fields", {"fields": {"amount": 50}}, ["SetSlot(amount, 50)"]),
        ("cancel", {}, ["CancelFlow()"]),
        ("search_knowledge", {"query": "fees"}, ["SearchAndReply()"]),
        ("cannot_help", {"in_domain": False}, ["ChitChat()"]),
        ("listen", {}, ["listen()"]),
    ],
)
def test_a_tool_call_is_a_command(name: str, arguments: dict[str, Any], commands: list[str]) -> None:
    call = {"function": {"name": name, "arguments": json.dumps(arguments)}}
    read = AnswerReader(PARSER, PARSER.registry).read
    for answer in (Prediction(commands=(call,)), Prediction(text=json.dumps([call]))):
        found = read(answer)
        assert ([str(command) for command in found.commands], found.unparsed) == (commands, ())


def test_a_tool_that_does_not_exist_is_no_command() -> None:
    call = {"name": "fly_away", "arguments": {"to": "Rome"}}
    found = AnswerReader(PARSER, PARSER.registry).read(Prediction(commands=(call,)))
    assert (found.commands, found.hallucinated) == ((), (json.dumps(call),))


@pytest.mark.parametrize(
    "command", [StartFlow("a"), SetSlot("x", "a, b) c"), SetSlot("x", None), ChitChat(), CannotHandle()]
)
def test_what_is_printed_is_read_back(command: Any) -> None:
    assert PARSER.parse(MANTLE.print(command)).commands == (command,)


def test_many_fields_take_no_more_than_their_share_of_time() -> None:
    def parse(count: int) -> None:
        found = PARSER.parse("set_fields(" + ", ".join(f"a{n}=1" for n in range(count)) + ")")
        assert (len(found.commands), found.unparsed) == (count, ())

    assert_grows_evenly(parse, 800)
