"""`--html` of every running command, and `du-eval report` of everything together."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calling import Caller

PROJECT = Path(__file__).parents[2]
CORPUS = PROJECT / "examples" / "corpus"
CASE = """\
agent: clerk
direct: "opening_clerk:answer"
success_ratio: 1/2
interactions: [{ text: "When are you open?", response.text.keywords: ["9"] }]
"""
AGENT = """\
asked = []


def answer(text):
    asked.append(text)
    return "from 9 to 18" if len(asked) % 2 else "never <b>"
"""


@pytest.fixture
def here(work: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a fresh folder that has something to run for every activity."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(work / "cache"))
    monkeypatch.syspath_prepend(str(work))
    (work / "clerk.hocon").write_text(CASE, encoding="utf-8")
    (work / "opening_clerk.py").write_text(AGENT, encoding="utf-8")
    sys.modules.pop("opening_clerk", None)
    (work / "tfidf.yaml").write_text("judges: {similarity: tfidf}\n", encoding="utf-8")
    return work


def shown(path: str) -> list[dict[str, Any]]:
    """Return the runs that a page shows."""
    text = Path(path).read_text(encoding="utf-8")
    found = re.search(r'id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    return list(json.loads(found.group(1))["runs"])


def test_end_to_end_tests_write_a_page(here: Path, call: Caller) -> None:
    tests = PROJECT / "examples" / "bank" / "tests"
    assert call("e2e", str(tests), "--output-file", "e2e.json", "--html", "page.html").code == 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert "5 of 5 test cases passed" in page
    assert "flow_started" in page
    for name in ("e2e.json", "last"):
        assert call("report", name, "-o", "later.html").code == 0
        assert "5 of 5 test cases passed" in Path("later.html").read_text(encoding="utf-8")


def test_quality_runs_write_a_page_with_their_dialogues(here: Path, call: Caller) -> None:
    fast = ("--conversations", "2", "--prompts", "12")
    assert call("quality", "run", "tfidf.yaml", *fast, "--folder", "out", "--html", "page.html").code == 0
    assert "2 conversations, 24 replies" in Path("page.html").read_text(encoding="utf-8")
    call("quality", "assess", "out/conversations", "-c", "tfidf.yaml", "--html", "assessed.html")
    assert "2 conversations, 24 replies" in Path("assessed.html").read_text(encoding="utf-8")
    assert call("report", "out", "-o", "later.html").code == 0
    assert "2 conversations, 24 replies" in Path("later.html").read_text(encoding="utf-8")


def test_the_protocol_writes_a_page(here: Path, call: Caller) -> None:
    arguments = (
        "--bot",
        "echo",
        "--dialogues",
        "1",
        "-l",
        "en",
        "--similarity",
        "tfidf",
        "-o",
        "protocol.json",
    )
    assert call("protocol", "run", *arguments, "--html", "page.html").code == 0
    assert call("report", "protocol.json", "-o", "later.html").code == 0
    for page in ("page.html", "later.html"):
        text = Path(page).read_text(encoding="utf-8")
        assert "echo: 1 dialogue, 36 replies, language en" in text
        assert all(f'["block","{block}"]' in text for block in ("greeting", "open", "topic", "farewell"))


def test_corpus_metrics_write_a_page(here: Path, call: Caller) -> None:
    target = ("--target", str(CORPUS / "test_target.txt"), "--metrics", "bleu-1,distinct-1,length")
    more = ("--baseline", "step-1000.txt", "-o", "m.json", "--html", "page.html")
    assert call("metrics", str(CORPUS / "responses"), *target, *more).code == 0
    text = Path("page.html").read_text(encoding="utf-8")
    assert "Differences from step-1000" in text
    assert "3 metrics of 4 response files" in text


def test_agent_cases_write_a_page_and_so_does_their_journal(here: Path, call: Caller) -> None:
    arguments = ("clerk.hocon", "--all-samples", "--similarity", "tfidf", "--html", "page.html")
    assert call("agent", *arguments).code == 0
    assert "1 of 1 agent cases passed" in Path("page.html").read_text(encoding="utf-8")
    (run,) = (here / ".du-eval" / "runs").glob("2*")
    (run / "run.json").unlink()
    manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    (run / "manifest.json").write_text(json.dumps(manifest | {"status": "running"}), encoding="utf-8")
    assert call("report", "last", "-o", "later.html").code == 0
    later = Path("later.html").read_text(encoding="utf-8")
    assert "Not finished (1 of 1 cases, killed). So far: 1 of 1 agent cases passed" in later
    (here / "clerk.hocon").unlink()
    assert call("report", run.name, "-o", "later.html").code == 0
    assert "So far: 0 of 1 agent cases passed, 1 failed" in Path("later.html").read_text(encoding="utf-8")


def test_an_assessed_case_writes_a_page_with_its_modes_of_failure(here: Path, call: Caller) -> None:
    call("assess", "clerk.hocon", "--samples", "4", "--similarity", "tfidf", "--html", "page.html")
    page = Path("page.html").read_text(encoding="utf-8")
    assert "Failure modes" in page
    assert "never <b>" not in page


def test_rescored_merged_and_compared_runs_write_pages(here: Path, call: Caller) -> None:
    asked = ("test", "seed.yml", "--no-output", "-q", "--output-file")
    call(*asked, "a.json", "-g", "my_module:perfect")
    call(*asked, "b.json", "-g", "my_module:swapped")
    assert call("rescore", "last", "--no-output", "-q", "--html", "again.html").code == 1
    assert "0 of 1 test cases passed" in Path("again.html").read_text(encoding="utf-8")
    kept = sorted(path.name for path in Path(".du-eval/runs").iterdir() if path.is_dir())
    call("merge", kept[0], "--no-output", "-q", "--html", "merged.html")
    assert "1 of 1 test cases passed" in Path("merged.html").read_text(encoding="utf-8")
    names = [f".du-eval/runs/{name}/run.json" for name in kept[:2]]
    assert call("compare", *names, "--html", "compared.html").code == 0
    assert "Newly failing" in Path("compared.html").read_text(encoding="utf-8")


def test_one_kept_run_is_compared_with_the_run_before_it(here: Path, call: Caller) -> None:
    for name in ("perfect", "swapped"):
        call("test", "seed.yml", "-g", f"my_module:{name}", "--no-output", "-q", "--label", name)
    assert call("report", "last", "-o", "page.html").code == 0
    text = Path("page.html").read_text(encoding="utf-8")
    assert "perfect → swapped" in text


def test_a_file_that_is_no_report_is_refused(here: Path, call: Caller) -> None:
    for name, text in (("x.json", "[1]"), ("x.yml", "a: 1"), ("x.jsonl", "{}"), ("y.json", "{")):
        Path(name).write_text(text, encoding="utf-8")
        answer = call("report", name, "-o", "page.html")
        assert answer.code == 2, name
        assert name in answer.err
        assert "Traceback" not in answer.err
    assert not Path("page.html").exists()
