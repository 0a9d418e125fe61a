"""The formulas of the original, where its recording says that they are to match."""

from __future__ import annotations

import io
import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import openpyxl
import pytest

from du_eval.compat import emely_formulas as emely
from du_eval.compat.emely import CATEGORY, Allocating, allocate_slots, draw_sets
from du_eval.judges.answers import RatedAnswer
from du_eval.judges.repeated import read_questions
from du_eval.judges.rules import RulesJudge
from du_eval.judges.scored import ScoredAnswers, ScoredToxicity
from du_eval.judges.tasks import Role as JudgeRole
from du_eval.judges.toxic_words import LABELS
from du_eval.judges.toxicity import Toxicity
from du_eval.judges.yes_no import read_yes_no
from du_eval.quality.checks.answers import AnswerCheck
from du_eval.quality.checks.every_reply import OpinionCheck
from du_eval.quality.dialogue import Dialogue, LineRole, Mark, MarkedExchange
from du_eval.quality.facts.model import DrawnFact
from du_eval.quality.pipeline import Assessing, assess
from du_eval.quality.store import PREFIXES, from_text
from du_eval.reports.quality_files import Shown, write_cases_xlsx, write_toxicity_csv, write_toxicity_csv_v2
from tests.quality.holding import list_assessments

pytestmark = pytest.mark.parity
THESAURUS = {"What": "something", "is": "ZZ", "the": "ZZ", "name": "epithet", "of": "ZZ"}
TESTS = {
    "I5": "ML-I1", "I8": "ML-I4", "I10": "ML-I5", "I9": "ML-I6", "I11": "ML-I7", "I1": "ML-I13",
    "U3": "ML-U3", "U4": "ML-U4", "U5": "ML-U5", "U6": "ML-U6",
}  # fmt: skip
SETS = {"QA": range(1000, 1005), "CO": range(1100, 1102), "IA": range(1200, 1204), "IQ": range(1300, 1304)}


@pytest.fixture(scope="module")
def recorded(parity_data: Path) -> dict[str, Any]:
    return json.loads((parity_data / "oracles" / "emely.json").read_text(encoding="utf-8"))


def matching(recorded: dict[str, Any], name: str, status: str = "match") -> list[dict[str, Any]]:
    found = [e for e in recorded["deterministic"] if name in e["function"] and e["status"].startswith(status)]
    assert found, name
    return found


class Scripted:
    """Chance that was recorded."""

    def __init__(self, entry: dict[str, Any]) -> None:
        self.draws = list(entry["uniform_draws"])
        self.order = entry["permutation"]

    def random(self) -> float:
        return self.draws.pop(0)

    def shuffle(self, x: list[int]) -> None:
        x[:] = self.order


def test_stuttering(recorded) -> None:
    for entry in matching(recorded, "MLA6"):
        value = emely.measure_stuttering(entry["input"])
        assert value == pytest.approx(entry["output"]["score"]), entry["id"]
        assert (value <= emely.STUTTERING) == (entry["output"]["verdict"] == "Pass")


def test_questions(recorded) -> None:
    for entry in matching(recorded, "extract_question"):
        assert emely.cut_questions(entry["input"]) == entry["output"], entry["id"]
    for entry in matching(recorded, "MLA7"):
        flags = emely.find_repeated_questions(entry["input"])
        assert ["Fail" if flag else "Pass" for flag in flags] == entry["output"], entry["id"]


def test_our_own_questions_differ_where_the_original_is_defective(recorded) -> None:
    for entry in matching(recorded, "extract_question", "defect"):
        assert [one.text for one in read_questions(entry["input"])] != entry["output"], entry["id"]


def test_closed_answers_are_read_rightly_or_not_at_all_also_where_the_original_is_wrong(recorded) -> None:
    probes = [entry for entry in recorded["deterministic"] if "binaryQA" in entry["function"]]
    said = [read_yes_no("", entry["input"]).label or "unclear" for entry in probes]
    right = [one == entry["human_label"] for one, entry in zip(said, probes, strict=True)]
    assert len(probes) >= 22
    assert sum(right) >= 0.85 * len(probes)
    assert all(one or read == "unclear" for one, read in zip(right, said, strict=True))


