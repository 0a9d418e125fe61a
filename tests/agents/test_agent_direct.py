"""An agent without a server is a Python object or a chat model."""

import asyncio
import json
import time

import pytest

from du_eval.agents.connect import Connecting
from du_eval.agents.connections.base import AgentRequest
from du_eval.agents.connections.openai_agents import ChatAgent
from du_eval.agents.connections.python_agents import PythonAgent, find_object
from du_eval.agents.load import load_case
from du_eval.agents.pipeline import run_cases
from du_eval.agents.results import AgentReply
from du_eval.errors import AgentError, InputError, PluginError
from du_eval.runs.outcome import Outcome
from tests.agents.agent_fakes import ScriptedModel, setting


def asked(target, text="hi", **request):
    agent = PythonAgent("a", target, lambda *_: None)
    return asyncio.run(agent.ask(AgentRequest(text, **request)))


class Greeter:
    def answer(self, text, metadata):
        return f"{text} {metadata['user_id']}"


class Streaming:
    async def streaming_chat(self, request):
        yield {"response": {"type": "AI", "text": "thinking"}}
        yield {"response": {"type": "AGENT_FRAMEWORK", "text": request["user_message"]["text"].upper()}}


async def later(anything):
    await asyncio.sleep(0)
    return anything


def test_functions_are_called_with_what_they_name():
    assert asked(lambda text: text + "!").text == "hi!"
    assert asked(lambda message: message + "?").text == "hi?"
    assert asked(later).text == "hi"
    assert asked(
        lambda sly_data, text: {"sly_data": {"n": sly_data["n"] + 1}}, sly_data={"n": 1}
    ).sly_data == {"n": 2}
    assert asked(lambda request: request.text).text == "hi"
    assert asked(lambda text: AgentReply(text="done")).text == "done"


def test_classes_and_sessions_are_agents_too():
    assert asked(Greeter, metadata={"user_id": "me"}).text == "hi me"
    assert asked(Streaming()).text == "HI"


def test_the_history_reaches_the_next_turn():
    first = asked(lambda text, history: f"{len(history)}")
    second = asked(lambda text, history: f"{len(history)}", chat_context=first.chat_context)
    assert (first.text, second.text) == ("0", "2")


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (lambda text: 1 / 0, "raised ZeroDivisionError"),
        (lambda text: 5, "must return a string or a dictionary"),
        (lambda text: {"txt": 1}, "must return a string or a dictionary"),
        (lambda text, colour: "x", "expects a parameter 'colour'"),
    ],
)
def test_what_goes_wrong_in_an_agent_is_an_error_of_the_sample(target, said):
    with pytest.raises(AgentError, match=said):
        asked(target)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("nowhere:x", "cannot be imported"),
        ("du_eval.agents.example_agents:music_nrd", "did you mean 'music_nerd'"),
        ("os:system", "standard library"),
        ("justaname", "write module:name"),
    ],
)
def test_a_path_that_leads_nowhere_is_told(path, said):
    with pytest.raises(PluginError, match=said):
        find_object(path)


@pytest.fixture
def run(tmp_path):
    def go(connecting=None, **keys):
        value = {
            "agent": "shop",
            "interactions": [{"text": "x", "response": {"text": {"keywords": "ok"}}}],
            **keys,
        }
        path = tmp_path / "case.json"
        path.write_text(json.dumps(value, indent=1))
        return run_cases(
            (load_case(path, "case").case,), setting(connecting=connecting or Connecting())
        ).cases[0]

    return go


def test_agents_are_found_next_to_the_case_and_by_module(run, tmp_path):
    (tmp_path / "neighbour_agents.py").write_text("def shop(text):\n    return 'ok'\n")
    assert run(direct="neighbour_agents:shop").results[-1].outcome is Outcome.PASSED
    assert run(agent="neighbour_agents:shop").results[-1].outcome is Outcome.PASSED
    assert run(Connecting(agents_module="neighbour_agents")).results[-1].outcome is Outcome.PASSED


def test_an_agent_that_nobody_defines_is_an_error_of_the_case(run):
    case = run()
    assert case.outcome is Outcome.ERRORED
    assert "the case does not say how to call the agent 'shop' without a server" in case.results[-1].error


def test_a_chat_agent_needs_a_model(run):
    with pytest.raises(InputError, match="none is named"):
        run(direct={"instructions": "Say ok."})


def test_use_direct_decides_how_an_agent_asks_another(run, tmp_path):
    (tmp_path / "asking_agents.py").write_text(
        "async def shop(text, ask):\n    return (await ask('asking_agents:other', text)).text\n"
        "def plain(text, ask):\n    return ask('asking_agents:other', text).text\n"
        "def other(text):\n    return 'ok'\n"
    )
    assert run(direct="asking_agents:shop", use_direct=True).results[-1].outcome is Outcome.PASSED
    assert run(direct="asking_agents:plain", use_direct=True).results[-1].outcome is Outcome.PASSED
    over_http = run(Connecting({"http": {"host": "127.0.0.1", "port": 1}}), direct="asking_agents:shop")
    error = over_http.results[0].detail.interactions[0].error
    assert error.startswith("http://127.0.0.1:1/")
    assert "is the server running there?" in error


def test_a_function_that_hangs_is_given_up_in_time(run, tmp_path):
    (tmp_path / "hanging_agents.py").write_text("import time\ndef shop(text):\n    time.sleep(20)\n")
    start = time.perf_counter()
    result = run(direct="hanging_agents:shop", interactions=[{"text": "x", "timeout_in_seconds": 0.2}])
    assert result.results[-1].outcome is Outcome.ERRORED
    assert time.perf_counter() - start < 15


def test_an_agent_that_exits_costs_its_sample_only(run, tmp_path):
    (tmp_path / "leaving_agents.py").write_text("import sys\ndef shop(text):\n    sys.exit(7)\n")
    result = run(direct="leaving_agents:shop").results[-1]
    assert result.outcome is Outcome.ERRORED
    assert result.detail.interactions[0].error == "the agent 'shop' raised SystemExit: 7"


def test_a_chat_model_with_instructions_is_an_agent():
    model = ScriptedModel("Hello!", "Fine.")
    agent = ChatAgent("bot", "Be brief.", model)
    first = asyncio.run(agent.ask(AgentRequest("hi", {"secret": 1})))
    second = asyncio.run(agent.ask(AgentRequest("how?", {}, first.chat_context)))
    assert second.text == "Fine."
    assert [one["content"] for one in model.questions[1]] == ["Be brief.", "hi", "Hello!", "how?"]
    assert "secret" not in str(model.questions)
    assert first.sly_data == {"secret": 1}
