import pytest
from msgspec import Struct
from msgspec.structs import replace

from du_eval.suites import model
from du_eval.suites.model import BotStep, TestCase, TestSuite, UserStep

CASE = TestCase(
    "greets", "a.yml", 3, (BotStep(4, "hi"), UserStep("hello", ((),), 5), BotStep(6, response="utter_x"))
)


def test_a_case_is_listed_by_file_and_name() -> None:
    assert CASE.id == "a.yml::greets"


def test_only_user_steps_are_judged() -> None:
    assert CASE.user_steps == (CASE.steps[1],)


def test_a_suite_lists_each_file_once_in_order() -> None:
    other = replace(CASE, file="b.yml")
    suite = TestSuite((other, CASE, other))
    assert (len(suite), list(suite), suite.files) == (3, [other, CASE, other], ("b.yml", "a.yml"))


@pytest.mark.parametrize(
    "kind",
    [
        one
        for one in vars(model).values()
        if isinstance(one, type) and issubclass(one, Struct) and one is not Struct
    ],
)
def test_no_part_of_a_suite_can_be_changed(kind: type[Struct]) -> None:
    assert kind.__struct_config__.frozen


def test_steps_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        CASE.steps[1].text = "other"


def test_a_step_without_metadata_shares_an_empty_mapping_that_cannot_be_filled() -> None:
    with pytest.raises(TypeError):
        CASE.user_steps[0].metadata["a"] = 1
