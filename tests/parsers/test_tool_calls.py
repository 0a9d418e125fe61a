import json
from collections.abc import Mapping
from typing import Any

import pytest

from du_eval.commands import (
    CancelFlow,
    ChitChat,
    Clarify,
    Command,
    SetSlot,
    StartFlow,
    Syntax,
    default_commands,
)
from du_eval.errors import CommandReadError
from du_eval.parsers.command_parser import CommandParser, ParsedCommands
from du_eval.parsers.tool_calls import read_command_data
from tests.commands.test_custom_commands import Order

PARSER = CommandParser.default()
TOOL_CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "StartFlow", "arguments": '{"flow": "transfer"}'},
}


def parsed(data: object) -> ParsedCommands:
    return PARSER.parse(json.dumps(data))


class TestFormsThatAreRead:
    @pytest.mark.parametrize(
        "data",
        [
            {"command": "start flow", "flow": "transfer"},
            {"command": "StartFlow", "flow": "transfer"},
            {"command": "start_flow", "arguments": {"flow": "transfer"}},
            {"name": "StartFlow", "arguments": {"flow": "transfer"}},
            {"name": "StartFlow", "arguments": '{"flow": "transfer"}'},
            {"name": "start_flow", "parameters": {"flow": "transfer"}},
            {"type": "tool_use", "id": "1", "name": "StartFlow", "input": {"flow": "transfer"}},
            TOOL_CALL,
            {"tool_calls": [TOOL_CALL]},
            {"role": "assistant", "content": None, "tool_calls": [TOOL_CALL]},
            {"choices": [{"index": 0, "message": {"role": "assistant", "tool_calls": [TOOL_CALL]}}]},
            {"commands": ["StartFlow(transfer)"]},
            {"actions": [{"command": "start flow", "flow": "transfer"}]},
            ["StartFlow(transfer)"],
            [["StartFlow(transfer)"]],
            [TOOL_CALL],
        ],
    )
    def test_a_command_is_read_from_each_of_them(self, data: object) -> None:
        assert parsed(data) == ParsedCommands((StartFlow("transfer"),))

    def test_commands_of_different_forms_keep_their_order(self) -> None:
        data = ["CancelFlow()", {"command": "clarify", "options": ["b", "a"]}, TOOL_CALL]
        assert parsed(data).commands == (CancelFlow(), Clarify(("a", "b")), StartFlow("transfer"))

    def test_a_call_without_arguments_may_give_an_empty_text(self) -> None:
        assert parsed([{"name": "CancelFlow", "arguments": ""}]).commands == (CancelFlow(),)

    def test_values_of_any_type_become_the_text_of_a_slot(self) -> None:
        data = [
            {"command": "set slot", "name": "a", "value": value} for value in (50, True, None, ["x"], "y")
        ]
        assert [command.value for command in parsed(data).commands] == ["50", "True", None, '["x"]', "y"]

    def test_a_custom_command_is_made_from_its_arguments(self) -> None:
        parser = CommandParser(default_commands().adding(Order))
        found = parser.parse('{"name": "Order", "arguments": {"pizza": "funghi", "size": 2}}')
        assert found.commands == (Order("funghi", 2),)

    def test_texts_in_json_are_read_in_the_syntax_of_the_parser(self) -> None:
        parser = CommandParser(default_commands(), Syntax.PHRASES)
        assert parser.parse('["start flow a", "cancel flow"]').commands == (StartFlow("a"), CancelFlow())

    @pytest.mark.parametrize("data", [[], {}, {"commands": []}, {"tool_calls": []}, [[]]])
    def test_an_empty_list_holds_no_commands(self, data: object) -> None:
        assert parsed(data) == ParsedCommands()


class TestFences:
    @pytest.mark.parametrize("opening", ["```", "```json", "``` JSON ", "  ```"])
    @pytest.mark.parametrize("closing", ["\n```", "\n```\n", "```", "\n  ```  "])
    def test_json_is_read_from_between_fences(self, opening: str, closing: str) -> None:
        assert PARSER.parse(f'{opening}\n["CancelFlow()"]{closing}') == ParsedCommands((CancelFlow(),))

    def test_a_fence_need_not_be_closed(self) -> None:
        text = 'So:\n```json\n{"command": "start flow", "flow": "a"}'
        assert PARSER.parse(text) == ParsedCommands((StartFlow("a"),), ("So:",))

    def test_what_stands_beside_a_fence_is_no_language(self) -> None:
        text = '``` or ["a"]:\n["CancelFlow()"]\n```'
        assert PARSER.parse(text).unparsed == ('``` or ["a"]:',)

    def test_prose_around_fenced_json_is_kept(self) -> None:
        text = 'Here you go:\n```json\n{\n  "command": "start flow",\n  "flow": "a"\n}\n```\nDone.'
        assert PARSER.parse(text) == ParsedCommands((StartFlow("a"),), ("Here you go:", "Done."))

    def test_commands_around_fenced_json_are_read_in_order(self) -> None:
        text = 'CancelFlow()\n```\n["StartFlow(a)"]\n```\nStartFlow(b)'
        assert PARSER.parse(text).commands == (CancelFlow(), StartFlow("a"), StartFlow("b"))

    def test_fences_in_a_json_text_are_part_of_it(self) -> None:
        assert PARSER.parse('[\n"```CancelFlow()```",\n"StartFlow(a)"\n]').commands == (
            CancelFlow(),
            StartFlow("a"),
        )


