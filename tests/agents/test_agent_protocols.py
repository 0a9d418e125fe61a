"""Agents behind other protocols, each against a scripted server on the loopback."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from aiohttp import web

from du_eval.agents.connect import Connecting, Connector, parse_server_options
from du_eval.agents.connections.base import AgentRequest
from du_eval.agents.connections.base_json import fill
from du_eval.agents.model import AgentCase, Connection
from du_eval.agents.results import AgentReply, AnswerUsage
from du_eval.errors import AgentError, InputError
from tests.packages import install


class ScriptedServer:
    """Answers calls in order and notes what was asked: path, headers and body."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, Any, Any]] = []

    async def handle(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.asked.append((request.path, request.headers, body))
        answer = self.answers.pop(0)
        if callable(answer):
            answer = answer(body)
        return answer if isinstance(answer, web.Response) else web.json_response(answer)

    @property
    def bodies(self) -> list[Any]:
        return [body for _, _, body in self.asked]

    @property
    def paths(self) -> list[str]:
        return [path for path, _, _ in self.asked]


def talk(
    server: ScriptedServer,
    kind: str,
    *requests: AgentRequest,
    environment: dict | None = None,
    **options: Any,
) -> list[AgentReply]:
    """Ask an agent called `tutor` one request after the other; each knows the context of the one before."""

    async def run() -> list[AgentReply]:
        app = web.Application()
        app.router.add_post("/{tail:.*}", server.handle)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = runner.addresses[0][1]
        connecting = Connecting(environment=environment or {})
        case = AgentCase("c", "c.hocon", "tutor", ())
        connector = Connector(connecting)
        try:
            connection = Connection(kind, url=f"http://127.0.0.1:{port}/v1", options=options)
            live = connector.connect(case, connection)
            replies: list[AgentReply] = []
            for request in requests:
                context = (replies[-1].chat_context or {}) if replies else {}
                asked = AgentRequest(request.text, request.sly_data, context, metadata=request.metadata)
                replies.append(await live.ask(asked))
            return replies
        finally:
            await connector.aclose()
            await runner.cleanup()

    return asyncio.run(run())


HI, MORE = AgentRequest("hi"), AgentRequest("more")


class TestOpenAi:
    def test_chat_sends_the_dialogue_and_reads_answer_tools_and_tokens(self):
        call = {"function": {"name": "look_up", "arguments": '{"word": "owl"}'}}
        first = {
            "choices": [{"message": {"content": "Hello", "tool_calls": [call]}}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
        }
        second = {"choices": [{"message": {"content": "Bye"}}]}
        server = ScriptedServer(first, second)
        options = {"instructions": "Be brief.", "parameters": {"temperature": 0}}
        one, two = talk(server, "openai", HI, MORE, **options)
        assert (one.text, two.text) == ("Hello", "Bye")
        assert [(tool.name, tool.params) for tool in one.tools] == [("look_up", {"word": "owl"})]
        assert one.usage is not None
        assert one.usage.total_tokens == 5
        assert server.paths == ["/v1/chat/completions"] * 2
        assert server.bodies[0]["model"] == "tutor"
        assert server.bodies[1] == {
            "model": "tutor",
            "temperature": 0,
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "hi"},
                {"role": "assistant", "content": "Hello"},
                {"role": "user", "content": "more"},
            ],
        }

    def test_responses_joins_the_texts_of_the_output(self):
        output = [
            {"type": "function_call", "name": "look_up", "arguments": "{}"},
            {"type": "message", "content": [{"type": "output_text", "text": "Hel"}]},
            {"type": "message", "content": [{"type": "output_text", "text": "lo"}, {"type": "refusal"}]},
        ]
        server = ScriptedServer({"output": output, "usage": {"input_tokens": 4}})
        (reply,) = talk(server, "openai-responses", HI, model="m")
        assert reply.text == "Hello"
        assert [tool.name for tool in reply.tools] == ["look_up"]
        assert server.bodies == [{"model": "m", "input": [{"role": "user", "content": "hi"}]}]

    def test_a_key_comes_from_the_variable_and_never_shows(self):
        refused = web.json_response({"error": {"message": "bad key sesame-123"}}, status=401)
        server = ScriptedServer(refused)
        with pytest.raises(AgentError) as error:
            talk(server, "openai", HI, environment={"MY_KEY": "sesame-123"}, api_key_env="MY_KEY")
        assert server.asked[0][1]["Authorization"] == "Bearer sesame-123"
        assert "401" in str(error.value)
        assert "sesame" not in str(error.value)

    def test_a_variable_that_is_not_set_is_told_before_anything_is_asked(self):
        with pytest.raises(InputError, match="the variable MY_KEY that api_key_env names is not set"):
            talk(ScriptedServer(), "openai", HI, api_key_env="MY_KEY")

    def test_an_answer_of_another_shape_is_a_clear_error(self):
        with pytest.raises(AgentError, match="does not have the expected shape: KeyError: 'choices'"):
            talk(ScriptedServer({"hello": 1}), "openai", HI)

    @pytest.mark.parametrize("content", [{"a": 1}, 5, [5], [{"text": ["x"]}]])
    def test_a_text_that_is_none_is_a_clear_error(self, content):
        with pytest.raises(AgentError, match="does not have the expected shape"):
            talk(ScriptedServer({"choices": [{"message": {"content": content}}]}), "openai", HI)

    @pytest.mark.parametrize("odd", ["many", -1e999, [3], 10**400, True])
    def test_odd_numbers_of_tokens_cost_no_answer(self, odd):
        answer = {
            "choices": [{"message": {"content": "Hello"}}],
            "usage": {"prompt_tokens": odd, "total_tokens": 3},
        }
        (reply,) = talk(ScriptedServer(answer), "openai", HI)
        assert (reply.text, reply.usage) == ("Hello", AnswerUsage(3))

    def test_a_server_that_asks_to_wait_is_asked_again(self):
        slow = web.json_response({}, status=429, headers={"Retry-After": "0.01"})
        server = ScriptedServer(slow, {"choices": [{"message": {"content": "Hello"}}]})
        assert talk(server, "openai", HI)[0].text == "Hello"


