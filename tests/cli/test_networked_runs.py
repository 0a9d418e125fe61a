"""Runs against a model: cached, resumable, repeated, within budgets."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from du_eval.cli.lists import with_resume_value
from tests.cli.calling import Answer, Caller
from tests.cli.networked import comparable, flaky, right, write_suite, wrong_for
from tests.llm.chat_server import Behaviour, ChatServer
from tests.reading import read_file, read_run


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DU_EVAL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-key")


@pytest.fixture
def server(work: Path) -> Iterator[ChatServer]:
    write_suite(work)
    with ChatServer(Behaviour(right)) as running:
        yield running


def arguments(server: ChatServer, *more: str) -> list[str]:
    base = ["test", "suite.yml", "-g", "llm", "--model", "m", "--base-url", server.base_url, "--no-output"]
    return [*base, "--prompt", "bare.jinja2", "--system-prompt", "Be brief.", "--max-attempts", "3", *more]


def result(call: Caller, server: ChatServer, *more: str) -> tuple[dict[str, Any], Answer]:
    answer = call(*arguments(server, "--json", *more))
    return read_run(answer.out), answer


def test_a_second_run_is_free(call: Caller, server: ChatServer) -> None:
    first, answer = result(call, server)
    assert (answer.code, first["cases"]["passed"], server.calls) == (0, 10, 30)
    second, _ = result(call, server)
    assert server.calls == 30
    assert second["spent"]["answers_from_cache"] == 30
    assert second["spent"]["calls"] == 0


def test_without_the_cache_or_refreshing_everything_is_asked_again(call: Caller, server: ChatServer) -> None:
    result(call, server)
    result(call, server, "--no-cache")
    result(call, server, "--refresh")
    assert server.calls == 90


def test_offline_answers_come_from_the_cache_and_misses_are_errors(call: Caller, server: ChatServer) -> None:
    result(call, server, "-k", "case")
    found, _ = result(call, server, "--offline")
    assert found["steps"] == {"passed": 30, "failed": 0, "errored": 0}
    missed, answer = result(call, server, "--offline", "--temperature", "0.5")
    assert (answer.code, missed["steps"]["errored"], server.calls) == (3, 30, 30)
    assert "--offline" in missed["test_cases"][0]["steps"][0]["error"]


def test_parameters_prompts_and_samples_reach_the_endpoint(call: Caller, server: ChatServer) -> None:
    result(
        call,
        server,
        "--temperature",
        "0.7",
        "--seed",
        "5",
        "--parameter",
        "top_p=0.9",
        "--max-tokens",
        "9",
        "-x",
    )
    body = server.bodies[0]
    assert (body["temperature"], body["seed"], body["top_p"], body["max_tokens"]) == (0.7, 5, 0.9, 9)
    assert body["messages"][0] == {"role": "system", "content": "Be brief."}
    assert server.headers[0]["Authorization"] == "Bearer sk-very-secret-key"


def test_secrets_are_written_nowhere(call: Caller, server: ChatServer, work: Path) -> None:
    server.behaviour.key = "another"
    answer = call(*arguments(server, "--output-prompt", "--output-file", "r.json", "--resume=last")[:-1])
    answer = call(*[word for word in arguments(server) if word != "--no-output"], "--output-file", "r.json")
    assert answer.code == 3
    assert "sk-very-secret-key" not in answer.out + answer.err
    for file in work.rglob("*"):
        if file.is_file():
            assert b"sk-very-secret-key" not in file.read_bytes(), file


def test_flaky_steps_are_found_by_repeating_them(call: Caller, server: ChatServer) -> None:
    server.behaviour.answer = flaky
    found, answer = result(call, server, "--samples", "4", "--seed", "1")
    assert (answer.code, server.calls) == (1, 120)
    repeats = found["repeats"]
    rates = [step["rate"]["value"] for step in repeats["steps"] if len(set(step["outcomes"])) > 1]
    assert rates == [0.5] * 5
    assert found["cases"] == {"passed": 5, "failed": 5, "errored": 0}
    by_k = {item["k"]: item for item in repeats["case_chances"]["by_k"]}
    assert by_k[1]["at_least_one"] == pytest.approx(0.75)
    assert by_k[4]["all_of_them"] == pytest.approx(0.5)
    text = call(*arguments(server, "--samples", "4", "--seed", "1")).out
    assert "5 of 30 steps are flaky" in text
    assert "2 of 4 samples did not pass" in text


def test_a_success_ratio_decides_and_stops_early(call: Caller, server: ChatServer) -> None:
    server.behaviour.answer = flaky
    found, answer = result(call, server, "--success-ratio", "2/3", "--seed", "1", "--no-cache")
    # Odd cases pass twice and need no third sample; even cases fail once in between.
    assert (answer.code, found["cases"]["passed"]) == (0, 10)
    assert server.calls == 5 * 3 * 2 + 5 * 3 * 3
    again, _ = result(call, server, "--success-ratio", "2/3", "--all-samples", "--seed", "1", "--no-cache")
    assert server.calls == 75 + 90
    assert again["cases"]["passed"] == 10


def test_a_case_may_have_a_ratio_of_its_own(call: Caller, server: ChatServer, work: Path) -> None:
    text = (work / "suite.yml").read_text().replace("case 0\n", "case 0\n    success_ratio: 1/2\n")
    (work / "suite.yml").write_text(text)
    server.behaviour.answer = flaky
    found, _ = result(call, server, "--seed", "0")
    outcomes = {case["test_case"]: case["outcome"] for case in found["test_cases"]}
    assert (outcomes["case 0"], outcomes["case 2"]) == ("passed", "failed")
    assert server.calls == 30 + 3


@pytest.mark.parametrize("ratio", ["3/2", "0/2", "two"])
def test_an_impossible_ratio_is_refused(call: Caller, server: ChatServer, work: Path, ratio: str) -> None:
    assert call(*arguments(server, "--success-ratio", ratio)).code == 2
    (work / "suite.yml").write_text(
        (work / "suite.yml").read_text().replace("case 0\n", f"case 0\n    success_ratio: {ratio}\n")
    )
    answer = call("validate", "suite.yml")
    assert answer.code == 2
    assert "suite.yml:3" in answer.err


def test_a_budget_of_calls_is_kept_exactly(call: Caller, server: ChatServer) -> None:
    found, answer = result(call, server, "--max-calls", "7", "-n", "4")
    assert (answer.code, server.calls, found["steps"]["passed"]) == (3, 7, 7)
    assert "--max-calls" in found["stopped"]
    accuracy = next(one for one in json.loads(answer.out)["figures"] if one["name"] == "accuracy")
    assert (accuracy["measured"]["n"], accuracy["measured"]["missing"]) == (7, 23)
    resumed, answer = result(call, server, "--resume", "--max-calls", "100")
    assert (answer.code, server.calls, resumed["steps"]["passed"]) == (0, 30, 30)


def test_a_budget_of_money_ends_a_run(call: Caller, server: ChatServer) -> None:
    refused = call(*arguments(server, "--max-cost", "1"))
    assert refused.code == 2
    assert "--price" in refused.err
    found, answer = result(call, server, "--max-cost", "0.00005", "--price", "1/2", "-n", "16")
    assert answer.code == 3
    assert "--max-cost" in found["stopped"]
    assert 0.00003 < found["spent"]["cost"] <= 0.00005
    assert 0 < server.calls < 30


def test_what_was_spent_counts_all_parts_of_a_resumed_run(
    call: Caller, server: ChatServer, work: Path
) -> None:
    priced = ("--price", "1/2", "--no-cache")
    first, _ = result(call, server, "--max-calls", "7", *priced)
    second, _ = result(call, server, "--resume", "--max-calls", "7", *priced)
    assert f"14 calls that cost {second['spent']['cost']:.4g} in all parts of the run" in second["stopped"]
    resumed, _ = result(call, server, "--resume", "--max-calls", "100", *priced)
    spent = resumed["spent"]
    assert (spent["calls"], spent["earlier"]) == (30, 14)
    assert spent["cost"] == pytest.approx(first["spent"]["cost"] * 30 / 7, rel=0.05)
    assert call("report", "last", "-o", "shown.md").code == 0
    shown = (work / "shown.md").read_text()
    assert "30 calls, 14 of them in earlier parts of the run, 14 answers from the journal" in shown


def test_answers_of_a_part_that_was_killed_are_counted_too(
    call: Caller, server: ChatServer, work: Path
) -> None:
    result(call, server, "--max-calls", "7", "--price", "1/2", "--no-cache")
    (manifest,) = work.rglob("manifest.json")
    killed = json.loads(manifest.read_text()) | {"status": "running", "answers": 0, "chain": "", "spent": {}}
    manifest.write_text(json.dumps(killed))
    resumed, _ = result(call, server, "--resume", "--max-calls", "100", "--price", "1/2", "--no-cache")
    assert (resumed["spent"]["calls"], resumed["spent"]["earlier"]) == (30, 7)


def test_retries_of_steps_that_errored_are_counted(call: Caller, server: ChatServer) -> None:
    server.behaviour.fault_rate, server.behaviour.faults = 1.0, ("no-choices",)
    found, _ = result(call, server, "--max-attempts", "3", "--no-cache", "-k", "'case 1'")
    assert found["steps"]["errored"] == 3
    assert (found["spent"]["calls"], found["spent"]["retries"]) == (server.calls, 6) == (9, 6)


def test_too_many_errors_end_a_run(call: Caller, server: ChatServer, work: Path) -> None:
    write_suite(work, cases=40)
    server.behaviour.fault_rate, server.behaviour.faults = 1.0, ("no-choices",)
    found, answer = result(call, server, "--max-error-rate", "0.5", "--max-attempts", "1", "-n", "2")
    assert answer.code == 3
    assert "--max-error-rate" in found["stopped"]
    assert server.calls <= 22


def test_the_first_failure_may_end_a_run(call: Caller, server: ChatServer) -> None:
    server.behaviour.answer = wrong_for(2, 3, 4)
    found, answer = result(call, server, "-x", "-n", "1")
    assert (answer.code, found["cases"]["failed"], found["cases"]["passed"]) == (1, 1, 2)
    assert server.calls == 9


def test_the_last_failures_alone_or_first(call: Caller, server: ChatServer) -> None:
    server.behaviour.answer = wrong_for(3, 7)
    result(call, server)
    server.behaviour.answer = wrong_for(7)
    found, _ = result(call, server, "--lf", "--refresh")
    assert [case["test_case"] for case in found["test_cases"]] == ["case 3", "case 7"]
    found, _ = result(call, server, "--failed-first")
    assert [case["test_case"] for case in found["test_cases"]][:2] == ["case 7", "case 0"]


def test_without_failures_the_last_failures_are_nothing(call: Caller, server: ChatServer) -> None:
    result(call, server)
    answer = call(*arguments(server, "--lf"))
    assert answer.code == 5
    assert "every case passed" in answer.err
    assert server.calls == 30


def test_a_last_run_that_was_stopped_did_not_pass_every_case(call: Caller, server: ChatServer) -> None:
    result(call, server, "--max-calls", "6")
    call("metrics", "suite.yml", "-q")  # a run of another kind is not the last one of tests
    answer = call(*arguments(server, "--lf"))
    assert answer.code == 5
    assert "no case failed, and 8 cases were not asked (--resume goes on)" in answer.err


def test_shards_together_are_the_whole_suite(call: Caller, server: ChatServer, work: Path) -> None:
    server.behaviour.answer = wrong_for(4)
    call(*[a for a in arguments(server, "--output-file", "whole.json", "--no-cache") if a != "--no-output"])
    for shard in ("1/3", "2/3", "3/3"):
        assert call(*arguments(server, "--shard", shard, "--no-cache")).code in {0, 1}
    runs = sorted(path.name for path in (work / ".du-eval/runs").iterdir() if path.is_dir())[-3:]
    incomplete = call("merge", *runs[:2], "--no-output", "-q")
    assert "shards are missing: 3/3" in incomplete.err
    merged = call("merge", *runs, "--output-file", "merged.json", "-q")
    assert merged.code == 1
    assert comparable(work / "merged.json") == comparable(work / "whole.json")
    assert "named twice" in call("merge", runs[0], runs[0]).err
    everything = sorted(path.name for path in (work / ".du-eval/runs").iterdir() if path.is_dir())
    overlapping = call("merge", everything[0], runs[0])
    assert overlapping.code == 2
    assert "both have step 1 of suite.yml::case 0" in overlapping.err
    assert len([path for path in (work / ".du-eval/runs").iterdir() if path.is_dir()]) == len(everything)


def test_judging_again_counts_no_answer_twice(call: Caller, server: ChatServer) -> None:
    result(call, server)
    result(call, server)  # from the cache
    spent = read_run(call("rescore", "last", "--no-output", "--json").out)["spent"]
    assert (spent["calls"], spent["answers_from_cache"], spent["answers_from_journal"]) == (0, 0, 30)


def test_a_drawn_sample_is_the_same_for_the_same_seed(call: Caller, server: ChatServer) -> None:
    names = [
        [case["test_case"] for case in result(call, server, "--sample", "4", "--seed", seed)[0]["test_cases"]]
        for seed in ("1", "1", "2")
    ]
    assert names[0] == names[1] != names[2]
    assert len(names[0]) == 4


def test_a_kept_run_is_judged_again_without_asking(call: Caller, server: ChatServer, work: Path) -> None:
    server.behaviour.answer = wrong_for(1)
    result(call, server)
    assert call("rescore", "last", "--no-output").code == 1
    suite = (work / "suite.yml").read_text()
    (work / "suite.yml").write_text(
        suite.replace("[StartFlow(flow_1_", "[CancelFlow(), StartFlow(flow_1_").replace("flow_1_0)]", "x)]")
    )
    refused = call("rescore", "last")
    assert refused.code == 2
    assert "--changed-suite" in refused.err
    (work / "suite.yml").write_text(
        "".join(
            "        commands: [CancelFlow()]\n" if "flow_1_" in line else line
            for line in suite.splitlines(True)
        )
    )
    assert call("rescore", "--changed-suite", "--no-output").code == 0
    (work / "suite.yml").write_text(suite.replace("say 5 1", "say five one"))
    answer = call("rescore", "--changed-suite", "--no-output", "--json")
    errors = [
        s["error"]
        for c in read_run(answer.out)["test_cases"]
        for s in c["steps"]
        if s["outcome"] == "errored"
    ]
    assert len(errors) == 2
    assert "has changed since the run" in errors[0]
    assert server.calls == 30


def test_errored_steps_are_asked_again_on_request_only(call: Caller, server: ChatServer) -> None:
    server.behaviour.fault_rate, server.behaviour.faults = 1.0, ("no-choices",)
    result(call, server, "--max-attempts", "1")
    server.behaviour.fault_rate = 0.0
    kept, _ = result(call, server, "--resume")
    assert (kept["steps"]["errored"], server.calls) == (30, 30)
    asked, _ = result(call, server, "--retry-errors")
    assert (asked["steps"]["passed"], server.calls) == (30, 60)


def test_a_run_does_not_go_on_with_another_model(call: Caller, server: ChatServer) -> None:
    result(call, server, "--max-calls", "3")
    answer = call("test", "--resume", "--model", "other", "--no-output")
    assert answer.code == 2
    assert "model: 'm' then, 'other' now" in answer.err


def test_a_case_that_was_not_finished_has_not_passed(call: Caller, server: ChatServer) -> None:
    found, _ = result(call, server, "--max-calls", "4", "-n", "1")
    assert found["cases"] == {"passed": 1, "failed": 0, "errored": 1}
    assert (
        "1 unfinished case counts as errored"
        in call(*arguments(server, "--max-calls", "4", "-n", "1", "--refresh")).out
    )


def test_the_first_failure_decides_about_the_exit_code_also_among_unfinished_cases(
    call: Caller, server: ChatServer
) -> None:
    server.behaviour.answer = wrong_for(0)
    _, answer = result(call, server, "-x", "-n", "8")
    assert answer.code == 1


@pytest.mark.parametrize(
    ("words", "expanded"),
    [
        (["--resume"], ["--resume=last"]),
        (["--resume", "-q"], ["--resume=last", "-q"]),
        (["--resume", "suite.yml"], ["--resume=last", "suite.yml"]),
        (["--resume", "20260131-12"], ["--resume=20260131-12"]),
        (["--resume", "no-such-run"], ["--resume=no-such-run"]),
        (["--resume", "journal.jsonl"], ["--resume=journal.jsonl"]),
        (["--resume", "kept"], ["--resume=kept"]),
        (["--", "--resume"], ["--", "--resume"]),
    ],
)
def test_the_run_to_resume_may_be_left_out(work: Path, words: list[str], expanded: list[str]) -> None:
    (work / "suite.yml").touch()
    (work / "journal.jsonl").touch()
    (work / "kept").mkdir()
    (work / "kept" / "journal.jsonl").touch()
    assert with_resume_value(words) == expanded


def test_resuming_needs_no_other_arguments(call: Caller, server: ChatServer) -> None:
    result(call, server, "--max-calls", "5")
    answer = call("test", "--resume", "--max-calls", "1000", "--no-output", "-q")
    assert answer.code == 0
    assert "10 of 10 test cases passed" in answer.out
    assert server.calls == 30


def test_runs_are_listed_shown_and_removed(call: Caller, server: ChatServer, work: Path) -> None:
    server.behaviour.answer = wrong_for(6)
    result(call, server)
    listed = call("runs", "ls").out
    assert "finished" in listed
    assert " 30 answers" in listed
    assert "1 failed" in listed
    shown = call("runs", "show").out
    assert "model: m" in shown
    assert "failed   suite.yml::case 6" in shown
    data = json.loads(call("runs", "show", "last", "--json").out)
    assert data["outcomes"]["suite.yml::case 6"] == "failed"
    assert data["changed_files"] == []
    assert call("runs", "rm", "last", "--yes").out == "1 run removed\n"
    assert "no runs are kept" in call("runs", "ls").out
    assert "no runs to show" in call("history").out
    assert call("runs", "show", "nothing").code == 2


def test_the_cache_is_listed_and_cleared(call: Caller, server: ChatServer) -> None:
    result(call, server)
    assert "30 answers" in call("cache", "ls").out
    assert json.loads(call("cache", "ls", "--json").out)["models"][0]["answers"] == 30
    assert call("cache", "prune").code == 2
    assert call("cache", "prune", "--unused-for", "1d").out == "0 answers removed\n"
    assert call("cache", "clear", "--yes").out == "30 answers removed\n"


def started(arguments: list[str], work: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "du_eval.cli", *arguments],
        cwd=work,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def journal_lines(work: Path) -> int:
    return sum(
        len(path.read_bytes().splitlines()) for path in (work / ".du-eval/runs").glob("*/journal.jsonl")
    )


def finished_questions(work: Path, server: ChatServer) -> dict[str, int]:
    """Return the questions of which the journal has all samples, and how often the server saw each."""
    (journal,) = (work / ".du-eval/runs").glob("*/journal.jsonl")
    found: Counter[str] = Counter()
    for line in journal.read_bytes().splitlines():
        with suppress(ValueError):
            record = json.loads(line)
            found[f"say {record['case'].split()[1]} {record['step'] - 1}"] += 1
    return {asked: server.asked[asked] for asked, count in found.items() if count == 2}


def wait_for_lines(work: Path, count: int, process: subprocess.Popen[str]) -> None:
    for _ in range(1000):
        if process.poll() is not None or journal_lines(work) >= count:
            return
        time.sleep(0.01)


def test_a_run_that_is_killed_again_and_again_loses_nothing_and_asks_nothing_twice(
    call: Caller, server: ChatServer, work: Path
) -> None:
    write_suite(work, cases=20, steps=4)
    server.behaviour.answer = wrong_for(3, 11)
    server.behaviour.delay = 0.02
    command = [*arguments(server, "--no-cache", "--samples", "2", "-n", "4", "--output-file", "report.json")]
    command.remove("--no-output")
    process = started(command, work)
    done: dict[str, int] = {}
    for kill in range(1, 5):
        wait_for_lines(work, kill * 30, process)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=30)
        for asked, count in finished_questions(work, server).items():
            assert done.setdefault(asked, count) == count
        process = started(["test", "--resume", "--output-file", "report.json"], work)
    process.communicate(timeout=60)
    assert process.returncode == 1
    assert len(done) >= 40
    assert {asked: server.asked[asked] for asked in done} == done
    # In flight when killed: at most four questions at each of four kills were not finished.
    assert 160 <= server.calls <= 160 + 4 * 4
    answered_twice = sum(server.answered.values()) - 160
    assert answered_twice <= 4 * 4
    server.behaviour.delay = 0.0
    whole = call(
        *[
            word
            for word in arguments(server, "--no-cache", "--samples", "2", "--output-file", "whole.json")
            if word != "--no-output"
        ]
    )
    assert whole.code == 1
    assert comparable(work / "report.json") == comparable(work / "whole.json")


def test_an_interrupted_run_reports_what_is_finished_and_can_go_on(
    server: ChatServer, call: Caller, work: Path
) -> None:
    server.behaviour.delay = 0.3
    command = arguments(server, "--no-cache", "-n", "2", "--output-file", "partial.json")
    command.remove("--no-output")
    process = started(command, work)
    wait_for_lines(work, 6, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert "interrupted" in out
    assert "Traceback" not in err
    partial = read_file(work / "partial.json")
    assert partial["interrupted"]
    assert 6 <= partial["steps"]["passed"] < 30
    assert "interrupted" in call("runs", "ls").out
    server.behaviour.delay = 0.0
    assert call("test", "--resume", "--no-output").code == 0
    assert server.calls <= 30 + 2


def test_a_torn_last_line_of_the_journal_is_skipped(call: Caller, server: ChatServer, work: Path) -> None:
    result(call, server)
    (journal,) = (work / ".du-eval/runs").glob("*/journal.jsonl")
    content = journal.read_bytes()
    journal.write_bytes(content[:-40])
    found, answer = result(call, server, "--resume", "--no-cache")
    assert (answer.code, found["steps"]["passed"], server.calls) == (0, 30, 31)
    again, _ = result(call, server, "--resume", "--no-cache")
    assert (again["spent"]["answers_from_journal"], server.calls) == (30, 31)


def test_cases_of_the_same_name_do_not_share_answers(call: Caller, server: ChatServer, work: Path) -> None:
    write_suite(work, cases=2)
    text = (work / "suite.yml").read_text().replace("test_case: case 1", "test_case: case 0")
    (work / "suite.yml").write_text(text)
    result(call, server)
    found, answer = result(call, server, "--resume")
    assert (answer.code, found["steps"]["passed"], server.calls) == (0, 6, 6)


def test_faults_end_as_answers_or_errors_with_a_cause(call: Caller, server: ChatServer, work: Path) -> None:
    write_suite(work, cases=30)
    server.behaviour.fault_rate, server.behaviour.hang_seconds = 0.2, 1.0
    found, _answer = result(call, server, "--timeout", "0.3", "--max-attempts", "4", "-n", "32")
    counts = found["steps"]
    assert sum(counts.values()) == 90
    assert counts["failed"] == 0
    errors = [s["error"] for c in found["test_cases"] for s in c["steps"] if s["outcome"] == "errored"]
    assert all("after" in error for error in errors)
    assert len(errors) == counts["errored"]
    assert all(count == 1 for count in server.answered.values())
    assert found["spent"]["calls"] == server.calls
