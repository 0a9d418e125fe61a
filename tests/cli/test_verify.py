"""`du-eval verify`: any change of a kept run shows, and its report follows from its answers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from du_eval.errors import ReportError
from du_eval.runs.manifest import hash_file
from tests.cli.calling import Answer, Caller

FAILING = """\
class Bot:
    def get_response(self, conv_array):
        if len(conv_array) == 5:
            raise OSError("gone")
        return "I see."
"""
CASES = Path(__file__).parents[2] / "dialogue_understanding_tests/pizza/cancellations"


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Answer]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DU_EVAL_CONFIG_DIR", str(tmp_path / "config"))
    shutil.copytree(CASES, tmp_path / "suite")
    assistant = CASES.parents[2] / "examples" / "pizza"
    ask = Caller(capsys)
    ask("test", "suite", "--assistant", str(assistant), "--no-output", "-q")
    return ask


def folder() -> Path:
    return next(Path(".du-eval/runs").glob("*/manifest.json")).parent


def states(answer: Answer) -> dict[str, bool | None]:
    return {one["name"]: one["holds"] for one in json.loads(answer.out)["findings"]}


def change(name: str, old: str, new: str) -> None:
    path = folder() / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_a_run_as_it_was_written_holds(call):
    answer = call("verify")
    assert answer.code == 0, answer.out + answer.err
    assert "14 lines, none changed, added or left out" in answer.out
    assert "14 results and" in answer.out


@pytest.mark.parametrize(
    "tamper",
    [
        lambda lines: lines[:-1],
        lambda lines: lines[1:],
        lambda lines: [*lines[:3], *lines[4:]],
        lambda lines: [lines[1], lines[0], *lines[2:]],
        lambda lines: [*lines, lines[-1]],
        lambda lines: [line.replace(b"passed", b"failed") for line in lines],
        lambda lines: [line.partition(b',"chain"')[0] + b"}\n" for line in lines],
        lambda lines: [*lines, b'{"torn'],
    ],
)
def test_a_journal_that_was_tampered_with_shows(call, tamper):
    journal = folder() / "journal.jsonl"
    journal.write_bytes(b"".join(tamper(journal.read_bytes().splitlines(keepends=True))))
    answer = call("verify", "--json")
    assert states(answer)["answers"] is False
    assert answer.code == 1


@pytest.mark.parametrize("place", ["figures", "outcomes", "headline", "label", "spent"])
def test_what_lists_and_histories_show_of_a_run_cannot_be_changed(call, place):
    path = folder() / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    better = {
        "figures": {"accuracy": 1.0},
        "outcomes": {},
        "headline": [],
        "label": "best",
        "spent": {"calls": 1},
    }
    path.write_text(json.dumps(manifest | {place: better[place]}), encoding="utf-8")
    answer = call("verify", "--json")
    assert (answer.code, states(answer)["report"], states(answer)["seal"]) == (1, False, None)


@pytest.mark.parametrize("place", ["cases", "steps", "ended"])
def test_nothing_in_a_manifest_changes_without_breaking_the_seal(call, place):
    path = folder() / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    other = {"cases": [], "steps": 99, "ended": "2026-01-31T12:00:00+00:00"}
    path.write_text(json.dumps(manifest | {place: other[place]}), encoding="utf-8")
    answer = call("verify", "--json")
    assert (answer.code, states(answer)["seal"]) == (3, None)


@pytest.mark.parametrize(
    "way",
    [
        ("figures", 0, "measured", "interval", "low"),
        ("figures", 0, "measured", "n"),
        ("cases", 0, "results", 0, "question"),
        ("cases", 0, "line"),
        ("extra", "confusion", "kinds", 0, 0),
    ],
)
def test_nothing_in_a_report_changes_without_contradicting_the_answers(call, way):
    path, manifest = folder() / "run.json", folder() / "manifest.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    inner = data
    for key in way[:-1]:
        inner = inner[key]
    inner[way[-1]] = inner[way[-1]] + ("x" if isinstance(inner[way[-1]], str) else 1)
    before = hash_file(path)
    path.write_text(json.dumps(data), encoding="utf-8")
    manifest.write_text(
        manifest.read_text(encoding="utf-8").replace(before, hash_file(path)), encoding="utf-8"
    )
    assert states(call("verify", "--json"))["verdicts"] is False


@pytest.mark.parametrize("words", ["verify", "rescore last", "runs show last"])
@pytest.mark.parametrize("name", ["\0", "\ud800"])
def test_a_manifest_with_names_that_no_file_can_have_is_read(call, words, name):
    path = folder() / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(manifest | {"files": {name: "0"}, "beside": {name: "0"}}), encoding="utf-8")
    assert call(*words.split()).code in {0, 1, 2}


def test_a_figure_that_was_left_out_shows(call):
    path, manifest = folder() / "run.json", folder() / "manifest.json"
    data, before = json.loads(path.read_text(encoding="utf-8")), hash_file(path)
    del data["figures"][-1]
    path.write_text(json.dumps(data), encoding="utf-8")
    manifest.write_text(
        manifest.read_text(encoding="utf-8").replace(before, hash_file(path)), encoding="utf-8"
    )
    assert states(call("verify", "--json"))["verdicts"] is False


@pytest.mark.parametrize(
    "options",
    [
        "--max-calls 4",
        "--max-calls 4 --history both",
        "--perturb typos --levels 0.4",
        "--samples 2 --max-calls 9",
    ],
)
def test_runs_of_all_sorts_hold(call, options):
    Path("steady.py").write_text("def f(request):\n    return 'CancelFlow()'\n", encoding="utf-8")
    assistant = str(CASES.parents[2] / "examples" / "pizza")
    call("test", "suite", "--assistant", assistant, "-g", "steady:f", "--no-output", "-q", *options.split())
    answer = call("verify")
    assert answer.code == 0, answer.out + answer.err


def test_files_beside_a_report_belong_to_the_run(call):
    assistant = str(CASES.parents[2] / "examples" / "pizza")
    options = ("--assistant", assistant, "--perturb", "typos", "--levels", "0.4", "-q", "--runs-dir", "runs")
    call("test", "suite", *options)
    found = next(Path("runs").glob("*/manifest.json")).parent
    assert "2 files beside it are as written" in call("verify", str(found)).out
    for file in (found / "report.yml", next((found / "perturbed").iterdir())):
        before = file.read_bytes()
        file.write_bytes(before + b"\n")
        answer = call("verify", str(found))
        assert (answer.code, file.name in answer.out) == (1, True)
        file.write_bytes(before)


def test_a_run_that_goes_on_is_not_verified_before_its_end(call):
    change("manifest.json", '"status": "finished"', '"status": "running"')
    answer = call("verify")
    assert (answer.code, "has not ended" in answer.err) == (2, True)


def test_a_changed_report_shows_although_its_hash_was_changed_with_it(call):
    before = json.loads((folder() / "manifest.json").read_text(encoding="utf-8"))["report"]
    change("run.json", '"outcome":"passed"', '"outcome":"failed"')
    path = folder() / "run.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    data["figures"][0]["measured"]["value"] = 0.25
    path.write_text(json.dumps(data), encoding="utf-8")
    assert states(call("verify", "--json"))["report"] is False
    change("manifest.json", before, hash_file(path))
    found = states(call("verify", "--json"))
    assert found["report"] is False  # the manifest still has the figures
    assert found["verdicts"] is False
    assert found["seal"] is None


def test_what_a_run_was_about_cannot_be_changed_afterwards(call):
    change("manifest.json", '"subject": "', '"subject": "better ')
    assert states(call("verify", "--json"))["answers"] is False


def test_a_fingerprint_that_was_noted_elsewhere_stands_for_the_seal(call, monkeypatch, tmp_path):
    noted = json.loads(call("verify", "--json").out)["fingerprint"]
    monkeypatch.setenv("DU_EVAL_CONFIG_DIR", str(tmp_path / "of another user"))
    stranger = call("verify", "--json")
    assert (stranger.code, states(stranger)["seal"]) == (3, None)
    assert call("verify", "--expect", noted, "--json").code in {0, 3}
    assert states(call("verify", "--expect", noted, "--json"))["fingerprint"] is True
    assert states(call("verify", "--expect", "0" * 64, "--json"))["fingerprint"] is False
    assert states(call("verify", "--expect", noted[:4], "--json"))["fingerprint"] is False


def test_a_changed_suite_leaves_the_verdicts_unknown(call):
    file = next(Path("suite").glob("*.yml"))
    file.write_text(file.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
    found = call("verify", "--json")
    assert found.code == 3
    assert (states(found)["files"], states(found)["verdicts"]) == (None, None)


def test_a_run_that_goes_on_keeps_one_chain(call):
    lines = (folder() / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (folder() / "journal.jsonl").write_bytes(b"".join(lines[:5]) + lines[5][:20])
    assert call("test", "--resume", "last", "-q", "--no-output").code in {0, 1}
    assert states(call("verify", "--json")) == dict.fromkeys(
        ("answers", "report", "seal", "files", "verdicts"), True
    )


def test_a_run_without_a_report_is_told(call):
    (folder() / "run.json").unlink()
    answer = call("verify")
    assert answer.code == 2
    assert "has not ended" in answer.err


@pytest.fixture
def measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Answer]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DU_EVAL_CONFIG_DIR", str(tmp_path / "config"))
    Path("said.txt").write_text("hello there\ngood morning to you\n")
    Path("mine.py").write_text("open('loaded', 'w')\nfrom du_eval.corpus.diversity import *\n")
    return Caller(capsys)


def test_metrics_are_computed_again_from_the_files_of_the_run(measured):
    measured("metrics", "said.txt", "--metrics", "distinct-1,length", "-q")
    assert states(measured("verify", "--json")) == dict.fromkeys(
        ("answers", "report", "seal", "files", "verdicts"), True
    )
    Path("said.txt").write_text("something else\n")
    answer = measured("verify", "--json")
    assert (states(answer)["files"], states(answer)["verdicts"]) == (None, None)


def test_assessed_conversations_are_assessed_again(measured):
    Path("talk.txt").write_text("Hi\nHello\nWho are you?\nA bot\n")
    measured("quality", "assess", "talk.txt")
    assert states(measured("verify", "--json"))["verdicts"] is True


@pytest.mark.parametrize("words", ["quality run bot.yaml --conversations 1", "protocol run --bot bot.yaml"])
def test_a_reply_that_never_came_follows_from_the_journal(measured, monkeypatch, words):
    monkeypatch.syspath_prepend(".")
    Path("failing.py").write_text(FAILING)
    bot = {"type": "function", "class": "failing.Bot"}
    Path("bot.yaml").write_text(json.dumps({"bot": bot}))
    measured(*words.split())
    assert '"outcome":"error"' in (folder() / "journal.jsonl").read_text()
    assert states(measured("verify", "--json"))["verdicts"] is True


def test_assessments_and_metrics_are_shown_even_where_the_disk_is_full(measured, monkeypatch):
    def write(*_):
        raise ReportError("run.json cannot be written: the disk is full")

    Path("talk.txt").write_text("Hi\nHello\nWho are you?\nA bot\n")
    monkeypatch.setattr("du_eval.runs.store.write_run", write)
    for words in (("quality", "assess", "talk.txt"), ("metrics", "said.txt", "--metrics", "length")):
        answer = measured(*words)
        assert (answer.code, "the disk is full" in answer.err) == (4, True)
        assert "2 replies" in answer.out or "length" in answer.out


def test_metrics_need_no_home(measured, monkeypatch):
    def find(*_, **__):
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr("platformdirs.user_cache_dir", find)
    assert measured("metrics", "said.txt", "--metrics", "length", "-q").code == 0


def test_a_run_from_elsewhere_brings_no_code_to_verify(measured, monkeypatch):
    measured("metrics", "said.txt", "--metrics", "distinct-1", "-q")
    change("manifest.json", '"distinct-1"', '"mine:Anything"')
    monkeypatch.setenv("DU_EVAL_CONFIG_DIR", "other")
    monkeypatch.syspath_prepend(".")
    assert states(measured("verify", "--json"))["verdicts"] is None
    assert not Path("loaded").exists()


def test_metrics_are_refused_before_anything_is_computed_where_runs_cannot_be_kept(measured):
    Path("taken").write_text("")
    answer = measured("metrics", "said.txt", "--metrics", "length", "--runs-dir", "taken")
    assert (answer.code, answer.out) == (2, "")
    assert "must be a folder" in answer.err


def test_a_run_with_half_characters_in_its_errors_holds(call):
    Path("half.py").write_text("def f(request):\n    raise OSError('gone \\ud800')\n", encoding="utf-8")
    call("test", "suite", "-g", "half:f", "--no-output", "-q")
    answer = call("verify")  # the journal holds half a character, and the report cannot
    assert answer.code == 0, answer.out + answer.err
