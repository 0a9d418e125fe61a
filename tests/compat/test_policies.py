from pathlib import Path

import pytest

from du_eval import CancelFlow, ChitChat, Clarify, Command, SetSlot, StartFlow, Syntax, parse_commands
from du_eval.commands import ContinueAgent, RestartAgent, default_commands
from du_eval.compat.rasa_parser import RasaCommandParser
from du_eval.errors import CommandReadError, ConfigError, InputError
from tests.commands.test_custom_commands import CustomCancelFlow, Order, TestCommand
from tests.commands.vocabulary import COMPRESSED

FLOWS = ["transfer", "cards", "02_learning"]


class TestThePolicyExact:
    def test_it_keeps_every_command_in_text_order(self) -> None:
        found = parse_commands("StartFlow(unknown) SetSlot(a, 1)\nClarify(cards)\nCancelFlow()", FLOWS)
        assert found == [StartFlow("unknown"), SetSlot("a", "1"), Clarify(("cards",)), CancelFlow()]

    @pytest.mark.parametrize("text", [None, "", "hello"])
    def test_a_text_without_commands_gives_an_empty_list(self, text: str | None) -> None:
        assert parse_commands(text) == []

    def test_flows_need_not_be_known(self) -> None:
        assert parse_commands("StartFlow(a)") == parse_commands("StartFlow(a)", None) == [StartFlow("a")]


class TestSyntaxes:
    @pytest.mark.parametrize(
        ("syntax", "text"),
        [
            ("calls", "StartFlow(a)"),
            ("v1", "StartFlow(a)"),
            ("phrases", "start flow a"),
            ("v2", "start flow a"),
            ("phrases-search", "start flow a"),
            ("v3", "start flow a"),
            (Syntax.PHRASES, "start flow a"),
            (COMPRESSED, "start a"),
        ],
    )
    def test_a_syntax_is_given_by_name_version_or_as_a_value(self, syntax: str | Syntax, text: str) -> None:
        assert parse_commands(text, syntax=syntax) == [StartFlow("a")]

    def test_a_syntax_may_be_a_file(self, tmp_path: Path) -> None:
        file = tmp_path / "mine.yml"
        file.write_text("commands:\n  CancelFlow: {regex: '^stop$', print: stop}\n", encoding="utf-8")
        assert parse_commands("stop", syntax=str(file)) == [CancelFlow()]

    def test_an_unknown_syntax_is_refused_with_near_names(self) -> None:
        with pytest.raises(ConfigError, match=r"unknown syntax 'phrase'.*did you mean 'phrases'"):
            parse_commands("", syntax="phrase")


