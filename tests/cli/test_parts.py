"""Runs of a part of a suite, runs that ended early, and what a gate says about them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calling import Caller

NAMES = "abcdef"


@pytest.fixture
def suite(work: Path) -> Path:
    """Write six cases, the last of which fails, and a generator that counts nothing."""
    cases = (
        f"  - test_case: {name}\n    steps:\n      - user: start {name}\n        commands: [StartFlow({name})]\n"
        for name in NAMES
    )
    (work / "six.yml").write_text("test_cases:\n" + "".join(cases), encoding="utf-8")
    text = 'def five(request):\n    return f\'StartFlow({request.message[-1].replace("f", "x")})\'\n'
    (work / "five_of_six.py").write_text(text, encoding="utf-8")
    return work


def list_kept(work: Path) -> list[str]:
    return sorted(folder.name for folder in (work / ".du-eval/runs").iterdir() if folder.is_dir())


def ask(call: Caller, *more: str) -> str:
    answer = call("test", "six.yml", "-g", "five_of_six:five", "-n", "1", *more)
    return f"{answer.code}\n{answer.out}{answer.err}"


def test_a_gate_that_passes_on_a_part_says_which(suite: Path, call: Caller) -> None:
    told = ask(call, "--shard", "1/4", "--fail-under", "accuracy=0.9")
    assert told.startswith("0\n")
    assert "2 of 2 test cases passed (1 of 4 shards)" in told
    assert "gate passed on 1 of 4 shards (du-eval merge gates all of them): " in told
    told = ask(call, "--sample", "2", "--seed", "1", "--fail-under", "accuracy=0.1")
    assert "gate passed on a sample of 2 cases: " in told
    gated = call("gate", "last", "--baseline", "last")
    assert gated.out.startswith("gate passed on a sample of 2 cases:")
    for count in ("6", "60"):
        assert "gate passed: " in ask(call, "--sample", count, "--fail-under", "accuracy=0.1")


def test_joined_shards_are_a_part_until_all_are_there(suite: Path, call: Caller) -> None:
    for number in (1, 2):
        ask(call, "--shard", f"{number}/3", "--label", f"part {number}")
    one = call("merge", "part 1", "--fail-under", "accuracy=0.9")
    assert one.code == 3
    assert "stopped: shards are missing: 2/3, 3/3" in one.err
    assert call("rescore", "part 1", "--fail-under", "accuracy=0.9").code == 0
    some = call("merge", "part 1", "part 2", "--fail-under", "accuracy=0.9")
    assert some.code == 3
    assert "warning: shards are missing: 3/3" in some.err
    assert (
        "gate: no verdict on an incomplete run (4 of 4 cases, stopped: shards are missing: 3/3)" in some.err
    )
    assert call("runs", "show", "part 1").out.count("1/3")  # the merged run does not take its name
    ask(call, "--shard", "3/3")
    joined = list_kept(suite)[-2:]
    whole = call("merge", *joined, "--fail-under", "accuracy=0.9")
    assert "5 of 6 test cases passed, 1 failed ==" in whole.out
    assert "gate failed: accuracy is 0.8333" in whole.err


def test_a_limit_that_the_last_case_reaches_cuts_nothing_off(suite: Path, call: Caller) -> None:
    told = ask(call, "--maxfail", "1", "--fail-under", "accuracy=0.8")
    assert "Not finished" not in told
    assert "gate passed: accuracy=0.8" in told
    assert "Not finished: 4 of 6 cases" in ask(call, "--max-calls", "4")
    assert "Not finished" not in ask(call, "--max-calls", "6")


def test_judging_again_is_not_ended_by_the_limits_of_the_run(suite: Path, call: Caller) -> None:
    ask(call, "--max-calls", "4")
    again = call("test", "--resume", "--max-calls", "2")
    assert "earlier parts of this run took 4 calls; its limits count from here" in again.err
    assert "5 of 6 test cases passed, 1 failed ==" in call("rescore", "last").out


def test_a_resumed_run_that_ends_early_says_what_all_its_parts_took(suite: Path, call: Caller) -> None:
    ask(call, "--max-calls", "2")
    told = call("test", "--resume").out
    assert "4 of 6 cases, stopped: the budget of 2 calls is used up (--max-calls); 4 calls in all" in told


def test_samples_that_were_not_asked_are_missing_unless_the_ratio_is_decided(
    suite: Path, call: Caller
) -> None:
    every, decided = ("--samples", "3", "--all-samples"), ("--samples", "3", "--success-ratio", "2/3")
    assert "n=11, 0.61–1.00 with 7 not judged" in ask(call, *every, "--max-calls", "11", "-q")
    assert "n=9, 0.64–1.00 with 5 not judged" in ask(call, *decided, "--max-calls", "9", "-q")


def test_a_resumed_run_keeps_its_gate(suite: Path, call: Caller) -> None:
    ask(call, "--max-calls", "4", "--fail-under", "accuracy=0.8")
    again = call("test", "--resume", "--max-calls", "9")
    assert (again.code, "gate passed: accuracy=0.8" in again.err) == (0, True)
    assert call("test", "--resume", "--fail-under", "accuracy=0.9").code == 1


@pytest.mark.parametrize("role", ["run", "baseline"])
def test_a_gate_has_no_verdict_where_the_run_or_its_baseline_was_stopped(
    suite: Path, call: Caller, role: str
) -> None:
    ask(call, "--output-file", "whole.json")
    ask(call, "--max-calls", "5", "--output-file", "stopped.json")
    run, baseline = ("stopped", "whole") if role == "run" else ("whole", "stopped")
    options = (f"{run}.json", "--baseline", f"{baseline}.json", "--max-errors", "1")
    gated = call("gate", *options)
    assert gated.code == 3
    assert f"the {role} is not complete (5 of 6 cases, stopped: the budget" in gated.out
    assert json.loads(call("gate", *options, "--json").out)["gate"] == "no verdict"


@pytest.mark.parametrize("ending", ["json", "yml"])
def test_a_comparison_says_first_that_a_run_was_stopped(suite: Path, call: Caller, ending: str) -> None:
    ask(call, "--output-file", "whole.json")
    ask(call, "--max-calls", "5", "--output-file", f"part.{ending}")
    told = call("compare", "whole.json", f"part.{ending}", "--markdown", "told.md")
    assert "Not finished: part: 5 of 6 cases, stopped: the budget of 5 calls" in told.out.split("before:")[0]
    assert "the second run is not complete (5 of 6" in Path("told.md").read_text(encoding="utf-8")
    assert "different policies" not in told.out


def test_a_run_that_was_never_finished_has_no_verdict_when_it_is_judged_again(
    suite: Path, call: Caller
) -> None:
    ask(call, "--max-calls", "5")
    again = call("rescore", "last", "--fail-under", "accuracy=0.1")
    assert again.code == 3
    assert "no verdict on an incomplete run (5 of 6 cases, the others were not asked)" in again.err


def test_a_case_that_the_policy_does_not_judge_is_not_missing(suite: Path, call: Caller) -> None:
    more = "  - test_case: idle\n    steps:\n      - user: hm\n        commands: []\n"
    with (suite / "six.yml").open("a", encoding="utf-8") as file:
        file.write(more)
    told = ask(call, "--match", "rasa", "--fail-under", "accuracy=0.5")
    assert "5 of 6 test cases passed, 1 failed ==" in told
    assert "gate passed: accuracy=0.5" in told


def write_errors(suite: Path) -> None:
    """Write a generator that raises for the case `f`, which otherwise fails."""
    text = "import five_of_six\n\n\ndef one(request):\n    assert request.message[-1] != 'f'\n    return five_of_six.five(request)\n"
    (suite / "one_error.py").write_text(text, encoding="utf-8")


MISSING = "1 of 6 user steps{} errored (six.yml::f); --max-errors 0.167 would allow that"


def test_one_error_allows_no_verdict_unless_it_is_allowed(suite: Path, call: Caller) -> None:
    write_errors(suite)
    arguments = ("test", "six.yml", "-g", "one_error:one", "--markdown", "run.md", "--fail-under")
    told = call(*arguments, "accuracy=0.5")
    assert (told.code, MISSING.format("") in told.err) == (3, True)
    assert MISSING.format("") in (suite / "run.md").read_text(encoding="utf-8").replace("\\", "")
    allowed = call(*arguments, "accuracy=0.5", "--max-errors", "0.167")
    assert (allowed.code, "gate passed, even with 1 unjudged result" in allowed.err) == (0, True)
    assert call(*arguments, "accuracy=0.9", "--max-errors", "0.167").code == 3


@pytest.mark.parametrize("strict", [(), ("--strict",)])
@pytest.mark.parametrize("role", ["run", "baseline"])
def test_a_gate_has_no_verdict_where_the_run_or_its_baseline_errored(
    suite: Path, call: Caller, role: str, strict: tuple[str, ...]
) -> None:
    write_errors(suite)
    ask(call, "--output-file", "whole.json")
    call("test", "six.yml", "-g", "one_error:one", "--output-file", "errored.json")
    run, baseline = ("errored", "whole") if role == "run" else ("whole", "errored")
    arguments = ("gate", f"{run}.json", "--baseline", f"{baseline}.json", *strict)
    told = call(*arguments)
    assert told.code == 3
    assert told.out == f"gate no verdict: {MISSING.format('' if role == 'run' else ' of the baseline')}\n"
    assert call(*arguments, "--max-errors", "0.2").code == (1 if strict else 0)


def test_a_suite_of_which_nothing_is_evaluated_has_not_passed(suite: Path, call: Caller) -> None:
    text = "test_cases:\n  - test_case: quiet\n    steps:\n      - user: hm\n        commands: []\n"
    (suite / "six.yml").write_text(text, encoding="utf-8")
    told = ask(call, "--match", "rasa")
    assert told.startswith("3\n")
    assert "0 test cases measured" in told


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        (("six.yml", "-k", "a or b"), "-k 'a or b'"),
        (("six.yml", "--deselect", "f"), "--deselect f"),
        (("six.yml::a",), "six.yml::a"),
        (("six.yml", "--lf"), "--lf"),
    ],
)
def test_a_gate_names_the_cases_that_were_selected(
    suite: Path, call: Caller, chosen: tuple[str, ...], told: str
) -> None:
    ask(call)
    answer = call("test", *chosen, "-g", "five_of_six:five", "--fail-under", "accuracy=0")
    assert answer.err.endswith(f"gate passed on the cases of {told}: accuracy=0\n")
    assert f"(the cases of {told})" in answer.out
    again = call("rescore", "last", "--fail-under", "accuracy=0")
    assert f"gate passed on the cases of {told}: " in again.err or chosen[-1] == "--lf"


def test_a_report_of_the_official_tool_as_a_baseline_is_told_what_to_name(suite: Path, call: Caller) -> None:
    ask(call)
    report = next((suite / ".du-eval/runs").glob("*/report.yml"))
    answer = call("test", "six.yml", "-g", "five_of_six:five", "--against", str(report))
    assert answer.code == 2
    assert "name the run.json, folder or id of a run" in answer.err
