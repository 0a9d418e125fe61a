"""Experiments at the command line: arms in turn, one budget, each a run of its own, and a decision."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from du_eval.experiments.record import Experiment, read_experiment
from du_eval.runs.store import RunStore
from tests.cli.calling import Caller
from tests.cli.networked import right, write_suite, wrong_for
from tests.llm.chat_server import Behaviour, ChatServer

BOTS = """
def right(request):
    _, case, step = request.message.split()
    return f"StartFlow(flow_{case}_{step})"


def poor(request):
    return "CancelFlow()" if int(request.message.split()[1]) % 2 else right(request)


def upper(request):
    return right(request).replace("StartFlow(", "start flow ").replace(")", "")
"""
PLAN = """
name: which bot
paths: [suite.yml]
concurrency: 4
arms:
  - name: poor
    generator: my_arms:poor
  - name: right
    generator: my_arms:right
"""


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DU_EVAL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-key")


@pytest.fixture
def project(work: Path) -> Path:
    write_suite(work, cases=12, steps=2)
    (work / "my_arms.py").write_text(BOTS, encoding="utf-8")
    (work / "plan.yaml").write_text(PLAN, encoding="utf-8")
    return work


@pytest.fixture
def server(project: Path) -> Iterator[ChatServer]:
    with ChatServer(Behaviour(right)) as running:
        yield running


def kept(folder: Path) -> Experiment:
    runs = [run for run in RunStore(folder / ".du-eval" / "runs") if run.manifest.kind == "experiment"]
    return read_experiment(runs[-1].folder)


def test_an_experiment_cannot_be_labelled_but_its_arms_can(project: Path, call: Caller) -> None:
    call("experiment", "plan.yaml")
    found = call("annotate", kept(project).id)
    assert (found.code, "name one of its arms" in found.err) == (2, True)


def test_an_experiment_ends_with_a_decision_and_a_table_of_its_arms(project: Path, call: Caller) -> None:
    found = call("experiment", "plan.yaml")
    assert found.code == 0, found.err
    assert "Ship right: 50.0 points better (" in found.out
    assert "The best arm is right: better than the other." in found.out
    assert re.search(r"^right +best +1\.00 \(", found.out, re.MULTILINE)
    assert re.search(r"^poor +baseline +0\.50 \(", found.out, re.MULTILINE)


def test_each_arm_is_a_run_of_its_own_with_its_name(project: Path, call: Caller) -> None:
    call("experiment", "plan.yaml")
    runs = list(RunStore(project / ".du-eval" / "runs"))
    assert [(run.manifest.kind, run.manifest.label) for run in runs] == [
        ("test", "poor"),
        ("test", "right"),
        ("experiment", "which bot"),
    ]
    assert {arm.run for arm in kept(project).arms} == {runs[0].id, runs[1].id}
    assert call("compare", runs[0].id, runs[1].id).out.count("Ship right: 50.0 points better (") == 1


def test_in_the_history_arms_stand_beside_each_other_and_follow_themselves(
    project: Path, call: Caller
) -> None:
    call("experiment", "plan.yaml")
    call("test", "suite.yml", "-g", "my_arms:right", "--label", "alone")
    (project / "plan.yaml").write_text(PLAN.replace("my_arms:poor", "my_arms:upper"), encoding="utf-8")
    assert call("experiment", "plan.yaml").code != 2
    titles, arms, lines = "", [], call("history", "-o", "arms.svg").out.splitlines()
    for line in lines:
        if line.startswith("== "):
            titles = line
        elif re.match("[0-9]{8}-", line) and "arms of which bot" in titles:
            arms.append((line.split()[1], "accuracy " in line))
    assert arms == [("poor", False), ("poor", True), ("right", False), ("right", False)]
    assert any(re.fullmatch(r"accuracy +0\.000 \S\S \S\S 1\.000", line) for line in lines)
    picture = (project / "arms.svg").read_text(encoding="utf-8").partition("arms of which bot")[2]
    assert [one.count(",") for one in re.findall('points="([^"]*)"', picture)][:2] == [2, 2]


def test_the_page_of_a_run_says_of_which_suite_it_is_and_is_not_compared_with_an_arm(
    project: Path, call: Caller
) -> None:
    call("test", "suite.yml", "-g", "my_arms:right", "--label", "first", "-q")
    call("experiment", "plan.yaml")
    call("test", "suite.yml", "-g", "my_arms:right", "--label", "again", "-q", "--html", "page.html")
    page = (project / "page.html").read_text(encoding="utf-8")
    assert "first → again" in page
    assert '["suite","suite.yml"]' in page.replace(", ", ",")


def test_modules_and_paths_are_found_beside_the_file(
    project: Path, call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "elsewhere").mkdir()
    monkeypatch.chdir(project / "elsewhere")
    assert call("experiment", "../plan.yaml").code == 0


def test_models_and_prompts_share_one_budget_and_go_on_where_they_stopped(
    project: Path, server: ChatServer, call: Caller
) -> None:
    (project / "other.jinja2").write_text("say it: {{ user_message }}", encoding="utf-8")
    server.behaviour.answer = lambda body: right({"messages": [{"content": _last(body)}]})
    plan = f"""
