"""The page in a real browser: links, filters, keyboard, colours, a phone, print, and texts that want to run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from du_eval.reports.renderers.page import render_page, write_inert_json
from du_eval.reports.sections import (
    Column,
    Curve,
    Entries,
    Facts,
    Figures,
    Look,
    Note,
    Point,
    Table,
    Text,
    Tone,
    Transcript,
    TranscriptLine,
    View,
)
from du_eval.reports.views.generic import view_any
from du_eval.runs.figures import Figure
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Status
from du_eval.statistics.intervals import Interval, Measurement
from tests.reports.browsing import Browser, browsing
from tests.reports.viewed import HOSTILE, make_run, make_step, make_view

FOCUS = "document.activeElement"
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
STATUS = "document.querySelector('.explorer [role=status]').textContent"
SHOWN = "[...document.querySelectorAll('li.entry .place')].map((one) => one.textContent)"
OPEN_ALL = """
(async () => {
  document.querySelector('button[data-outcome=""]').click();
  document.querySelectorAll('li.entry').forEach((one) => one.setOpen(true));
  document.querySelectorAll('details').forEach((one) => { one.open = true; });
  await new Promise((done) => setTimeout(done, 50));
  return document.querySelectorAll('main *').length;
})()
"""
FRAME = "new Promise((done) => requestAnimationFrame(() => setTimeout(done, 30)))"


def make_steps() -> View:
    """Return a view with steps of all outcomes."""
    other = (("kind", "wrong flow"), ("flow", "send_money"), ("pair", "Bob → Bob"))
    return make_view(
        make_step(1, Outcome.PASSED, facets=(("flow", "add_contact"),)),
        make_step(2),
        make_step(3, title="stop the card", facets=other),
        make_step(4, Outcome.ERRORED, message="the model is down", detail=()),
        make_step(5, Outcome.UNDECIDED),
        make_step(6, is_excused=True),
    )


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all tests."""
    with browsing() as found:
        yield found


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Browser:
    """The page of some steps, opened in a wide window."""
    browser.look(1200)
    return load(browser, tmp_path, make_steps())


def load(browser: Browser, folder: Path, *views: View, anchor: str = "") -> Browser:
    """Open the page of some views."""
    path = folder / "page.html"
    path.write_text(render_page(views), encoding="utf-8")
    if anchor:
        browser.call("Page.navigate", url="about:blank")
        browser.call("Page.navigate", url=f"{path.as_uri()}#{anchor}")
        browser.value(
            "new Promise((done) => document.readyState === 'complete' ? done() : addEventListener('load', done))"
        )
    else:
        browser.open(path)
    return browser


def test_the_first_screen_tells_who_what_how_well_and_what_failed(page: Browser) -> None:
    tops = page.value(
        "['h1', '#about', '.verdict', '.cards', '#entries .filters', 'li.entry'].map("
        "(one) => document.querySelector(one).getBoundingClientRect().top)"
    )
    assert tops == sorted(tops)
    assert tops[-1] < 700
    assert (
        page.value("document.querySelector('.verdict').textContent") == "✗1 of 2 test cases passed, 1 failed"
    )
    assert (
        page.value("document.querySelector('#about').textContent") == "modelgpt_4|ministarted2026-01-01 10:11"
    )
    assert page.value("document.querySelector('.card').textContent") == "step accuracy0.7500.41–0.93, n=8"
    assert page.value("document.querySelector('#entries h2').textContent") == "Steps: 4 did not pass"


def test_a_row_shows_what_differs_and_not_what_agrees(page: Browser) -> None:
    row = "document.querySelector('li.entry')"
    assert page.value(f"{row}.querySelector('.pair').textContent") == "SetSlot(name, Ada)→SetSlot(name, ada)"
    assert page.value(f"{row}.querySelector('.open').textContent") == "her name is Ada"
    tags = page.value(f"[...{row}.querySelectorAll('.tag')].map((one) => one.textContent)")
    assert tags == ["right slot, wrong value", "add_contact"]


def test_a_view_chooses_which_facets_rows_show(browser: Browser, tmp_path: Path) -> None:
    browser.look(1200)
    view = make_view(sections=(Entries("Steps", "steps", (make_step(2),), tags=("pair",)),))
    load(browser, tmp_path, view)
    assert browser.value("[...document.querySelectorAll('.tag')].map((one) => one.textContent)") == [
        "Ada → ada"
    ]


