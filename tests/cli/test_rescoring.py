"""`du-eval rescore` and `merge`: kept answers of every activity are judged again, and nobody is asked."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.calling import Caller
from tests.llm.chat_server import Behaviour, ChatServer, say

ROOT = Path(__file__).parents[2]
PIZZA = str(ROOT / "dialogue_understanding_tests/pizza/cancellations")
RUNS = {
    "test": ("test", PIZZA, "--assistant", str(ROOT / "examples/pizza"), "--no-output"),
    "e2e": ("e2e", str(ROOT / "examples/bank/tests/e2e_test_cases.yml"), "--no-output"),
    "quality": ("quality", "run", "--conversations", "2", "--prompts", "8"),
    "protocol": ("protocol", "run", "--dialogues", "1", "--blocks", "open", "--similarity", "tfidf"),
    "agent": ("agent", "clerk.hocon", "--similarity", "tfidf"),
    "metrics": ("metrics", "answers.txt", "--target", "target.txt"),
}
AGENT = """\
from pathlib import Path

def answer(text):
    Path("asked").write_text("once" if not Path("asked").exists() else "again")
    return "good day"
"""
CLERK = """\
agent = clerk
connections = [direct]
direct = { python: "clerk:answer" }
interactions = [{ text = hello, response { text { keywords = [WORD] } } }]
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    Path("clerk.py").write_text(AGENT)
    Path("clerk.hocon").write_text(CLERK.replace("WORD", "day"))
    Path("answers.txt").write_text("hello there\nI like tea\n")
    Path("target.txt").write_text("hi there\nI like coffee\n")


def list_runs(call: Caller) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(call("runs", "ls", "--json").out)["runs"]
    return found


@pytest.mark.parametrize("kind", RUNS)
def test_a_run_of_every_activity_is_judged_again_into_a_run_of_its_own(call: Caller, kind: str) -> None:
    first = call("--trust", *RUNS[kind])
    again = call("--trust", "rescore", "last", "--label", "again")
    assert again.code == first.code, again.err
    before, after = list_runs(call)
    assert (before["kind"], after["kind"], after["label"]) == (kind, kind, "again")
    assert f"judged again from the run {before['id']}" in again.out
    assert after["answers"] == before["answers"]
    assert after["outcomes"] == before["outcomes"]
    verified = call("--trust", "verify", "again", "--json")
    assert {one["holds"] for one in json.loads(verified.out)["findings"]} == {True}, verified.out


@pytest.mark.parametrize("kind", RUNS)
def test_a_run_that_was_killed_is_read_from_its_journal(call: Caller, kind: str) -> None:
    call("--trust", *RUNS[kind], "--label", "lost")
    (folder,) = Path(".du-eval/runs").glob("2*")
    whole = json.loads((folder / "run.json").read_text())
    (folder / "run.json").unlink()
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | {"status": "running"}))
    assert call("--trust", "report", "lost", "-o", "found.json").code == 0
    found = json.loads(Path("found.json").read_text())
    assert found["summary"]["figures"] == whole["summary"]["figures"]


GATES = {
    "test": "accuracy=0", "e2e": "accuracy.cases=0", "quality": "ML-P1=0", "protocol": "hello_bye=0",
    "agent": "passed.cases=0",
}  # fmt: skip


@pytest.mark.parametrize("kind", GATES)
def test_a_run_that_was_cut_short_passes_no_gate_when_it_is_judged_again(call: Caller, kind: str) -> None:
    Path("second.hocon").write_text(CLERK.replace("WORD", "day"))
    more = ("second.hocon",) if kind == "agent" else ()
    assert call("--trust", *RUNS[kind], *more, "--label", "cut").code != 2
    (folder,) = Path(".du-eval/runs").glob("2*")
    (folder / "run.json").unlink()
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | {"status": "running"}))
    lines = (folder / "journal.jsonl").read_text().splitlines(keepends=True)
    (folder / "journal.jsonl").write_text("".join(lines[:-1]))
    again = call("--trust", "rescore", "cut", "--fail-under", GATES[kind])
    assert again.code == 3, again.err
    assert "gate: no verdict on an incomplete run" in again.err
    gated = call("--trust", "gate", "cut", "--baseline", "cut", "--max-errors", "1")
    assert (gated.code, "gate no verdict: the run is not complete" in gated.out) == (3, True), gated.err


def test_steps_that_were_added_after_a_run_are_missing_when_it_is_judged_again(call: Caller) -> None:
    step = "      - user: hi\n        commands: [ChitChat()]\n"
    suite = "test_cases:\n  - test_case: one\n    steps:\n" + step
    Path("suite.yml").write_text(suite)
    Path("polite.py").write_text("def greet(request):\n    return 'ChitChat()'\n")
    assert call("test", "suite.yml", "-g", "polite:greet").code == 0
    Path("suite.yml").write_text(suite + step.replace("user: hi", "user: hi again"))
    again = call("rescore", "last", "--changed-suite", "--fail-under", "accuracy=0.5")
    assert again.code == 3
    assert "gate: no verdict on an incomplete run (0 of 1 cases, the others were not asked)" in again.err


def test_other_judges_decide_about_the_replies_of_before(call: Caller) -> None:
    call(*RUNS["quality"])
    with ChatServer(Behaviour(say(json.dumps({"reason": "fits", "label": "coherent"})))) as server:
        chosen = ("--judges", "coherence=llm", "--judge-model", "judge", "--judge-base-url", server.base_url)
        again = call("rescore", "last", *chosen, "--json")
        assert server.calls > 0
    coherent = json.loads(again.out)["summary"]["figures"]["ML-I3"]
    assert coherent == 1.0
    asked = server.calls
    verified = call("verify", "--json")
    assert {one["holds"] for one in json.loads(verified.out)["findings"]} == {True}, verified.out
    assert server.calls == asked


def test_a_changed_case_judges_the_recorded_answer_of_the_agent(call: Caller) -> None:
    assert call("--trust", *RUNS["agent"]).code == 0
    Path("clerk.hocon").write_text(CLERK.replace("WORD", "night"))
    refused = call("--trust", "rescore", "last")
    assert refused.code == 2
    assert "--changed-suite" in refused.err
    assert call("--trust", "rescore", "last", "--changed-suite").code == 1
    assert Path("asked").read_text() == "once"


def test_shards_of_agent_cases_are_merged(call: Caller) -> None:
    shutil.copy("clerk.hocon", "other.hocon")
    for part in ("1/2", "2/2"):
        words = ("agent", "clerk.hocon", "other.hocon", "--similarity", "tfidf", "--shard", part)
        assert call("--trust", *words).code == 0
    shards = [str(run["id"]) for run in list_runs(call)]
    again = call("--trust", "rescore", "last", "--fail-under", "passed.cases=0.5")
    assert "gate passed on 1 of 2 shards" in again.err
    merged = call("--trust", "merge", *shards)
    assert merged.code == 0, merged.err
    assert "2 of 2 agent cases passed" in merged.out


def test_an_option_of_another_activity_is_refused(call: Caller) -> None:
    call("--trust", *RUNS["agent"])
    refused = call("rescore", "last", "--match", "rasa")
    assert refused.code == 2
    assert "--match: not an option for a run of du-eval agent" in refused.err
    assert len(list_runs(call)) == 1


def test_runs_without_cases_of_their_own_are_not_merged(call: Caller) -> None:
    call(*RUNS["metrics"])
    call(*RUNS["metrics"])
    refused = call("merge", *(str(run["id"]) for run in list_runs(call)))
    assert refused.code == 2
    assert "cannot be merged" in refused.err
    assert len(list_runs(call)) == 2
