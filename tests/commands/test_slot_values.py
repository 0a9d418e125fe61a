import sys

import pytest
from hypothesis import given, settings

from du_eval.commands import SetSlot
from du_eval.commands.base import NULL_WORDS, strip_quotes
from tests.commands.vocabulary import texts


@pytest.mark.parametrize(
    "written",
    [
        "Adal",
        " Adal ",
        "'Adal'",
        '"Adal"',
        "''Adal''",
        "\"'Adal'\"",
        "\t' \" Adal\n",
        "\u3000Adal\xa0",
        "Adal'",
    ],
)
def test_quotes_and_blanks_around_a_value_go(written: str) -> None:
    assert SetSlot("name", written).value == "Adal"


def test_quotes_and_blanks_inside_a_value_stay() -> None:
    assert SetSlot("name", "'the \"big\"  one'").value == 'the "big"  one'


@pytest.mark.parametrize("word", sorted(NULL_WORDS))
def test_a_null_word_is_no_value(word: str) -> None:
    assert SetSlot("a", word).value is None
    assert SetSlot.from_dsl(f"SetSlot(a, {word})").value is None
    assert SetSlot.from_dsl(f'SetSlot(a, " {word} ")').value is None


@pytest.mark.parametrize("word", ["none", "NULL", "Null", "Undefined", "n/a", "[Missing]", "nil", "0"])
def test_a_word_like_a_null_word_is_a_text(word: str) -> None:
    assert SetSlot("a", word).value == word


def test_no_value_prints_as_none() -> None:
    assert str(SetSlot("a", None)) == str(SetSlot("a")) == "SetSlot(a, None)"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (50, "50"),
        (50.0, "50.0"),
        (True, "True"),
        (["a", "é"], '["a", "é"]'),
        (("a",), '["a"]'),
        ({"a": None}, '{"a": null}'),
        ([], "[]"),
    ],
)
def test_a_value_of_any_type_has_one_text_form(value: object, text: str) -> None:
    assert SetSlot("a", value).value == text


def test_a_dictionary_may_call_the_slot_name_or_slot() -> None:
    assert SetSlot.from_arguments({"name": "a", "value": 1}) == SetSlot.from_arguments(
        {"slot": "a", "value": "1"}
    )


def test_a_dictionary_may_say_who_extracted_the_value() -> None:
    assert SetSlot.from_arguments({"name": "a", "value": "b", "extractor": "NLU"}) == SetSlot("a", "b")


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        ("national id", "SetSlot(a, national id)"),
        ("foo (bar)", "SetSlot(a, foo (bar))"),
        ("x, y", "SetSlot(a, x, y)"),
        ("it's", "SetSlot(a, it's)"),
        ("a)b", 'SetSlot(a, "a)b")'),
        ("two\nlines", 'SetSlot(a, "two\\nlines")'),
        ("é)", 'SetSlot(a, "é)")'),
        ("a\u2028b", 'SetSlot(a, "a\\u2028b")'),
    ],
)
def test_a_value_is_quoted_only_where_it_would_not_survive(value: str, printed: str) -> None:
    assert str(SetSlot("a", value)) == printed


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (r'"say \"hi\""', 'say "hi'),
        (r"'it\'s'", "it's"),
        (r'"C:\dir"', r"C:\dir"),
        (r'"tab\there"', "tab\there"),
        (r'"\u00e9"', "é"),
        ('"real\ttab and \\n"', "real\ttab and"),
    ],
)
def test_escapes_in_quotes_are_undone_and_wrong_ones_kept(written: str, value: str) -> None:
    assert SetSlot.from_dsl(f"SetSlot(a, {written})").value == value


@given(texts)
@settings(deadline=None)
def test_cleaning_a_clean_value_changes_nothing(text: str) -> None:
    clean = SetSlot("a", text)
    assert SetSlot("a", clean.value) == clean


def test_every_blank_that_python_knows_is_stripped() -> None:
    blanks = "".join(chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace())
    assert strip_quotes(f"{blanks}'x'{blanks}") == "x"


@given(texts)
@settings(deadline=None)
def test_only_blanks_and_quotes_are_stripped(text: str) -> None:
    kept = strip_quotes(text)
    start = text.index(kept)
    around = text[:start] + text[start + len(kept) :]
    assert all(character.isspace() or character in "'\"" for character in around)
