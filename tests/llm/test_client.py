"""The client for chat endpoints, against a real server on the loopback."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode

import pytest

from du_eval.errors import ConfigError, EndpointError
from du_eval.llm.client import ChatClient
from du_eval.llm.endpoints import Endpoint, find_endpoint
from du_eval.llm.limits import Limits, Throttle
from du_eval.llm.messages import ChatAnswer, ChatRequest, Message
from du_eval.llm.persistence import Persistence, RetryPolicy
from du_eval.llm.purse import Price
from du_eval.llm.transport import HttpCall, Transport
from du_eval.trust.secrets import public_url
from tests.llm.chat_server import FAULTS, ODD_FAULTS, Behaviour, ChatServer, say
from tests.llm.raw_server import RawServer, http_answer

QUICK = RetryPolicy(attempts=8, first_wait_seconds=0.01, longest_wait_seconds=0.05, timeout_seconds=0.4)


def question(text: str = "hello", sample: int = 1) -> ChatRequest:
    return ChatRequest("m", (Message("user", text),), {"temperature": 0.0}, sample)


def client_of(server: ChatServer, key: str = "", concurrency: int = 16) -> ChatClient:
    persistence = Persistence(QUICK, Throttle(Limits(concurrency)), (key,))
    return ChatClient(Endpoint(server.base_url, "m", key), Transport(persistence), Price(1.0, 2.0))


def asked(client: ChatClient, *requests: ChatRequest) -> list[ChatAnswer | BaseException]:
    async def run() -> list[ChatAnswer | BaseException]:
        try:
            return await asyncio.gather(*map(client.complete, requests), return_exceptions=True)
        finally:
            await client.close()

    return asyncio.run(run())


def test_an_answer_comes_with_tokens_latency_and_cost() -> None:
    with ChatServer(Behaviour(say("StartFlow(x)"), delay=0.02)) as server:
        (answer,) = asked(client_of(server), question("x" * 400))
    assert isinstance(answer, ChatAnswer)
    assert (answer.text, answer.prompt_tokens, answer.completion_tokens) == ("StartFlow(x)", 100, 4)
    assert answer.cost == pytest.approx((100 * 1.0 + 4 * 2.0) / 1e6)
    assert answer.latency_seconds is not None
    assert answer.latency_seconds >= 0.02
    assert server.bodies[0]["temperature"] == 0.0


def test_half_a_character_is_sent_as_it_is() -> None:
    with ChatServer(Behaviour(say("ok"))) as server:
        (answer,) = asked(client_of(server), question("gone \ud800"))
    assert isinstance(answer, ChatAnswer)
    assert server.bodies[0]["messages"][0]["content"] == "gone \ud800"


def test_the_key_authenticates_and_never_shows() -> None:
    with ChatServer(Behaviour(key="sk-right-key")) as server:
        (right,) = asked(client_of(server, "sk-right-key"), question())
        (wrong,) = asked(client_of(server, "sk-wrong-key"), question())
    assert isinstance(right, ChatAnswer)
    assert isinstance(wrong, EndpointError)
    assert "HTTP 401" in str(wrong)
    assert "after 1 attempt" in str(wrong)
    assert "sk-wrong-key" not in str(wrong)
    assert "***" in str(wrong)
    assert "sk-right-key" not in repr(client_of(server, "sk-right-key"))


@pytest.mark.parametrize("fault", FAULTS)
def test_every_kind_of_trouble_ends_in_an_answer_or_a_cause(fault: str) -> None:
    behaviour = Behaviour(fault_rate=1.0, faults=(fault,), hang_seconds=2.0)
    with ChatServer(behaviour) as server:
        client = client_of(server)
        client.transport.persistence.policy = RetryPolicy(2, 0.01, 0.01, 0.2)
        (failed,) = asked(client, question())
        assert isinstance(failed, EndpointError)
        assert "after 2 attempts" in str(failed)
        assert server.calls == 2
        server.behaviour.fault_rate = 0.0
        (answer,) = asked(client_of(server), question())
    assert isinstance(answer, ChatAnswer)


@pytest.mark.parametrize("fault", ODD_FAULTS)
def test_answers_that_no_honest_server_sends_end_in_a_cause(fault: str) -> None:
    behaviour = Behaviour(fault_rate=1.0, faults=(fault,))
    with ChatServer(behaviour) as server:
        client = client_of(server)
        client.transport.persistence.policy = RetryPolicy(2, 0.01, 0.01, 5.0)
        (failed,) = asked(client, question())
        assert isinstance(failed, EndpointError)
        server.behaviour.fault_rate = 0.0
        (answer,) = asked(client, question())
    assert isinstance(answer, ChatAnswer)


def test_a_server_that_is_not_there_is_a_cause_too() -> None:
    client = ChatClient(Endpoint("http://127.0.0.1:9/v1", "m"), Transport(Persistence(RetryPolicy(2, 0.01))))
    (failed,) = asked(client, question())
    assert "no connection" in str(failed)
    assert "is the server running there?" in str(failed)


@pytest.mark.parametrize("rate", [0.03, 0.3])
def test_under_faults_every_question_is_answered_once_or_errored_with_a_cause(rate: float) -> None:
    with ChatServer(Behaviour(fault_rate=rate, hang_seconds=1.0)) as server:
        requests = [question(f"q{number}") for number in range(200)]
        found = asked(client_of(server), *requests)
    assert len(found) == 200
    for request, answer in zip(requests, found, strict=True):
        text = request.messages[0].content
        assert isinstance(answer, ChatAnswer | EndpointError)
        if isinstance(answer, ChatAnswer):
            assert server.answered[text] == 1
            assert (
                server.asked[text] <= answer.retries + 1
            )  # a crowded server may not see one that was given up
    assert sum(isinstance(answer, ChatAnswer) for answer in found) >= 190


def test_no_more_questions_are_open_than_allowed() -> None:
    with ChatServer(Behaviour(delay=0.01)) as server:
        asked(client_of(server, concurrency=5), *[question(str(n)) for n in range(40)])
        assert server.most_at_once == 5


def test_a_redirect_is_not_followed_but_told() -> None:
    assert public_url("https://user:secret@host/v1?api_key=abc&x=1") == "https://host/v1?api_key=***&x=1"


@pytest.mark.parametrize(
    ("model", "base_url", "environment", "found"),
    [
        ("gpt-4o", "", {"OPENAI_API_KEY": "k"}, ("https://api.openai.com/v1", "gpt-4o", "k")),
        ("openai/gpt-4o", "", {"OPENAI_API_KEY": "k"}, ("https://api.openai.com/v1", "gpt-4o", "k")),
        ("groq/llama", "", {"GROQ_API_KEY": "g"}, ("https://api.groq.com/openai/v1", "llama", "g")),
        ("Qwen/Qwen2", "http://h/v1/", {}, ("http://h/v1", "Qwen/Qwen2", "")),
        ("openai/tiny", "http://h/v1", {"OPENAI_API_KEY": "k"}, ("http://h/v1", "tiny", "k")),
        ("tiny", "", {"OPENAI_BASE_URL": "http://h/v1"}, ("http://h/v1", "tiny", "")),
        ("ollama/x", "", {}, ("http://127.0.0.1:11434/v1", "x", "")),
    ],
)
def test_models_are_named_as_people_are_used_to(
    model: str, base_url: str, environment: dict[str, str], found: tuple[str, str, str]
) -> None:
    endpoint = find_endpoint(model, base_url, environment)
    assert (endpoint.base_url, endpoint.model, endpoint.key) == found


def test_a_missing_key_an_unknown_provider_and_a_bad_address_are_told() -> None:
    with pytest.raises(ConfigError, match="set OPENAI_API_KEY"):
        find_endpoint("gpt-4o", "", {})
    with pytest.raises(ConfigError, match="did you mean 'openai'"):
        find_endpoint("opanai/gpt-4o", "", {})
    with pytest.raises(ConfigError, match="not an address"):
        find_endpoint("x", "localhost:80", {})


def test_user_and_password_in_the_address_work_beside_a_key_and_never_show() -> None:
    with ChatServer() as server:
        address = server.base_url.replace("http://", "http://bob:hunter2-secret@")
        client = ChatClient(Endpoint(address, "m", "sk-some-key"))
        (answer,) = asked(client, question())
    assert isinstance(answer, ChatAnswer)
    header = f"Basic {b64encode(b'bob:hunter2-secret').decode()}"
    assert server.headers[-1]["Authorization"] == header
    assert "hunter2" not in f"{client.endpoint!r} {client.endpoint.public_url}"


def test_a_server_that_echoes_credentials_does_not_get_them_into_answers() -> None:
    async def ask() -> object:
        transport = Transport(Persistence(RetryPolicy(1), secrets=("sk-some-key",)))
        try:
            return await transport.send(HttpCall(f"http://bob:hunter2-secret@127.0.0.1:{port}/", {}))
        finally:
            await transport.close()

    token = b64encode(b"bob:hunter2-secret").decode()
    body = json.dumps({"text": f"Basic {token}", "key": "sk-some-key hunter2-secret"}).encode()
    with RawServer([http_answer(body)]) as server:
        port = server._server.server_address[1]
        found = asyncio.run(ask())
    shown = repr(found)
    assert "Basic ***" in shown
    assert not any(secret in shown for secret in ("hunter2", "sk-some-key", "Ym9i"))


@pytest.mark.parametrize("echo", ["HTTP/1.1 200 OK\r\nYou sent {}\r\n\r\n", "HTTP/1.1 400 {}\r\n\r\n{}"])
def test_a_password_in_an_address_does_not_show_in_errors_either(echo: str) -> None:
    async def ask() -> object:
        transport = Transport(Persistence(RetryPolicy(1)))
        try:
            return await transport.send(HttpCall(f"http://bob:hunter2-secret@127.0.0.1:{port}/", {}))
        finally:
            await transport.close()

    with RawServer([echo.format("hunter2-secret", "hunter2-secret").encode()]) as server:
        port = server._server.server_address[1]
        with pytest.raises(EndpointError) as told:
            asyncio.run(ask())
    assert "hunter2" not in str(told.value)


def test_a_key_that_a_server_echoes_does_not_show_whoever_made_the_client() -> None:
    body = json.dumps({"choices": [{"message": {"content": "you sent sk-some-key"}}]}).encode()
    with RawServer([http_answer(body), http_answer(b"sk-some-key?", "400 Bad")]) as server:
        client = ChatClient(Endpoint(server.base_url, "m", "sk-some-key"))
        answers = asked(client, question(), question())
    shown = repr(answers)
    assert "you sent ***" in shown
    assert "sk-some-key" not in shown


def test_a_key_in_the_address_of_a_redirect_does_not_show() -> None:
    moved = http_answer(b"", "302 Found", {"Location": "http://h.example/?u=sk-some/key+x"})
    with RawServer([moved]) as server:
        (error,) = asked(ChatClient(Endpoint(server.base_url, "m", "sk-some/key+x")), question())
    assert "moved to http://h.example/?u=***" in str(error)
