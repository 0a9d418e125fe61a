from pathlib import Path

import pytest

from du_eval.commands import (
    CannotHandle,
    Clarify,
    SearchAndReply,
    SetSlot,
    StartFlow,
    Syntax,
    default_commands,
)
from du_eval.errors import ConfigError, InputError
from du_eval.parsers.command_parser import CommandParser
from du_eval.parsers.syntax_file import load_syntax, read_syntax


def problems_of(text: str) -> list[tuple[int, str]]:
    with pytest.raises(ConfigError) as caught:
        read_syntax(text, "mine.yml")
    assert {problem.file for problem in caught.value.problems} == {"mine.yml"}
    return [(problem.line, problem.message) for problem in caught.value.problems]


def hints_of(text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        read_syntax(text, "mine.yml")
    return [problem.hint for problem in caught.value.problems]


def spelling(command: str, **keys: str) -> str:
    lines = "".join(f"    {key}: {value}\n" for key, value in keys.items())
    return f"commands:\n  {command}:\n{lines}"


class TestASyntaxOfOnesOwn:
    SYNTAX = read_syntax(
        "commands:\n"
        "  start flow: {regex: '^go to (?P<flow>\\w+)$', print: 'go to {flow}'}\n"
        "  KnowledgeAnswerCommand: {regex: '^look up$', print: look up}\n"
        "  Clarify: {regex: '^which of (.+)$', print: 'which of {options}', separator: ' / '}\n",
        "mine.yml",
    )

    def test_commands_may_go_by_any_of_their_names(self) -> None:
        assert set(self.SYNTAX.spellings) == {StartFlow, SearchAndReply, Clarify}

    def test_it_reads_and_prints_what_it_spells(self) -> None:
        parser = CommandParser(default_commands(), self.SYNTAX)
        found = parser.parse("go to cards\nlook up\nwhich of a / b")
        assert found.commands == (StartFlow("cards"), SearchAndReply(), Clarify(("a", "b")))
        assert self.SYNTAX.print(Clarify(("a", "b"))) == "which of a / b"

    def test_a_command_that_it_does_not_spell_is_written_as_a_call(self) -> None:
        assert CommandParser(default_commands(), self.SYNTAX).parse("SetSlot(a, b)").commands == (
            SetSlot("a", "b"),
        )
        assert self.SYNTAX.print(SetSlot("a", "b")) == "SetSlot(a, b)"

    def test_the_call_of_a_command_that_it_spells_is_no_command(self) -> None:
        assert CommandParser(default_commands(), self.SYNTAX).parse("StartFlow(a)").commands == ()

    def test_a_reason_may_be_left_out(self) -> None:
        syntax = read_syntax(spelling("CannotHandle", regex="^eh$", print="eh"), "mine.yml")
        assert syntax.print(CannotHandle("too_long")) == "eh"


class TestLoading:
    @pytest.mark.parametrize(
        ("name", "syntax"),
        [("calls", Syntax.CALLS), ("v2", Syntax.PHRASES), ("phrases-search", Syntax.PHRASES_SEARCH)],
    )
    def test_a_built_in_syntax_is_found_by_name_or_version(self, name: str, syntax: Syntax) -> None:
        assert load_syntax(name) is syntax

    def test_a_changed_file_is_read_again(self, tmp_path: Path) -> None:
        file = tmp_path / "mine.yml"
        for word in ("stop", "halt"):
            file.write_text(spelling("CancelFlow", regex=f"^{word}$", print=word), encoding="utf-8")
            assert next(iter(load_syntax(str(file)).spellings.values())).template == word

    def test_a_file_may_start_with_a_byte_order_mark(self, tmp_path: Path) -> None:
        file = tmp_path / "mine.yml"
        file.write_text(spelling("CancelFlow", regex="^x$", print="x"), encoding="utf-8-sig")
        assert len(load_syntax(str(file)).spellings) == 1

    def test_a_name_that_is_neither_known_nor_a_file_is_refused(self) -> None:
        with pytest.raises(ConfigError, match=r"unknown syntax 'nope': .*use calls, phrases, phrases-search"):
            load_syntax("nope")

    def test_a_folder_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigError, match="neither a built-in one nor a file"):
            load_syntax(str(tmp_path))

    def test_a_file_in_another_encoding_is_refused(self, tmp_path: Path) -> None:
        file = tmp_path / "mine.yml"
        file.write_bytes("commands: {ä: ö}".encode("latin-1"))
        with pytest.raises(InputError, match=r"mine.yml:1: is not UTF-8"):
            load_syntax(str(file))


