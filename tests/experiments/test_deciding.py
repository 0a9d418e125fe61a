"""The decision is one sentence that says what to do, how sure that is, and what got worse."""

from __future__ import annotations

from msgspec.structs import replace

from du_eval.experiments.causes import find_causes
from du_eval.experiments.deciding import Side, decide, decide_runs
from du_eval.experiments.decision import Advice, ChangedStep, Decision
from du_eval.experiments.figures import COST
from du_eval.runs.comparison import compare_runs, correct_verdict
from du_eval.runs.records import RunRecord
from du_eval.statistics.counts import Counts
from tests.runs.test_comparison import record


def decision(before: str, after: str, command: str = "") -> Decision:
    found = compare_runs(record(before, name="A"), record(after, name="B"))
    return decide_runs(found, command=command)


def test_a_better_run_is_shipped_with_its_interval() -> None:
    found = decision("p" * 60 + "f" * 20, "p" * 78 + "ff")
    assert found.advice is Advice.SHIP
    assert found.sentence.startswith("Ship B: 22.5 points better (")


def test_a_worse_run_is_not_shipped() -> None:
    found = decision("p" * 80, "p" * 60 + "f" * 20)
    assert found.advice is Advice.KEEP
    assert found.sentence.startswith("Keep A: B is 25.0 points worse (")


def test_a_step_that_never_changed_is_called_unchanged_and_not_undecided() -> None:
    found = decision("ppff", "ppff")
    assert found.advice is Advice.UNCHANGED
    assert found.sentence == "No step changed: A and B answered all 4 user steps alike"


def test_where_it_cannot_be_told_the_sentence_says_how_much_more_would_decide() -> None:
    found = decision("p" * 50 + "f" * 10, "p" * 52 + "f" * 8, "du-eval test more")
    assert found.advice is Advice.WAIT
    assert "more user steps would decide: `du-eval test more`" in found.sentence
    assert found.sentence.startswith("Cannot tell yet: B is 3.3 points better so far (")


def test_correction_for_many_arms_asks_for_more_steps() -> None:
    alone = compare_runs(record("p" * 50 + "f" * 10), record("p" * 54 + "f" * 6))
    among = correct_verdict(alone, 0.9)
    assert alone.more_needed is not None
    assert among.more_needed is not None
    assert among.more_needed > alone.more_needed


def side(name: str, cost: float) -> Side:
    """Return a side of which only the cost is known."""
    found = Side(name)
    vars(found)["figures"] = {COST: cost}
    return found


def test_what_costs_several_times_as_much_is_told_as_a_multiple() -> None:
    found = compare_runs(record("p" * 60 + "f" * 20, name="A"), record("p" * 78 + "ff", name="B"))
    sentences = [decide(found, side("A", 2), side("B", cost)).sentence for cost in (1, 3, 14.6)]
    assert [sentence.partition("), ")[2].partition(";")[0] for sentence in sentences] == [
        "50 % cheaper",
        "50 % dearer",
        "7.3 times the cost",
    ]


def with_command(run: RunRecord, name: str, hits: int) -> RunRecord:
    """Return a run in which another command is right in the first so many steps."""
    steps = [
        replace(step, counts={**step.counts, name: Counts(at < hits, 0, at >= hits, 1)})
        for at, step in enumerate(run.steps)
    ]
    return replace(run, steps=tuple(steps))


def test_the_headline_never_hides_a_command_that_got_worse() -> None:
    before = with_command(record("p" * 60 + "f" * 40, name="A"), "cancel flow", 100)
    after = with_command(record("p" * 99 + "f", name="B"), "cancel flow", 60)
    found = decide_runs(compare_runs(before, after))
    assert found.advice is Advice.SHIP
    assert "; cancel flow got worse" in found.sentence
    assert found.regressed == ("cancel flow",)


def changed(number: int, difference: float, kind: str, *names: tuple[str, str]) -> ChangedStep:
    return ChangedStep(str(number), "f:1", "c", "m", (), (), (), difference, (kind,), names)


def test_causes_are_what_changed_steps_have_in_common() -> None:
    steps = [changed(n, -1, "right slot, wrong value", ("slot", "amount")) for n in range(5)]
    steps += [changed(10 + n, 1, "omission", ("flow", f"flow {n}")) for n in range(4)]
    steps += [changed(20, -1, "insertion", ("slot", "x")), changed(21, 1, "insertion", ("slot", "y"))]
    causes = find_causes(steps)
    assert [(cause.title, cause.worse, cause.better) for cause in causes] == [
        ("right slot, wrong value: slot amount", 5, 0),
        ("omission", 0, 4),
    ]
    assert causes[0].is_loss
    assert len(causes[0].examples) == 3


def test_there_are_at_most_three_causes() -> None:
    steps = [changed(10 * kind + n, -1, f"kind {kind}") for kind in range(5) for n in range(3)]
    assert len(find_causes(steps)) == 3