class TestAgentToAgent:
    def test_a_message_is_an_answer_and_the_context_is_kept(self):
        said = {"kind": "message", "parts": [{"kind": "text", "text": "Hello"}], "contextId": "c1"}
        server = ScriptedServer({"result": said}, {"result": said})
        talk(server, "a2a", AgentRequest("hi", {"user": "me"}), MORE)
        first, second = (body["params"]["message"] for body in server.bodies)
        assert server.bodies[0]["method"] == "message/send"
        assert first["parts"] == [{"kind": "text", "text": "hi"}]
        assert first["metadata"] == {"user": "me"}
        assert "contextId" not in first
        assert second["contextId"] == "c1"

    def test_a_task_is_waited_for_and_its_artefacts_are_the_answer(self):
        working = {"kind": "task", "id": "t1", "contextId": "c1", "status": {"state": "working"}}
        parts = [{"kind": "text", "text": "Done"}, {"kind": "data", "data": {"n": 1}}]
        done = {**working, "status": {"state": "completed"}, "artifacts": [{"parts": parts}]}
        server = ScriptedServer({"result": working}, {"result": done})
        (reply,) = talk(server, "a2a", HI)
        assert (reply.text, reply.structure) == ("Done", {"n": 1})
        assert server.bodies[1]["method"] == "tasks/get"
        assert server.bodies[1]["params"] == {"id": "t1"}

    def test_an_agent_that_does_not_know_the_old_methods_is_asked_in_the_new_version(self):
        unknown = {"error": {"code": -32601, "message": "Method not found"}}
        working = {"id": "t1", "contextId": "c1", "status": {"state": "TASK_STATE_WORKING"}}
        parts = [{"text": "Done"}, {"data": {"n": 1}}]
        done = {**working, "status": {"state": "TASK_STATE_COMPLETED"}, "artifacts": [{"parts": parts}]}
        said = {"result": {"message": {"parts": [{"text": "Hello"}], "contextId": "c1"}}}
        server = ScriptedServer(unknown, {"result": {"task": working}}, {"result": done}, said)
        replies = talk(server, "a2a", HI, MORE)
        assert [(reply.text, reply.structure) for reply in replies] == [("Done", {"n": 1}), ("Hello", None)]
        assert [body["method"] for body in server.bodies] == [
            "message/send",
            "SendMessage",
            "GetTask",
            "SendMessage",
        ]
        assert [asked[1].get("A2A-Version") for asked in server.asked] == [None, "1.0", "1.0", "1.0"]
        message = server.bodies[1]["params"]["message"]
        assert (message["role"], message["parts"]) == ("ROLE_USER", [{"text": "hi"}])

    def test_an_agent_that_knows_neither_version_is_an_error(self):
        unknown = {"error": {"code": -32601, "message": "Method not found"}}
        with pytest.raises(AgentError, match="reports an error: Method not found"):
            talk(ScriptedServer(unknown, unknown), "a2a", HI)

    def test_a_task_that_needs_input_goes_on_with_the_next_message(self):
        asking = {"message": {"parts": [{"kind": "text", "text": "Which day?"}]}, "state": "input-required"}
        task = {"kind": "task", "id": "t1", "contextId": "c1", "status": asking}
        server = ScriptedServer({"result": task}, {"result": task})
        replies = talk(server, "a2a", HI, MORE)
        assert replies[0].text == "Which day?"
        assert server.bodies[1]["params"]["message"]["taskId"] == "t1"

    @pytest.mark.parametrize(
        ("answer", "said"),
        [
            ({"error": {"code": -1, "message": "no such agent"}}, "reports an error: no such agent"),
            ({"result": {"id": "t", "status": {"state": "failed"}}}, "the task of 'tutor' is failed"),
        ],
    )
    def test_errors_are_errors(self, answer: dict, said: str):
        with pytest.raises(AgentError, match=said):
            talk(ScriptedServer(answer), "a2a", HI)


