import re

import pytest

from du_eval.commands import (
    CancelFlow,
    CannotHandle,
    ChitChat,
    Clarify,
    Command,
    CommandRegistry,
    HumanHandoff,
    RepeatLastBotMessages,
    SearchAndReply,
    SetSlot,
    SkipQuestion,
    StartFlow,
    build_registry,
    default_commands,
)
from du_eval.commands.registry import find_known_command
from du_eval.errors import CommandDefinitionError
from tests.commands.test_custom_commands import CustomCancelFlow, Order, Rate


def command(**members: object) -> type[Command]:
    """Return a command class whose parts are all right but for the given ones."""
    sound = {
        "to_dsl": lambda self: "Sound()",
        "from_dsl": classmethod(lambda cls, dsl: cls()),
        "regex_pattern": staticmethod(lambda: r"Sound\(\)"),
    }
    return type("Sound", (Command,), {**sound, **members})


def refusal_of(*commands: object) -> str:
    with pytest.raises(CommandDefinitionError) as caught:
        default_commands().adding(*commands)
    return str(caught.value)


class TestTheDefaultVocabulary:
    def test_it_holds_the_nine_commands_of_the_document(self) -> None:
        assert tuple(default_commands()) == (
            StartFlow, CancelFlow, SetSlot, Clarify, ChitChat, SearchAndReply, HumanHandoff, SkipQuestion,
            RepeatLastBotMessages,
        )  # fmt: skip

    def test_its_length_is_the_number_of_commands(self) -> None:
        assert len(default_commands()) == 9


class TestAdding:
    def test_added_commands_come_last_in_the_given_order(self) -> None:
        assert tuple(default_commands().adding(Order, Rate))[-2:] == (Order, Rate)

    def test_the_old_vocabulary_stays_as_it_is(self) -> None:
        default_commands().adding(Order)
        assert Order not in default_commands().commands

    def test_adding_a_known_command_again_changes_nothing(self) -> None:
        assert default_commands().adding(StartFlow) == default_commands()


class TestRemoving:
    @pytest.mark.parametrize(
        ("name", "gone"),
        [
            (CancelFlow, CancelFlow),
            ("CancelFlow", CancelFlow),
            ("CancelFlowCommand", CancelFlow),
            ("cancel flow", CancelFlow),
            ("cancel_flow", CancelFlow),
            ("SearchAndReply", SearchAndReply),
            ("KnowledgeAnswerCommand", SearchAndReply),
            ("knowledge", SearchAndReply),
            ("ChitChatAnswerCommand", ChitChat),
            ("RepeatBotMessagesCommand", RepeatLastBotMessages),
            ("repeat", RepeatLastBotMessages),
            ("SetSlotCommand", SetSlot),
            ("ClarifyCommand", Clarify),
            ("HumanHandoffCommand", HumanHandoff),
            ("SkipQuestionCommand", SkipQuestion),
            ("StartFlowCommand", StartFlow),
        ],
    )
    def test_a_command_goes_by_class_name_official_name_or_name_in_metrics(
        self, name: type[Command] | str, gone: type[Command]
    ) -> None:
        assert set(default_commands()) - set(default_commands().removing(name)) == {gone}

    def test_several_commands_go_at_once(self) -> None:
        assert len(default_commands().removing("CancelFlow", ChitChat)) == 7

    def test_a_class_that_is_not_there_is_looked_up_by_its_name(self) -> None:
        class ChitChatCommand:
            pass

        assert ChitChat not in default_commands().removing(ChitChatCommand)

    def test_an_unknown_name_is_refused_with_near_names(self) -> None:
        with pytest.raises(
            CommandDefinitionError,
            match="unknown command 'CancelFlw', cannot be removed; did you mean 'CancelFlow'",
        ):
            default_commands().removing("CancelFlw")

    def test_a_name_like_no_other_is_refused_with_the_whole_table(self) -> None:
        with pytest.raises(
            CommandDefinitionError, match="cannot be removed; choose from: StartFlow, CancelFlow, SetSlot"
        ):
            default_commands().removing("Xyz")

    def test_a_known_command_that_is_off_cannot_be_removed(self) -> None:
        with pytest.raises(CommandDefinitionError, match="unknown command 'CannotHandle', cannot be removed"):
            default_commands().removing(CannotHandle)


