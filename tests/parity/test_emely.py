"""The formulas of the original, where its recording says that they are to match."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from du_eval.judges.yes_no import RuleYesNo
from du_eval.quality import emely
from du_eval.quality.checks.questions import questions_of

pytestmark = pytest.mark.parity


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
        value = emely.stuttering(entry["input"])
        assert value == pytest.approx(entry["output"]["score"]), entry["id"]
        assert emely.passes(value, emely.STUTTERING, above=False) == (entry["output"]["verdict"] == "Pass")


def test_questions(recorded) -> None:
    for entry in matching(recorded, "extract_question"):
        assert emely.questions_of(entry["input"]) == entry["output"], entry["id"]
    for entry in matching(recorded, "MLA7"):
        flags = emely.repeated_questions(entry["input"])
        assert ["Fail" if flag else "Pass" for flag in flags] == entry["output"], entry["id"]


def test_our_own_questions_differ_where_the_original_is_defective(recorded) -> None:
    for entry in matching(recorded, "extract_question", "defect"):
        assert questions_of(entry["input"]) != entry["output"], entry["id"]


def test_closed_answers_are_read_rightly_also_where_the_original_is_wrong(recorded) -> None:
    probes = [entry for entry in recorded["deterministic"] if "binaryQA" in entry["function"]]
    right = [RuleYesNo().decide(entry["input"]).polarity == entry["human_label"] for entry in probes]
    assert len(probes) >= 22
    assert all(right)


def test_thresholds(recorded) -> None:
    for entry in matching(recorded, "threshold"):
        given = entry["input"]
        found = [emely.passes(v, given["thresh"], above=given["approve_above"]) for v in given["results"]]
        assert ["Pass" if one else "Fail" for one in found] == entry["output"], entry["id"]


def test_trimming_by_characters(recorded) -> None:
    def full(text: str) -> str:
        letter, star, count = text.partition("*")
        return letter * int(count) if star else text

    for entry in matching(recorded, "context trimming"):
        given = [full(text) for text in entry["input"]["conv"]]
        assert emely.trimmed(given, entry["input"]["max_length"]) == [full(t) for t in entry["output"]]


def test_cells(recorded) -> None:
    for entry in matching(recorded, "5% bin (divide_percentages U5/U6)"):
        assert emely.step_of(float(entry["input"])) == float(entry["output"]), entry["id"]
    for entry in matching(recorded, "5% bin (divide_percentages U3)"):
        share, typos = entry["input"].split(":")
        assert f"{emely.step_of(float(share))}:{typos}" == entry["output"], entry["id"]
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
            found = emely.swapped(text, draws, kwargs.get("amount_swaps"))
        elif entry["function"] == "insert_masked_words":
            found = emely.masked(text, draws, kwargs.get("percentage_masked"))
        elif entry["function"] == "insert_typing_mistake":
            changed, asked = emely.mistyped(
                text, draws, kwargs.get("percentage_mistyped_words"), kwargs.get("amount_inserted_typos")
            )
            found = (changed, list(asked))
        else:
            continue
        count += 1
        assert list(found) == entry["output"], entry["id"]
        assert len(draws.draws) == entry["draws_left"], entry["id"]
    assert count == 21