def rpc(result: dict[str, Any], *, as_events: bool = False, **headers: str) -> Any:
    def answer(body: dict[str, Any]) -> web.Response:
        data = json.dumps({"jsonrpc": "2.0", "id": body.get("id"), "result": result})
        if not as_events:
            return web.Response(text=data, content_type="application/json", headers=headers)
        note = json.dumps({"jsonrpc": "2.0", "method": "notifications/progress"})
        text = f"event: message\ndata: {note}\n\nevent: message\ndata: {data}\n\n"
        return web.Response(text=text, content_type="text/event-stream", headers=headers)

    return answer


def mcp_server(result: dict[str, Any], *, as_events: bool = False) -> ScriptedServer:
    schema = {"properties": {"question": {}, "unit": {}}, "required": ["question"]}
    return ScriptedServer(
        rpc({"protocolVersion": "2025-06-18"}, **{"Mcp-Session-Id": "s1"}),
        web.Response(status=202),
        rpc({"tools": [{"name": "other"}], "nextCursor": "x"}),
        rpc({"tools": [{"name": "tutor", "inputSchema": schema}]}),
        rpc(result, as_events=as_events),
    )


class TestMcp:
    @pytest.mark.parametrize("as_events", [False, True])
    def test_a_tool_is_called_with_the_message_and_what_it_takes_of_the_sly_data(self, as_events: bool):
        content = [{"type": "text", "text": "An owl"}]
        server = mcp_server({"content": content, "structuredContent": {"n": 1}}, as_events=as_events)
        (reply,) = talk(server, "mcp", AgentRequest("what?", {"unit": "m", "secret": 1}))
        assert (reply.text, reply.structure) == ("An owl", {"n": 1})
        assert [body["method"] for body in server.bodies] == [
            "initialize", "notifications/initialized", "tools/list", "tools/list", "tools/call",
        ]  # fmt: skip
        assert server.bodies[-1]["params"] == {
            "name": "tutor",
            "arguments": {"unit": "m", "question": "what?"},
        }
        assert server.asked[-1][1]["Mcp-Session-Id"] == "s1"

    def test_the_argument_may_be_named(self):
        server = mcp_server({"content": []})
        talk(server, "mcp", HI, argument="unit")
        assert server.bodies[-1]["params"]["arguments"] == {"unit": "hi"}

    def test_an_error_of_the_tool_is_an_error(self):
        server = mcp_server({"content": [{"type": "text", "text": "broken"}], "isError": True})
        with pytest.raises(AgentError, match="the tool 'tutor' reports an error: broken"):
            talk(server, "mcp", HI)

    def test_a_tool_that_is_not_there_is_told_with_those_that_are(self):
        server = ScriptedServer(rpc({}), web.Response(status=202), rpc({"tools": [{"name": "tutors"}]}))
        with pytest.raises(AgentError, match=r"has no tool 'tutor' \(did you mean 'tutors'"):
            talk(server, "mcp", HI)

    def test_a_refusal_is_an_error(self):
        with pytest.raises(AgentError, match="HTTP 404: nobody"):
            talk(ScriptedServer(web.Response(status=404, text="nobody")), "mcp", HI)


