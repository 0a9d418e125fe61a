"""`du-eval agent` and `du-eval assess`, as a user runs them."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from copy import deepcopy
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import typer
from aiohttp import web
from typer.testing import CliRunner

from du_eval.agents.checks.evaluate import CHECKS, check_name
from du_eval.agents.document import plain, read_tree
from du_eval.cli.agent import agent, assess
from du_eval.cli.main import build_app
from tests.agents.agent_fakes import looping, running_example
from tests.llm.chat_server import Behaviour, ChatServer

EXAMPLES = Path(__file__).parents[2] / "examples" / "agents"
app = typer.Typer(add_completion=False)
app.command("agent")(agent)
app.command("assess")(assess)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "DU_EVAL_AGENT_SERVER"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def server():
    with running_example() as port:
        yield f"http://127.0.0.1:{port}"


def run(*arguments):
    return CliRunner().invoke(app, [str(one) for one in arguments])


def write(name, **keys):
    value = {
        "agent": "music_nerd",
        "connections": "http",
        "interactions": [{"text": "Who did Yellow Submarine?"}],
        **keys,
    }
    Path(name).write_text(json.dumps(value, indent=1))
    return name


def expecting(response):
    return [{"text": "Who did Yellow Submarine?", "response": response}]


def test_every_example_passes(server):
    result = run("agent", EXAMPLES, "--server", server, "--all-samples", "-n", 1, "--gist-threshold", 0.3)
    assert result.exit_code == 0, result.output
    assert re.search(r"(\d+) of \1 agent cases passed ", result.output)


def test_every_single_broken_expectation_of_the_examples_fails_and_says_why(server):
    broken = 0
    for path in sorted((EXAMPLES / "checks").iterdir()):
        value = plain(read_tree(path).root)
        for number, turn in enumerate(value["interactions"]):
            for place in list(checks_of(turn["response"])):
                changed = deepcopy(value)
                where = changed["interactions"][number]["response"]
                for step in place[:-1]:
                    where = where[step]
                key = place[-1]
                where[key.removeprefix("not_") if key.startswith("not_") else f"not_{key}"] = where.pop(key)
                Path("broken.json").write_text(json.dumps(changed))
                offline = ("--no-journal", "--gist-threshold", 0.3)
                result = run("agent", "broken.json", "--server", server, *offline)
                assert result.exit_code == 1, (path, place, result.output)
                assert re.search(r"was expected .*, but ", result.output), result.output
                broken += 1
    assert broken >= 45


def checks_of(node, path=()):
    """Yield the path of every check below a response."""
    for key, value in node.items():
        name = check_name(key)
        takes = (
            name and name.name in CHECKS and isinstance(value, dict) and CHECKS[name.name].takes_object(value)
        )
        if name and (takes or not isinstance(value, dict)):
            if (key, value) != ("ignore_case", True):
                yield (*path, key)
        elif isinstance(value, dict):
            yield from checks_of(value, (*path, key))


def test_a_failure_is_shown_with_its_dialogue_and_place(server):
    write("a.json", interactions=expecting({"text": {"keywords": "Stones"}}))
    result = run("agent", "a.json", "--server", server)
    assert result.exit_code == 1
    assert "test_case: a.json::a" in result.output
    assert "user: Who did Yellow Submarine?" in result.output
    assert (
        'text was expected to contain "Stones", but it is "Yellow Submarine was recorded by The Beatles."'
        in result.output
    )
    assert re.search(r"a\.json:\d+", result.output)


def test_each_connection_is_reported_on_its_own(server):
    write(
        "a.json",
        connections=["http", "direct"],
        direct="du_eval.agents.example_agents:math_guy",
        interactions=expecting({"text": {"keywords": "Beatles"}}),
    )
    result = run("agent", "a.json", "--server", server, "-v")
    assert result.exit_code == 1
    assert "passed   a.json::a [http]" in result.output
    assert "failed   a.json::a [direct]" in result.output


def test_wrong_input_is_exit_code_2_with_every_problem():
    write("a.json", conections="http")
    write("b.json", interactions=expecting({"text": {"keyword": "x"}}))
    result = run("agent", "a.json", "b.json")
    assert result.exit_code == 2
    assert "error: a.json:" in result.output
    assert "error: b.json:" in result.output


def test_nothing_selected_is_exit_code_5():
    write("a.json")
    assert run("agent", "a.json", "-k", "zzz").exit_code == 5


def test_a_server_that_is_not_there_is_exit_code_3():
    write("a.json")
    result = run("agent", "a.json", "--server", "http://127.0.0.1:1")
    assert result.exit_code == 3
    assert "is the server running there?" in result.output


def test_a_case_that_cannot_be_connected_is_an_error_of_its_own(server, monkeypatch):
    monkeypatch.setitem(sys.modules, "neuro_san", None)
    write("a.json")
    write("b.json", connections="grpc")
    write("c.json", agent="nobody", connections="direct")
    result = run("agent", "a.json", "b.json", "c.json", "--server", server)
    assert result.exit_code == 3
    assert "1 of 3 agent cases passed, 2 errored" in result.output
    assert "b.json:3: unknown connection 'grpc': this case will count as errored" in result.output
    assert "the package neuro-san, which may know it, is not installed" in result.output


def test_a_replaced_connection_is_not_complained_about(server):
    write("b.json", connections="grpc")
    result = run("agent", "b.json", "--server", server, "--connection", "http")
    assert result.exit_code == 0
    assert "grpc" not in result.output


def test_reports_and_transcripts_are_written(server):
    write("a.json", interactions=expecting({"text": {"keywords": "Stones"}, "tool_called": "x"}))
    run(
        "agent",
        "a.json",
        "--server",
        server,
        "-o",
        "r.json",
        "-o",
        "r.xml",
        "-o",
        "r.txt",
        "--transcripts",
        "t",
    )
    report = json.loads(Path("r.json").read_text())
    (case,) = report["cases"]
    (interaction,) = case["results"][0]["detail"]["interactions"]
    assert (report["kind"], report["summary"]["cases"]["failed"]) == ("agent", 1)
    assert interaction["reply"]["usage"]["total_tokens"] == 11
    assert report["extra"]["modes"][0]["modes"][0]["criteria"]
    (suite,) = ET.fromstring(Path("r.xml").read_text())
    assert suite.attrib["failures"] == "1"
    assert "was expected" in suite[0][0].attrib["message"]
    assert "1 of 1 agent cases" not in Path("r.txt").read_text()
    text = Path("t/a/http/sample_1.txt").read_text()
    assert "user: Who did Yellow Submarine?" in text
    assert "text was expected" in text
    assert "text keywords" in text.partition("-- CHECKS --")[2]
    assert run("agent", "a.json", "--server", server, "-o", "r.doc").exit_code == 2


def test_json_goes_to_standard_output(server):
    write("a.json")
    assert (
        json.loads(run("agent", "a.json", "--server", server, "--json").stdout)["summary"]["cases"]["passed"]
        == 1
    )


NOBODY = "http://127.0.0.1:1"


def kept_run():
    """Return the folder of the only run that is kept."""
    (folder,) = [one for one in Path(".du-eval/runs").iterdir() if one.is_dir()]
    return folder


def test_a_resumed_run_asks_nothing_twice(server):
    write("a.json", success_ratio="3/3", interactions=expecting({"text": {"keywords": "Beatles"}}))
    assert run("agent", "a.json", "--server", server, "--label", "mine").exit_code == 0
    journal = kept_run() / "journal.jsonl"
    lines = journal.read_text().splitlines()
    assert len(lines) == 3
    journal.write_text("\n".join(lines[:2]) + "\n" + lines[2][:50])
    half = run("agent", "--resume", "last", "--server", server)
    assert half.exit_code == 0, half.output
    assert "2 samples come from the journal" in half.output
    assert len(journal.read_text().splitlines()) == 3
    full = run("agent", "--resume", kept_run().name, "--server", NOBODY)
    assert full.exit_code == 0, full.output
    assert json.loads((kept_run() / "run.json").read_text())["head"]["label"] == "mine"


def test_a_run_that_goes_on_keeps_its_settings_unless_others_are_given(server):
    write("a.json", interactions=expecting({"text": {"keywords": "Beatles"}}))
    write("b.json")
    arguments = ("a.json", "b.json", "-k", "a.json", "--samples", 3, "--all-samples", "--server", server)
    assert run("agent", *arguments).exit_code == 0
    again = run("agent", "--resume", "last", "--server", NOBODY, "--json")
    (case,) = json.loads(again.stdout)["cases"]
    assert (case["name"], len(case["results"])) == ("a", 3)
    other = run("agent", "--resume", "last", "--similarity", "tfidf")
    assert other.exit_code == 2
    assert "similarity: 'auto' then, 'tfidf' now" in other.output


def test_a_changed_case_is_asked_again(server):
    write("a.json")
    assert run("agent", "a.json", "--server", server).exit_code == 0
    write("a.json", interactions=expecting({"text": {"keywords": "Stones"}}))
    result = run("agent", "--resume", "last")
    assert result.exit_code == 1
    assert "changed since the run began: a.json" in result.output


def test_there_must_be_a_run_to_resume_and_something_to_run():
    write("a.json")
    assert "there is no run of du-eval agent" in run("agent", "a.json", "--resume", "last").output
    assert "name case files or folders" in run("agent").output
    assert "there is no run of du-eval agent" in run("agent", "a.json", "--retry-errors").output
    assert "--runs-dir" in run("agent", "a.json", "--journal", "j.jsonl").output
    assert "unknown figure 'passed.case'" in run("agent", "a.json", "--fail-under", "passed.case=1").output


def test_flags_of_other_activities_say_why_they_are_not_for_agents():
    write("a.json")
    assert "--seed: agent cases use no randomness" in run("agent", "a.json", "--seed", "3").output
    assert "du-eval compare RUN last" in run("agent", "a.json", "--against", "last").output
    assert (
        "--output-file a.pdf: the name must end with one of .csv, .html, .json"
        in run("agent", "a.json", "-o", "a.pdf").output
    )


def test_a_section_of_the_configuration_sets_what_agents_need_and_asks_for_consent(monkeypatch):
    write("a.json")
    Path("du-eval.yaml").write_text(
        "concurrency: 3\nagent:\n  server: http://127.0.0.1:9/x\n  shard: 1/1\n", encoding="utf-8"
    )
    told = run("agent", "a.json").output
    assert "du-eval.yaml:3: agent.server:" in told
    monkeypatch.setenv("DU_EVAL_TRUST", "1")
    Path("du-eval.yaml").write_text("agent:\n  gist_votes: many\n", encoding="utf-8")
    assert "du-eval.yaml:2: gist_votes: must be a whole number" in run("agent", "a.json").output


def test_errored_samples_are_taken_again_on_demand(server):
    write("a.json")
    assert run("agent", "a.json", "--server", NOBODY).exit_code == 3
    assert run("agent", "--resume", "last", "--server", server).exit_code == 3
    assert run("agent", "--resume", "last", "--server", server, "--retry-errors").exit_code == 0


def test_a_gate_decides_by_figures(server):
    write("a.json", interactions=expecting({"text": {"keywords": "Beatles"}}))
    write("b.json", interactions=expecting({"text": {"keywords": "Stones"}}))
    arguments = ("agent", "a.json", "b.json", "--server", server, "-q", "--fail-under")
    assert run(*arguments, "passed.cases=50%").exit_code == 0
    missed = run(*arguments, "passed.cases=0.6")
    assert missed.exit_code == 1
    assert "gate failed: passed.cases is 0.5000" in missed.output


def test_one_selection_language_serves_all_activities(server):
    write("two words.json")
    write("b.json")
    chosen = run("agent", ".", "-k", "'two words' and not b.json", "--server", server, "--json")
    assert [case["name"] for case in json.loads(chosen.stdout)["cases"]] == ["two words"]
    assert "-k cannot be read" in run("agent", ".", "-k", "two and").output


def test_the_switch_reverses_order_checks():
    keys = {"agent": "math_guy", "direct": "du_eval.agents.example_agents:math_guy", "connections": "direct"}
    turn = {"text": "plus", "sly_data": {"x": 1, "y": 2}, "response": {"sly_data": {"equals": {"less": 5}}}}
    write("a.json", **keys, interactions=[turn])
    assert run("agent", "a.json").exit_code == 0
    assert run("agent", "a.json", "--neuro-san-compat").exit_code == 1


def test_environment_variables_need_leave(monkeypatch):
    monkeypatch.setenv("QUESTION", "Who did Waterloo?")
    Path("a.hocon").write_text(
        'agent: "du_eval.agents.example_agents:music_nerd"\ninteractions: [ { text: ${QUESTION}, response.text.keywords: ABBA } ]'
    )
    assert run("agent", "a.hocon").exit_code == 2
    assert run("agent", "a.hocon", "--allow-env").exit_code == 0


def test_the_assessor_takes_all_samples_and_shows_modes():
    with running_example() as port:
        result = run(
            "assess",
            EXAMPLES / "ratio" / "opening_hours.hocon",
            "--samples",
            12,
            "-n",
            1,
            "--server",
            f"http://127.0.0.1:{port}",
            "-o",
            "r.json",
        )
    assert result.exit_code == 0
    report = json.loads(Path("r.json").read_text())
    assert report["summary"]["results"] == {"passed": 8, "failed": 4, "undecided": 0, "errored": 0}
    (case,) = report["extra"]["modes"]
    assert case["not_passed"] == 4
    assert sorted(mode["samples"] for mode in case["modes"]) == [2, 2]
    assert "= Failure modes =" in result.output
    assert 'text to contain "18"' in result.output


def test_a_flaky_case_is_marked():
    with running_example() as port:
        result = run(
            "agent",
            EXAMPLES / "ratio" / "opening_hours.hocon",
            "--all-samples",
            "-n",
            1,
            "--server",
            f"http://127.0.0.1:{port}",
        )
    assert re.search(r"passed .*::opening_hours .* yes$", result.output, re.MULTILINE)
    assert "cases that both passed and failed : 1.00 (n=1)" in result.output


def test_the_example_server_serves_until_it_is_stopped():
    code = "import typer; from du_eval.cli.agent import agent; typer.run(agent)"
    command = [sys.executable, "-u", "-c", code, "serve-example", "--server", "http://127.0.0.1:0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    ) as process:
        try:
            line = process.stdout.readline()
            url = re.search(r"http://[\d.]+:\d+", line).group()
            write("a.json")
            assert run("agent", "a.json", "--server", url).exit_code == 0
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == 0


def count_kept():
    """Return how many samples the journals of all runs hold."""
    return sum(len(one.read_text().splitlines()) for one in Path().glob(".du-eval/runs/*/journal.jsonl"))


def test_an_interrupted_run_keeps_what_is_finished():
    Path("slow_agents.py").write_text(
        "import time\ndef slow(text):\n    time.sleep(0.05 if text == 'a' else 30)\n    return text\n"
    )
    keys = {"agent": "slow_agents:slow", "connections": "direct"}
    write("a.json", **keys, interactions=[{"text": "a"}])
    write("b.json", **keys, interactions=[{"text": "b"}])
    code = "import typer; from du_eval.cli.agent import agent; typer.run(agent)"
    command = [sys.executable, "-c", code, "a.json", "b.json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        for _ in range(1200):
            if count_kept() == 1:
                break
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert f"--resume {kept_run().name}" in err
    assert "Not finished (1 of 2 cases, interrupted). So far: 1 of 1 agent cases passed" in out


@pytest.fixture
def chat_model():
    """A chat endpoint that judges by looking for the Beatles, names modes, and says hello otherwise."""

    async def handle(request):
        system, user = (one["content"] for one in (await request.json())["messages"][:2])
        if "criterion" in system:
            label = "meets" if "Beatles" in json.loads(user)["response"] else "does not meet"
            answer = json.dumps({"reason": "looked for the band", "label": label})
        else:
            answer = "It does not name the band." if "modes of failure" in system else "Hello!"
        return web.json_response({"choices": [{"message": {"content": answer}}]})

    async def start():
        application = web.Application()
        application.router.add_post("/v1/chat/completions", handle)
        runner = web.AppRunner(application)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return runner

    with looping() as in_loop:
        runner = in_loop(start())
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        in_loop(runner.cleanup())


def test_a_chat_model_judges_gists_and_names_modes(server, chat_model):
    turns = expecting({"text": {"gist": "names the band"}})
    turns += [{"text": "Hi", "response": {"text": {"gist": "names the band", "not_gist": "is rude"}}}]
    write("a.json", interactions=turns)
    model = ("--model", "tiny", "--base-url", chat_model, "--server", server)
    result = run("agent", "a.json", *model, "--gist-votes", 3)
    assert result.exit_code == 1
    assert "looked for the band (3 of 3 votes) (judge: chat:tiny, 3 votes/1)" in result.output
    assert result.output.count("was expected") == 1
    assessed = json.loads(run("assess", "a.json", *model, "--json").stdout)
    (mode,) = assessed["extra"]["modes"][0]["modes"]
    assert (mode["name"], mode["named_by"]) == ("It does not name the band.", "tiny")


def test_an_agent_may_be_a_chat_model(chat_model, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", chat_model)
    direct = {"instructions": "Greet.", "model": "tiny"}
    write(
        "a.json",
        agent="bot",
        connections="direct",
        direct=direct,
        interactions=[{"text": "Hi", "response": {"text": {"value": "Hello!"}}}],
    )
    result = run("agent", "a.json", "--model", "other")
    assert result.exit_code == 0, result.output
    assert run("agent", "a.json").exit_code == 0


def test_kept_answers_of_a_chat_model_are_used_again(server, chat_model, monkeypatch, tmp_path):
    monkeypatch.setenv("DU_EVAL_CACHE_DIR", str(tmp_path / "kept"))
    turns = expecting({"text": {"gist": "names the band"}})
    write("a.json", interactions=turns)
    votes = ("--server", server, "--model", "tiny", "--gist-votes", 3)
    asked = run("agent", "a.json", *votes, "--base-url", chat_model, "--cache", "--json")
    assert asked.exit_code == 0, asked.output
    offline = run("agent", "a.json", *votes, "--base-url", chat_model, "--offline", "--json")
    assert offline.exit_code == 0
    assert "3 of 3 votes" in offline.output
    more = run("agent", "a.json", *votes[:-1], 4, "--base-url", chat_model, "--offline", "--json")
    assert "3 of 4 votes" in more.output
    write("b.json", interactions=expecting({"text": {"gist": "names the singer"}}))
    new = run("agent", "b.json", *votes, "--base-url", chat_model, "--offline")
    assert "not in the cache, and --offline sends no requests" in new.output


def test_answers_are_not_kept_unless_that_is_wished(server, chat_model, monkeypatch, tmp_path):
    monkeypatch.setenv("DU_EVAL_CACHE_DIR", str(tmp_path / "kept"))
    write("a.json", interactions=expecting({"text": {"gist": "names the band"}}))
    run("agent", "a.json", "--server", server, "--model", "tiny", "--base-url", chat_model)
    assert not (tmp_path / "kept").exists()


def test_a_chat_model_that_refuses_errors_the_check_and_hides_the_key(server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    with ChatServer(Behaviour(key="another")) as endpoint:
        write("a.json", interactions=expecting({"text": {"gist": "names the band"}}))
        result = run("agent", "a.json", "--server", server, "--model", "m", "--base-url", endpoint.base_url)
    assert result.exit_code == 3
    assert "HTTP 401" in result.output
    assert "sk-very-secret" not in result.output


def test_an_agent_that_is_a_chat_model_without_an_endpoint_is_wrong_input():
    write(
        "a.json",
        agent="bot",
        connections="direct",
        direct={"instructions": "Greet.", "model": "tiny"},
        interactions=[{"text": "Hi", "response": {"text": {"value": "Hello!"}}}],
    )
    result = run("agent", "a.json")
    assert result.exit_code == 2
    assert "OPENAI_API_KEY" in result.output


def test_wrong_input_leaves_no_journal_behind():
    write("a.json", connections="direct", direct="nowhere:agent")
    assert run("agent", "a.json").exit_code == 2
    assert not list(Path(".du-eval").rglob("journal*"))


def test_a_run_that_is_killed_again_and_again_loses_nothing():
    Path("counting_agents.py").write_text(
        "import time\n"
        "def count(text):\n"
        "    time.sleep(0.15)\n"
        "    with open('asked.txt', 'a') as file:\n"
        "        file.write(text + '\\n')\n"
        "    return text\n"
    )
    for number in range(6):
        write(
            f"c{number}.json",
            agent="counting_agents:count",
            connections="direct",
            interactions=[{"text": str(number)}],
        )
    code = "import typer; from du_eval.cli.agent import agent; typer.run(agent)"
    names = [f"c{number}.json" for number in range(6)]
    command = [sys.executable, "-c", code, *names, "-n", "2"]
    for finished in (1, 3):
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            for _ in range(3000):
                if count_kept() >= finished:
                    break
                time.sleep(0.02)
            process.kill()
            process.communicate(timeout=60)
        command = [sys.executable, "-c", code, "--resume", "last"]
    kept, asked = count_kept(), len(Path("asked.txt").read_text().split())
    assert "killed" in CliRunner().invoke(build_app(["runs"]), ["runs", "ls"]).output
    page = CliRunner().invoke(build_app(["report"]), ["report", "last", "-o", "killed.html"])
    assert page.exit_code == 0, page.output
    result = run("agent", "--resume", "last")
    assert "6 of 6 agent cases passed" in result.output
    assert len(Path("asked.txt").read_text().split()) == asked + 6 - kept
    assert asked - kept <= 6, "only samples that were under way when the process was killed are asked again"
