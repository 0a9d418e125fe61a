"""Perturbations: seeded, honest about their level, and blind to what they must not touch."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from du_eval.errors import InputError
from du_eval.perturbations.base import find_free_places, split_words
from du_eval.perturbations.typos import KINDS, LAYOUTS, Typos, choose_layout, neighbours
from du_eval.perturbations.words import (
    Fillers,
    Omission,
    RandomCase,
    RandomReplacement,
    SynonymReplacement,
    WordOrder,
    with_synonyms,
)
from du_eval.statistics.distance import edit_distance, inversions

QUESTION = "What is the name of my big cat?"
RUSSIAN = "Как зовут мою маленькую собаку и где она живёт?"
ALL = [Typos(), WordOrder(), Omission(), RandomReplacement(), SynonymReplacement(), RandomCase(), Fillers()]
SENTENCES = st.lists(st.text("abcdeABCD'жшя", min_size=1, max_size=8), min_size=1, max_size=9).map(" ".join)


@pytest.mark.parametrize("perturbation", ALL)
def test_the_same_seed_gives_the_same_text(perturbation) -> None:
    assert perturbation(QUESTION, 2, Random(7)) == perturbation(QUESTION, 2, Random(7))


@pytest.mark.parametrize("perturbation", ALL)
@pytest.mark.parametrize("text", [QUESTION, RUSSIAN])
def test_level_zero_changes_nothing(perturbation, text) -> None:
    result = perturbation(text, 0, Random(1))
    assert (result.text, result.level, result.changed) == (text, 0, ())


@pytest.mark.parametrize("perturbation", ALL)
def test_an_empty_text_stays_empty(perturbation) -> None:
    assert perturbation("", 3, Random(1)).text == ""


@pytest.mark.parametrize("perturbation", ALL)
def test_protected_words_stay(perturbation) -> None:
    for seed in range(30):
        result = perturbation(QUESTION, 3, Random(seed), ["my big cat"])
        assert "my big cat?" in result.text


@given(SENTENCES, st.integers(1, 12), st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_the_level_of_typos_is_the_number_of_edits_that_are_there(text, level, seed) -> None:
    result = Typos()(text, level, Random(seed))
    old, new = split_words(text), split_words(result.text)
    assert len(old) == len(new)
    assert result.level == sum(edit_distance(a, b) for a, b in zip(old, new, strict=True)) <= level


def test_an_asked_typo_is_made_whenever_the_text_has_room() -> None:
    levels = [Typos()(QUESTION, 3, Random(seed)).level for seed in range(200)]
    assert set(levels) == {3}


@given(SENTENCES, st.integers(1, 12), st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_word_order_keeps_the_words_and_never_swaps_back(text, level, seed) -> None:
    result = WordOrder()(text, level, Random(seed))
    assert sorted(split_words(result.text)) == sorted(split_words(text))
    assert result.level <= level
    assert (result.level == 0) == (split_words(result.text) == split_words(text))


def test_swaps_of_neighbours_are_counted_as_inversions() -> None:
    assert inversions([0, 1, 2]) == 0
    assert inversions([2, 1, 0]) == 3


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 1.0])
def test_omission_leaves_the_share_it_says_and_at_least_one_word(share) -> None:
    result = Omission()(QUESTION, share, Random(3))
    left = split_words(result.text)
    assert left
    assert result.level == pytest.approx(1 - len(left) / 8)


def test_replacement_words_are_new_to_the_text_and_of_its_language() -> None:
    result = RandomReplacement()(RUSSIAN, 0.4, Random(3))
    old, new = split_words(RUSSIAN), split_words(result.text)
    differing = [b for a, b in zip(old, new, strict=True) if a != b]
    assert len(differing) == len(result.changed) > 0
    assert all(any("а" <= letter <= "я" for letter in word.casefold()) for word in differing)


def test_a_word_without_synonym_is_not_counted_as_replaced() -> None:
    result = SynonymReplacement()("Xyzzy plugh", 1.0, Random(1))
    assert (result.text, result.level) == ("Xyzzy plugh", 0.0)


def test_synonyms_keep_punctuation_and_capitals() -> None:
    result = SynonymReplacement({"cat": ["kitten"]})("Cat? My cat!", 1.0, Random(1))
    assert result.text == "Kitten? My kitten!"


def test_augmentation_replaces_only_with_its_probability() -> None:
    assert with_synonyms(QUESTION, 0.0, Random(1)) == QUESTION
    assert with_synonyms(QUESTION, 1.0, Random(1)) != QUESTION
    assert with_synonyms(QUESTION, 1.0, Random(1), ["big"]) == QUESTION


def test_slips_land_on_neighbouring_keys() -> None:
    assert set("qwsdxz") <= set(neighbours("qwerty")["a"]) | set("dx")
    assert "q" in neighbours("qwerty")["a"]
    assert "p" not in neighbours("qwerty")["a"]
    assert set(neighbours("russian")["п"]) >= set("ар")
    for seed in range(50):
        changed = Typos(kinds=("substitute",))("cat", 1, Random(seed)).text
        (pair,) = [(a, b) for a, b in zip("cat", changed, strict=True) if a != b]
        assert pair[1] in neighbours("qwerty")[pair[0]]


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_typo_is_one_edit(kind) -> None:
    assert Typos(kinds=(kind,))("elephant", 1, Random(2)).level == 1


def test_the_layout_is_found_from_the_text() -> None:
    assert [choose_layout(text) for text in ("cat", "кот", "på väg", "schön")] == [
        "qwerty",
        "russian",
        "swedish",
        "qwertz",
    ]
    assert len(LAYOUTS) == 5
    with pytest.raises(InputError, match="did you mean 'qwerty'"):
        Typos("qwery")("cat", 1, Random(1))


def test_a_protected_span_is_found_in_any_case_and_with_punctuation() -> None:
    assert find_free_places(split_words("Is My Cat, called Tom?"), ["my cat"]) == [0, 3, 4]


@given(SENTENCES, st.floats(0, 1), st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_the_level_of_case_is_the_share_of_words_that_look_different(text, level, seed) -> None:
    result = RandomCase()(text, level, Random(seed))
    old, new = split_words(text), split_words(result.text)
    assert result.text.casefold() == " ".join(old).casefold()
    assert result.level == pytest.approx(sum(a != b for a, b in zip(old, new, strict=True)) / len(old))


@given(SENTENCES, st.floats(0, 1), st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_fillers_only_add(text, level, seed) -> None:
    result = Fillers(("um",))(text, level, Random(seed))
    old, new = split_words(text), split_words(result.text)
    added = [word for word in new if word.casefold() == "um,"]
    assert len(new) == len(old) + len(added)
    assert result.level == pytest.approx(len(added) / len(old))
    assert [word.casefold() for word in new if word not in added] == [word.casefold() for word in old]


def test_a_filler_at_the_beginning_takes_over_the_capital() -> None:
    assert Fillers(("well",))("Send it", 0.5, Random(1), ["it"]).text == "Well, send it"
    assert Fillers(("well",))("I'd go", 0.5, Random(1), ["go"]).text == "Well, I'd go"