class TestLangChain:
    def test_a_dialogue_with_langgraph_is_one_thread(self):
        messages = [
            {"type": "human", "content": "hi"},
            {"type": "ai", "content": "", "tool_calls": [{"name": "look_up", "args": {"w": 1}}]},
            {"type": "tool", "content": "x"},
            {"type": "ai", "content": [{"type": "text", "text": "Hel"}, "lo"]},
        ]
        server = ScriptedServer(
            {"thread_id": "t1"}, {"messages": messages, "plan": 2}, {"messages": messages}
        )
        one, two = talk(server, "langgraph", HI, MORE)
        assert (one.text, one.structure, two.structure) == ("Hello", {"plan": 2}, None)
        assert [(tool.name, tool.params) for tool in one.tools] == [("look_up", {"w": 1})]
        assert server.paths == ["/v1/threads", "/v1/threads/t1/runs/wait", "/v1/threads/t1/runs/wait"]
        assert server.bodies[2]["assistant_id"] == "tutor"
        assert server.bodies[2]["input"] == {"messages": [{"role": "user", "content": "more"}]}

    def test_a_run_that_fails_is_an_error(self):
        server = ScriptedServer({"thread_id": "t1"}, {"__error__": {"message": "boom"}})
        with pytest.raises(AgentError, match="boom"):
            talk(server, "langgraph", HI)

    @pytest.mark.parametrize(
        ("output", "text", "structure"),
        [
            ("Hello", "Hello", None),
            ({"content": "Hello", "type": "ai"}, "Hello", None),
            ({"output": "Hello", "n": 1}, "Hello", {"output": "Hello", "n": 1}),
        ],
    )
    def test_langserve_gives_a_text_a_message_or_an_object(self, output: Any, text: str, structure: Any):
        server = ScriptedServer({"output": output})
        (reply,) = talk(server, "langserve", HI)
        assert (reply.text, reply.structure) == (text, structure)
        assert (server.paths, server.bodies) == (["/v1/invoke"], [{"input": "hi"}])

    def test_langserve_may_want_an_object(self):
        server = ScriptedServer({"output": "Hello"}, {"output": "Bye"})
        talk(server, "langserve", HI, MORE, input_key="question")
        assert server.bodies[1]["input"] == {
            "question": "more",
            "chat_history": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "Hello"}],
        }


class TestJson:
    def test_a_body_is_filled_and_the_answer_found(self):
        answer = {"replies": [{"text": "Hel"}, {"text": "lo"}], "session_id": 7, "data": {"n": 1}}
        server = ScriptedServer(answer, answer)
        body = {"q": "{{ text }}!", "who": "{{ sly_data.user }}", "session": "{{ remembered.session }}"}
        paths = {
            "answer": "$.replies[*].text",
            "structure": "$.data",
            "remember": {"session": "$.session_id"},
        }
        asked = AgentRequest("hi", {"user": "me"})
        one, _ = talk(server, "json", asked, MORE, body=body, **paths)
        assert (one.text, one.structure) == ("Hello", {"n": 1})
        assert server.bodies == [
            {"q": "hi!", "who": "me", "session": None},
            {"q": "more!", "who": None, "session": 7},
        ]

    @pytest.mark.parametrize(
        ("kind", "text"),
        [
            (
                "text/event-stream",
                'event: part\r\ndata: {"t": "Hel"}\r\n\r\ndata: {"t": "lo"}\n\ndata: [DONE]\n\n',
            ),
            ("application/x-ndjson", '{"t": "Hel"}\n\n{"t": "lo"}\n'),
        ],
    )
    def test_a_streamed_answer_is_the_list_of_its_parts(self, kind, text):
        (one,) = talk(ScriptedServer(web.Response(text=text, content_type=kind)), "json", HI, answer="$[*].t")
        assert one.text == "Hello"

    def test_a_stream_that_is_not_json_is_an_error(self):
        broken = web.Response(text="data: {oops\n\n", content_type="text/event-stream")
        with pytest.raises(AgentError, match="not JSON"):
            talk(ScriptedServer(broken), "json", HI, answer="$[*].t")

    def test_an_answer_that_is_not_there_is_an_error(self):
        with pytest.raises(AgentError, match="nothing found at the path 'answer'"):
            talk(ScriptedServer({"x": 1}), "json", HI)

    def test_a_path_that_is_none_is_told_before_anything_is_asked(self):
        with pytest.raises(InputError, match="is not a JSONPath"):
            talk(ScriptedServer(), "json", HI, answer="$[")

    def test_a_place_alone_keeps_its_type_and_an_unknown_one_is_an_error(self):
        assert fill({"a": ["{{ history }}", 3]}, {"history": [1]}) == {"a": [[1], 3]}
        with pytest.raises(AgentError, match="unknown placeholder 'oops'"):
            fill("{{ oops }}", {"text": ""})