class TestMistakes:
    @pytest.mark.parametrize(
        "text", ["", "- a", "commands:", "commands: []", "commands: {}\nmore: 1", "other: {}"]
    )
    def test_a_file_of_another_shape(self, text: str) -> None:
        assert problems_of(text) == [
            (1, "a syntax file holds one key, 'commands': command -> regex and print")
        ]

    def test_a_file_that_is_no_yaml(self) -> None:
        with pytest.raises(InputError, match=r"mine.yml:2: not valid YAML"):
            read_syntax("commands:\n  @x: y\n", "mine.yml")

    def test_an_unknown_command(self) -> None:
        text = spelling("StartFlw", regex="x", print="x")
        assert problems_of(text) == [(2, "unknown command 'StartFlw'")]
        assert hints_of(text) == ["did you mean 'StartFlow'?"]

    def test_a_command_like_no_other(self) -> None:
        assert hints_of(spelling("Xyz", regex="x", print="x"))[0].startswith("known: StartFlow, CancelFlow")

    def test_one_command_under_two_names(self) -> None:
        text = "commands:\n  CancelFlow: {regex: a, print: a}\n  cancel flow: {regex: b, print: b}\n"
        assert problems_of(text) == [
            (3, "'cancel flow' is another name of CancelFlow, which already has a spelling")
        ]

    @pytest.mark.parametrize("entry", ["", " text", " [a]"])
    def test_a_command_without_its_keys(self, entry: str) -> None:
        assert problems_of(f"commands:\n  CancelFlow:{entry}\n") == [
            (2, "'CancelFlow' needs the keys regex and print")
        ]

    def test_a_missing_key(self) -> None:
        assert problems_of(spelling("CancelFlow", regex="x")) == [(2, "'CancelFlow' has no print")]
        assert problems_of(spelling("CancelFlow", print="x")) == [(2, "'CancelFlow' has no regex")]

    def test_an_unknown_key(self) -> None:
        text = spelling("CancelFlow", regex="x", print="x", seperator="','")
        assert problems_of(text) == [(5, "unknown key 'seperator'")]
        assert hints_of(text) == ["did you mean 'separator'?"]

    def test_a_key_that_is_no_text(self) -> None:
        text = spelling("CancelFlow", regex="[a, b]", print="")
        assert problems_of(text) == [(3, "'regex' must be a string"), (4, "'print' must be a string")]

    def test_a_regular_expression_that_is_not_valid(self) -> None:
        ((line, message),) = problems_of(spelling("CancelFlow", regex="'x('", print="x"))
        assert line == 3
        assert message.startswith("not a valid regular expression: ")

    def test_a_regular_expression_that_matches_nothing_at_all(self) -> None:
        text = spelling("CancelFlow", regex="'x*'", print="x")
        assert problems_of(text) == [(3, "the regular expression matches an empty string")]

    @pytest.mark.parametrize("regex", ["^set$", r"^set (\S+)$", r"^set (?P<value>.*) of (\S+)$"])
    def test_a_regular_expression_without_a_group_for_each_argument(self, regex: str) -> None:
        text = spelling("SetSlot", regex=f"'{regex}'", print="'set {name} {value}'")
        message = "the regular expression needs a group for each argument: (?P<name>...) and (?P<value>...)"
        assert problems_of(text) == [(3, message)]

    @pytest.mark.parametrize("template", ["'x {'", "'x }'", "'x {flow!z}'", "'{flow:d}'", "'{flow!r:'"])
    def test_a_pattern_to_print_that_is_not_valid(self, template: str) -> None:
        ((line, message),) = problems_of(spelling("StartFlow", regex="'x (.*)'", print=template))
        assert line == 4
        assert message.startswith("not a valid pattern to print: ")

    @pytest.mark.parametrize("name", ["flw", "", "0", "flow.x", "flow[0]"])
    def test_a_pattern_to_print_with_an_unknown_argument(self, name: str) -> None:
        text = spelling("StartFlow", regex="'x (.*)'", print=f"'x {{flow}} {{{name}}}'")
        assert problems_of(text) == [(4, f"unknown argument '{name}'")]

    def test_an_argument_like_no_other_is_told_with_the_known_ones(self) -> None:
        text = spelling("SetSlot", regex="'(.*) (.*) x'", print="'{name} {value} {xyz}'")
        assert hints_of(text) == ["known: name, value"]

    def test_an_argument_of_a_command_without_arguments(self) -> None:
        assert hints_of(spelling("CancelFlow", regex="x", print="'x {flow}'")) == ["it has no arguments"]

    def test_a_pattern_to_print_that_leaves_an_argument_out(self) -> None:
        text = spelling("SetSlot", regex="'set (.*) (.*)'", print="'set {name}'")
        assert problems_of(text) == [(4, "the pattern to print leaves out {value}")]

    def test_all_mistakes_are_told_at_once(self) -> None:
        text = (
            "commands:\n"
            "  Nope: {regex: x, print: x}\n"
            "  StartFlow: {regex: 'x(', print: 'x'}\n"
            "  CancelFlow:\n"
            "    regex: 'x*'\n"
            "    prnt: x\n"
        )
        assert [line for line, _ in problems_of(text)] == [2, 3, 3, 6, 4, 5]
