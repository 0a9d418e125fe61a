"""The page in a real browser: keyboard, filters, colours, a phone, and texts that want to run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from du_eval.reports.html import html_report
from tests.reports.browsing import Browser, browsing
from tests.reports.reported import HOSTILE, REPORTS

TEXTS = ("send the money", "stop the card", "how much is left", "and another thing")
FOCUS = "document.activeElement"
WIDTH = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
OPEN_ALL = """
(async () => {
  const act = (nodes, how) => nodes.forEach(how);
  act([...document.querySelectorAll('main button[data-outcome=""]')], (one) => one.click());
  act([...document.querySelectorAll('.cells button')].slice(0, 3), (one) => one.click());
  act([...document.querySelectorAll('main button[data-outcome=""]')], (one) => one.click());
  for (let round = 0; round < 2; round += 1) {
    act([...document.querySelectorAll('main details')], (one) => { one.open = true; });
    await new Promise((done) => setTimeout(done, 50));
  }
  return document.querySelectorAll('main *').length;
})()
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all tests."""
    with browsing() as found:
        yield found


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A page of each activity, and one of all of them."""
    folder = tmp_path_factory.mktemp("pages")
    runs = {name: report(TEXTS) for name, report in REPORTS.items()}
    texts = {name: html_report([(name, data)]) for name, data in runs.items()}
    texts["all"] = html_report(list(runs.items()))
    return {name: _written(folder / f"{name}.html", text) for name, text in texts.items()}


def _written(path: Path, text: str) -> Path:
    path.write_bytes(text.encode("utf-8", "backslashreplace"))
    return path


@pytest.mark.parametrize("activity", REPORTS)
def test_hostile_texts_stay_texts(activity: str, browser: Browser, tmp_path: Path) -> None:
    data = REPORTS[activity](HOSTILE)
    browser.look(1200)
    browser.open(_written(tmp_path / "page.html", html_report([(HOSTILE[0], data)])))
    assert browser.value(OPEN_ALL) > 200
    assert browser.value("window.PWNED") is None
    assert browser.value("document.querySelectorAll('img, iframe, object, embed, link, form').length") == 0
    assert browser.value("[...document.links].every((link) => link.getAttribute('href').startsWith('#'))")
    assert browser.value("document.querySelector('main').textContent").count(HOSTILE[1]) > 0
    assert browser.complaints == []
    assert len(browser.requests) == 1, browser.requests


@pytest.mark.parametrize("activity", [*REPORTS, "all"])
def test_a_phone_does_not_scroll_sideways(activity: str, browser: Browser, pages: dict[str, Path]) -> None:
    browser.look(390)
    browser.open(pages[activity])
    assert browser.value(OPEN_ALL) > 150
    assert browser.value(WIDTH) <= 0


@pytest.mark.parametrize("activity", REPORTS)
def test_each_picture_has_a_name_and_its_numbers(
    activity: str, browser: Browser, pages: dict[str, Path]
) -> None:
    browser.look(1200)
    browser.open(pages[activity])
    assert browser.value(
        "[...document.querySelectorAll('svg')].every((one) => one.getAttribute('aria-label'))"
    )
    assert browser.value(
        "[...document.querySelectorAll('figure')].every((one) => one.querySelector('details.numbers'))"
    )
    assert browser.value(
        "[...document.querySelectorAll('main button, main select, main input')].every("
        "(one) => (one.getAttribute('aria-label') || one.textContent).trim())"
    )


def test_a_slash_goes_to_the_search_and_escape_clears_it(browser: Browser, pages: dict[str, Path]) -> None:
    browser.look(1200)
    browser.open(pages["test"])
    browser.press("/")
    assert browser.value(f"{FOCUS}.type") == "search"
    for letter in "card":
        browser.press(letter)
    assert browser.value("document.querySelectorAll('details.step').length") == 1
    browser.press("Escape")
    assert browser.value(f"{FOCUS}.value") == ""
    assert browser.value("document.querySelectorAll('details.step').length") == len(TEXTS)


