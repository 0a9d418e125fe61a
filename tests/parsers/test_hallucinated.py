"""Commands that do not exist have a class of their own in what the parser finds."""

from __future__ import annotations

import pytest

from du_eval.commands import default_commands
from du_eval.parsers.command_parser import CommandParser

PARSER = CommandParser.default()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("FooBar(x)", ("FooBar(x)",)),
        ("FooBar(x)\nStartFlow(a)", ("FooBar(x)",)),
        ("Then FooBar() and OtherThing(a, b)", ("FooBar()", "OtherThing(a, b)")),
        ("transfer_money(amount=5)", ("transfer_money(amount=5)",)),
        ('{"command": "foo bar"}', ('{"command": "foo bar"}',)),
        ('[{"name": "FooBar", "arguments": {}}]', ('{"name": "FooBar", "arguments": {}}',)),
        ("startflow(a)", ()),
        ("start_flow(a)", ()),
        ("StartFlow(a b)", ()),
        ("Some command(s) may apply", ()),
        ("Sure (really)", ()),
        ("see f(x)", ()),
        ("NASA(x)", ()),
        ("StartFlow(a)", ()),
    ],
)
def test_a_call_of_an_unknown_name_is_told_apart_from_other_text(text: str, found: tuple[str, ...]) -> None:
    assert PARSER.parse(text).hallucinated == found


def test_a_command_that_was_removed_does_not_exist() -> None:
    parser = CommandParser(default_commands().removing("CancelFlow"))
    assert parser.parse("CancelFlow()").hallucinated == ("CancelFlow()",)


def test_it_stays_in_the_unparsed_text() -> None:
    assert PARSER.parse("FooBar(x)").unparsed == ("FooBar(x)",)