def test_cells(recorded) -> None:
    for entry in matching(recorded, "5% bin (divide_percentages U5/U6)"):
        assert emely.round_to_step(float(entry["input"])) == float(entry["output"]), entry["id"]
    for entry in matching(recorded, "5% bin (divide_percentages U3)"):
        share, typos = entry["input"].split(":")
        assert f"{emely.round_to_step(float(share))}:{typos}" == entry["output"], entry["id"]
    for entry in matching(recorded, "histogram index U5/U6"):
        assert emely.share_cell(float(entry["input"])) == entry["output"], entry["id"]
    for entry in matching(recorded, "histogram index U3"):
        share, typos = entry["input"].split(":")
        assert emely.typo_cell(float(share), int(typos)) == entry["output"], entry["id"]


def test_perturbations_with_recorded_chance(recorded) -> None:
    count = 0
    for entry in recorded["scripted_random"]:
        draws, kwargs, text = Scripted(entry), entry["kwargs"], entry["args"][0]
        if entry["function"] == "insert_word_order_swap":
            found = emely.swap_letters(text, draws, kwargs.get("amount_swaps"))
        elif entry["function"] == "insert_masked_words":
            found = emely.mask_words(text, draws, kwargs.get("percentage_masked"))
        elif entry["function"] == "insert_typing_mistake":
            changed, asked = emely.mistype_words(
                text, draws, kwargs.get("percentage_mistyped_words"), kwargs.get("amount_inserted_typos")
            )
            found = (changed, list(asked))
        else:
            found = emely.replace_words(text, draws, THESAURUS.get)
        count += 1
        assert list(found) == entry["output"], entry["id"]
        assert len(draws.draws) == entry["draws_left"], entry["id"]
    assert count == 24


def test_allocation(recorded) -> None:
    """Slots are filled as often as the recording says, over 1,000 dialogues."""
    entries = [entry for entry in recorded["distributions"] if entry["function"] == "init_tests allocation"]
    assert len(entries) == 6
    for entry in entries:
        random, counts, runs = Random(1), Counter(), 1000
        probabilities = {TESTS[name]: value for name, value in entry["probabilities"].items()}
        ids = {test: list(SETS[CATEGORY[test]]) for test in probabilities}
        for _ in range(runs):
            given = Allocating(entry["nbr_prompts"], 5, probabilities, draw_sets(ids, {}, random))
            slots = allocate_slots(given, random)
            assert slots[0] is None
            for placed in filter(None, slots):
                counts[f"{PREFIXES[placed.test]}{'q' if placed.is_question else 'i'}"] += 1
        assert set(counts) == set(entry["slot_counts"]), entry["id"]
        for name, expected in entry["slot_counts"].items():
            assert counts[name] / runs == pytest.approx(expected, abs=0.06 + 0.08 * expected), (
                entry["id"],
                name,
            )


class StubAnswers:
    """Takes the last word for the answer; right is what is equal."""

    name, threshold = "stub", 0.6

    def scores(self, tasks):
        spans = [task.reply.split()[-1] for task in tasks]
        return [
            RatedAnswer(1.0 if span in task.accepted else 0.2, span, "")
            for task, span in zip(tasks, spans, strict=True)
        ]


class StubToxicity:
    """Reads the toxicity from the reply."""

    name, threshold = "stub", emely.TOXICITY

    def scores(self, texts):
        return [Toxicity(float(text), "", dict.fromkeys(LABELS, float(text))) for text in texts]


def columns_of(report) -> dict[str, list[Any]]:
    sheet = openpyxl.load_workbook(io.BytesIO(write_cases_xlsx(report, Shown())))["Run 1"]
    rows = [[cell.value for cell in row] for row in sheet.iter_rows()]
    return {name: [row[n] for row in rows[1:-1]] for n, name in enumerate(rows[0]) if name}


def test_columns_of_a_perturbed_test(recorded) -> None:
    (entry,) = matching(recorded, "MLU5 columns")
    output = entry["output"]
    levels = output["Values used for TC_REQ_U5"]
    exchanges = []
    for place, (prompt, reply) in enumerate(zip(output["Prompt"], output["Reply"], strict=True)):
        role = LineRole.INFORMATION if place == 0 else LineRole.QUESTION
        level = float(levels[place]) if levels[place] else None
        mark = Mark("ML-U5", 0, role, level, level) if entry["input"]["test_ids"][place] else None
        exchanges.append(MarkedExchange(prompt, reply, mark=mark))
    fact = DrawnFact(1001, "QA", closed=False, answer="Mittens", accepted=("Mittens",))
    check = AnswerCheck(ScoredAnswers(StubAnswers(), emely.SIMILARITY), RulesJudge(JudgeRole.YES_NO))
    report = assess([Dialogue(0, tuple(exchanges), {0: fact})], Assessing([check], compat="emely"))
    found = columns_of(report)
    assert {name: found[name] for name in output} == output
    assert [name for name in found if name in output] == list(output)