class TestWhoIsAsked:
    def test_metadata_travel_as_headers(self):
        server = ScriptedServer({"output": "x"})
        talk(server, "langserve", AgentRequest("hi", metadata={"user_id": "me"}))
        assert server.asked[0][1]["user_id"] == "me"

    def test_an_unknown_connection_is_an_error_of_its_case(self):
        with pytest.raises(AgentError, match="unknown connection 'grpc'"):
            talk(ScriptedServer(), "grpc", HI)

    def test_an_address_is_needed(self):
        case = AgentCase("c", "c.hocon", "tutor", ())
        live = Connector(Connecting()).connect(case, Connection("a2a"))
        with pytest.raises(
            AgentError, match="the connection 'a2a' needs an address: add url, or use --server"
        ):
            asyncio.run(live.ask(HI))

    def test_the_address_of_the_options_goes_before_that_of_the_case(self):
        connecting = Connecting(parse_server_options(("https://example.test/base",)))
        case = AgentCase("c", "c.hocon", "tutor", ())
        live: Any = Connector(connecting).connect(case, Connection("openai", url="http://other"))
        assert live.opening.url == "https://example.test/base"

    def test_a_package_may_offer_a_connection(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
        install(tmp_path, "agent_connections", "pigeon", "pigeons:fly")
        (tmp_path / "pigeons.py").write_text(
            "def fly(opening):\n    return opening.agent\n", encoding="utf-8"
        )
        monkeypatch.syspath_prepend(str(tmp_path))
        case = AgentCase("c", "c.hocon", "tutor", ())
        assert Connector(Connecting()).connect(case, Connection("pigeon")) == "tutor"


class TestNeuroSan:
    def ask(self) -> AgentReply:
        async def run() -> AgentReply:
            case = AgentCase("c", "c.hocon", "tutor", (), metadata={"user_id": "me"})
            agent = Connector(Connecting()).connect(case, Connection())
            await agent.ask(HI)
            return await agent.ask(HI)

        return asyncio.run(run())

    def test_the_installed_package_is_asked_in_process(self, monkeypatch: pytest.MonkeyPatch):
        module: Any = ModuleType("neuro_san.client.agent_session_factory")
        opened = []

        class Session:
            used = False

            def streaming_chat(self, body: dict[str, Any]) -> Any:
                assert not self.used, "a session of neuro-san releases what it needs after one message"
                self.used = True
                yield {"response": {"type": "AGENT_FRAMEWORK", "text": body["user_message"]["text"] + "!"}}

            def close(self) -> None:
                self.used = True

        class Factory:
            def create_session(self, *arguments: Any, **options: Any) -> Session:
                opened.append((arguments, options))
                return Session()

        module.AgentSessionFactory = Factory
        monkeypatch.setitem(sys.modules, "neuro_san", ModuleType("neuro_san"))
        monkeypatch.setitem(sys.modules, "neuro_san.client", ModuleType("neuro_san.client"))
        monkeypatch.setitem(sys.modules, module.__name__, module)
        assert self.ask().text == "hi!"
        assert opened == 3 * [(("direct", "tutor"), {"use_direct": False, "metadata": {"user_id": "me"}})]

    def test_without_it_the_error_says_what_is_missing(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setitem(sys.modules, "neuro_san", None)
        with pytest.raises(AgentError, match="neuro-san, which may know it, is not installed"):
            self.ask()

    def test_a_package_that_cannot_be_imported_is_not_called_missing(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ):
        (tmp_path / "neuro_san").mkdir()
        (tmp_path / "neuro_san" / "client.py").write_text(
            "import asyncio_of_a_later_python\n", encoding="utf-8"
        )
        monkeypatch.syspath_prepend(tmp_path)
        for name in ("neuro_san", "neuro_san.client"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        with pytest.raises(
            AgentError, match="cannot be imported: No module named 'asyncio_of_a_later_python'"
        ):
            self.ask()