paths: [suite.yml]
base_url: {server.base_url}
cache: 'off'
vary: {{generator: [llm], model: [a, b], prompt: [bare.jinja2, other.jinja2]}}
"""
    (project / "models.yaml").write_text(plan, encoding="utf-8")
    first = call("experiment", "models.yaml", "--max-calls", "30")
    assert first.code == 3
    assert "the budget of 30 calls is used up" in first.out
    asked = [arm.steps for arm in kept(project).arms]
    assert sum(asked) == 30
    assert max(asked) - min(asked) <= 2  # in turn: no arm is far ahead of another
    second = call("experiment", "models.yaml", "--resume")
    assert second.code == 0, second.err
    assert sum(server.answered.values()) == 4 * 24
    assert [arm.steps for arm in kept(project).arms] == [24] * 4


def _last(body: dict[str, object]) -> str:
    messages = body["messages"]
    assert isinstance(messages, list)
    return "say " + str(messages[-1]["content"]).rpartition("say ")[2]


def test_options_that_are_given_several_times_make_an_experiment(
    project: Path, server: ChatServer, call: Caller
) -> None:
    base = ["test", "suite.yml", "-g", "llm", "--base-url", server.base_url, "--prompt", "bare.jinja2"]
    found = call(*base, "--model", "a", "--model", "b")
    assert found.code == 0, found.err
    assert "No step changed: a and b answered all 24 user steps alike" in found.out
    assert [arm.settings for arm in kept(project).arms] == [{"model": "a"}, {"model": "b"}]
    alone = call(*base, "--model", "a", "-q")
    assert alone.code == 0
    assert "experiment" not in alone.err


def test_a_race_drops_the_arm_that_is_worse_and_says_what_that_saved(project: Path, call: Caller) -> None:
    write_suite(project, cases=60, steps=1)
    found = call("experiment", "plan.yaml", "--race")
    assert found.code == 0, found.err
    experiment = kept(project)
    assert experiment.race is not None
    assert list(experiment.race.dropped) == ["poor"]
    poor = experiment.arm("poor")
    assert poor.steps + experiment.race.saved == 60
    assert poor.dropped.endswith("worse than right")
    assert f"saved {experiment.race.saved} questions" in found.out
    assert experiment.rivals == ()
    again = call("experiment", "plan.yaml", "--race", "--resume")
    assert again.code == 0, again.err
    assert kept(project).arm("poor").steps == poor.steps


def test_a_race_needs_several_arms(project: Path, call: Caller) -> None:
    found = call("test", "suite.yml", "-g", "my_arms:right", "--race")
    assert found.code == 2
    assert "--race needs several arms" in found.err


@pytest.mark.parametrize(
    "option", ["--fail-under=accuracy=0.9", "--against=last", "--perturb=typos", "--junitxml=arms.xml"]
)
def test_what_only_a_single_run_can_do_is_refused_with_several_arms(
    project: Path, call: Caller, option: str
) -> None:
    found = call("test", "suite.yml", "-g", "my_arms:right", "-g", "my_arms:poor", option)
    assert found.code == 2
    assert f"{option.partition('=')[0]} is for a single run" in found.err
    assert not (project / ".du-eval").exists()


def test_an_experiment_says_that_the_threshold_of_the_settings_is_not_for_its_arms(
    project: Path, call: Caller
) -> None:
    (project / "du-eval.yaml").write_text("test:\n  fail_under: accuracy=0.9\n", encoding="utf-8")
    assert "warning: fail_under gates no arm of an experiment" in call("experiment", "plan.yaml").err
    (project / "plan.yaml").write_text("fail_under: accuracy=0.9\n" + PLAN, encoding="utf-8")
    found = call("experiment", "plan.yaml")
    assert found.code == 2
    assert "plan.yaml:1: fail_under is for a single run" in found.err


def test_arms_that_are_the_same_are_refused(project: Path, call: Caller) -> None:
    found = call("test", "suite.yml", "-g", "my_arms:right", "-g", "my_arms:right")
    assert found.code == 2
    assert "there are two arms named 'my_arms:right'" in found.err


def test_an_arm_that_was_stopped_leaves_the_experiment_undecided(project: Path, call: Caller) -> None:
    write_suite(project, cases=60, steps=1)
    found = call("test", "suite.yml", "-g", "my_arms:poor", "-g", "my_arms:right", "--maxfail", "20")
    assert found.code == 3
    assert "Cannot tell: my_arms:poor is not complete (" in found.out
    assert "test cases failed (--maxfail))" in found.out


def test_arms_may_spell_commands_in_their_own_way(project: Path, call: Caller) -> None:
    plan = """