class TestThePolicyRasa:
    def rasa(self, text: str, **options: object) -> list[Command]:
        return parse_commands(text, FLOWS, policy="rasa", **options)

    def test_a_flow_that_the_assistant_does_not_have_is_dropped(self) -> None:
        assert self.rasa("StartFlow(unknown)\nStartFlow(cards)") == [StartFlow("cards")]

    def test_a_flow_of_the_system_is_dropped(self) -> None:
        assert parse_commands("StartFlow(pattern_x)", ["pattern_x"], policy="rasa") == []

    def test_setting_the_flow_name_starts_a_flow(self) -> None:
        assert self.rasa("SetSlot(flow_name, cards)\nSetSlot(flow_name, unknown)") == [StartFlow("cards")]

    @pytest.mark.parametrize("flows", [FLOWS, None])
    def test_setting_the_flow_name_to_nothing_starts_nothing(self, flows: list[str] | None) -> None:
        assert parse_commands("SetSlot(flow_name, )", flows, policy="rasa") == []

    def test_a_clarification_between_one_flow_starts_it(self) -> None:
        assert self.rasa("Clarify(cards)\nClarify(cards, cards, unknown)") == [
            StartFlow("cards"),
            StartFlow("cards"),
        ]

    def test_a_clarification_keeps_known_flows_and_their_repetitions(self) -> None:
        assert self.rasa("Clarify(transfer, cards, cards, nope)") == [Clarify(("cards", "cards", "transfer"))]

    def test_a_clarification_without_valid_options_is_kept_by_new_versions(self) -> None:
        assert self.rasa("Clarify(nope)\nClarify()") == [Clarify(), Clarify()]

    def test_only_one_command_of_a_class_is_found_in_a_line(self) -> None:
        assert self.rasa("StartFlow(cards) StartFlow(transfer)") == [StartFlow("cards")]

    def test_commands_of_a_line_come_in_the_order_of_classes(self) -> None:
        assert self.rasa("StartFlow(cards), SetSlot(a, b)") == [SetSlot("a", "b"), StartFlow("cards")]

    def test_a_value_reaches_to_the_last_bracket_of_the_line(self) -> None:
        assert self.rasa("SetSlot(a, 1), SetSlot(b, 2)") == [SetSlot("a", "1), SetSlot(b, 2")]

    def test_without_known_flows_every_flow_is_one(self) -> None:
        assert parse_commands("StartFlow(any)", None, policy="rasa") == [StartFlow("any")]

    def test_commands_for_agents_are_read_unasked(self) -> None:
        assert self.rasa("ContinueAgent()\nRestartAgent(x)") == [ContinueAgent(), RestartAgent("x")]

    def test_a_removed_command_is_not_read(self) -> None:
        assert self.rasa("ChitChat()", remove_default_commands=["ChitChatAnswerCommand"]) == []

    def test_custom_commands_come_last_in_a_line(self) -> None:
        found = self.rasa("Test() ChitChat()", additional_commands=[TestCommand])
        assert found == [ChitChat(), TestCommand()]

    def test_an_updated_default_command_is_read_with_its_own_pattern(self) -> None:
        found = self.rasa(
            "Cancel()", additional_commands=[CustomCancelFlow], remove_default_commands=[CancelFlow]
        )
        assert found == [CustomCancelFlow()]

    def test_what_a_custom_command_raises_is_told(self) -> None:
        class Broken(Order):
            @classmethod
            def from_dsl(cls, dsl: object) -> "Broken":
                raise RuntimeError("no")

        with pytest.raises(
            CommandReadError, match=r"Broken.from_dsl failed on 'Order\(a, 1\)': RuntimeError: no"
        ):
            self.rasa("Order(a, 1)", additional_commands=[Broken])

    @pytest.mark.parametrize(
        ("text", "value"), [('set slot a "x"]', "x"), ("set slot a [x]", "[x]"), ("set slot a x`", "x")]
    )
    def test_stray_brackets_and_backticks_end_a_value_in_phrases(self, text: str, value: str) -> None:
        assert self.rasa(text, syntax="phrases") == [SetSlot("a", value)]


class TestThePolicyOfEarlyVersions:
    def old(self, text: str, *, optional: bool = False) -> list[Command]:
        return parse_commands(text, FLOWS, policy="rasa-2025", clarify_options_optional=optional)

    def test_a_clarification_without_options_is_dropped(self) -> None:
        assert self.old("Clarify()") == []

    def test_it_is_kept_where_options_are_optional(self) -> None:
        assert self.old("Clarify()", optional=True) == [Clarify()]

    def test_a_clarification_with_unknown_options_is_dropped_all_the_same(self) -> None:
        assert self.old("Clarify(nope)", optional=True) == []


class TestTheOfficialRulesWithACustomSyntax:
    parser = RasaCommandParser(default_commands(), COMPRESSED, FLOWS)

    def test_a_clarification_without_options_is_read(self) -> None:
        assert self.parser.parse("clarify") == (Clarify(),)

    def test_groups_need_no_names(self) -> None:
        from du_eval.parsers.syntax_file import read_syntax

        text = (
            "commands:\n"
            "  SetSlot: {regex: '^put (\\S+) (.*)$', print: 'put {name} {value}'}\n"
            "  Clarify: {regex: '^which (.*)$', print: 'which {options}'}\n"
        )
        parser = RasaCommandParser(default_commands(), read_syntax(text, "unnamed.yml"), FLOWS)
        assert parser.parse("put a 'b c'\nwhich cards transfer") == (
            SetSlot("a", "b c"),
            Clarify(("cards", "transfer")),
        )


def test_an_unknown_policy_is_refused_with_near_names() -> None:
    with pytest.raises(InputError, match="unknown matching policy 'raza'; did you mean 'rasa'"):
        parse_commands("", policy="raza")


def test_a_policy_like_no_other_is_refused_with_all_of_them() -> None:
    with pytest.raises(InputError, match="unknown matching policy 'x'; choose from: exact, rasa, rasa-2025"):
        parse_commands("", policy="x")
