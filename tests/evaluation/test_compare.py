"""Comparison is one to one, blind to order, and tolerant only where a policy says so."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from du_eval.assistants.model import Assistant, Slot
from du_eval.commands import CancelFlow, Clarify, Command, SetSlot, StartFlow
from du_eval.evaluation.compare import EXACT, CommandDiff, ExactPolicy


def exact(
    expected: Sequence[Command], *components: Sequence[Command], slots: dict[str, Slot] | None = None
) -> CommandDiff:
    diff, passes = ExactPolicy(slots or {}).diff(expected, components)
    assert passes == diff.is_empty
    return diff


COMMANDS = st.one_of(
    st.builds(StartFlow, st.sampled_from(["a", "b"])),
    st.builds(SetSlot, st.sampled_from(["x", "y"]), st.sampled_from(["1", "2", None])),
    st.builds(CancelFlow),
    st.builds(Clarify, st.sampled_from([(), ("a", "b"), ("b", "c")])),
)
LISTS = st.lists(COMMANDS, max_size=5)


def test_order_is_irrelevant() -> None:
    assert exact([StartFlow("a"), SetSlot("x", "1")], [SetSlot("x", "1"), StartFlow("a")]).is_empty


def test_a_repeated_expectation_needs_a_repeated_prediction() -> None:
    assert exact([StartFlow("a"), StartFlow("a")], [StartFlow("a")]).missing == (StartFlow("a"),)
    assert exact([StartFlow("a"), StartFlow("a")], [StartFlow("a"), StartFlow("a")]).is_empty


def test_a_repeated_prediction_is_unexpected() -> None:
    assert exact([StartFlow("a")], [StartFlow("a"), StartFlow("a")]).unexpected == (StartFlow("a"),)


def test_equal_lengths_do_not_hide_different_multiplicities() -> None:
    diff = exact([StartFlow("a"), StartFlow("a"), CancelFlow()], [StartFlow("a"), CancelFlow(), CancelFlow()])
    assert (diff.missing, diff.unexpected) == ((StartFlow("a"),), (CancelFlow(),))


def test_nothing_expected_and_nothing_predicted_is_a_match() -> None:
    assert exact([], []).is_empty


def test_nothing_expected_makes_every_prediction_unexpected() -> None:
    assert exact([], [CancelFlow()]).unexpected == (CancelFlow(),)


def test_predictions_of_all_components_count_together() -> None:
    assert exact([StartFlow("a"), CancelFlow()], [CancelFlow()], [StartFlow("a")]).is_empty


def test_a_clarify_without_options_accepts_any_options() -> None:
    assert exact([Clarify()], [Clarify(("a", "b"))]).is_empty


def test_a_clarify_with_options_accepts_only_the_same_set() -> None:
    assert exact([Clarify(("a", "b"))], [Clarify(("b", "a"))]).is_empty
    assert not exact([Clarify(("a", "b"))], [Clarify(("a", "b", "c"))]).is_empty
    assert not exact([Clarify(("a", "b"))], [Clarify()]).is_empty


def test_a_wildcard_does_not_take_the_partner_that_another_expectation_needs() -> None:
    assert exact([Clarify(), Clarify(("a", "b"))], [Clarify(("a", "b")), Clarify(("c", "d"))]).is_empty


@pytest.mark.parametrize(
    ("slot", "first", "second"),
    [
        (Slot("x", "float"), "50", "50.0"),
        (Slot("x", "bool"), "True", "true"),
        (Slot("x", "bool"), "yes", "True"),
        (Slot("x", "categorical", ("Gold", "Silver")), "gold", "Gold"),
    ],
)
def test_values_are_compared_in_the_type_of_their_slot(slot: Slot, first: str, second: str) -> None:
    assert exact([SetSlot("x", first)], [SetSlot("x", second)], slots={"x": slot}).is_empty
    assert not exact([SetSlot("x", first)], [SetSlot("x", second)]).is_empty


def test_text_values_must_be_equal_to_the_letter() -> None:
    assert not exact([SetSlot("x", "Adal")], [SetSlot("x", "adal")], slots={"x": Slot("x", "text")}).is_empty


@settings(deadline=None, max_examples=200)
@given(LISTS, LISTS, st.randoms(use_true_random=False))
def test_the_number_of_differences_does_not_depend_on_any_order(expected, predicted, random) -> None:
    diff = exact(expected, predicted)
    random.shuffle(expected)
    random.shuffle(predicted)
    again = exact(expected, predicted)
    assert (len(diff.missing), len(diff.unexpected)) == (len(again.missing), len(again.unexpected))


@settings(deadline=None, max_examples=200)
@given(LISTS, LISTS)
def test_every_command_is_either_paired_or_a_difference(expected, predicted) -> None:
    diff = exact(expected, predicted)
    assert len(diff.matched) + len(diff.missing) == len(expected)
    assert len(diff.matched) + len(diff.unexpected) == len(predicted)


@settings(deadline=None, max_examples=200)
@given(LISTS, LISTS)
def test_without_wildcards_comparing_is_symmetric(expected, predicted) -> None:
    expected = [command for command in expected if command != Clarify()]
    predicted = [command for command in predicted if command != Clarify()]
    there, back = exact(expected, predicted), exact(predicted, expected)
    assert len(there.missing) == len(back.unexpected)
    assert len(there.unexpected) == len(back.missing)


def test_pairs_come_in_the_order_of_expectations_and_differences_in_theirs() -> None:
    expected = [StartFlow("c"), StartFlow("a"), StartFlow("d"), StartFlow("b")]
    diff = exact(expected, [StartFlow("b"), StartFlow("y"), StartFlow("a"), StartFlow("x")])
    assert diff.matched == ((StartFlow("a"), StartFlow("a")), (StartFlow("b"), StartFlow("b")))
    assert diff.missing == (StartFlow("c"), StartFlow("d"))
    assert diff.unexpected == (StartFlow("y"), StartFlow("x"))


def test_a_value_of_another_slot_is_no_match_whatever_its_type() -> None:
    slots = {"x": Slot("x", "float"), "y": Slot("y", "float")}
    assert not exact([SetSlot("x", "5")], [SetSlot("y", "5")], slots=slots).is_empty
    assert not exact([SetSlot("x", "5")], [CancelFlow()], slots=slots).is_empty


def test_our_own_policy_judges_every_step_by_its_pairs() -> None:
    found = EXACT
    assert found.match(Assistant("bank", slots={"x": Slot("x")})) == ExactPolicy({"x": Slot("x")})
    assert (found.read_with, found.judges_empty_steps, found.undefined) == (None, True, None)
    assert not found.takes_passed_cases_as_right