def test_failures_are_shown_first_and_excused_ones_only_among_all(page: Browser) -> None:
    assert page.value(SHOWN) == [f"contacts.yml:{number}" for number in (2, 3, 4, 5)]
    assert page.value(STATUS) == "4 of 6 user steps"
    page.value("document.querySelector('button[data-outcome=\"\"]').click()")
    assert page.value(STATUS) == "6 of 6 user steps"
    assert page.value("[...document.querySelectorAll('.tag.note')].map((one) => one.textContent)") == [
        "excused"
    ]
    page.value("document.querySelector('button[data-outcome=errored]').click()")
    assert page.value(SHOWN) == ["contacts.yml:4"]


def test_an_entry_opens_with_its_conversation_and_its_difference(page: Browser) -> None:
    page.value("document.querySelector('li.entry .open').click()")
    body = page.value("document.querySelector('li.entry .body').textContent")
    assert "please add a friend" in body
    assert "expectedpredictedSetSlot(name, Ada)SetSlot(name, ada)" in body
    assert "I think so" in body
    assert "You are a bot." not in body
    page.value("document.querySelector('li.entry details').open = true")
    page.value(FRAME)
    assert "You are a bot." in page.value("document.querySelector('li.entry .body').textContent")
    assert page.value("location.hash") == "#suite%2Fcontacts.yml%3A%3Aa%20contact%3A%3A2"
    page.value("document.querySelector('li.entry .head .mark').click()")
    assert page.value("document.querySelector('li.entry .body')") is None


@pytest.mark.parametrize("number", [2, 1])
def test_the_address_of_an_entry_opens_it_whether_it_failed_or_not(
    number: int, browser: Browser, tmp_path: Path
) -> None:
    browser.look(1200)
    load(browser, tmp_path, make_steps(), anchor=f"suite%2Fcontacts.yml%3A%3Aa%20contact%3A%3A{number}")
    assert (
        browser.value("document.querySelector('li.entry.is-open .place').textContent")
        == f"contacts.yml:{number}"
    )
    assert browser.value(f"{FOCUS}.className") == "open"


def test_a_link_inside_the_page_opens_its_entry(page: Browser) -> None:
    page.value("document.querySelectorAll('li.entry .place')[1].click()")
    page.value(FRAME)
    assert page.value("document.querySelector('li.entry.is-open .open').textContent") == "stop the card"


def test_cells_of_tables_and_matrices_filter_the_list(page: Browser) -> None:
    page.value(
        "[...document.querySelectorAll('td .pick, th .pick')].find((one) => one.textContent === 'add_contact').click()"
    )
    assert page.value(STATUS) == "3 of 6 user steps"
    assert page.value("document.querySelector('.chip').textContent") == "flow: add_contact ✕"
    page.value("document.querySelector('.chip').click()")
    assert page.value(STATUS) == "4 of 6 user steps"
    page.value("document.querySelector('.matrix td.right .pick').click()")
    assert page.value(SHOWN) == ["contacts.yml:3"]


def test_a_cell_filters_every_list_of_the_page(browser: Browser, tmp_path: Path) -> None:
    browser.look(1200)
    view = make_steps()
    worse = Entries("Newly failing", "steps", (make_step(7), make_step(8, facets=(("flow", "send_money"),))))
    load(browser, tmp_path, replace(view, sections=(*view.sections, worse)))
    browser.value(
        "[...document.querySelectorAll('th .pick')].find((one) => one.textContent === 'add_contact').click()"
    )
    found = browser.value(
        "[...document.querySelectorAll('.explorer [role=status]')].map((one) => one.textContent)"
    )
    assert found == ["3 of 6 user steps", "1 of 2 steps"]


def test_a_cell_that_no_entry_has_cannot_be_pressed(page: Browser) -> None:
    cells = "[...document.querySelectorAll('#part-2 tbody th')].map((one) => [one.textContent, Boolean(one.querySelector('button'))])"
    assert page.value(cells) == [["add_contact", True], ["set_slot | x", False]]


