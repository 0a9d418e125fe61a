import pytest

from du_eval.assistants.coercion import coerce_value
from du_eval.assistants.model import Slot

SIZE = Slot("size", "categorical", ("small", "Small", "XL"))


@pytest.mark.parametrize("text", ["true", "Yes", "TRUE", "1", " yes "])
def test_words_of_agreement_become_true(text: str) -> None:
    assert coerce_value(Slot("s", "bool"), text) is True


@pytest.mark.parametrize("text", ["false", "No", "0"])
def test_words_of_refusal_become_false(text: str) -> None:
    assert coerce_value(Slot("s", "bool"), text) is False


@pytest.mark.parametrize(("text", "number"), [("50", 50.0), ("50.0", 50.0), (" -3e2", -300.0)])
def test_numbers_become_floats(text: str, number: float) -> None:
    assert coerce_value(Slot("s", "float"), text) == number


@pytest.mark.parametrize("kind", ["bool", "float", "categorical"])
def test_what_does_not_fit_stays_as_it_is(kind: str) -> None:
    assert coerce_value(Slot("s", kind, ("a",)), "maybe") == "maybe"


@pytest.mark.parametrize("text", ["nan", "inf", "1_000"])
def test_no_odd_numbers_are_made(text: str) -> None:
    assert coerce_value(Slot("s", "float"), text) == text


def test_a_category_in_its_exact_spelling_wins() -> None:
    assert coerce_value(SIZE, "Small") == "Small"


def test_a_category_takes_its_configured_spelling() -> None:
    assert coerce_value(SIZE, " xl") == "XL"


@pytest.mark.parametrize("kind", ["text", "any"])
def test_texts_are_left_alone(kind: str) -> None:
    assert coerce_value(Slot("s", kind), " Yes") == " Yes"


def test_a_single_value_becomes_a_list() -> None:
    assert coerce_value(Slot("s", "list"), "a") == ["a"]


@pytest.mark.parametrize(("text", "values"), [('["a", "b"]', ["a", "b"]), ("[a", ["[a"]), ("[a]", ["[a]"])])
def test_a_list_in_its_text_form_is_read(text: str, values: list[str]) -> None:
    assert coerce_value(Slot("s", "list"), text) == values


@pytest.mark.parametrize("kind", ["text", "bool", "float", "categorical", "list", "any"])
def test_null_fits_every_type(kind: str) -> None:
    assert coerce_value(Slot("s", kind), None) is None
