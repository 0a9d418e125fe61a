from dataclasses import dataclass
from typing import Any

import pytest

from du_eval import (
    CancelFlow,
    CannotHandle,
    Clarify,
    Command,
    RestartAgent,
    SetSlot,
    StartFlow,
    Syntax,
    parse_commands,
)
from du_eval.commands import MatchedText, default_commands
from du_eval.commands.base import split_name
from du_eval.errors import CommandDefinitionError
from du_eval.parsers.command_parser import CommandParser


class TestCommand(Command):
    __test__ = False  # pytest: not a test class

    ...  # noqa: PIE790, PYI013 - as the document shows it

    def to_dsl(self) -> str:
        """Converts the command to a DSL string."""
        return "Test()"

    @classmethod
    def from_dsl(cls, dsl: str) -> "TestCommand":
        # Parse the DSL string and create a CustomCommand object
        return TestCommand()

    @staticmethod
    def regex_pattern() -> str:
        # Define the regex pattern that matches the DSL string
        return r"Test\(\)"


class CustomCancelFlow(CancelFlow):
    def to_dsl(self) -> str:
        """Converts the command to a DSL string."""
        return "Cancel()"

    @staticmethod
    def regex_pattern() -> str:
        # Define the regex pattern that matches the DSL string
        return r"Cancel\(\)"


class Order(Command):
    """A command with arguments, without any help of dataclasses."""

    def __init__(self, pizza: str, size: int) -> None:
        self.pizza = pizza
        self.size = size

    def to_dsl(self) -> str:
        return f"Order({self.pizza}, {self.size})"

    @classmethod
    def from_dsl(cls, dsl: Any) -> "Order":
        pizza, size = dsl.groups()
        return cls(pizza, int(size))

    @staticmethod
    def regex_pattern() -> str:
        return r"Order\((\w+), (\d+)\)"


@dataclass
class Rate(Command):
    """A command as a plain dataclass."""

    stars: int

    def to_dsl(self) -> str:
        return f"Rate({self.stars})"

    @classmethod
    def from_dsl(cls, dsl: Any) -> "Rate":
        return cls(int(dsl.group("stars")))

    @staticmethod
    def regex_pattern() -> str:
        return r"Rate\((?P<stars>\d)\)"


class TestTheExamplesOfTheDocument:
    def test_a_new_command_is_understood_when_it_is_added(self) -> None:
        found = parse_commands("Test()\nStartFlow(a)", ["a"], additional_commands=[TestCommand])
        assert found == [TestCommand(), StartFlow("a")]

    def test_a_new_command_is_not_understood_by_default(self) -> None:
        assert parse_commands("Test()") == []

    def test_an_updated_default_command_replaces_the_default_one(self) -> None:
        found = parse_commands(
            "Cancel() CancelFlow()",
            [],
            additional_commands=[CustomCancelFlow],
            remove_default_commands=[CancelFlow],
        )
        assert found == [CustomCancelFlow()]

    def test_an_updated_default_command_keeps_its_name_in_metrics(self) -> None:
        assert CustomCancelFlow().name == "cancel flow"

    @pytest.mark.parametrize("syntax", ["calls", "phrases", "phrases-search"])
    def test_an_updated_default_command_has_its_own_spelling_in_every_syntax(self, syntax: str) -> None:
        registry = default_commands().removing("CancelFlow").adding(CustomCancelFlow)
        found = parse_commands(
            "Cancel()",
            additional_commands=[CustomCancelFlow],
            remove_default_commands=["CancelFlow"],
            syntax=syntax,
        )
        assert found == [CustomCancelFlow()]
        assert CommandParser(registry, Syntax.PHRASES).syntax.print(CustomCancelFlow()) == "Cancel()"


class TestSubclassesOfDefaults:
    def test_a_subclass_that_changes_no_spelling_is_spelled_like_its_parent(self) -> None:
        class Loud(StartFlow):
            def matches(self, predicted: Command) -> bool:
                return isinstance(predicted, StartFlow)

        parser = CommandParser(default_commands().removing(StartFlow).adding(Loud), Syntax.PHRASES)
        assert parser.parse("start flow x").commands == (Loud("x"),)
        assert Syntax.PHRASES.print(Loud("x")) == "start flow x"

    def test_a_subclass_may_change_only_its_pattern(self) -> None:
        class Relaxed(StartFlow):
            @staticmethod
            def regex_pattern() -> str:
                return r"Begin\((?P<flow>\w+)\)"

        parser = CommandParser(default_commands().removing(StartFlow).adding(Relaxed), Syntax.PHRASES)
        assert parser.parse("Begin(x)").commands == (Relaxed("x"),)
        assert Syntax.PHRASES.print(Relaxed("x")) == "start flow x"

    @pytest.mark.parametrize(
        "command",
        [SetSlot("a", "b"), StartFlow("a"), Clarify(("a", "b")), RestartAgent("a"), CannotHandle("a")],
        ids=str,
    )
    def test_a_pattern_without_group_names_gives_arguments_by_position(self, command: Command) -> None:
        groups = ", ".join(["([^,]+)"] * (2 if isinstance(command, SetSlot) else 1))
        pattern = {"regex_pattern": staticmethod(lambda: f"Other<{groups}>"), "name": "other"}
        other = type("Other", (type(command),), pattern)
        parser = CommandParser(default_commands().adding(other))
        arguments = command.to_dsl().partition("(")[2].removesuffix(")")
        written = arguments if isinstance(command, SetSlot) else arguments.replace(",", "")
        assert parser.parse(f"Other<{written}>").commands == (other.from_arguments(command.arguments()),)

    def test_a_subclass_is_not_equal_to_its_parent(self) -> None:
        assert CustomCancelFlow() != CancelFlow()
        assert not CancelFlow().matches(CustomCancelFlow())


