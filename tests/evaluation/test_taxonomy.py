"""Every wrong command gets the class that a person would give it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from re import Match

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from du_eval.commands import Command, Syntax, default_commands
from du_eval.commands.flows import CancelFlow, ChitChat, Clarify, HumanHandoff, SetSlot, StartFlow
from du_eval.evaluation.compare import EXACT
from du_eval.evaluation.confusion import tabulate_confusion
from du_eval.evaluation.pipeline import Evaluator
from du_eval.evaluation.taxonomy import APART, Mistake, pair_mistakes, relate
from du_eval.generators.function import FunctionGenerator
from du_eval.parsers.command_parser import CommandParser
from du_eval.suites.model import TestSuite
from tests.evaluation.running import case, run, user


def kinds(expected: list[str], predicted: str, *, before: list[str] | None = None) -> list[tuple]:
    steps = [user("before", *before)] if before is not None else []
    answers = {"before": "\n".join(before or ()), "now": predicted}
    result = run(case("c", *steps, user("now", *expected)), answer=lambda request: answers[request.message])
    residuals = result.cases[0].results[-1].detail.live.residuals
    return [(r.kind, str(r.expected or ""), str(r.predicted or "")) for r in residuals]


SINGLE: list[tuple[list[str], str, Mistake]] = [
    (["StartFlow(a)"], "", Mistake.OMISSION),
    ([], "StartFlow(a)", Mistake.INSERTION),
    (["StartFlow(a)"], "StartFlow(b)", Mistake.WRONG_FLOW),
    (["SetSlot(to, Ann)"], "SetSlot(from, ann)", Mistake.WRONG_SLOT),
    (["SetSlot(to, Ann)"], "SetSlot(to, Anna)", Mistake.WRONG_VALUE),
    (["StartFlow(a)"], "Clarify(a, b)", Mistake.CLARIFY_INSTEAD_OF_START),
    (["Clarify(a, b)"], "StartFlow(a)", Mistake.START_INSTEAD_OF_CLARIFY),
    (["Clarify(a, b)"], "Clarify(a, c)", Mistake.WRONG_OPTIONS),
    (["CancelFlow()"], "", Mistake.MISSED_CANCEL),
    (["CancelFlow()"], "HumanHandoff()", Mistake.MISSED_CANCEL),
    (["ChitChat()"], "HumanHandoff()", Mistake.OTHER_COMMAND),
    (["StartFlow(transfer)"], "startflow transfer please", Mistake.UNPARSED),
]


@pytest.mark.parametrize(("expected", "predicted", "kind"), SINGLE)
def test_one_mistake_has_one_class(expected: list[str], predicted: str, kind: Mistake) -> None:
    assert [found for found, _, _ in kinds(expected, predicted)] == [kind]


def test_a_slot_that_was_filled_before_is_a_missed_correction() -> None:
    found = kinds(["SetSlot(to, Bob)"], "", before=["SetSlot(to, Ann)"])
    assert [kind for kind, _, _ in found] == [Mistake.MISSED_CORRECTION]


def test_the_old_value_in_place_of_the_new_one_is_a_missed_correction() -> None:
    found = kinds(["SetSlot(to, Bob)"], "SetSlot(to, Ann)", before=["SetSlot(to, Ann)"])
    assert [kind for kind, _, _ in found] == [Mistake.MISSED_CORRECTION]
    found = kinds(["SetSlot(to, Bob)"], "SetSlot(to, Rob)", before=["SetSlot(to, Ann)"])
    assert [kind for kind, _, _ in found] == [Mistake.WRONG_VALUE]


@dataclass(frozen=True)
class Rate(Command):
    """A command of a user, with an argument of its own."""

    stars: int

    name = "rate"

    def to_dsl(self) -> str:
        return f"Rate({self.stars})"

    @classmethod
    def from_dsl(cls, dsl: Match) -> Rate:
        return cls(int(dsl.group(1)))

    @staticmethod
    def regex_pattern() -> str:
        return r"Rate\((\d)\)"


def test_a_command_of_ones_own_with_other_arguments_is_a_class_of_its_own() -> None:
    parser = CommandParser(default_commands().adding(Rate), Syntax.CALLS)
    suite = TestSuite((case("c", user("x", "Rate(5)")),))
    generator = FunctionGenerator(lambda _: "Rate(4)", "answer")
    result = Evaluator(parser, EXACT, lambda _: None, 1).run(suite, generator)
    (step,) = result.results()
    (residual,) = step.detail.live.residuals
    assert residual.kind is Mistake.WRONG_ARGUMENTS


def test_every_class_has_a_test_here() -> None:
    elsewhere = {Mistake.MISSED_CORRECTION, Mistake.WRONG_ARGUMENTS, Mistake.ERRORED}
    assert {kind for _, _, kind in SINGLE} | elsewhere == set(Mistake)


NAMES = st.sampled_from("abc")
COMMANDS = st.one_of(
    st.builds(StartFlow, NAMES),
    st.builds(SetSlot, NAMES, st.sampled_from(["1", "2", "12"])),
    st.builds(Clarify, st.lists(NAMES, max_size=2, unique=True).map(tuple)),
    st.sampled_from([CancelFlow(), ChitChat(), HumanHandoff()]),
)


def cheapest(missing: Sequence[Command], unexpected: Sequence[Command]) -> float:
    """Return the cost of the best pairing, by trying all of them."""
    if not missing:
        return 0.0
    first, *rest = missing
    best = APART + cheapest(rest, unexpected)
    for index, other in enumerate(unexpected):
        left = [*unexpected[:index], *unexpected[index + 1 :]]
        best = min(best, relate(first, other)[1] + cheapest(rest, left))
    return best


@settings(deadline=None, max_examples=150)
@given(st.lists(COMMANDS, max_size=4), st.lists(COMMANDS, max_size=4))
def test_no_other_pairing_of_mistakes_is_cheaper(missing: list[Command], unexpected: list[Command]) -> None:
    partners = pair_mistakes(missing, unexpected)
    assert len(set(partners.values())) == len(partners)
    paired = sum(relate(missing[row], unexpected[column])[1] for row, column in partners.items())
    assert paired + APART * (len(missing) - len(partners)) == pytest.approx(cheapest(missing, unexpected))


def test_two_unrelated_slots_are_an_omission_and_an_insertion() -> None:
    found = kinds(["SetSlot(to, Ann)"], "SetSlot(amount, 50)")
    assert [kind for kind, _, _ in found] == [Mistake.OMISSION, Mistake.INSERTION]


def test_the_assignment_is_the_best_one_and_not_the_first_one() -> None:
    found = kinds(["SetSlot(a, 1)", "SetSlot(b, 2)"], "SetSlot(b, 1)\nSetSlot(a, 3)")
    assert found == [
        (Mistake.WRONG_VALUE, "SetSlot(a, 1)", "SetSlot(a, 3)"),
        (Mistake.WRONG_VALUE, "SetSlot(b, 2)", "SetSlot(b, 1)"),
    ]


def test_a_near_miss_says_how_near_it_is() -> None:
    result = run(case("c", user("x", "SetSlot(to, Ann)")), answer=lambda _: "SetSlot(to, Anna)")
    (step,) = result.results()
    (residual,) = step.detail.live.residuals
    assert residual.distance == pytest.approx(0.25)


def test_a_crash_is_a_class_of_its_own() -> None:
    def crash(_):
        raise RuntimeError("down")

    result = run(case("c", user("x", "ChitChat()")), answer=crash)
    (step,) = result.results()
    (residual,) = step.detail.live.residuals
    assert residual.kind is Mistake.ERRORED


def test_a_run_tells_what_is_taken_for_what() -> None:
    answers = {"1": "StartFlow(b)", "2": "StartFlow(b)", "3": "StartFlow(a)", "4": "Clarify(a, b)"}
    result = run(
        case("c", *(user(number, "StartFlow(a)") for number in answers)),
        answer=lambda request: answers[request.message],
    )
    confusion = tabulate_confusion(result.results())
    assert confusion.flows == (("a", "b", 2), ("a", "(clarify)", 1), ("a", "a", 1))
    assert confusion.kinds == (("wrong flow", 2, 2), (Mistake.CLARIFY_INSTEAD_OF_START.value, 1, 1))
