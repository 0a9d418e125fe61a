"""What a syntax prints, its parser reads back: every command, any text in a slot."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from du_eval.commands import Command, SetSlot, Syntax
from du_eval.parsers.command_parser import CommandParser, ParsedCommands
from tests.commands.vocabulary import (
    ALL_COMMANDS,
    BARE_COMMANDS,
    SYNTAXES,
    commands,
    commands_with_arguments,
    identifiers,
    texts,
)

PARSERS = {syntax.name: CommandParser(ALL_COMMANDS, syntax) for syntax in SYNTAXES}
every_syntax = pytest.mark.parametrize("name", PARSERS)


@every_syntax
@given(identifiers, texts)
@settings(deadline=None, max_examples=250)
def test_any_text_in_a_slot_survives(name: str, slot: str, value: str) -> None:
    command = SetSlot(slot, value)
    parser = PARSERS[name]
    assert parser.parse(parser.syntax.print(command)) == ParsedCommands((command,))


@every_syntax
@given(commands_with_arguments)
@settings(deadline=None, max_examples=150)
def test_every_command_with_arguments_survives(name: str, command: Command) -> None:
    parser = PARSERS[name]
    assert parser.parse(parser.syntax.print(command)) == ParsedCommands((command,))


@every_syntax
@pytest.mark.parametrize("command", BARE_COMMANDS, ids=str)
def test_every_command_without_arguments_survives(name: str, command: Command) -> None:
    parser = PARSERS[name]
    assert parser.parse(parser.syntax.print(command)) == ParsedCommands((command,))


@every_syntax
@given(st.lists(commands, max_size=4))
@settings(deadline=None, max_examples=100)
def test_commands_on_lines_of_their_own_survive_in_their_order(name: str, given: list[Command]) -> None:
    parser = PARSERS[name]
    text = "\n".join(parser.syntax.print(command) for command in given)
    assert parser.parse(text) == ParsedCommands(tuple(given))


@every_syntax
@given(identifiers, texts)
@settings(deadline=None, max_examples=150)
def test_a_printed_command_is_one_line(name: str, slot: str, value: str) -> None:
    assert len(PARSERS[name].syntax.print(SetSlot(slot, value)).splitlines()) == 1


@given(commands)
@settings(deadline=None, max_examples=150)
def test_the_dictionary_form_leads_back_to_the_command(command: Command) -> None:
    data = command.as_dict()
    found = ALL_COMMANDS.find(str(data.pop("command")))
    assert found is type(command)
    assert found.from_arguments(data) == command


@given(commands_with_arguments)
@settings(deadline=None, max_examples=150)
def test_a_class_reads_what_it_prints(command: Command) -> None:
    assert type(command).from_dsl(command.to_dsl()) == command


@pytest.mark.parametrize("syntax", [Syntax.PHRASES, Syntax.PHRASES_SEARCH], ids=lambda syntax: syntax.name)
@pytest.mark.parametrize("separator", [", ", "; ", ", and ", ", then "])
def test_phrases_in_one_line_are_told_apart(syntax: Syntax, separator: str) -> None:
    given = (*BARE_COMMANDS, SetSlot("a", "one, two"), SetSlot("b", "x"))
    text = separator.join(syntax.print(command) for command in given)
    assert PARSERS[syntax.name].parse(text) == ParsedCommands(given)


@pytest.mark.parametrize("separator", [", ", "; ", " ", " and ", ""])
def test_calls_in_one_line_are_told_apart(separator: str) -> None:
    given = (*BARE_COMMANDS, SetSlot("a", "one, (two)"), SetSlot("b", "x"))
    text = separator.join(str(command) for command in given)
    assert PARSERS["calls"].parse(text) == ParsedCommands(given)
