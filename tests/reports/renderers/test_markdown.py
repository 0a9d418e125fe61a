"""Markdown is rendered, and what a reader sees is compared with what was said."""

from __future__ import annotations

import re
from html import unescape

import pytest
from markdown_it import MarkdownIt

from du_eval.reports.renderers.markdown import escape_markdown, render_markdown
from du_eval.reports.sections import Column, Note, Table, Tone
from du_eval.runs.outcome import Outcome
from tests.reports.viewed import make_step, make_view

TEXTS = (
    "transfer_money_final_confirmation and __init__ and *bold* **more**",
    "add a friend | or not || \\| x",
    "SetSlot(name, <b>Ada</b>) & &amp; &#35; &lt;",
    "`code` ``more`` ```fence",
    "[link](https://example.com) ![image](x.png) <https://example.com> www.example.com",
    "~~gone~~ $a$ $$b$$ {{x}}",
    "# no heading",
    "- no list",
    "1. no list either",
    "12) nor this",
    "> no quote",
    "=== ---",
    "back\\slash \\_ \\* \\\\",
    "<!-- no comment --> <script>alert(1)</script>",
    "mail @ada and @team/x, see #12 and :tada: at file.yml:12::name",
    "+ 1 - 2 ! ? % ^ ' \" ;",
)


def show(markdown: str) -> str:
    """Return the text that a browser shows of Markdown."""
    html = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(markdown)
    return unescape(re.sub(r"<!--.*?-->|<[^>]*>", "", html)).strip()


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_comes_out_as_it_is(text: str) -> None:
    assert show(escape_markdown(text)) == text


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_comes_out_as_it_is_in_a_cell_and_as_code(text: str) -> None:
    view = make_view(make_step(4, title=text, expected=text, actual=f"{text}!"))
    shown = show(render_markdown(view)).split("\n")
    at = shown.index("suite/contacts.yml:4")
    assert shown[at + 1 : at + 4] == [text, text, f"{text}!"]


def test_nothing_of_a_text_becomes_markup() -> None:
    html = MarkdownIt("commonmark").enable("table").render(escape_markdown("\n".join(TEXTS)))
    assert set(re.findall(r"<(\w+)", html)) == {"p", "br"}


def test_names_that_a_host_would_call_are_kept_apart() -> None:
    assert "@ada" not in escape_markdown("hello @ada")
    assert "#12" not in escape_markdown("see #12")
    assert ":tada:" not in escape_markdown("well :tada:")


def test_the_headline_comes_first_and_minor_tables_do_not_come() -> None:
    text = render_markdown(make_view(make_step(4)))
    assert text.startswith("## ❌ 1 of 2 test cases passed, 1 failed\n")
    assert "| step accuracy | 0.75 (0.41–0.93, n=8) |" in text
    assert "| add\\_contact | 4 | 0.75 (0.41–0.93, n=8) |" in text
    assert "only for those who look" not in text
    assert show(text).endswith("match:exact|seed:0")


def test_what_did_not_pass_is_listed_up_to_twenty_with_its_conversation() -> None:
    bad = [make_step(number) for number in range(1, 24)]
    text = render_markdown(make_view(*bad, make_step(99, Outcome.PASSED)))
    assert "<summary>23 user steps did not pass</summary>" in text
    assert "contacts.yml:20<" in text
    assert "contacts.yml:21<" not in text
    assert "… and 3 more" in text
    assert text.count("bot: What is the name?") == 20
    assert text.count("<details>") == text.count("</details>")


def test_a_failure_that_its_ratio_allows_is_not_listed() -> None:
    assert "did not pass" not in render_markdown(make_view(make_step(4, is_excused=True)))


def test_an_error_shows_its_reason_instead_of_an_answer() -> None:
    errored = make_step(4, Outcome.ERRORED, expected="", actual="", message="the model_x is down")
    assert "the model\\_x is down" in render_markdown(make_view(errored))


def test_values_that_only_look_alike_are_told_apart() -> None:
    view = make_view(make_step(4, expected="SetSlot(name, Zo\u00eb)", actual="SetSlot(name, Zoe\u0308)"))
    shown = show(render_markdown(view))
    assert "SetSlot(name, Zo\\xeb)" in shown
    assert "SetSlot(name, Zoe\\u0308)" in shown


def test_a_note_keeps_its_sign() -> None:
    view = make_view(sections=(Note("set_slot got worse", Tone.BAD),))
    assert "❌ set\\_slot got worse" in render_markdown(view)


def test_a_long_table_is_closed_and_ends_with_a_number() -> None:
    table = Table("Cases", (Column("case"),), tuple((f"case {number}",) for number in range(40)))
    text = render_markdown(make_view(sections=(table,)))
    assert "<details><summary>Cases (40)</summary>\n\n| case |" in text
    assert "| case 29 |\n\n… and 10 more\n\n</details>" in text