def test_tags_and_choices_filter_the_list_together(page: Browser) -> None:
    page.value(
        "[...document.querySelectorAll('.tag')].find((one) => one.textContent === 'send_money').click()"
    )
    assert page.value("document.querySelector('select[data-name=flow]').value") == "send_money"
    page.value(
        "(() => { const box = document.querySelector('select[data-name=kind]');"
        " box.value = 'right slot, wrong value'; box.dispatchEvent(new Event('change')); })()"
    )
    assert page.value(STATUS) == "0 of 6 user steps"
    assert page.value("document.querySelectorAll('.chip').length") == 2


def test_a_slash_goes_to_the_search_and_escape_clears_it(page: Browser) -> None:
    page.press("/")
    assert page.value(f"{FOCUS}.type") == "search"
    for letter in "card":
        page.press(letter)
    assert page.value(SHOWN) == ["contacts.yml:3"]
    page.press("Escape")
    assert page.value(f"{FOCUS}.value") == ""
    assert page.value(STATUS) == "4 of 6 user steps"


def test_the_list_is_one_stop_and_is_read_with_the_keyboard(page: Browser) -> None:
    page.value("document.querySelector('li.entry .open').focus()")
    page.press("ArrowDown")
    assert page.value(f"{FOCUS}.textContent") == "stop the card"
    assert page.value("document.querySelectorAll('.open[tabindex=\"0\"]').length") == 1
    page.press("Enter")
    assert page.value(f"{FOCUS}.getAttribute('aria-expanded')") == "true"
    page.press("Escape")
    assert page.value(f"{FOCUS}.getAttribute('aria-expanded')") == "false"
    assert page.value(f"{FOCUS}.textContent") == "stop the card"
    page.press("End")
    assert page.value(f"{FOCUS}.closest('li').querySelector('.place').textContent") == "contacts.yml:5"


def test_minor_tables_are_closed_and_sorted_columns_say_so(page: Browser) -> None:
    assert page.value("document.querySelector('details.minor').textContent") == "Rarely read"
    page.value("document.querySelector('details.minor').open = true")
    page.value(FRAME)
    assert "only for those who look" in page.value("document.querySelector('details.minor').textContent")


def test_each_picture_has_a_name_and_its_numbers(page: Browser) -> None:
    names = page.value("[...document.querySelectorAll('svg')].map((one) => one.getAttribute('aria-label'))")
    assert names[0].startswith("Robustness. typos: 0 1.00 (0.10–0.90, n=8)")
    assert names[1] == "Latency. 0–1 s: 5, 1–2 s: 2"
    page.value("document.querySelectorAll('details.numbers').forEach((one) => { one.open = true; })")
    page.value(FRAME)
    assert page.value("document.querySelectorAll('figure table tbody tr').length") == 6 + 2
    assert page.value(
        "[...document.querySelectorAll('main button, main select, main input')].every("
        "(one) => (one.getAttribute('aria-label') || one.textContent).trim())"
    )


@pytest.mark.parametrize("width", [1200, 900, 390])
def test_names_in_commands_are_never_broken(width: int, browser: Browser, tmp_path: Path) -> None:
    browser.look(width)
    names = ["recurrent_payment_start_date", "transfer-money-final-confirmation", "a/long/path/of/a/flow"]
    expected = "\n".join(f"SetSlot({name}, some other reason)" for name in names)
    load(
        browser,
        tmp_path,
        make_view(make_step(2, expected=expected, actual="StartFlow(set_up_recurrent_payment)")),
    )
    assert browser.value(OPEN_ALL) > 100
    lines = browser.value(
        """(() => { const counts = {}; const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) { const node = walker.currentNode; if (!node.parentNode.closest('code')) continue;
          for (const found of node.data.matchAll(/[\\w/-]{10,}/g)) { const range = document.createRange(); range.setStart(node, found.index);
            range.setEnd(node, found.index + found[0].length); counts[found[0]] = Math.max(counts[found[0]] || 0, range.getClientRects().length); } }
        return counts; })()"""
    )
    assert {name: lines[name] for name in (*names, "set_up_recurrent_payment")} == dict.fromkeys(
        (*names, "set_up_recurrent_payment"), 1
    )
    assert browser.value(SIDEWAYS) <= 0