class TestWhatIsNotUsable:
    @pytest.mark.parametrize(
        "item",
        [
            {"command": "start flow"},
            {"command": "start flow", "flow": 5},
            {"command": "start flow", "flow": "a", "priority": 1},
            {"command": "cancel flow", "reason": "none"},
            {"command": "clarify", "options": 5},
            {"command": "clarify", "options": [5]},
            {"command": "set slot", "value": "x"},
            {"command": "teleport"},
            {"name": "StartFlow", "arguments": "{broken"},
            {"name": "StartFlow", "arguments": "[]"},
            {"name": "StartFlow", "arguments": 5},
            {"function": {"name": "Nope", "arguments": "{}"}},
            5,
            None,
        ],
    )
    def test_it_is_kept_beside_what_can_be_used(self, item: object) -> None:
        found = parsed(["CancelFlow()", item])
        assert found.commands == (CancelFlow(),)
        assert [json.loads(text) for text in found.unparsed] == [item]

    def test_text_in_a_list_that_is_no_command_is_kept(self) -> None:
        assert parsed(["CancelFlow()", "hello", ""]) == ParsedCommands((CancelFlow(),), ("hello",))

    @pytest.mark.parametrize(
        "text",
        ['{"command": "start flow", "flow": "a"', "[CancelFlow()", "{CancelFlow()}", '{"x": "CancelFlow()"}'],
    )
    def test_text_that_only_looks_like_json_is_read_line_by_line(self, text: str) -> None:
        found = PARSER.parse(text)
        assert found.commands == ((CancelFlow(),) if "CancelFlow" in text else ())
        assert bool(found.unparsed) == ("x" in text or "command" in text)

    def test_lists_are_opened_six_deep(self) -> None:
        assert parsed(["ChitChat()", [[[[["CancelFlow()"]]]]]]).commands == (ChitChat(), CancelFlow())
        found = parsed(["ChitChat()", [[[[[["CancelFlow()"]]]]]]])
        assert found == ParsedCommands((ChitChat(),), ('["CancelFlow()"]',))

    @pytest.mark.parametrize("depth", [5, 50, 990, 100_000])
    @pytest.mark.parametrize(
        "form", ['["CancelFlow()", %s]', '{"command": "set slot", "name": "a", "value": %s}', "%s"]
    )
    def test_nesting_of_any_depth_is_survived(self, depth: int, form: str) -> None:
        for command in PARSER.parse(form % ("[" * depth + "]" * depth)).commands:
            assert isinstance(command, CancelFlow | SetSlot)

    def test_whatever_a_custom_command_raises_is_survived(self) -> None:
        class Fragile(Order):
            name = "fragile"

            @classmethod
            def from_arguments(cls, arguments: Mapping[str, object]) -> Command:
                raise RuntimeError("no")

        parser = CommandParser(default_commands().adding(Fragile))
        assert parser.parse('{"command": "fragile"}') == ParsedCommands((), ('{"command": "fragile"}',))


class TestOneDictionary:
    def test_it_is_read_as_a_command(self) -> None:
        assert read_command_data(TOOL_CALL, default_commands()) == StartFlow("transfer")

    @pytest.mark.parametrize(
        "data", [{}, {"command": "nope"}, {"flow": "x"}, {"function": {}}, {"name": "StartFlow"}]
    )
    def test_an_unknown_name_gives_nothing(self, data: dict[str, Any]) -> None:
        assert read_command_data(data, default_commands()) is None

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (
                {"command": "start flow", "flow": 5},
                r"StartFlow cannot be created from {'flow': 5}: must be a string",
            ),
            ({"name": "StartFlow", "arguments": "{"}, "the arguments are not valid JSON: '{'"),
            ({"name": "StartFlow", "arguments": [1]}, r"the arguments are not an object: \[1\]"),
        ],
    )
    def test_wrong_arguments_are_told(self, data: dict[str, Any], message: str) -> None:
        with pytest.raises(CommandReadError, match=message):
            read_command_data(data, default_commands())
