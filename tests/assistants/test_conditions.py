import pytest
from hypothesis import given
from hypothesis import strategies as st

from du_eval.assistants.conditions import ConditionError, Scope, evaluate_condition, holds
from du_eval.assistants.expressions import ConditionSyntaxError, parse_condition

SCOPE = Scope(
    {
        "amount": 50.0,
        "name": "Ann",
        "tags": ["a", "b"],
        "yes": True,
        "no": False,
        "nothing": None,
        "rating": "2",
        "pin": "1234",
    },
    {"reason": "chitchat", "names": ["add a contact"], "collect": "amount", "slots": {"amount": 1}},
)


@pytest.mark.parametrize(
    "condition",
    [
        "slots.amount = 50",
        "slots.amount == 50.0",
        "slots.amount is 50",
        "slots.amount != 51",
        "slots.amount is not 51",
        "slots.amount > 10 and slots.amount < 100",
        "slots.amount >= 50 and slots.amount <= 50",
        "slots.rating < '3'",
        "slots.name = 'Ann'",
        'slots.name is "Ann"',
        "slots.yes",
        "not slots.no",
        "not slots.nothing",
        "slots.no or slots.yes",
        "slots.no or slots.yes and slots.amount",
        "not (slots.no and slots.yes)",
        "slots.nothing is null",
        "slots.amount is not null",
        "slots.unknown is undefined",
        "slots.unknown is empty",
        "slots.unknown is not null",
        "slots.nothing is not empty",
        "slots.nothing is not undefined",
        "0 = false",
        "slots.yes = 1",
        "slots.name is not empty",
        "slots.tags contains 'a'",
        "not slots.tags contains 'z'",
        "slots.name contains 'nn'",
        "{'Ann' 'Bob'} contains slots.name",
        "not {'Bob' 'Cid'} contains slots.name",
        "slots.name matches '^A.n$'",
        r"slots.pin matches '^\d{4}$'",
        "context.names contains 'add a contact'",
        "'{{context.reason}}' = 'chitchat'",
        "slots.{{context.collect}} is not null",
        "context.slots.amount = 1",
        "true",
        "NOT slots.no AND TRUE",
    ],
)
def test_a_true_condition_holds(condition: str) -> None:
    assert holds(condition, SCOPE)
    assert not holds(f"not ({condition})", SCOPE) or "{{" in condition


@pytest.mark.parametrize(
    "condition",
    [
        "slots.amount = '50'",
        "slots.nothing",
        "slots.unknown.deeper",
        "slots.unknown is null",
        "slots.nothing is empty",
        "slots.amount contains 3",
        "slots.amount matches 'x'",
        "slots.no and slots.yes or slots.yes",
        "name",
        "slots.name matches '^n'",
    ],
)
def test_a_false_condition_does_not_hold(condition: str) -> None:
    assert not holds(condition, SCOPE)


@pytest.mark.parametrize(
    "condition", ["slots.nothing < 3", "slots.name contains 3", "slots.nothing.deeper is null"]
)
def test_values_that_do_not_compare_count_as_false_or_as_violated(condition: str) -> None:
    assert not holds(condition, SCOPE)
    assert holds(condition, SCOPE, on_error=True)
    with pytest.raises(ConditionError):
        evaluate_condition(condition, SCOPE)


@pytest.mark.parametrize(
    "condition",
    [
        "",
        "slots.a =",
        "(slots.a",
        "slots.a slots.b",
        "= 3",
        "{'a'",
        "not",
        "slots.a = 'x",
        "a b c",
        "a || b",
        "a in b",
    ],
)
def test_nonsense_is_refused(condition: str) -> None:
    with pytest.raises(ConditionSyntaxError):
        parse_condition(condition)


def test_a_pattern_that_explodes_ends_in_time() -> None:
    assert not holds("slots.x matches '^(a+)+$'", Scope({"x": "a" * 40 + "b"}))


def test_a_deeply_nested_condition_is_refused_and_not_a_crash() -> None:
    with pytest.raises(ConditionSyntaxError):
        parse_condition("not " * 5000 + "true")
    with pytest.raises(ConditionSyntaxError):
        parse_condition("(" * 5000 + "true" + ")" * 5000)


@given(st.text(max_size=60))
def test_any_text_is_a_condition_or_refused(text: str) -> None:
    assert holds(text, SCOPE) in {True, False}
