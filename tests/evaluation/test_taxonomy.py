"""Every wrong command gets the class that a person would give it."""

from __future__ import annotations

import pytest

from du_eval.evaluation.confusion import confused_with, confusion_of
from du_eval.evaluation.taxonomy import Mistake, mistakes_of
from tests.evaluation.running import case, run, user


def kinds(expected: list[str], predicted: str, *, before: list[str] | None = None) -> list[tuple]:
    steps = [user("before", *before)] if before is not None else []
    answers = {"before": "\n".join(before or ()), "now": predicted}
    result = run(case("c", *steps, user("now", *expected)), answer=lambda request: answers[request.message])
    _, residuals = mistakes_of(result.cases[0])[-1]
    return [(r.kind, str(r.expected or ""), str(r.predicted or "")) for r in residuals]


@pytest.mark.parametrize(
    ("expected", "predicted", "kind"),
    [
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
    ],
)
def test_one_mistake_has_one_class(expected: list[str], predicted: str, kind: Mistake) -> None:
    assert [found for found, _, _ in kinds(expected, predicted)] == [kind]


def test_a_slot_that_was_filled_before_is_a_missed_correction() -> None:
    found = kinds(["SetSlot(to, Bob)"], "", before=["SetSlot(to, Ann)"])
    assert [kind for kind, _, _ in found] == [Mistake.MISSED_CORRECTION]


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
    ((_, (residual,)),) = mistakes_of(result.cases[0])
    assert residual.distance == pytest.approx(0.25)


def test_a_crash_is_a_class_of_its_own() -> None:
    def crash(_):
        raise RuntimeError("down")

    result = run(case("c", user("x", "ChitChat()")), answer=crash)
    ((_, (residual,)),) = mistakes_of(result.cases[0])
    assert residual.kind is Mistake.ERRORED


def test_a_run_tells_what_is_taken_for_what() -> None:
    answers = {"1": "StartFlow(b)", "2": "StartFlow(b)", "3": "StartFlow(a)", "4": "Clarify(a, b)"}
    result = run(
        case("c", *(user(number, "StartFlow(a)") for number in answers)),
        answer=lambda request: answers[request.message],
    )
    confusion = confusion_of(result.cases)
    assert confusion.flows == {("a", "b"): 2, ("a", "a"): 1, ("a", "(clarify)"): 1}
    assert confused_with(confusion.flows) == {"a": [("b", 2), ("(clarify)", 1)]}
    assert confusion.top() == ((Mistake.WRONG_FLOW, 2), (Mistake.CLARIFY_INSTEAD_OF_START, 1))
