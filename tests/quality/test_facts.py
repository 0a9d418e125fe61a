"""Facts: enough of them, balanced, drawn anew for each dialogue, and a linter that finds what is wrong."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from du_eval.errors import InputError
from du_eval.quality.facts.lint import lint
from du_eval.quality.facts.load import load_facts, load_packaged_facts, read_facts
from du_eval.quality.facts.model import CATEGORIES, DrawnFact, draw_fact


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("category", CATEGORIES)
def test_each_category_has_at_least_thirty_facts(category: str, language: str) -> None:
    assert len(load_packaged_facts(language).of(category)) >= 30


@pytest.mark.parametrize("language", ["en", "ru"])
def test_our_own_facts_have_no_problems(language: str) -> None:
    assert lint(load_packaged_facts(language)) == []


def test_closed_facts_are_drawn_as_yes_and_as_no() -> None:
    fact = next(fact for fact in load_packaged_facts().of("QA") if fact.closed)
    answers = {draw_fact(fact, load_packaged_facts(), Random(seed)).answer for seed in range(20)}
    assert answers == {"yes", "no"}


def test_values_are_different_and_avoid_what_was_used() -> None:
    fact = load_packaged_facts().of("QA")[0]
    used: set[str] = set()
    one = draw_fact(fact, load_packaged_facts(), Random(1), used)
    two = draw_fact(fact, load_packaged_facts(), Random(1), used)
    assert one.answer != two.answer
    assert len({one.answer, one.other, one.updated}) == 3


def problems(text: str) -> str:
    return "\n".join(map(str, lint(read_facts(text, "mine.yml"))))


@pytest.mark.parametrize(
    ("fact", "problem"),
    [
        (
            "{id: 1, closed: true, answer: yes, information: [I have no dog.], questions: [Do I have a dog?]}",
            "says no",
        ),
        (
            "{id: 1, closed: true, answer: no, information: [I have a dog.], questions: [Do I have a dog?]}",
            "does not say so",
        ),
        (
            "{id: 1, answer: Rex, information: [My dog is Tom.], questions: [Who is my dog?]}",
            "does not say 'Rex'",
        ),
        (
            "{id: 1, answer: Rex, information: [My dog is Rex.], questions: [Is my dog Rex?]}",
            "gives the answer away",
        ),
        (
            "{id: 1, answer: Rex, information: [My dog is Rex.], questions: [Who is my dog]}",
            "without a question mark",
        ),
        (
            "{id: 1, from: nowhere, information: ['It is {value}.'], questions: [What is it?]}",
            "does not exist",
        ),
        ("{id: 1, answer: x, information: ['It is {valu} x.'], questions: [What is it?]}", "unknown places"),
        ("{id: 1, closed: true, questions: [Is it?]}", "needs `yes` and `no`"),
        ("{id: 1, questions: [What is it?]}", "needs `from` or `answer`"),
        ("{id: 1, answer: x, information: [x is.], questions: [What?, What?]}", "the same words twice"),
    ],
)
def test_the_linter_finds(fact: str, problem: str) -> None:
    assert problem in problems(f"category: QA\nfacts:\n  - {fact}\n")


def test_a_set_that_always_yes_would_pass_is_unbalanced() -> None:
    facts = "".join(
        f"  - {{id: {n}, closed: true, answer: yes, information: [I own {n}.], questions: [Do I own {n}?]}}\n"
        for n in range(5)
    )
    assert "100% of the closed facts have the answer yes" in problems(f"category: QA\nfacts:\n{facts}")


def test_two_facts_with_one_question_leak() -> None:
    one = "{id: 1, answer: a, information: [It is a.], questions: [What is it?]}"
    two = "{id: 1, answer: b, information: [It is b.], questions: [What is it?]}"
    found = problems(f"category: QA\nfacts:\n  - {one}\n  - {two.replace('id: 1', 'id: 2')}\n")
    assert "their answers leak" in found
    assert "the id is already used" in problems(f"category: QA\nfacts:\n  - {one}\n  - {two}\n")


def test_all_problems_of_a_file_are_reported_with_their_lines(tmp_path: Path) -> None:
    file = tmp_path / "f.yml"
    file.write_text("category: XX\nfacts:\n  - {id: a, questions: [What?]}\n  - {id: 2, informatoin: x}\n")
    with pytest.raises(InputError) as caught:
        load_facts([str(file)])
    text = str(caught.value)
    assert "f.yml:3: a fact needs a number" in text
    assert "did you mean 'information'" in text
    assert "f.yml:4: a fact needs questions" in text


def test_the_documents_own_form_of_a_set_is_read() -> None:
    text = "facts:\n  - {test: QA, id: 1000, directed: false, QA: What is the name?, answer: Johan, information: [I am Johan.], question: [Who am I?]}\n"
    (fact,) = read_facts(text, "f.yml").facts
    assert (fact.category, fact.answer, fact.questions) == ("QA", "Johan", ("Who am I?",))


def test_a_saved_set_comes_back() -> None:
    fact = draw_fact(load_packaged_facts().of("QA")[0], load_packaged_facts(), Random(3))
    again = DrawnFact.from_document(fact.as_document())
    assert (again.answer, again.accepted, again.rejected) == (fact.answer, fact.accepted, fact.rejected)