def test_a_failed_step_is_opened_and_closed_with_the_keyboard(
    browser: Browser, pages: dict[str, Path]
) -> None:
    browser.look(1200)
    browser.open(pages["test"])
    browser.value("document.querySelector('summary.row').focus()")
    browser.press("ArrowDown")
    assert browser.value(f"{FOCUS}.textContent").startswith("✗stop the card")
    browser.press("Enter")
    assert browser.value(f"{FOCUS}.parentNode.open")
    shown = browser.value(f"{FOCUS}.parentNode.querySelector('.diff').textContent")
    assert shown == "expectedpredictedStartFlow(a)StartFlow(b)"
    browser.press("Escape")
    assert not browser.value(f"{FOCUS}.parentNode.open")
    assert browser.value(f"getComputedStyle({FOCUS}).outlineStyle") == "solid"


def test_a_table_is_one_stop_and_arrow_keys_move_between_its_rows(
    browser: Browser, pages: dict[str, Path]
) -> None:
    browser.look(1200)
    browser.open(pages["metrics"])
    browser.value("document.querySelector('#table tbody tr').focus()")
    browser.press("ArrowDown")
    assert browser.value(f"{FOCUS}.rowIndex") == 2
    browser.press("Home")
    assert browser.value(f"{FOCUS}.rowIndex") == 1
    browser.press("Tab")
    assert browser.value(f"{FOCUS}.closest('#table tbody')") is None


def test_squares_are_one_stop_and_open_what_they_stand_for(browser: Browser, pages: dict[str, Path]) -> None:
    browser.look(1200)
    browser.open(pages["agent"])
    browser.value("document.querySelector('.cells button').focus()")
    browser.press("ArrowDown")
    browser.press("ArrowRight")
    assert browser.value(f"{FOCUS}.getAttribute('aria-label')") == "sample 2, failed"
    assert browser.value("document.querySelectorAll('.cells button[tabindex=\"0\"]').length") == 1
    browser.press("Enter")
    assert "stop the card · sample 2" in browser.value(f"{FOCUS}.textContent")
    assert browser.value(f"{FOCUS}.parentNode.open")


def test_tab_starts_with_the_way_to_the_list(browser: Browser, pages: dict[str, Path]) -> None:
    browser.look(1200)
    browser.open(pages["test"])
    browser.press("Tab")
    assert browser.value(f"{FOCUS}.textContent") == "skip to the list"
    browser.press("Tab")
    assert browser.value(f"{FOCUS}.textContent") == "Overview"


def test_filters_narrow_the_replies(browser: Browser, pages: dict[str, Path]) -> None:
    browser.look(1200)
    browser.open(pages["quality"])
    chosen = (
        "(() => {{ const box = document.querySelector('select[data-name=\"{}\"]'); box.value = '{}';"
        " box.dispatchEvent(new Event('change')); return document.querySelector('#steps [role=status]')"
        ".textContent; }})()"
    )
    browser.value("document.querySelector('button[data-outcome=\"\"]').click()")
    assert browser.value(chosen.format("dialogue", "1")) == "5 of 20 replies"
    assert browser.value(chosen.format("test", "ML-U3")) == "2 of 20 replies"
    browser.value("document.querySelector('button[data-outcome=\"errored\"]').click()")
    assert browser.value("document.querySelector('#steps [role=status]').textContent") == "0 of 20 replies"


def test_a_dialogue_is_read_with_its_injected_tests_marked(browser: Browser, pages: dict[str, Path]) -> None:
    browser.look(1200)
    browser.open(pages["quality"])
    browser.value("document.querySelector('.heat button.name').click()")
    shown = browser.value("document.querySelector('.reader').textContent")
    assert "▸ ML-U3 · question · 2 edits" in shown
    assert "(no reply: error" in shown
    browser.press("Escape")
    assert browser.value("document.querySelector('.reader').hidden")


