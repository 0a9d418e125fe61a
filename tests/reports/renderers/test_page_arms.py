"""Steps by arms on the page, in a real browser: filters, counts of mistakes, links, and what a screen reader needs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from du_eval.reports.arm_sections import Agreement, ArmMatrix, ArmReply, ArmRow, Trade, Trades
from du_eval.reports.renderers.page import render_page
from du_eval.reports.renderers.terminal import render_terminal
from du_eval.reports.sections import Curve, Note, Point, Tone, Transcript, TranscriptLine, View
from du_eval.runs.outcome import Outcome
from du_eval.statistics.intervals import Interval, Measurement
from tests.reports.browsing import Browser, browsing

ARMS = ("small", "large", "<b>baseline</b>")
SHOWN = "[...document.querySelectorAll('tr.step .place')].map((one) => one.textContent)"
STATUS = "document.querySelector('.explorer [role=status]').textContent"
RIGHT, WRONG = (
    ArmReply("StartFlow(a)", Outcome.PASSED),
    ArmReply("StartFlow(b)", Outcome.FAILED, ("wrong flow",)),
)
SILENT = ArmReply("(no command)", Outcome.FAILED, ("missing command",))


def make_row(number: int, *cells: tuple[ArmReply, ...]) -> ArmRow:
    """Return a step with the answers of three arms."""
    talk = Transcript(
        (TranscriptLine("user", "hello"), TranscriptLine("user", f"message {number}")), "Conversation"
    )
    return ArmRow(
        id=f"suite.yml::transfer::{number}",
        place=f"tests/suite.yml:{number}",
        case="suite.yml::transfer",
        title=f"message {number}",
        expected="StartFlow(a)",
        cells=cells,
        facets=(("flow", "a"),),
        detail=(talk,),
    )


def make_view() -> View:
    """Return steps on which arms agree and differ, one of them asked five times."""
    mixed = (ArmReply("StartFlow(a)", Outcome.PASSED, count=4), WRONG)
    rows = (
        make_row(1, (RIGHT,), (RIGHT,), (RIGHT,)),
        make_row(2, (RIGHT,), (WRONG,), (RIGHT,)),
        make_row(3, (WRONG,), (SILENT,), (WRONG,)),
        make_row(4, (WRONG,), (RIGHT,), (SILENT,)),
        make_row(5, (mixed), (RIGHT,), ()),
    )
    points = tuple(
        Trade(name, cost, Measurement(value, 100, Interval(value - 0.05, value + 0.05)), is_best=best)
        for name, cost, value, best in (
            ("small", 1.0, 0.8, True),
            ("large", 3.0, 0.9, True),
            (ARMS[2], 4.0, 0.7, False),
        )
    )
    sections = (
        ArmMatrix("Steps by arm", "user steps", ARMS, rows),
        Trades("Accuracy and cost", "cost of 1,000 steps", "accuracy", points),
    )
    return View("prompts", "experiment", Note("Ship large", Tone.GOOD), sections=sections)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all tests."""
    with browsing() as found:
        yield found


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Browser:
    """The page of the steps, opened in a wide window."""
    browser.look(1200)
    file = tmp_path / "page.html"
    file.write_text(render_page([make_view()]), encoding="utf-8")
    browser.open(file)
    return browser


def press(page: Browser, agreement: str) -> object:
    """Press a filter, and return which steps are shown."""
    page.value(f"document.querySelector('button[data-agreement=\"{agreement}\"]').click()")
    return page.value(SHOWN)


def test_steps_say_how_far_arms_agree() -> None:
    section = make_view().sections[0]
    assert isinstance(section, ArmMatrix)
    assert [row.agreement for row in section.rows] == [
        Agreement.ALL_RIGHT, Agreement.DIFFERENT, Agreement.ALL_WRONG, Agreement.ONE_RIGHT, Agreement.DIFFERENT,
    ]  # fmt: skip


def test_the_page_shows_first_where_arms_differ(page: Browser) -> None:
    assert page.value(SHOWN) == ["suite.yml:2", "suite.yml:4", "suite.yml:5"]
    assert page.value(STATUS) == "3 of 5 user steps"
    assert page.complaints == []
    assert len(page.requests) == 1


def test_filters_show_agreement(page: Browser) -> None:
    assert press(page, "wrong") == ["suite.yml:3"]
    assert press(page, "one") == ["suite.yml:4"]
    assert press(page, "right") == ["suite.yml:1"]
    assert len(list(press(page, ""))) == 5  # type: ignore[call-overload]


def test_repeats_share_a_cell(page: Browser) -> None:
    cells = page.value(
        "[...[...document.querySelectorAll('tr.step')][2].querySelectorAll('td')].map((one) => one.textContent)"
    )
    assert cells == ["4/5", "✓", "·"]


