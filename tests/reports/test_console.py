"""The console report looks as the golden file shows it."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from du_eval.evaluation.aggregate import evaluated
from du_eval.reports.console import ConsoleReporter
from du_eval.reports.text import one_line, side_by_side
from tests.evaluation.running import bot, case, run, user

GOLDEN = Path(__file__).with_name("console.txt")


def answer(request):
    if request.message == "crash":
        raise RuntimeError("no answer in 5 s")
    return {
        "send 50 to Ann": "StartFlow(send)\nSetSlot(recipient, Ann)\nI think so",
        "no, stop": "CancelFlow()",
        "日本語でお願いします": "ChitChat()",
    }[request.message]


def evaluation():
    return evaluated(
        run(
            case(
                "wrong [bold]slot[/bold]",
                user(
                    "send 50 to Ann",
                    "StartFlow(send)",
                    "SetSlot(recipient, Ann)",
                    "SetSlot(amount, 50)",
                    line=4,
                ),
                bot("How much?"),
                user("no, stop", "CancelFlow()", line=9),
            ),
            case("other language", user("日本語でお願いします", "HumanHandoff()", line=14)),
            case("crash", user("crash", "ChitChat()", line=20)),
            answer=answer,
        ),
        "0.0.0",
    )


def without_times(text: str) -> str:
    return re.sub(r"\d+\.\d+ (ms|s)\b", "TIME", text)


def test_the_report_is_as_recorded() -> None:
    assert without_times(ConsoleReporter(str).render(evaluation())) == GOLDEN.read_text(encoding="utf-8")


def test_no_line_but_long_user_text_is_wider_than_the_terminal() -> None:
    lines = ConsoleReporter(str).render(evaluation()).splitlines()
    assert all(len(line) <= 80 for line in lines if "signature" not in line)


def test_colours_come_only_on_request() -> None:
    assert "\x1b[" not in ConsoleReporter(str).render(evaluation())
    assert "\x1b[" in ConsoleReporter(str, colour=True).render(evaluation())


@pytest.mark.parametrize("width", [40, 80, 120])
def test_long_commands_are_wrapped_inside_their_column(width: int) -> None:
    (lines,) = side_by_side([("SetSlot(note, " + "x" * 100 + ")", "y" * 100)], width)
    assert all(len(line) <= width for line in lines)
    assert all("|" in line for line in lines)


def test_wide_characters_count_as_two() -> None:
    assert side_by_side([("日本", "b"), ("abcd", "c")], 40) == [["日本 | b"], ["abcd | c"]]


def test_an_expectation_stands_beside_the_prediction_that_meets_it() -> None:
    result = run(
        case("c", user("x", "SetSlot(a, 1)", "StartFlow(f)", "CancelFlow()")),
        answer=lambda _: "ChitChat()\nStartFlow(f)\nSkipQuestion()\nHumanHandoff()",
    )
    text = ConsoleReporter(str).render(evaluated(result))
    table = text[text.index("-- EXPECTED") :].splitlines()[1:5]
    assert table == [
        "SetSlot(a, 1)  | ChitChat()",
        "StartFlow(f)   | StartFlow(f)",
        "CancelFlow()   | SkipQuestion()",
        "               | HumanHandoff()",
    ]


def test_line_breaks_and_control_characters_are_made_visible() -> None:
    assert one_line("a\nb\x1b[31m") == "a⏎b�[31m"


def test_a_very_long_argument_takes_no_more_than_its_share_of_time() -> None:
    def seconds_for(length: int) -> float:
        start = time.perf_counter()
        side_by_side([("SetSlot(note, " + "x" * length + ")", "y")], 80)
        return time.perf_counter() - start

    assert seconds_for(400_000) < 5, "it took minutes when each piece was cut off the rest"