def test_the_colours_follow_the_system_and_the_button(browser: Browser, pages: dict[str, Path]) -> None:
    colour = "getComputedStyle(document.body).backgroundColor"
    browser.look(1200, is_dark=True)
    browser.open(pages["test"])
    dark = browser.value(colour)
    browser.value("document.getElementById('theme').click()")
    light = browser.value(colour)
    browser.look(1200)
    assert (dark, light) == ("rgb(20, 22, 26)", "rgb(251, 251, 250)")
    browser.value("document.getElementById('theme').click()")
    assert browser.value(colour) == dark


def test_runs_of_all_activities_share_a_page(browser: Browser, pages: dict[str, Path]) -> None:
    browser.look(1200)
    browser.open(pages["all"])
    kinds = browser.value(
        "[...document.querySelectorAll('.runs')].map((one) => one.getAttribute('aria-label'))"
    )
    assert kinds == [
        "command tests", "quality", "persona protocol", "agent cases", "end-to-end tests", "corpus metrics",
    ]  # fmt: skip
    for name in REPORTS:
        press = "[...document.querySelectorAll('.runs button')].find((one) => one.firstChild.textContent === '{}')"
        for _ in range(2):
            browser.value(press.format(name) + ".click()")
            assert browser.value("document.querySelector('h1').textContent") == name
            assert browser.value("document.querySelectorAll('main section').length") >= 4
    assert browser.complaints == []


def test_only_the_rows_that_are_looked_at_are_drawn(browser: Browser, tmp_path: Path) -> None:
    data = REPORTS["quality"](TEXTS)
    data["dialogues"] = [{**data["dialogues"][0], "number": number} for number in range(2_000)]
    browser.look(1200)
    browser.open(_written(tmp_path / "large.html", html_report([("large", data)])))
    browser.value("document.querySelector('button[data-outcome=\"\"]').click()")
    assert "10,000 replies, the first 100" in browser.value(
        "document.querySelector('#steps [role=status]').textContent"
    )
    assert browser.value("document.querySelectorAll('*').length") < 5_000


def test_a_row_of_a_table_shows_what_it_counts(browser: Browser, pages: dict[str, Path]) -> None:
    browser.look(1200)
    browser.open(pages["quality"])
    browser.value(
        "[...document.querySelectorAll('#tests tr')].find((row) => row.textContent.startsWith('ML-I1')).click()"
    )
    assert browser.value(f"{FOCUS}.value") == "ML-I1"
    assert browser.value("document.querySelector('#steps [role=status]').textContent") == "4 of 20 replies"
    browser.open(pages["test"])
    browser.value("document.querySelector('#mistakes tbody tr').focus()")
    browser.press("Enter")
    assert browser.value(f"{FOCUS}.value") == "wrong flow"


def test_differences_to_paired_controls_are_shown(browser: Browser, tmp_path: Path) -> None:
    data = REPORTS["quality"](TEXTS)
    data["tests"]["ML-U3"]["paired"] = {"difference": -0.25, "interval": [-0.5, 0.01], "pairs": 12, "p": 0.06}
    browser.look(1200)
    browser.open(_written(tmp_path / "paired.html", html_report([("paired", data)])))
    shown = browser.value("document.querySelector('#tests').textContent")
    assert "against the control" in shown
    assert "-0.25 (-0.50 to +0.01, n=12)" in shown


def test_a_very_long_dialogue_is_drawn_in_part(browser: Browser, tmp_path: Path) -> None:
    data = REPORTS["quality"](TEXTS)
    exchanges = data["dialogues"][0]["exchanges"] * 1_000
    data["dialogues"] = [{**data["dialogues"][0], "exchanges": exchanges}]
    browser.look(1200)
    browser.open(_written(tmp_path / "long.html", html_report([("long", data)])))
    assert "and 4,600 more" in browser.value("document.querySelector('.heat').textContent")
    browser.value("document.querySelector('.heat button.name').click()")
    assert "turns 1 to 300 of 5000" in browser.value("document.querySelector('.reader').textContent")
    assert browser.value("document.querySelectorAll('*').length") < 7_000
