"""The HTML report is one file that shows everything and runs nothing of what test cases say."""

from __future__ import annotations

import html.parser
import json
import re
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from du_eval.evaluation.aggregate import evaluated
from du_eval.reports.data import DataReporter
from du_eval.reports.html import html_report, inert_json
from du_eval.reports.saved import record_of
from du_eval.runs.comparison import compared
from tests.evaluation.running import bot, case, run, user

HOSTILE = (
    "</script><script>document.title='PWNED'</script>",
    "<img src=x onerror=\"document.title='PWNED'\">",
    "<a href=\"javascript:document.title='PWNED'\">click</a>",
    "<!--<script>",
    "{{7*7}} ${7*7} %DATA% %SCRIPTS%",
    "\u2028\u2029\u202e reversed \x00 \ud800",
    "<svg/onload=document.title='PWNED'>",
)


def report(*messages: str, answer: str = "StartFlow(b)") -> dict:
    steps = [user(message, "StartFlow(a)", line=number) for number, message in enumerate(messages, 1)]
    result = run(case(HOSTILE[0], bot(HOSTILE[1]), *steps), answer=lambda _: answer)
    return DataReporter().everything(evaluated(result))


def embedded(text: str) -> dict:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    return json.loads(found.group(1))


class Tags(html.parser.HTMLParser):
    """Collects the elements of a page and their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.found.append((tag, dict(attrs)))


def test_the_page_holds_every_step_with_its_mistake() -> None:
    data = embedded(html_report([("run", report("hello", "again"))]))
    (shown,) = data["runs"]
    assert [row[3] for row in shown["rows"]] == ["hello", "again"]
    assert shown["rows"][0][7]["detail"]["mistakes"][0]["kind"] == "wrong flow"
    assert shown["confusion"]["flows"] == [["a", "b", 2]]


def test_hostile_texts_cannot_leave_the_data() -> None:
    text = html_report([("run", report(*HOSTILE, answer=HOSTILE[0]))])
    tags = [tag for tag, _ in Tags(text).found]
    assert tags.count("script") == 1 + len(list(Path(str(files("du_eval.reports"))).glob("page/*.js")))
    assert not {"img", "a href", "svg"} & set(tags)
    assert "</script><script>document.title" not in text
    assert [row[3] for row in embedded(text)["runs"][0]["rows"]] == list(HOSTILE)


def test_the_page_asks_nobody_and_runs_only_its_own_scripts() -> None:
    text = html_report([("run", report("hello"))])
    policy = next(attributes["content"] for tag, attributes in Tags(text).found if "http-equiv" in attributes)
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert not [attributes for _, attributes in Tags(text).found if {"src", "action"} & set(attributes)]
    assert all(attributes.get("href", "#").startswith("#") for _, attributes in Tags(text).found)


def test_several_runs_share_a_page_with_what_changed_between_them() -> None:
    before, after = report("x", answer="StartFlow(a)"), report("x")
    comparison = compared(record_of(before, "before"), record_of(after, "after"))
    data = embedded(html_report([("after", after), ("before", before)], [comparison]))
    assert [shown["title"] for shown in data["runs"]] == ["after", "before"]
    assert data["comparisons"][0]["newly_failing"][0]["user"] == "x"
    assert "accuracy 1.000 → 0.000" in data["comparisons"][0]["reason"]


def test_data_cannot_end_the_element_they_stand_in() -> None:
    text = inert_json({"a": "</script><!-- &amp; \u2028"})
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == {"a": "</script><!-- &amp; \u2028"}


def test_ten_thousand_steps_are_all_on_the_page() -> None:
    data = report(*(f"message {number}" for number in range(50)))
    data["test_cases"] = [dict(data["test_cases"][0], test_case=f"case {n}") for n in range(200)]
    text = html_report([("run", data)])
    assert len(embedded(text)["runs"][0]["rows"]) == 10_000


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def drawn(text: str, folder: Path) -> str:
    """Return the page after a real browser has drawn it."""
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    page = folder / "page.html"
    page.write_bytes(text.encode("utf-8", "backslashreplace"))
    arguments = (
        "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--disable-sync", f"--user-data-dir={folder / 'profile'}", "--dump-dom",
    )  # fmt: skip
    done = subprocess.run([CHROMIUM, *arguments, page.as_uri()], capture_output=True, check=True, timeout=60)
    return done.stdout.decode("utf-8", "replace")


def test_a_browser_draws_hostile_texts_as_text(tmp_path: Path) -> None:
    # Chromium draws half a character, but crashes when it prints the tree that holds one.
    texts = [text.replace("\ud800", "") for text in HOSTILE]
    page = drawn(html_report([("run", report(*texts, answer=HOSTILE[0]))]), tmp_path)
    assert "<title>run · du-eval report</title>" in page
    found = Tags(page).found
    assert not [tag for tag, _ in found if tag in {"img", "iframe", "object", "link"}]
    assert not [attributes for _, attributes in found if any(name.startswith("on") for name in attributes)]
    assert all(attributes.get("href", "#").startswith("#") for _, attributes in found)
    assert len([1 for tag, attributes in found if attributes.get("class") == "step"]) == len(HOSTILE)


def test_a_browser_draws_all_parts(tmp_path: Path) -> None:
    page = drawn(html_report([("run", report("hello"))]), tmp_path)
    parts = [attributes["id"] for tag, attributes in Tags(page).found if tag == "section"]
    assert parts == ["overview", "commands", "mistakes", "provenance", "flows", "cases", "time", "steps"]


def test_a_report_of_no_known_kind_is_shown_as_tables(tmp_path: Path) -> None:
    data = {"format": "something else", "things": [{"name": HOSTILE[1], "rate": 0.5}], "signature": "s"}
    text = html_report([("others", data)])
    assert embedded(text)["runs"][0]["tables"][1]["rows"] == [[HOSTILE[1], 0.5]]
    page = drawn(text, tmp_path)
    parts = [attributes["id"] for tag, attributes in Tags(page).found if tag == "section"]
    assert parts == ["table-report", "table-things"]
    assert not [tag for tag, _ in Tags(page).found if tag == "img"]


def test_bot_steps_that_differ_are_listed(tmp_path: Path) -> None:
    data = report("hello")
    difference = {
        "file": "suite.yml",
        "line": 7,
        "user": HOSTILE[1],
        "missing": ["utter_done"],
        "surplus": ["'Hm.'"],
    }
    data["bot_steps"] = {"checked": 3, "differences": [difference]}
    text = html_report([("run", data)])
    (found,) = embedded(text)["runs"][0]["bot_steps"]
    assert found["place"] == "suite.yml:7"
    assert found["text"] == "expected and not said: utter_done\nsaid and not expected: 'Hm.'"
    page = drawn(text, tmp_path)
    assert "bot" in [attributes["id"] for tag, attributes in Tags(page).found if tag == "section"]
    assert "expected and not said: utter_done" in page
    assert not [tag for tag, _ in Tags(page).found if tag == "img"]


def test_robustness_is_drawn_as_curves_with_the_breaking_level(tmp_path: Path) -> None:
    data = report("hello")
    data["robustness"] = {
        "levels": [_level(0.1, 0.9, 0.8), _level(0.3, 0.5, 0.4)],
        "breaking": {"typos": 0.3},
    }
    page = drawn(html_report([("run", data)]), tmp_path)
    names = [attributes["aria-label"] for tag, attributes in Tags(page).found if tag == "svg"]
    assert (
        "typos: accuracy. changed: 0.08 0.90, 0.28 0.50; the same steps unchanged: 0.08 0.95, 0.28 0.95"
        in names
    )
    assert "typos: F1 by command. start flow: unchanged 0.95, 0.08 0.80, 0.28 0.40" in names
    assert ">breaks<" in page


def _level(level: float, accuracy: float, f1: float) -> dict:
    return {
        "perturbation": "typos", "level": level, "realised": level - 0.02, "n": 40, "accuracy": accuracy,
        "unperturbed": 0.95, "difference": accuracy - 0.95, "interval": [accuracy - 1.0, accuracy - 0.9],
        "p": 0.01, "verdict": "regressed", "f1": {"start flow": {"unperturbed": 0.95, "perturbed": f1, "n": 40}},
    }  # fmt: skip