class TestNamesInMetrics:
    @pytest.mark.parametrize(
        ("class_name", "name"),
        [
            ("TestCommand", "test"),
            ("OrderPizza", "order pizza"),
            ("OrderPizzaCommand", "order pizza"),
            ("HTTPCall", "http call"),
            ("Order2Pizzas", "order 2 pizzas"),
            ("Order_Pizza", "order pizza"),
            ("order", "order"),
            ("ÄndereBestellung", "ändere bestellung"),
            ("注文", "注文"),
            ("Command", "command"),
            ("_", "_"),
        ],
    )
    def test_a_class_name_becomes_words(self, class_name: str, name: str) -> None:
        assert split_name(class_name) == name

    def test_a_class_may_give_its_own_name(self) -> None:
        class Named(Order):
            name = "pizza order"

        assert Named("a", 1).name == "pizza order"
        assert type("Child", (Named,), {}).name == "pizza order"

    def test_classes_below_a_custom_base_have_names_of_their_own(self) -> None:
        class ShopCommand(Command):
            pass

        class Buy(ShopCommand):
            pass

        class Refund(ShopCommand):
            pass

        assert (ShopCommand.name, Buy.name, Refund.name) == ("shop", "buy", "refund")

    def test_slots_of_a_dataclass_do_not_fix_the_name_of_subclasses(self) -> None:
        @dataclass(frozen=True, slots=True)
        class Buy(Command):
            item: str

        class BuyAll(Buy):
            pass

        assert (Buy.name, BuyAll.name) == ("buy", "buy all")

    def test_an_argument_called_name_is_refused_at_once(self) -> None:
        with pytest.raises(CommandDefinitionError, match="AddContact has an argument `name`"):

            @dataclass
            class AddContact(Command):
                name: str
                handle: str


class TestValues:
    def test_commands_with_the_same_text_are_equal_without_an_own_equality(self) -> None:
        assert Order("funghi", 1) == Order("funghi", 1)
        assert Order("funghi", 1) != Order("funghi", 2)
        assert len({Order("funghi", 1), Order("funghi", 1)}) == 1

    def test_commands_of_different_classes_with_the_same_text_are_not_equal(self) -> None:
        class Other(Order):
            pass

        assert Order("funghi", 1) != Other("funghi", 1)

    @pytest.mark.parametrize("command", [Order("funghi", 3), Rate(5)])
    def test_attributes_and_fields_are_the_arguments(self, command: Command) -> None:
        assert type(command).from_arguments(command.arguments()) == command

    def test_the_dictionary_form_holds_name_and_arguments(self) -> None:
        assert Order("funghi", 3).as_dict() == {"command": "order", "pizza": "funghi", "size": 3}
        assert Rate(5).as_dict() == {"command": "rate", "stars": 5}


class TestWhatFromDslIsGiven:
    def test_it_is_a_text_that_answers_for_groups(self) -> None:
        seen: list[Any] = []

        class Spy(Rate):
            @classmethod
            def from_dsl(cls, dsl: Any) -> "Spy":
                seen.append(dsl)
                return cls(1)

        CommandParser(default_commands().adding(Spy)).parse("now Rate(4) please")
        (dsl,) = seen
        assert isinstance(dsl, str)
        assert dsl == "Rate(4)"
        assert (dsl.group(), dsl.group(1), dsl.group("stars"), dsl.groups()) == ("Rate(4)", "4", "4", ("4",))
        assert dsl.groupdict() == {"stars": "4"}

    def test_a_class_finds_its_match_in_a_plain_text(self) -> None:
        found = Order.first_match("please Order(funghi, 2)!")
        assert isinstance(found, MatchedText)
        assert Order.from_dsl(found) == Order("funghi", 2)
        assert Order.first_match(found) is found
        assert Order.first_match("nothing") is None