@pytest.mark.parametrize("width", [1200, 390])
def test_hostile_texts_stay_texts(width: int, browser: Browser, tmp_path: Path) -> None:
    steps = [
        make_step(
            number, title=text, case=text, place=text, id=text, expected=text, actual=f"{text}\n{text}", message=text,
            facets=((text, text), ("kind", text)),
            detail=(Transcript((TranscriptLine(text, text, text),), text), Facts(((text, text),), text), Text(text, text), Note(text)),
        )
        for number, text in enumerate(HOSTILE)
    ]  # fmt: skip
    text = HOSTILE[0]
    view = replace(
        make_view(*steps), title=text, headline=Note(text, Tone.BAD), about=((text, text),), notes=HOSTILE
    )
    browser.look(width)
    load(browser, tmp_path, view, view)
    assert browser.value(OPEN_ALL) > 200
    assert browser.value("window.PWNED") is None
    assert browser.value("document.querySelectorAll('img, iframe, object, embed, link, form').length") == 0
    assert browser.value("[...document.links].every((link) => link.getAttribute('href').startsWith('#'))")
    assert browser.value("document.querySelector('main').textContent").count(HOSTILE[1]) > 5
    assert "\u202e" not in browser.value("document.body.textContent")
    assert browser.value(SIDEWAYS) <= 0
    assert browser.complaints == []
    assert len(browser.requests) == 1, browser.requests


def test_data_cannot_leave_their_element() -> None:
    text = write_inert_json({"a": "</script><!--\u2028&\ud800"})
    assert text == '{"a":"\\u003c/script\\u003e\\u003c!--\\u2028\\u0026\\ud800"}'
    assert render_page([make_view()]).count("unsafe") == 0


def test_infinite_and_undefined_numbers_do_not_break_the_page(browser: Browser, tmp_path: Path) -> None:
    broken = Measurement(float("nan"), 3, Interval(float("-inf"), float("inf")))
    columns = (Column("a", Look.SHARE), Column("b", Look.NUMBER))
    table = Table("Odd", columns, ((broken, float("inf")),))
    curve = Curve("Odd curve", "x", "y", (("one", (Point(0.5, broken),)),))
    browser.look(1200)
    load(browser, tmp_path, make_view(sections=(Figures((Figure("odd", broken),)), table, curve)))
    assert browser.value("document.querySelector('tbody').textContent") == "– (n=3)–"
    assert browser.value("document.querySelector('.card .figure').textContent") == "–"
    assert browser.complaints == []


def test_a_phone_does_not_scroll_sideways(browser: Browser, tmp_path: Path) -> None:
    browser.look(390)
    cases = Table(
        "Cases",
        (Column("outcome", Look.OUTCOME), Column("case", Look.CODE, "case")),
        ((Outcome.FAILED, "a/b_c::" * 20),),
    )
    view = make_steps()
    load(browser, tmp_path, replace(view, sections=(*view.sections, cases)), view_any(make_run()))
    assert browser.value(OPEN_ALL) > 150
    assert browser.value(SIDEWAYS) <= 0


def test_several_views_are_tabs_and_links_lead_into_the_right_one(browser: Browser, tmp_path: Path) -> None:
    browser.look(1200)
    views = (make_steps(), replace(make_steps(), title="old prompt"), view_any(make_run(Status.INTERRUPTED)))
    load(browser, tmp_path, *views)
    assert browser.value("[...document.querySelectorAll('#tabs b')].map((one) => one.textContent)") == [
        "new prompt", "old prompt", "first",
    ]  # fmt: skip
    browser.value("document.querySelectorAll('#tabs button')[2].click()")
    assert browser.value("document.querySelector('.verdict').textContent").startswith(
        "!Not finished (5 of 7 cases"
    )
    browser.value("document.querySelectorAll('#tabs button')[1].click()")
    browser.value("document.querySelector('li.entry .open').click()")
    anchor = browser.value("location.hash")
    assert anchor.startswith("#2!")
    load(browser, tmp_path, *views, anchor=anchor[1:])
    assert browser.value("document.querySelector('h1').textContent") == "old prompt"
    assert browser.value("document.querySelectorAll('li.entry.is-open').length") == 1


def test_the_colours_follow_the_system_and_the_button(browser: Browser, tmp_path: Path) -> None:
    colour = "getComputedStyle(document.body).backgroundColor"
    browser.look(1200, is_dark=True)
    load(browser, tmp_path, make_steps())
    dark = browser.value(colour)
    browser.value("document.getElementById('theme').click()")
    assert (dark, browser.value(colour)) == ("rgb(20, 22, 26)", "rgb(251, 251, 250)")
    browser.look(1200)
    browser.value("document.getElementById('theme').click()")
    assert browser.value(colour) == dark