paths: [suite.yml]
arms:
  - {name: calls, generator: 'my_arms:right'}
  - {name: phrases, generator: 'my_arms:upper', syntax: phrases}
"""
    (project / "spelling.yaml").write_text(plan, encoding="utf-8")
    found = call("experiment", "spelling.yaml")
    assert found.code == 0, found.err
    assert "No step changed: calls and phrases answered all 24 user steps alike" in found.out
    run = next(arm.run for arm in kept(project).arms if arm.name == "phrases")
    assert call("rescore", run).code == 0


def test_wrong_settings_of_an_arm_are_said_at_their_line(project: Path, call: Caller) -> None:
    plan = "paths: [suite.yml]\narms:\n  - name: a\n    temperature: warm\n  - name: b\n    timeout: -1\n"
    (project / "wrong.yaml").write_text(plan, encoding="utf-8")
    found = call("experiment", "wrong.yaml")
    assert found.code == 2
    assert "wrong.yaml:4: temperature" in found.err
    assert "wrong.yaml:6: timeout" in found.err


def test_a_server_that_the_file_starts_answers_and_ends_with_the_experiment(
    project: Path, call: Caller
) -> None:
    (project / "server.py").write_text("raise SystemExit(7)\n", encoding="utf-8")
    plan = PLAN + "start: [python, server.py]\nbase_url: http://127.0.0.1:9/v1\n"
    (project / "started.yaml").write_text(plan, encoding="utf-8")
    found = call("experiment", "started.yaml")
    assert found.code == 2
    assert "start: 'python server.py' ended with exit code 7 before the first request" in found.err


def test_the_result_is_written_as_json_page_and_markdown(project: Path, call: Caller) -> None:
    found = call("experiment", "plan.yaml", "--json", "--html", "d.html", "--markdown", "d.md")
    data = json.loads(found.out)
    assert data["format"] == "du-eval experiment/1"
    assert data["decision"]["advice"] == "ship"
    assert "Ship right" in (project / "d.html").read_text(encoding="utf-8")
    assert "Ship right" in (project / "d.md").read_text(encoding="utf-8")


def test_costs_count_for_the_decision(project: Path, server: ChatServer, call: Caller) -> None:
    server.behaviour.answer = wrong_for(1)
    plan = f"""
paths: [suite.yml]
base_url: {server.base_url}
prompt: bare.jinja2
prices: {{dear: {{prompt: 10, completion: 10}}, cheap: {{prompt: 1, completion: 1}}}}
vary: {{generator: [llm], model: [dear, cheap]}}
"""
    (project / "costs.yaml").write_text(plan, encoding="utf-8")
    found = call("experiment", "costs.yaml")
    assert "No step changed: dear and cheap answered all 24 user steps alike, 90 % cheaper" in found.out
    assert "cost of 1,000 steps" in found.out


def test_an_arm_that_errored_allows_no_decision_unless_that_is_allowed(project: Path, call: Caller) -> None:
    bots = (
        BOTS
        + "\n\ndef shaky(request):\n    assert request.message.split()[1] != '3'\n    return right(request)\n"
    )
    (project / "shaky_arms.py").write_text(bots, encoding="utf-8")
    plan = PLAN.replace("my_arms:right", "shaky_arms:shaky").replace("name: right", "name: shaky")
    (project / "plan.yaml").write_text(plan, encoding="utf-8")
    found = call("experiment", "plan.yaml", "--markdown", "d.md")
    told = "Cannot tell: 2 of 24 user steps of shaky errored (suite.yml::case 3); --max-errors 0.084 would allow that"
    assert (found.code, told in found.out) == (3, True)
    assert "Cannot tell: 2 of 24" in (project / "d.md").read_text(encoding="utf-8")
    assert "best" not in found.out
    allowed = call("experiment", "plan.yaml", "--max-errors", "0.1")
    assert (allowed.code, "The best arm is shaky" in allowed.out) == (0, True)


def test_no_arm_is_the_best_where_none_gets_anything_right(project: Path, call: Caller) -> None:
    (project / "wrong_arms.py").write_text("def one(_):\n    return 'CancelFlow()'\n", encoding="utf-8")
    plan = PLAN.replace("my_arms:right", "wrong_arms:one").replace("my_arms:poor", "wrong_arms:one")
    (project / "plan.yaml").write_text(plan, encoding="utf-8")
    found = call("experiment", "plan.yaml")
    assert "No arm got any of the user steps right." in found.out
    assert "best" not in found.out
