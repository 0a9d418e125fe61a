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

from du_eval.agents.checks.table import CHECKS, check_name
from du_eval.agents.document import plain, read_tree
from du_eval.cli.agent import agent
from du_eval.cli.assess import assess
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
    assert "0 failed, 0 errored" in result.output


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
    assert "FAILED  a" in result.output
    assert 'user:  "Who did Yellow Submarine?"' in result.output
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
    assert "PASSED  a [http]" in result.output
    assert "FAILED  a [direct]" in result.output


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
    assert (report["counts"]["failed"], case["samples"][0]["interactions"][0]["usage"]["total_tokens"]) == (
        1,
        11,
    )
    assert case["failure_modes"][0]["criteria"]
    root = ET.fromstring(Path("r.xml").read_text())
    assert root.attrib["failures"] == "1"
    assert "was expected" in root[0][0].attrib["message"]
    text = Path("t/a/http/sample_1.txt").read_text()
    assert "user:       Who did Yellow Submarine?" in text
    assert "- text keywords: text was expected" in text
    assert run("agent", "a.json", "--server", server, "-o", "r.doc").exit_code == 2


def test_json_goes_to_standard_output(server):
    write("a.json")
    assert json.loads(run("agent", "a.json", "--server", server, "--json").stdout)["counts"]["passed"] == 1


def test_a_resumed_run_asks_nothing_twice(server):
    write("a.json", success_ratio="3/3", interactions=expecting({"text": {"keywords": "Beatles"}}))
    assert run("agent", "a.json", "--server", server, "--journal", "j.jsonl").exit_code == 0
    lines = Path("j.jsonl").read_text().splitlines()
    assert len(lines) == 4
    Path("j.jsonl").write_text("\n".join(lines[:3]) + "\n" + lines[3][:50])
    half = run("agent", "a.json", "--server", server, "--resume", "j.jsonl")
    assert half.exit_code == 0
    assert len(Path("j.jsonl").read_text().splitlines()) == 5
    full = run("agent", "a.json", "--server", "http://127.0.0.1:1", "--resume", "j.jsonl")
    assert full.exit_code == 0, full.output


def test_the_last_run_is_resumed_unless_a_journal_is_named(server):
    write("a.json")
    assert run("agent", "a.json", "--server", server, "--resume", "last").exit_code == 2
    assert run("agent", "a.json", "--server", server).exit_code == 0
    assert run("agent", "a.json", "--server", "http://127.0.0.1:1", "--resume", "last").exit_code == 0


def test_errored_samples_are_taken_again_on_demand(server):
    write("a.json")
    assert run("agent", "a.json", "--server", "http://127.0.0.1:1", "--journal", "j.jsonl").exit_code == 3
    assert run("agent", "a.json", "--server", server, "--resume", "j.jsonl").exit_code == 3
    assert run("agent", "a.json", "--server", server, "--resume", "j.jsonl", "--retry-errors").exit_code == 0


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
    assert "8 of 12 samples passed" in result.output
    assert "2 of 4 samples not passed (50.0 %)" in result.output
    assert 'expected (interaction 1): text to contain "18"' in result.output
    assert result.exit_code == 0
    assert len(json.loads(Path("r.json").read_text())["cases"][0]["failure_modes"]) == 2


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
    assert "PASSED  opening_hours (flaky)" in result.output
    assert "1 flaky" in result.output


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


def test_an_interrupted_run_keeps_what_is_finished():
    Path("slow_agents.py").write_text(
        "import time\ndef slow(text):\n    time.sleep(0.05 if text == 'a' else 30)\n    return text\n"
    )
    keys = {"agent": "slow_agents:slow", "connections": "direct"}
    write("a.json", **keys, interactions=[{"text": "a"}])
    write("b.json", **keys, interactions=[{"text": "b"}])
    code = "import typer; from du_eval.cli.agent import agent; typer.run(agent)"
    command = [sys.executable, "-c", code, "a.json", "b.json", "--journal", "j.jsonl"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        for _ in range(1200):
            if Path("j.jsonl").exists() and len(Path("j.jsonl").read_text().splitlines()) == 2:
                break
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "--resume j.jsonl" in err
    assert "1 case: 1 passed" in out


@pytest.fixture
def chat_model():
    """A chat endpoint that judges by looking for the Beatles, names modes, and says hello otherwise."""

    async def handle(request):
        system, user = (one["content"] for one in (await request.json())["messages"][:2])
        if "acceptance criteria" in system:
            verdict = "pass" if "Beatles" in json.loads(user)["sample"] else "fail"
            answer = json.dumps({"reason": "looked for the band", "verdict": verdict})
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
    assert "looked for the band (3 of 3 votes) (judge: tiny, 3 votes)" in result.output
    assert result.output.count("was expected") == 1
    assert "mode (tiny): It does not name the band." in run("assess", "a.json", *model).output


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
    more = run("agent", "a.json", *votes[:-1], 4, "--base-url", chat_model, "--offline")
    assert more.exit_code == 3
    assert "not in the cache, and --offline asks nobody" in more.output


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
    write("a.json", connections="direct")
    assert run("agent", "a.json").exit_code == 2
    assert not Path(".du-eval").exists()


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
    Path("j.jsonl").write_text(json.dumps({"format": "du-eval agent journal 1"}) + "\n")
    command = [sys.executable, "-c", code, *names, "-n", "2", "--resume", "j.jsonl"]
    for finished in (1, 3, 5):
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            for _ in range(3000):
                if len(Path("j.jsonl").read_text().splitlines()) > finished:
                    break
                time.sleep(0.02)
            process.kill()
            process.communicate(timeout=60)
    kept = len(Path("j.jsonl").read_text().splitlines()) - 1
    asked = len(Path("asked.txt").read_text().split())
    result = run("agent", *names, "-n", 2, "--resume", "j.jsonl")
    assert "6 cases: 6 passed" in result.output
    assert len(Path("asked.txt").read_text().split()) == asked + 6 - kept
    assert asked - kept <= 6, "only samples that were under way when the process was killed are asked again"