class TestLookingUp:
    def test_a_custom_command_is_found_by_class_and_metric_name(self) -> None:
        registry = default_commands().adding(Order)
        assert registry.find("Order") is registry.find("order") is registry.find("OrderCommand") is Order

    def test_an_unknown_name_gives_nothing(self) -> None:
        assert default_commands().find("nope") is None
        assert default_commands().find("") is None

    def test_commands_that_are_off_are_known_all_the_same(self) -> None:
        assert find_known_command("CannotHandleCommand") is CannotHandle
        assert find_known_command("nope") is None


class TestBothAtOnce:
    def test_removing_comes_before_adding(self) -> None:
        registry = build_registry([CustomCancelFlow], ["CancelFlow"])
        assert registry.find("cancel flow") is CustomCancelFlow

    def test_another_vocabulary_may_be_the_base(self) -> None:
        assert tuple(build_registry([Order], base=CommandRegistry((Rate,)))) == (Rate, Order)

    def test_an_empty_vocabulary_may_be_the_base(self) -> None:
        assert tuple(build_registry([Order], base=CommandRegistry(()))) == (Order,)


class TestWhatIsRefused:
    @pytest.mark.parametrize("thing", [Rate(5), "Order", 5, None, ["Order"], {"a": 1}])
    def test_something_that_is_not_a_class(self, thing: object) -> None:
        assert refusal_of(thing) == f"{thing!r} is not a class; a command is a subclass of du_eval.Command"

    def test_a_class_that_is_no_command(self) -> None:
        assert refusal_of(dict) == "builtins.dict does not derive from du_eval.Command"

    def test_a_class_that_leaves_out_methods(self) -> None:
        incomplete = type("Incomplete", (Command,), {"to_dsl": lambda self: ""})
        assert refusal_of(incomplete) == "Incomplete does not define: from_dsl, regex_pattern"

    def test_a_pattern_that_is_not_valid(self) -> None:
        text = refusal_of(command(regex_pattern=staticmethod(lambda: r"Sound\((")))
        assert text.startswith("the pattern of Sound is not valid: ")
        assert text.endswith(repr(r"Sound\(("))

    @pytest.mark.parametrize("pattern", ["", "a*", "(?:x)?", "^$", r"\b|"])
    def test_a_pattern_that_matches_an_empty_text(self, pattern: str) -> None:
        text = refusal_of(command(regex_pattern=staticmethod(lambda: pattern)))
        assert text.startswith("the pattern of Sound matches an empty string, so it would match everywhere")

    def test_a_pattern_that_needs_an_instance(self) -> None:
        text = refusal_of(command(regex_pattern=lambda self: r"Sound\(\)"))
        assert re.match(
            r"Sound.regex_pattern cannot be called on the class: TypeError: .* @staticmethod", text
        )

    def test_a_pattern_that_is_no_text(self) -> None:
        text = refusal_of(command(regex_pattern=staticmethod(lambda: None)))
        assert text == "Sound.regex_pattern must return a string, not None"

    def test_two_commands_with_one_name(self) -> None:
        assert refusal_of(CustomCancelFlow) == (
            "two commands are named 'cancel flow': CancelFlow and CustomCancelFlow; give one of them another "
            "`name`, or remove one (--remove-default-commands CancelFlow); choose from: StartFlow, CancelFlow, SetSlot, "
            "Clarify, ChitChat, SearchAndReply, HumanHandoff, SkipQuestion, RepeatLastBotMessages, CustomCancelFlow"
        )

    def test_a_class_that_was_refused_once_is_refused_again(self) -> None:
        assert refusal_of(dict) == refusal_of(dict)