def test_columns_and_distributions_of_toxicity(recorded) -> None:
    (entry,) = matching(recorded, "MLP1 verdict columns")
    (distribution,) = matching(recorded, "MLP1 csv v2")
    dialogue = Dialogue(0, tuple(MarkedExchange("hello", reply) for reply in entry["input"]))
    report = assess(
        [dialogue], Assessing([OpinionCheck("ML-P1", ScoredToxicity(StubToxicity()))], compat="emely")
    )
    found = columns_of(report)
    assert [name for name in found if name not in {"Outcome", "Response times"}] == entry["output"]["columns"]
    assert found["toxicity"] == entry["output"]["toxicity"]
    assert write_toxicity_csv_v2(report.cases[0]) == distribution["output"]
    by_label, by_reply = (
        [line.split(",") for line in write(report.cases[0]).splitlines()]
        for write in (write_toxicity_csv, write_toxicity_csv_v2)
    )
    assert by_label == [list(column) for column in zip(*by_reply, strict=True)]
    assert len(by_label) == 7


def test_only_questions_are_assessed_and_stand_in_their_rows(recorded) -> None:
    (answers,) = matching(recorded, "extract_answers")
    (column,) = matching(recorded, "create_column")
    ids, replies = answers["input"]["test_ids"], answers["input"]["replies"]
    sets = {
        "MLI4TC1": [
            {
                "test": "QA",
                "id": 1001,
                "directed": False,
                "answer": "r2",
                "information": ["i"],
                "question": ["q"],
            }
        ]
    }
    lines = [line for reply in replies for line in ("p", reply)]
    text = "\n".join([*lines, "- CONFIGURATIONS -", f"test_ids{ids}test_ids", f"test_sets{sets}test_sets"])
    check = AnswerCheck(ScoredAnswers(StubAnswers(), emely.SIMILARITY), RulesJudge(JudgeRole.YES_NO))
    report = assess([from_text(text, 0, "f")], Assessing([check], compat="emely"))
    assert [(replies[a.exchange], a.exchange) for a in list_assessments(report)] == list(
        zip(*answers["output"], strict=True)
    )
    assert columns_of(report)["TC_REQ_I8 - 1001"] == column["output"]


def test_polarities_that_are_to_match(recorded) -> None:
    for entry in matching(recorded, "binaryQA"):
        assert (read_yes_no("", entry["input"]).label == "yes") == entry["output"], entry["id"]


def shares(counts: dict[str, float]) -> dict[str, float]:
    total = sum(counts.values())
    return {key: value / total for key, value in counts.items()}


def test_distributions_of_levels(recorded) -> None:
    """Random levels fall as often into each cell as in the recording, over 5,000 draws."""
    by_id = {entry["id"]: entry for entry in recorded["distributions"]}
    random, text, n = Random(2), "a b c d e f g", 5000
    swaps, words, typos, steps, cells = (Counter() for _ in range(5))
    for _ in range(n):
        swaps[str(emely.swap_letters(text, random)[1])] += 1
        words[str(emely.mask_words(text, random)[0].split(" ").count("") // 2)] += 1
        share, mistakes = emely.mistype_words(text, random)[1]
        typos[str(mistakes)] += 1
        steps[str(emely.round_to_step(random.random()))] += 1
        cells[str(emely.typo_cell(share, mistakes))] += 1
    recordings = [
        (swaps, by_id["R01"]["level_counts"]),
        (typos, by_id["R04"]["typos_per_word"]),
        (steps, by_id["R06"]["bin_share"]),
        (cells, by_id["R07"]["bin_share"]),
    ]
    for found, expected in recordings:
        assert set(found) == set(expected)
        assert shares(found) == pytest.approx(shares(expected), abs=0.02)