def test_a_count_of_mistakes_filters_by_arm_and_kind(page: Browser) -> None:
    press(page, "")
    page.value("document.querySelector('[aria-label=\"wrong flow, small: 3\"]').click()")
    assert page.value(SHOWN) == ["suite.yml:3", "suite.yml:4", "suite.yml:5"]
    page.value("document.querySelector('.chip').click()")
    assert page.value("document.querySelectorAll('.chip').length") == 0


def test_the_search_looks_into_answers(page: Browser) -> None:
    press(page, "")
    page.value(
        "const box = document.querySelector('input[type=search]'); box.value = '(no command)'; box.dispatchEvent(new Event('input'))"
    )
    assert page.value(SHOWN) == ["suite.yml:3", "suite.yml:4"]


def test_a_row_opens_with_its_conversation_and_all_answers(page: Browser) -> None:
    page.value("document.querySelector('tr.step .open').click()")
    text = str(page.value("document.querySelector('tr.unfolded').textContent"))
    assert "hello" in text
    assert "<b>baseline</b>" in text
    assert "StartFlow(b)" in text
    assert "wrong flow" in text
    page.value("document.querySelector('tr.step .open').click()")
    assert page.value("document.querySelector('tr.unfolded')") is None


def test_a_link_opens_a_step_that_the_filter_hides(page: Browser) -> None:
    page.value("location.hash = '#' + encodeURIComponent('suite.yml::transfer::3')")
    page.value("new Promise((done) => setTimeout(done, 50))")
    assert page.value(SHOWN) == ["suite.yml:3"]
    assert page.value("document.querySelectorAll('tr.unfolded').length") == 1


@pytest.mark.parametrize(("width", "is_dark"), [(1200, False), (1200, True), (390, False)])
def test_axe_finds_no_barrier_in_the_matrix(
    width: int, is_dark: bool, browser: Browser, tmp_path: Path
) -> None:
    browser.look(width, is_dark=is_dark)
    file = tmp_path / "page.html"
    file.write_text(render_page([make_view()]), encoding="utf-8")
    browser.open(file)
    browser.value("document.querySelector('tr.step .open').click()")
    assert browser.find_barriers() == []
    assert browser.value("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


def test_names_of_arms_that_are_alike_do_not_cover_each_other(browser: Browser, tmp_path: Path) -> None:
    points = tuple(
        Trade(f"a model of some size, {at}", 40 + at, Measurement(0.9 + at / 200, 100), is_best=True)
        for at in range(6)
    )
    trades = Trades("Accuracy and cost", "cost of 1,000 steps", "accuracy", points)
    file = tmp_path / "page.html"
    view = View("alike", "experiment", Note("x"), sections=(trades,))
    file.write_text(render_page([view]), encoding="utf-8")
    browser.open(file)
    covered = """(() => {
      const boxes = [...document.querySelectorAll('figure svg g text')].map((one) => one.getBoundingClientRect());
      return boxes.filter((one, at) => boxes.slice(0, at).some((other) => one.left < other.right - 1
        && other.left < one.right - 1 && one.top < other.bottom - 4 && other.top < one.bottom - 4)).length;
    })()"""
    assert browser.value("document.querySelectorAll('figure svg g text').length") == 6
    assert browser.value(covered) == 0


def test_names_below_a_curve_do_not_cover_each_other_and_testers_speak_from_the_left(
    browser: Browser, tmp_path: Path
) -> None:
    points = tuple(Point(at, Measurement(0.5, 10), f"{at}–{at + 5} %") for at in range(0, 100, 5))
    talk = Transcript((TranscriptLine("tester", "Hello"), TranscriptLine("bot", "Hi")), "Talk")
    sections = (Curve("By level", "level", "passed", (("x", points),)), talk)
    file = tmp_path / "page.html"
    file.write_text(render_page([View("v", "quality", Note("x"), sections=sections)]), encoding="utf-8")
    browser.open(file)
    boxes = "[...document.querySelectorAll('figure svg text')].filter((one) => one.textContent.includes('%'))"
    edges = browser.value(
        f"{boxes}.map((one) => one.getBoundingClientRect()).map((one) => [one.left, one.right])"
    )
    assert len(edges) > 4
    assert all(one[1] <= other[0] for one, other in pairwise(edges))
    sides = "[...document.querySelectorAll('.bubble')].map((one) => one.classList.contains('right'))"
    assert browser.value(sides) == [False, True]


def test_a_terminal_lists_where_arms_differ() -> None:
    text = render_terminal(make_view())
    assert "message 2" in text
    assert "message 3" not in text
    assert "4/5" in text
    assert "Accuracy and cost" in text
