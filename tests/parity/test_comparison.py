"""The comparison of two real runs of the official tool holds when it is checked by hand."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from du_eval.assembly.finding import AnyRun
from du_eval.evaluation.record import KIND
from du_eval.experiments.deciding import decide_runs
from du_eval.reports.renderers.page import render_page
from du_eval.reports.renderers.terminal import render_terminal
from du_eval.reports.views.comparison import view_comparison
from du_eval.runs.comparison import Comparison, compare_runs
from du_eval.runs.records import reduce_run
from du_eval.runs.report import decode_run, encode_run
from du_eval.statistics.verdict import Verdict
from tests.parity.test_rasa_runs import record_run

pytestmark = pytest.mark.parity


@pytest.fixture(scope="module")
def runs(parity_data: Path) -> list[dict[str, Any]]:
    return json.loads((parity_data / "oracles" / "rasa_runs.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def reports(runs: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> list[AnyRun]:
    """Return the reports of both runs, imported as recorded predictions and read back from JSON."""
    found = []
    for number, run in enumerate(runs):
        record = record_run(run, tmp_path_factory.mktemp(f"run{number}"))
        found.append(decode_run(b"".join(encode_run(record, KIND)), "run", {"test": KIND}))
    return found


@pytest.fixture(scope="module")
def comparison(reports: list[AnyRun]) -> Comparison:
    return compare_runs(*(reduce_run(run, f"run {number}") for number, run in enumerate(reports)))


def by_place(run: dict[str, Any]) -> dict[tuple[str, str, str, int, int], bool]:
    """Return the verdicts by file name, case, message, size of the expectation, and occurrence.

    The three steps whose expectation was changed between the runs lost or gained a command.
    """
    seen: Counter[tuple[str, str, str, int]] = Counter()
    found = {}
    for step in run["steps"]:
        key = Path(step["file"]).name, step["test_case"], step["user"], len(step["expected"])
        seen[key] += 1
        found[*key, seen[key]] = step["passed"]
    return found


def test_the_lists_are_those_that_a_person_finds(comparison: Comparison, runs: list[dict[str, Any]]) -> None:
    first, second = by_place(runs[0]), by_place(runs[1])
    common = first.keys() & second.keys()
    worse = sorted(key[2] for key in common if first[key] and not second[key])
    better = sorted(key[2] for key in common if second[key] and not first[key])
    assert comparison.overlap.common == len(common)
    assert comparison.overlap.only_after + comparison.overlap.asked_otherwise == len(second) - len(common)
    assert comparison.overlap.asked_otherwise == 3
    assert sorted(change.after.message for change in comparison.worse) == worse
    assert sorted(change.after.message for change in comparison.better) == better


def test_the_verdict_is_the_one_of_the_exact_test(comparison: Comparison) -> None:
    from scipy.stats import binomtest

    split = len(comparison.better), len(comparison.worse)
    p = binomtest(split[0], sum(split)).pvalue
    assert comparison.mcnemar_p == pytest.approx(p)
    expected = (
        Verdict.UNDECIDED if p >= 0.05 else (Verdict.IMPROVED if split[0] > split[1] else Verdict.REGRESSED)
    )
    assert comparison.verdict is expected


def test_the_difference_of_f1_is_that_of_the_official_scores(
    comparison: Comparison, runs: list[dict[str, Any]]
) -> None:
    official = [run["official"]["command_metrics"] for run in runs]
    for change in comparison.commands:
        if change.f1.name in {"knowledge", "chitchat", "skip question"}:
            assert change.f1.before == pytest.approx(official[0][change.f1.name]["f1_score"], abs=0.02)
            assert change.f1.after == pytest.approx(official[1][change.f1.name]["f1_score"], abs=0.02)


def test_the_text_says_that_the_suite_was_renamed(comparison: Comparison) -> None:
    text = render_terminal(view_comparison(comparison))
    assert "dialogue_understanding_tests_compressed_dsl" in text
    assert "Newly failing" in text


def name_of(text: str) -> str:
    """Return the name of a command in either spelling, read without our parser."""
    word = re.split(r"[ (]", text.strip())[0].lower()
    names = {
        "startflow": "start flow", "start": "start flow", "setslot": "set slot", "set": "set slot",
        "cancelflow": "cancel flow", "cancel": "cancel flow", "chat": "chitchat", "search": "knowledge",
        "searchandreply": "knowledge", "skip": "skip question", "skipquestion": "skip question",
    }  # fmt: skip
    return names.get(word, word)


def plain(text: str) -> str:
    """Return a command without the differences that the official tool does not see."""
    return re.sub(r"[\s\"'(),]+", " ", text.strip()).strip().lower()


def missing(run: dict[str, Any]) -> Counter[str]:
    """Return how often each command is expected and not predicted, counted from the raw texts."""
    found: Counter[str] = Counter()
    for step in run["steps"]:
        said = {plain(text) for text in step["predicted"]}
        found.update(name_of(text) for text in step["expected"] if plain(text) not in said)
    return found


def test_the_confusions_add_up_to_what_the_raw_answers_lack(
    reports: list[AnyRun], runs: list[dict[str, Any]]
) -> None:
    for data, run in zip(reports, runs, strict=True):
        lacking: Counter[str] = Counter()
        for expected, _, count in data.extra.confusion.commands:
            if expected != "(nothing)":
                lacking[expected] += count
        assert lacking == missing(run)


def test_the_wrong_flows_are_those_that_a_person_finds(reports: list[AnyRun]) -> None:
    for data in reports:
        wrong = {
            (expected, predicted)
            for expected, predicted, _ in data.extra.confusion.flows
            if expected != predicted and "(" not in expected + predicted
        }
        assert wrong == {
            ("transfer_money", "correct_address"), ("register_to_vote_in_california", "order_pizza"),
        }  # fmt: skip
        assert ("wrong flow", 2, 2) in data.extra.confusion.kinds


def test_the_p_of_the_verdict_is_that_of_all_swaps_of_whole_conversations_or_of_what_is_unseen(
    comparison: Comparison, runs: list[dict[str, Any]]
) -> None:
    first, second = by_place(runs[0]), by_place(runs[1])
    sums: Counter[tuple[str, str]] = Counter()
    for key in first.keys() & second.keys():
        sums[key[:2]] += second[key] - first[key]
    ways = Counter({0: 1})
    for size in filter(None, sums.values()):
        swapped: Counter[int] = Counter()
        for total, count in ways.items():
            swapped[total + size] += count
            swapped[total - size] += count
        ways = swapped
    far = sum(count for total, count in ways.items() if abs(total) >= abs(sum(sums.values())))
    assert comparison.accuracy is not None
    swapped_p, unseen_p = far / sum(ways.values()), comparison.accuracy.unseen.p()
    assert comparison.accuracy.p == pytest.approx(max(swapped_p, unseen_p))
    assert unseen_p == pytest.approx(swapped_p, abs=0.02)


def test_the_decision_names_what_got_worse_and_its_causes_hold_by_hand(
    comparison: Comparison, reports: list[AnyRun]
) -> None:
    found = decide_runs(comparison, *reports)
    assert found.sentence.startswith(
        "Cannot tell yet: run 1 is 2.7 points worse so far (-6.4 to +0.7); 790 more"
    )
    assert found.sentence.endswith("; set slot got worse")
    lacking = [step for step in found.worse if set(map(plain, step.after)) < set(map(plain, step.expected))]
    extra = [step for step in found.better if set(map(plain, step.before)) > set(map(plain, step.expected))]
    first, second, third = found.causes
    assert (first.title, first.worse, first.better) == ("omission", 8, 0)
    assert len(lacking) >= first.worse
    assert all(step in lacking for step in first.examples)
    assert (second.title, second.worse, second.better) == ("insertion", 0, 5)
    assert all(step in extra for step in second.examples)
    assert (third.title, third.is_loss) == ("right slot, wrong value", True)


def pair_steps(
    runs: list[dict[str, Any]],
) -> dict[tuple[str, str], list[tuple[dict[str, Any], dict[str, Any]]]]:
    """Return the steps that both runs have, by conversation; read from the raw texts alone."""
    found: list[dict[tuple[str, str, str, int, int], dict[str, Any]]] = []
    for run in runs:
        keys = by_place(run)
        found.append(dict(zip(keys, run["steps"], strict=True)))
    pairs: dict[tuple[str, str], list[tuple[dict[str, Any], dict[str, Any]]]] = {}
    for key in found[0]:
        if key in found[1]:
            pairs.setdefault(key[:2], []).append((found[0][key], found[1][key]))
    return pairs


def test_the_points_of_the_sentence_are_those_of_resampled_conversations(
    comparison: Comparison, runs: list[dict[str, Any]]
) -> None:
    sums = [
        (sum(after["passed"] - before["passed"] for before, after in steps), len(steps))
        for steps in pair_steps(runs).values()
    ]
    random = Random(1)
    drawn = sorted(
        sum(total for total, _ in sample) / sum(size for _, size in sample)
        for sample in (random.choices(sums, k=len(sums)) for _ in range(2000))
    )
    found = comparison.accuracy
    assert found is not None
    assert found.value == pytest.approx(sum(total for total, _ in sums) / sum(size for _, size in sums))
    assert found.interval.low == pytest.approx(drawn[50], abs=0.008)
    assert found.interval.high == pytest.approx(drawn[-51], abs=0.008)


def spell(text: str) -> str:
    """Return a command in one spelling, read without our parser."""
    words = plain(text).split(" ")
    return " ".join([name_of(text), *words[1:]])


def count_commands(steps: list[dict[str, Any]]) -> Counter[tuple[str, str]]:
    """Return hits and misses of each command, of whichever kind, as (name, what)."""
    found: Counter[tuple[str, str]] = Counter()
    for step in steps:
        wanted, said = (Counter(map(spell, step[side])) for side in ("expected", "predicted"))
        for side, kind in ((wanted & said, "hit"), (wanted - said, "miss"), (said - wanted, "miss")):
            for text, count in side.items():
                found[name_of(text), kind] += count
    return found


def test_only_set_slot_got_worse_by_more_than_chance(
    comparison: Comparison, runs: list[dict[str, Any]]
) -> None:
    """Swap whole conversations; the smallest p of all commands in each swap corrects for their number."""
    sides = [
        (count_commands([one for one, _ in steps]), count_commands([other for _, other in steps]))
        for steps in pair_steps(runs).values()
    ]
    names = sorted({name for pair in sides for counts in pair for name, _ in counts})
    random = Random(3)
    swaps = [[0] * len(sides)] + [[random.getrandbits(1) for _ in sides] for _ in range(600)]
    changes = {name: [abs(_change_f1(name, sides, swap)) for swap in swaps] for name in names}
    ranks = {
        name: [sum(other >= one - 1e-12 for other in found) / len(swaps) for one in found]
        for name, found in changes.items()
    }
    smallest = [min(ranks[name][at] for name in names) for at in range(len(swaps))]
    adjusted = {name: sum(one <= ranks[name][0] for one in smallest) / len(swaps) for name in names}
    assert [name for name in names if adjusted[name] < 0.05] == ["set slot"]
    told = {change.f1.name: change for change in comparison.commands}
    assert [name for name, change in told.items() if change.verdict is Verdict.REGRESSED] == ["set slot"]
    plain_change = _change_f1("set slot", sides, swaps[0])
    assert told["set slot"].f1.value == pytest.approx(plain_change, abs=1e-9)


def _change_f1(
    name: str, sides: list[tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]], swap: list[int]
) -> float:
    sums = [[0, 0], [0, 0]]
    for pair, is_swapped in zip(sides, swap, strict=True):
        for side in (0, 1):
            counts = pair[side ^ is_swapped]
            sums[side][0] += counts[name, "hit"]
            sums[side][1] += counts[name, "miss"]
    before, after = (2 * hits / (2 * hits + misses) if hits else 0.0 for hits, misses in sums)
    return after - before


def test_the_causes_are_those_that_a_person_counts(
    comparison: Comparison, reports: list[AnyRun], runs: list[dict[str, Any]]
) -> None:
    pairs = [pair for steps in pair_steps(runs).values() for pair in steps]
    worse = [after for before, after in pairs if before["passed"] and not after["passed"]]
    better = [before for before, after in pairs if after["passed"] and not before["passed"]]

    def read(step: dict[str, Any]) -> tuple[set[str], set[str]]:
        return set(map(spell, step["expected"])), set(map(spell, step["predicted"]))

    lacking = {step["user"] for step in worse if read(step)[1] < read(step)[0]}
    extra = [step["user"] for step in better if read(step)[1] > read(step)[0]]
    slots = [
        [{text.split()[2] for text in side if name_of(text) == "set slot"} for side in read(one)]
        for one in worse
    ]
    same_slot = [
        one["user"] for one, (wanted, said) in zip(worse, slots, strict=True) if wanted and wanted == said
    ]
    found = decide_runs(comparison, *reports)
    first, second, third = found.causes
    corrected = {"sorry, I need to correct the previous input"}
    assert len(found.worse) == len(worse) == 18
    assert len(found.better) == len(better) == 9
    assert first.worse == 8
    assert {step.message for step in first.examples} <= lacking - corrected
    assert (second.better, len(extra)) == (5, 5)
    assert {step.message for step in second.examples} <= set(extra)
    assert third.worse == len(same_slot) == 3
    assert {step.message for step in third.examples} == set(same_slot)


def test_the_page_lists_the_raw_answers_of_each_changed_step(
    comparison: Comparison, reports: list[AnyRun], runs: list[dict[str, Any]]
) -> None:
    page = render_page([view_comparison(comparison, decide_runs(comparison, *reports))])
    shown = re.search(r'<script type="application/json" id="view-0">(.*?)</script>', page, re.DOTALL)
    assert shown is not None
    tables = {one.get("title"): one for one in json.loads(shown[1])["sections"]}
    steps = [{f"{step['file']}:{step['line']}": step for step in run["steps"]} for run in runs]
    pairs = [pair for several in pair_steps(runs).values() for pair in several]
    for title, wrong in (("Newly failing (18)", 1), ("Newly passing (9)", 0)):
        for where, message, expected, before, after, _ in tables[title]["rows"]:
            raw = next(pair for pair in pairs if pair[wrong] is steps[wrong][where])
            assert message == raw[wrong]["user"]
            texts = (raw[wrong]["expected"], raw[0]["predicted"], raw[1]["predicted"])
            for cell, commands in zip((expected, before, after), texts, strict=True):
                assert sorted(map(spell, cell.replace("(no command)", "").split("\n"))) == sorted(
                    map(spell, commands or [""])
                )


def test_so_many_more_steps_would_decide_in_four_of_five_cases(
    comparison: Comparison, runs: list[dict[str, Any]]
) -> None:
    sums = [
        (sum(after["passed"] - before["passed"] for before, after in steps), len(steps))
        for steps in pair_steps(runs).values()
    ]
    assert comparison.more_needed is not None
    random, decided = Random(5), 0
    for _ in range(400):
        total = square = size = 0
        while size < comparison.overlap.common + comparison.more_needed:
            change, length = random.choice(sums)
            total, square, size = total + change, square + change**2, size + length
        decided += abs(total) > 1.96 * square**0.5
    assert decided / 400 == pytest.approx(0.8, abs=0.1)