def test_print_shows_all_that_is_filtered_and_keeps_open_what_is_open(
    browser: Browser, tmp_path: Path
) -> None:
    browser.look(1200)
    load(browser, tmp_path, make_view(*(make_step(number) for number in range(30))))
    browser.value("document.querySelector('li.entry .open').click()")
    assert browser.value("document.querySelectorAll('li.entry').length") == 12
    browser.call("Emulation.setEmulatedMedia", media="print")
    browser.value("dispatchEvent(new Event('beforeprint'))")
    browser.value(FRAME)
    assert browser.value("document.querySelectorAll('li.entry').length") == 30
    assert browser.value("document.querySelectorAll('li.entry .body').length") == 1
    assert "only for those who look" in browser.value("document.querySelector('main').innerText")
    assert browser.value("getComputedStyle(document.querySelector('.filters')).display") == "none"
    browser.value("dispatchEvent(new Event('afterprint'))")
    assert browser.value("document.querySelectorAll('li.entry').length") == 12
    browser.call("Emulation.setEmulatedMedia", media="")


def test_print_shows_all_rows_of_a_table_under_column_names_that_every_page_repeats(
    browser: Browser, tmp_path: Path
) -> None:
    """A browser does not repeat buttons on the next sheet, but the text that stands in for them."""
    browser.look(1200)
    rows = tuple((f"row {number}", number) for number in range(30))
    minor = Table("closed", (Column("what"), Column("value")), rows, is_minor=True)
    load(browser, tmp_path, make_view(sections=(Table("open", minor.columns, rows), minor)))
    browser.call("Emulation.setEmulatedMedia", media="print")
    browser.value("dispatchEvent(new Event('beforeprint'))")
    assert browser.value("document.querySelectorAll('main tbody tr').length") == 60
    head = "document.querySelector('thead th')"
    assert browser.value(f"getComputedStyle({head}, '::before').content") == '"what"'
    assert browser.value(f"getComputedStyle({head}.querySelector('button')).display") == "none"
    browser.value("dispatchEvent(new Event('afterprint'))")
    assert browser.value("document.querySelectorAll('main tbody tr').length") == 24
    browser.call("Emulation.setEmulatedMedia", media="")


def test_of_ten_thousand_entries_only_those_are_drawn_that_are_looked_at(
    browser: Browser, tmp_path: Path
) -> None:
    browser.look(1200)
    steps = tuple(
        make_step(number, Outcome.FAILED if number % 5 == 0 else Outcome.PASSED, title=f"message {number}")
        for number in range(10_000)
    )
    view = make_view(*steps)
    load(browser, tmp_path, view)
    drawn = "document.querySelectorAll('body *').length"
    assert 100 < browser.value(drawn) < 4_000
    assert browser.value(STATUS) == "2,000 of 10,000 user steps"
    browser.value(
        "(() => { const box = document.querySelector('input[type=search]'); box.value = '9995';"
        " box.dispatchEvent(new Event('input')); })()"
    )
    assert browser.value(STATUS) == "1 of 10,000 user steps"
    browser.value("document.querySelector('li.entry .open').click()")
    assert "please add a friend" in browser.value("document.querySelector('.body').textContent")


@pytest.mark.parametrize(("width", "is_dark"), [(1200, False), (1200, True), (390, False), (390, True)])
def test_axe_finds_no_barrier(width: int, is_dark: bool, browser: Browser, tmp_path: Path) -> None:
    browser.look(width, is_dark=is_dark)
    load(browser, tmp_path, make_steps(), view_any(make_run(Status.INTERRUPTED)))
    assert browser.value(OPEN_ALL) > 150
    for number in range(2):
        browser.value(f"document.querySelectorAll('#tabs button')[{number}].click()")
        assert browser.find_barriers() == []


def test_a_view_without_entries_has_no_way_to_skip_to_them(browser: Browser, tmp_path: Path) -> None:
    browser.look(1200)
    view = make_view()
    load(
        browser,
        tmp_path,
        replace(view, sections=tuple(one for one in view.sections if not isinstance(one, Entries))),
    )
    assert browser.value("document.querySelector('.skip').hidden")
    assert browser.complaints == []
