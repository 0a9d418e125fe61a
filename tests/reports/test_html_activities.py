"""The page of each activity holds what its report says, and nothing of it leaves the data."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from du_eval.assembly.reported import load_page, pairs_to_compare
from du_eval.errors import InputError
from du_eval.quality.protocol.annotate import annotate
from du_eval.quality.protocol.criteria import Judged, Ruling
from du_eval.quality.protocol.model import Criterion
from du_eval.reports.files import json_text, yaml_text
from du_eval.reports.html import html_report
from du_eval.reports.html_metrics import family_of
from du_eval.reports.kinds import kind_of
from tests.reports.reported import HOSTILE, REPORTS

TEXTS = ("send the money", "stop the card", "how much is left")


def page_data(activity: str, texts: tuple[str, ...] = TEXTS) -> dict[str, Any]:
    text = html_report([("a run", REPORTS[activity](texts))])
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    return dict(json.loads(found.group(1))["runs"][0])


@pytest.mark.parametrize("activity", REPORTS)
def test_each_activity_is_known_by_its_report(activity: str) -> None:
    data = json.loads(json_text(REPORTS[activity](TEXTS)))
    assert kind_of(data) == activity
    assert page_data(activity)["kind"] == activity


@pytest.mark.parametrize("activity", REPORTS)
def test_hostile_texts_cannot_leave_the_data(activity: str) -> None:
    text = html_report([(HOSTILE[0], REPORTS[activity](HOSTILE))])
    before, _, after = text.partition('id="data">')
    inside = after.partition("</script>")[0]
    assert not set("<>&\u2028") & set(inside)
    assert "PWNED" in inside
    assert "PWNED" not in before + after[len(inside) :]


def test_a_reply_has_its_prompt_its_mark_and_its_verdicts() -> None:
    run = page_data("quality")
    place, turn, prompt, reply, outcome, verdicts, more = run["rows"][1]
    assert (place, turn, prompt, reply, outcome) == (0, 1, "send the money", "how much is left", "answered")
    assert more["mark"]["level"] == 2
    assert more["right"] == "send the money"
    failed = [verdict for verdict in verdicts if run["names"][verdict[0]] == "ML-U3"]
    assert failed[0][1] == 1
    assert "right is 'send the money'" in failed[0][3]["reason"]


def test_quality_runs_have_curves_and_distributions() -> None:
    run = page_data("quality")
    assert run["tests"]["ML-U3"]["levels"]["2"]["attempts"] == 3
    assert run["tests"]["ML-I1"]["distances"]["3"]["attempts"] == 3
    assert {one["test"] for one in run["scores"]} >= {"ML-P1", "ML-A6"}
    assert run["outcomes"] == {"answered": 12, "error": 3}


def test_a_quality_report_without_its_conversations_still_has_its_verdicts() -> None:
    data = REPORTS["quality"](TEXTS)
    del data["dialogues"]
    text = html_report([("a run", data)])
    assert '"has_texts":false' in text
    assert text.count('"reason"') > 3


def test_the_protocol_has_blocks_and_agreement() -> None:
    run = page_data("protocol")
    assert run["blocks"]["greeting"] == {"replies": 4, "passed": 2, "failed": 2, "repeated": 2}
    assert run["agreement"][0]["kappa"] == 0.5
    assert sum(run["outcomes"].values()) == len(run["rows"])


def test_agent_cases_have_checks_modes_and_transcripts() -> None:
    run = page_data("agent")
    assert run["sample_counts"] == {"passed": 3, "failed": 3, "errored": 0}
    assert run["checks"][0] == {"subject": "text", "check": TEXTS[0], "passed": 1, "failed": 1, "errored": 0}
    assert run["cases"][0]["failure_modes"]
    talk = run["rows"][1][5]
    assert talk[0]["reply"] == "send the money"
    assert talk[1]["error"] == "send the money"


def test_end_to_end_turns_have_what_was_expected() -> None:
    run = page_data("e2e")
    (turn,) = run["rows"][1]["turns"]
    assert turn["expected"] == [
        {"line": 3, "text": "the bot says 'fine'"},
        {"line": 4, "text": "the bot says stop the card"},
    ]
    assert run["flows"] == [["send the money", 1, 1], ["stop the card", 1, 0], ["how much is left", 1, 1]]
    assert run["rate"]["n"] == 3


@pytest.mark.parametrize(
    ("metric", "family"),
    [
        ("bleu-4", "agreement with the expected responses"),
        ("self-bleu", "diversity"),
        ("embedding-greedy", "meaning"),
        ("unigram-kl-div", "distance to the expected words"),
        ("per-bigram-entropy", "information"),
        ("politeness", "others"),
    ],
)
def test_metrics_stand_beside_their_relatives(metric: str, family: str) -> None:
    assert family_of(metric) == family


def test_a_folder_of_a_quality_run_is_shown_with_its_conversations(tmp_path: Path) -> None:
    data = REPORTS["quality"](TEXTS)
    lines = [json.dumps(one) for one in data.pop("dialogues")]
    (tmp_path / "results.json").write_text(json_text(data), encoding="utf-8")
    (tmp_path / "conversations.jsonl").write_text("\n".join(lines), encoding="utf-8")
    assert len(load_page(str(tmp_path)).data["dialogues"]) == 3
    assert len(load_page(str(tmp_path / "results.json")).data["dialogues"]) == 3
    (tmp_path / "conversations.jsonl").write_text(lines[0] + "\nno json", encoding="utf-8")
    with pytest.raises(InputError, match=r"conversations\.jsonl:2"):
        load_page(str(tmp_path))


def test_end_to_end_reports_may_be_yaml(tmp_path: Path) -> None:
    path = tmp_path / "e2e.yml"
    path.write_text(yaml_text(REPORTS["e2e"](TEXTS)), encoding="utf-8")
    assert len(load_page(str(path)).data["test_cases"]) == 3
    path.write_text("accuracy: 1", encoding="utf-8")
    with pytest.raises(InputError, match="no report of du-eval e2e"):
        load_page(str(path))


def test_runs_are_compared_with_the_last_one_of_their_activity(tmp_path: Path) -> None:
    names = []
    for number, activity in enumerate(("test", "quality", "agent", "test", "agent", "quality")):
        names.append(tmp_path / f"{activity}{number}.json")
        names[-1].write_text(json_text(REPORTS[activity](TEXTS)), encoding="utf-8")
    found = pairs_to_compare([load_page(str(name)) for name in names])
    assert [(before.name, after.name) for before, after in found] == [
        ("test0", "test3"),
        ("quality1", "quality5"),
        ("agent2", "agent4"),
    ]


def test_a_quality_run_is_found_by_its_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / ".du-eval" / "quality" / "20260131-120000-echo"
    folder.mkdir(parents=True)
    (folder / "results.json").write_text(json_text(REPORTS["quality"](TEXTS)), encoding="utf-8")
    assert load_page("20260131-120000-echo").name == "20260131-120000-echo"


def test_answers_of_a_person_beside_a_protocol_report_give_the_agreement(tmp_path: Path) -> None:
    data = REPORTS["protocol"](TEXTS)
    del data["agreement"]
    (tmp_path / "report.json").write_text(json_text(data), encoding="utf-8")
    asked = [one for one in data["decisions"] if one["criterion"] == "open_ended"][:6]
    items = [Judged(**one | {"criterion": Criterion.OPEN, "ruling": Ruling(one["ruling"])}) for one in asked]
    annotate(items, tmp_path / "annotations.jsonl", lambda _: "n", lambda _: None)
    found = load_page(str(tmp_path)).data["agreement"]
    assert found[0]["name"] == "all"
    assert (found[0]["n"], found[0]["same"]) == (6, 2)
