"""The offline judge of coherence decides by a few sure signs and leaves the rest open."""

from __future__ import annotations

import pytest

from du_eval.judges.coherence_rules import Exchanged, read_coherence


@pytest.mark.parametrize(
    ("context", "reply"),
    [
        (("Who painted the fence?",), "Because it rained."),
        (("Where did you park?",), "Yes, of course."),
        (("Why did she leave?",), "On Thursday."),
        (("My name is Ada.", "Hello! What can I do?", "I need a form."), "Gladly. What is your name?"),
        (("I have two dogs.",), "Do you have any pets?"),
        (("We are having a baby!",), "My condolences."),
        (("Как зовут вашу дочь?",), "В пятницу."),
        (("I like cars",), "That sounds tasty"),
        (("Я люблю футбол.",), "Звучит вкусно!"),
    ],
)
def test_a_reply_of_the_wrong_kind_does_not_fit(context: tuple[str, ...], reply: str) -> None:
    assert read_coherence(Exchanged(context, reply)).label == "incoherent"


@pytest.mark.parametrize(
    ("context", "reply"),
    [
        (("Thanks a lot!",), "You're welcome."),
        (("When does it open?",), "At 9 am."),
        (("How old is the tower?",), "About 300 years."),
        (("Why are you wet?",), "Because I fell into the pond."),
        (("Здравствуйте!",), "Добрый день!"),
    ],
)
def test_a_reply_of_the_right_kind_fits(context: tuple[str, ...], reply: str) -> None:
    assert read_coherence(Exchanged(context, reply)).label == "coherent"


@pytest.mark.parametrize(
    ("context", "reply"),
    [
        (("Why not try the soup?",), "Yes, sure."),
        (("How long will you stay?",), "As long as they let me."),
        (("I bought a lamp.",), "The moon is far away."),
        (("I like cars and cooking.",), "That sounds tasty."),
        (("My dog baked a cake.",), "Yum, sounds delicious!"),
    ],
)
def test_the_rest_is_left_open(context: tuple[str, ...], reply: str) -> None:
    assert read_coherence(Exchanged(context, reply)).label is None


def test_a_yes_with_much_about_something_else_decides_nothing() -> None:
    asked = ("May I show you the gold ones?",)
    assert read_coherence(Exchanged(asked, "Yes, please.")).label == "coherent"
    assert read_coherence(Exchanged(asked, "Yes! I just spoke to him and he was late.")).label is None
    assert read_coherence(Exchanged(("?",), "Yes.")).label is None
