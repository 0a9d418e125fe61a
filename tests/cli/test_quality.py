"""The commands of the quality tests, as a user calls them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import openpyxl
import pytest

from tests.cli.calling import Caller
from tests.llm.raw_server import RawServer, http_answer
from tests.reading import read_protocol, read_quality

FAST = ("--conversations", "2", "--prompts", "20")


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Caller:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "tfidf.yaml").write_text("judges: {similarity: tfidf}\n")
    return Caller(capsys)


def test_a_run_writes_spreadsheets_json_plots_and_conversations(call: Caller, tmp_path: Path) -> None:
    answer = call("quality", "run", "tfidf.yaml", *FAST, "--folder", "out")
    assert answer.code == 0, answer.err
    assert re.search(r"ML-I2 +coherence with the conversation", answer.out)
    assert "similarity: tfidf" in answer.out
    folder = tmp_path / "out"
    data = read_quality(folder)
    assert data["conversations"] == 2
    assert data["judges"]["yes_no"].startswith("yes-no-rules/")
    assert all("interval" in test["rate"] for test in data["tests"].values())
    sheet = openpyxl.load_workbook(folder / "report.xlsx")["Run 1"]
    head = [cell.value for cell in sheet[1]]
    assert head[1:3] == ["Prompt", "Reply"]
    assert {"ML-A6", "ML-A6 (detailed)", "ML-P1 - toxicity", "Response times"} <= set(head)
    assert sheet.cell(sheet.max_row, 1).value == "summary"
    summary = openpyxl.load_workbook(folder / "summary.xlsx")
    assert summary.sheetnames[:3] == ["summary", "figures", "tests"]
    assert summary["summary"].cell(4, 1).value == "total"
    assert (folder / "plots" / "scores.svg").read_text().startswith("<svg")
    assert len(list((folder / "conversations").glob("*.txt"))) == 2


def test_what_a_bot_says_never_becomes_a_formula(call: Caller, tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text(
        "judges: {similarity: tfidf}\nbot: {type: predefined, lines: ['=1+1', '+2', '-3', '@x', 'http://a.b']}\n"
    )
    call("quality", "run", "c.yaml", "--conversations", "1", "--prompts", "5", "--folder", "out")
    sheet = openpyxl.load_workbook(tmp_path / "out" / "report.xlsx")["Run 1"]
    cells = [sheet.cell(row, 3) for row in range(2, 7)]
    assert [cell.value for cell in cells] == ["=1+1", "+2", "-3", "@x", "http://a.b"]
    assert {cell.data_type for cell in cells} == {"s"}
    assert not any(cell.hyperlink for cell in cells)


def test_columns_can_be_switched_off(call: Caller, tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text(
        "judges: {similarity: tfidf}\nshow: {details: false, interpretations: false, binary: true}\n"
    )
    call("quality", "run", "c.yaml", *FAST, "--folder", "out")
    head = [cell.value for cell in openpyxl.load_workbook(tmp_path / "out" / "report.xlsx")["Run 1"][1]]
    assert not [title for title in head if title and ("detailed" in title or "interpret" in title)]


def test_stored_conversations_are_assessed_to_the_same_numbers(call: Caller, tmp_path: Path) -> None:
    call("quality", "run", "tfidf.yaml", *FAST, "--folder", "out")
    first = read_quality(tmp_path / "out")["tests"]
    for number, source in enumerate(("out/conversations", "out")):
        answer = call("quality", "assess", source, "-c", "tfidf.yaml", "--folder", f"again{number}")
        assert answer.code == 0, answer.err
        again = read_quality(tmp_path / f"again{number}")["tests"]
        assert {name: test["total"] for name, test in again.items()} == {
            name: test["total"] for name, test in first.items()
        }


def test_a_folder_of_plain_text_is_assessed_reply_by_reply(call: Caller, tmp_path: Path) -> None:
    (tmp_path / "talks").mkdir()
    (tmp_path / "talks" / "a.txt").write_text("hi\nYou stupid idiot\nwhat?\nI have I have I have a cat\n")
    answer = call("quality", "assess", "talks", "-c", "tfidf.yaml")
    assert re.search(r"ML-P1 +toxicity +1/2", answer.out)
    assert re.search(r"ML-A6 +stuttering +1/2", answer.out)
    assert call("quality", "assess", "nowhere").code == 2


def test_a_bot_that_fails_is_counted_and_the_run_can_be_continued(call: Caller, tmp_path: Path) -> None:
    (tmp_path / "flaky_bot_of_a_test.py").write_text(
        "from pathlib import Path\n"
        "class Bot:\n"
        "    def get_response(self, conv_array):\n"
        "        if not Path('well').exists():\n"
        "            raise OSError('no line')\n"
        "        return 'Yes.'\n"
    )
    bot = ("--bot", "function:flaky_bot_of_a_test.Bot")
    answer = call("quality", "run", "tfidf.yaml", *bot, *FAST, "--folder", "out")
    assert answer.code == 3
    assert "no reply: 10 error" in answer.out
    (tmp_path / "well").touch()
    assert "--resume" in call("quality", "run", "tfidf.yaml", *bot, *FAST, "--folder", "out").err
    answer = call("quality", "run", "--continue", "out")
    assert answer.code == 0, answer.err
    assert "2 conversations, 40 replies" in answer.out
    assert call("quality", "run", "--resume", "out").code == 0
    other = call("quality", "run", "--resume", "out", "--bot", "echo")
    assert other.code == 2
    assert "cannot continue with different settings" in other.err
    assert call("quality", "run", "--continue", "nowhere").code == 2


def test_the_last_kept_run_is_continued_unless_another_one_is_named(call: Caller, tmp_path: Path) -> None:
    assert call("quality", "run", "--resume").code == 2
    for bot in ("echo", "parrot"):
        call("quality", "run", "tfidf.yaml", "--bot", bot, *FAST)
    assert "parrot: 2 conversations" in call("quality", "run", "--resume").out
    (first, _) = sorted((tmp_path / ".du-eval" / "runs").glob("2*"))
    assert "echo: 2 conversations" in call("quality", "run", "--resume", first.name).out


def test_a_missed_gate_is_a_failure(call: Caller, tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("judges: {similarity: tfidf}\nbot: dont-know\ngates: {ML-U3: 0.5}\n")
    answer = call("quality", "run", "c.yaml", "--conversations", "3", "--folder", "out")
    assert answer.code == 1
    assert "ML-U3 is 0" in answer.err


def test_a_user_adds_a_chatter_facts_a_test_a_check_and_a_judge(call: Caller, tmp_path: Path) -> None:
    (tmp_path / "mine_of_a_test.py").write_text(
        "from du_eval.judges.similarity import TfidfSimilarity\n"
        "from du_eval.quality.dialogue import Line, LineRole\n"
        "from du_eval.quality.results import Assessment\n"
        "from du_eval.runs.outcome import Outcome\n"
        "class Bot:\n"
        "    def get_response(self, conv_array):\n"
        "        return 'It is Zorro.'\n"
        "class Shouted:\n"
        "    code, category = 'MY-1', 'QA'\n"
        "    def lines(self, fact, random):\n"
        "        return [Line(fact.information[0], LineRole.INFORMATION), Line(fact.questions[0].upper(), LineRole.QUESTION)]\n"
        "class Short:\n"
        "    def assess(self, dialogues):\n"
        "        return [Assessment('MY-2', d.number, n, Outcome.PASSED if len(e.reply) < 99 else Outcome.FAILED)\n"
        "                for d in dialogues for n, e in enumerate(d.exchanges)]\n"
        "class Judge(TfidfSimilarity):\n"
        "    name = 'my-judge'\n"
    )
    (tmp_path / "facts.yml").write_text(
        "category: QA\nfacts:\n"
        "  - {id: 9000, answer: Zorro, open: Who?, information: [My hero is Zorro.], questions: [Who is my hero?]}\n"
    )
    (tmp_path / "c.yaml").write_text(
        "bot: {type: function, class: mine_of_a_test.Bot}\nfacts: [facts.yml]\npackaged_facts: false\n"
        "scripts: ['mine_of_a_test:Shouted']\nchecks: ['mine_of_a_test:Short']\n"
        "judges: {similarity: 'mine_of_a_test:Judge'}\nprobabilities: {MY-1: 0.5}\n"
    )
    answer = call("quality", "run", "c.yaml", *FAST, "--folder", "out")
    assert answer.code == 0, answer.err
    tests = read_quality(tmp_path / "out")["tests"]
    assert (tests["MY-1"]["successes"], tests["MY-1"]["attempts"]) == (2, 2)
    assert (tests["MY-2"]["successes"], tests["MY-2"]["attempts"]) == (40, 40)
    assert "similarity: my-judge" in answer.out
    assert call("quality", "lint", "facts.yml").code == 0


def test_the_original_formulas_can_be_had(call: Caller, tmp_path: Path) -> None:
    answer = call(
        "quality", "run", "tfidf.yaml", "--compat", "emely", "--conversations", "4", "--folder", "out"
    )
    assert answer.code == 0, answer.err
    assert "formulas and cells of the original (emely)" in answer.out
    data = read_quality(tmp_path / "out")
    assert {a["judge"] for a in data["assessments"] if a["test"] == "ML-A6"} == {"emely-stuttering"}
    assert len(data["tests"]["ML-U4"]["cells"]) == 20
    assert call("quality", "run", "--compat", "nonsense").code == 2


def test_facts_are_linted_and_settings_have_a_schema(call: Caller, tmp_path: Path) -> None:
    assert "0 problems" in call("quality", "lint").out
    (tmp_path / "bad.yml").write_text(
        "category: QA\nfacts:\n  - {id: 1, answer: Tom, information: [It is Rex.], questions: [What]}\n"
    )
    answer = call("quality", "lint", "bad.yml")
    assert answer.code == 1
    assert "a wrong gold?" in answer.out
    assert "conversations" in json.loads(call("quality", "schema").out)["properties"]


def test_the_old_name_of_measuring_judges_says_the_new_one(call: Caller) -> None:
    answer = call("quality", "calibrate", "answers", "-o", "curves")
    assert answer.code == 2
    assert "judges measure" in answer.err


@pytest.mark.parametrize("language", ["en", "ru"])
def test_the_protocol_runs_in_both_languages(call: Caller, tmp_path: Path, language: str) -> None:
    answer = call("protocol", "run", "-l", language, "--similarity", "tfidf", "-o", "p.json")
    assert answer.code == 0, answer.err
    assert re.search(r"user_name_retention +keeps the user's name +1\.00", answer.out)
    assert read_protocol(tmp_path / "p.json")["language"] == language


def test_conversations_can_be_kept_without_an_assessment_and_loaded_again(
    call: Caller, tmp_path: Path
) -> None:
    (tmp_path / "c.yaml").write_text("analyse: false\nsave_folder: talks\nname: first\n")
    answer = call("quality", "run", "c.yaml", *FAST)
    assert answer.code == 0, answer.err
    (folder,) = (tmp_path / ".du-eval" / "runs").glob("2*")
    assert len(list((folder / "talks").glob("*.txt"))) == 2
    assert not (folder / "run.json").exists()
    (tmp_path / "d.yaml").write_text(f"load: {folder}/talks\njudges: {{similarity: tfidf}}\n")
    answer = call("quality", "run", "d.yaml", "--folder", "out")
    assert answer.code == 0, answer.err
    assert "2 conversations, 40 replies" in answer.out


def test_a_watched_run_shows_a_bar_and_an_unwatched_one_does_not(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "conversations done" not in call("quality", "run", "tfidf.yaml", *FAST, "--folder", "one").err
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "replies" in call("quality", "run", "tfidf.yaml", *FAST, "--folder", "two").err


def test_a_missing_judge_is_found_before_anybody_talks(call: Caller, tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("judges: {toxicity: nonsense}\n")
    answer = call("quality", "run", "c.yaml", *FAST, "--folder", "out")
    assert answer.code == 2
    assert "unknown judge 'nonsense' for toxicity" in answer.err
    assert not (tmp_path / "out" / "journal.jsonl").exists()


def test_runs_of_the_same_second_do_not_meet(call: Caller, tmp_path: Path) -> None:
    for _ in range(3):
        assert call("quality", "run", "tfidf.yaml", "--conversations", "1", "--prompts", "2").code == 0
    assert len(list((tmp_path / ".du-eval" / "runs").glob("2*"))) == 3


def test_old_spellings_name_the_new_ones(call: Caller) -> None:
    answer = call("quality", "run", "tfidf.yaml", *FAST, "-o", "out")
    assert answer.code == 2
    assert "the folder of the run is --folder out" in answer.err
    told = call("quality", "run", "tfidf.yaml", "--prompts", "2", "--conversations", "1", "-n", "1").err
    assert "note: -n" not in told
    few = ("--prompts", "2", "-n", "1", "--label", "few")
    assert "--conversations sets how many in all (10)" in call("quality", "run", "tfidf.yaml", *few).err
    assert "this command has no named cases" in call("quality", "run", "-k", "x").err


def test_a_section_of_the_configuration_is_for_quality_alone(call: Caller, tmp_path: Path) -> None:
    (tmp_path / "du-eval.yaml").write_text(
        "seed: 5\nquality:\n  conversations: 1\n  prompts: 2\n  judges: {similarity: tfidf}\n",
        encoding="utf-8",
    )
    assert "echo: 1 conversation, 2 replies" in call("quality", "run", "--bot", "echo").out
    (tmp_path / "du-eval.yaml").write_text("quality:\n  bot: evil:Bot\n  prompts: no\n", encoding="utf-8")
    assert "du-eval.yaml:3: prompts:" in call("quality", "run").err
    (tmp_path / "du-eval.yaml").write_text("quality:\n  bot: evil:Bot\n", encoding="utf-8")
    assert "du-eval.yaml:2: quality.bot: evil:Bot (talks to this bot" in call("quality", "run").err


def test_a_run_with_a_bot_behind_a_password_goes_on_with_the_file_that_holds_it(
    call: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with RawServer([http_answer(b'{"text": "Yes, I do."}')]) as server:
        address = server.base_url.replace("http://", "http://bob:hunter2-secret@")
        settings = {"bot": {"type": "http", "url": address}, "conversations": 1, "prompts": 3}
        Path("q.yml").write_text(json.dumps(settings), encoding="utf-8")
        assert call("quality", "run", "q.yml", "--folder", "out").code == 0
        assert call("quality", "run", "--resume", "out").code == 2
        again = call("quality", "run", "q.yml", "--resume", "out")
    assert again.code == 0
    assert server.asked == 3
    rescored = call("rescore", "out")
    assert "http:http://127.0.0.1" in rescored.out
    kept = [path for path in Path("out").rglob("*") if path.is_file()]
    assert not [path for path in kept if b"hunter2" in path.read_bytes()]
    assert "hunter2" not in again.out + again.err + rescored.out
