"""The versions of the official tool judge and count as it does."""

from __future__ import annotations

import pytest

from du_eval.assistants.model import Assistant
from du_eval.commands import CancelFlow, Clarify, SetSlot, StartFlow
from du_eval.compat.policies import find_policy
from du_eval.compat.rasa import RasaPolicy, find_rules
from du_eval.errors import ConfigError


def test_the_official_policy_ignores_the_case_of_slot_values() -> None:
    assert RasaPolicy().diff([SetSlot("x", "Adal")], [[SetSlot("x", "adal")]])[1]


def test_the_official_policy_removes_duplicates_of_one_component_only() -> None:
    assert RasaPolicy().diff([StartFlow("a")], [[StartFlow("a"), StartFlow("a")]])[1]
    assert not RasaPolicy().diff([StartFlow("a")], [[StartFlow("a")], [StartFlow("a")]])[1]


def test_the_official_policy_looks_at_presence_not_at_multiplicity() -> None:
    expected = [StartFlow("a"), StartFlow("a"), CancelFlow()]
    assert RasaPolicy().diff(expected, [[StartFlow("a")], [CancelFlow()], [CancelFlow()]])[1]


def test_the_official_policy_depends_on_the_direction_for_clarify() -> None:
    diff, passes = RasaPolicy().diff([Clarify(("a", "b"))], [[Clarify()]])
    assert (len(diff.missing), len(diff.unexpected), passes) == (1, 0, False)
    diff, _ = RasaPolicy().diff([Clarify()], [[Clarify(("a", "b"))]])
    assert (len(diff.matched), len(diff.unexpected)) == (1, 1)


def test_the_official_policy_compares_commands_that_cannot_be_hashed() -> None:
    class Unhashable(StartFlow):
        __hash__ = None  # type: ignore[assignment]

    assert RasaPolicy().diff([Unhashable("a")], [[Unhashable("a"), Unhashable("a")]])[1]


def test_the_official_policy_needs_as_many_predictions_as_expectations() -> None:
    diff, passes = RasaPolicy().diff([StartFlow("a")], [[StartFlow("a"), CancelFlow()]])
    assert (diff.matched, diff.missing, passes) == (((StartFlow("a"), StartFlow("a")),), (), False)
    assert diff.unexpected == (CancelFlow(),)


def test_the_official_policy_needs_the_same_slot_and_the_same_value() -> None:
    for other in (SetSlot("y", "1"), SetSlot("x", "2"), StartFlow("x")):
        diff, passes = RasaPolicy().diff([SetSlot("x", "1")], [[other]])
        assert (diff.missing, diff.unexpected, passes) == ((SetSlot("x", "1"),), (other,), False)


@pytest.mark.parametrize("name", ["rasa", "rasa@3.16"])
def test_the_official_policy_counts_as_the_official_tool_does(name: str) -> None:
    found = find_policy(name)
    assert found.match(Assistant("bank")) == RasaPolicy()
    assert found.missing == find_rules(name).missing
    assert (found.name, found.judges_empty_steps, found.undefined) == (name, False, 0.0)
    assert found.takes_passed_cases_as_right


def test_an_unknown_policy_is_answered_with_the_nearest_one_or_all() -> None:
    with pytest.raises(ConfigError, match="unknown matching policy 'exakt'; did you mean 'exact'"):
        find_policy("exakt")
    with pytest.raises(ConfigError, match="unknown matching policy 'zzzzzz'; choose from: exact, rasa"):
        find_policy("zzzzzz")
