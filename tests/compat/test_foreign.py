"""Command classes of others serve as they are, and objects of them are predictions."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import pytest

from du_eval import CommandParser, Request, StartFlow, parse_commands
from du_eval.commands import CancelFlow, default_commands
from du_eval.errors import CommandDefinitionError
from du_eval.generators.answers import AnswerReader
from du_eval.generators.base import Prediction
from du_eval.generators.function import FunctionGenerator


class Base(ABC):
    """A base class as Rasa has one: with methods that only running a dialogue needs."""

    @classmethod
    @abstractmethod
    def command(cls) -> str: ...

    @abstractmethod
    def run_command_on_tracker(self, tracker: object) -> list[object]: ...


class Waiting(Base):
    def to_dsl(self) -> str:
        return "Wait()"

    @classmethod
    def from_dsl(cls, dsl: Any) -> Waiting:
        return cls()

    @staticmethod
    def regex_pattern() -> str:
        return r"Wait\(\)"


@dataclass
class Order:
    pizza: str

    @classmethod
    def command(cls) -> str:
        return "order pizza"

    def to_dsl(self) -> str:
        return f"Order({self.pizza})"

    def as_dict(self) -> dict[str, str]:
        return {"command": "order pizza", "pizza": self.pizza}

    @classmethod
    def from_dict(cls, data: dict[str, str]) -> Order:
        return cls(data["pizza"])

    @classmethod
    def from_dsl(cls, match: Any, **_: Any) -> Order:
        return cls(match.group(1))

    @staticmethod
    def regex_pattern() -> str:
        return r"Order\((\w+)\)"


REGISTRY = default_commands().adding(Waiting, Order)
PARSER = CommandParser(REGISTRY)


def test_a_class_with_the_three_methods_is_a_command() -> None:
    found = PARSER.parse("Order(large)\nStartFlow(a)\nWait()").commands
    assert [str(command) for command in found] == ["Order(large)", "StartFlow(a)", "Wait()"]
    assert [command.name for command in found] == ["order pizza", "start flow", "waiting"]


def test_commands_of_such_a_class_are_compared_by_their_arguments() -> None:
    large, again, small = (PARSER.parse(f"Order({size})").commands[0] for size in ("large", "large", "small"))
    assert large == again
    assert hash(large) == hash(again)
    assert large != small
    assert large != StartFlow("large")


def test_the_same_class_is_adopted_once() -> None:
    assert REGISTRY.adding(Order) == REGISTRY
    assert REGISTRY.removing(Order).find("order pizza") is None


@pytest.mark.parametrize(
    "answer", [Order("large"), [Order("large")], {"command": "order pizza", "pizza": "large"}]
)
def test_objects_and_data_of_such_a_class_are_predictions(answer: Any) -> None:
    prediction = asyncio.run(FunctionGenerator(lambda _: answer, "g").generate(Request("m")))
    (command,) = AnswerReader(PARSER, REGISTRY).commands(prediction)
    assert command == PARSER.parse("Order(large)").commands[0]
    assert command.as_dict() == {"command": "order pizza", "pizza": "large"}


def test_an_object_of_a_module_that_was_loaded_twice_is_the_command_that_is_known() -> None:
    known, again = (type("Stop", (CancelFlow,), {"name": "stop"}) for _ in range(2))
    registry = default_commands().removing(CancelFlow).adding(known)
    reader = AnswerReader(CommandParser(registry), registry)
    assert reader.commands(Prediction(commands=(again(),))) == (known(),)
    assert reader.commands(Prediction(commands=(CancelFlow(),))) == (CancelFlow(),)


def test_an_object_without_data_is_a_prediction() -> None:
    prediction = asyncio.run(FunctionGenerator(lambda _: Waiting.from_dsl(""), "g").generate(Request("m")))
    assert AnswerReader(PARSER, REGISTRY).commands(prediction) == PARSER.parse("Wait()").commands


class Official:
    """A base class whose data needs a name that documented subclasses do not give."""

    @classmethod
    def command(cls) -> str:
        raise NotImplementedError

    def as_dict(self) -> dict[str, Any]:
        return {**vars(self), "command": self.command()}


class Documented(Official):
    def to_dsl(self) -> str:
        return "Test()"

    @classmethod
    def from_dsl(cls, dsl: Any) -> Documented:
        return Documented()

    @staticmethod
    def regex_pattern() -> str:
        return r"Test\(\)"


def test_an_object_that_cannot_give_its_data_is_read_by_its_text() -> None:
    registry = default_commands().adding(Documented)
    prediction = asyncio.run(FunctionGenerator(lambda _: [Documented()], "g").generate(Request("m")))
    (found,) = AnswerReader(CommandParser(registry), registry).commands(prediction)
    assert str(found) == "Test()"
    assert found.as_dict() == {"command": "documented"}


def test_the_library_function_takes_such_classes() -> None:
    assert [str(c) for c in parse_commands("Order(large)", additional_commands=[Order])] == ["Order(large)"]


def test_both_names_of_removed_commands_are_known() -> None:
    for removed in (
        {"remove_default_commands": ["CancelFlow"]},
        {"default_commands_to_remove": ["CancelFlow"]},
    ):
        assert parse_commands("CancelFlow()", **removed) == []


def test_a_class_without_one_of_the_methods_is_refused_with_what_it_lacks() -> None:
    class Half:
        def to_dsl(self) -> str:
            return ""

    with pytest.raises(CommandDefinitionError, match="and lacks from_dsl, regex_pattern"):
        default_commands().adding(Half)
