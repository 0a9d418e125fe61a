"""The chat client asks again where trouble may pass, and says what went wrong where it does not."""

import asyncio

import pytest
from aiohttp import web

from du_eval.errors import AgentError
from du_eval.llm.simple_chat import ChatOptions, OpenAIChat, options_from
from tests.agents.agent_fakes import looping

GOOD = {"choices": [{"message": {"content": "hello"}}]}


def ask(*answers, **options):
    seen = []

    async def handle(request):
        seen.append((await request.json(), request.headers.get("Authorization")))
        status, body = answers[min(len(seen), len(answers)) - 1]
        if status is None:
            await asyncio.sleep(20)
        return web.json_response(body, status=status)

    async def start():
        app = web.Application()
        app.router.add_post("/v1/chat/completions", handle)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return runner

    async def complete(port):
        chat = OpenAIChat(
            ChatOptions("m", f"http://127.0.0.1:{port}/v1", "key", pause_seconds=0.01, **options)
        )
        try:
            return await chat.complete([{"role": "user", "content": "hi"}])
        finally:
            await chat.aclose()

    with looping() as run:
        runner = run(start())
        try:
            return asyncio.run(complete(runner.addresses[0][1])), seen
        except AgentError as error:
            return error, seen
        finally:
            run(runner.cleanup())


def test_it_asks_a_model():
    answer, seen = ask((200, GOOD), temperature=0.5)
    assert answer == "hello"
    assert seen == [
        ({"model": "m", "messages": [{"role": "user", "content": "hi"}], "temperature": 0.5}, "Bearer key")
    ]


def test_trouble_that_may_pass_is_tried_again():
    answer, seen = ask((429, {}), (503, {}), (200, GOOD))
    assert (answer, len(seen)) == ("hello", 3)


@pytest.mark.parametrize(
    ("answers", "options", "said", "calls"),
    [
        ([(401, {"error": "no key"})], {}, "status 401", 1),
        ([(500, {})], {}, "status 500", 3),
        ([(200, {"choices": []})], {}, "holds no text", 1),
        ([(None, {})], {"timeout_seconds": 0.2, "attempts": 1}, "nothing came within 0.2 s", 1),
    ],
)
def test_trouble_that_stays_is_told(answers, options, said, calls):
    error, seen = ask(*answers, **options)
    assert said in str(error)
    assert "key" not in str(error).replace("no key", "")
    assert len(seen) == calls


def test_address_and_key_come_from_the_environment():
    options = options_from({"OPENAI_BASE_URL": "http://x/v1/", "OPENAI_API_KEY": "k"}, "m")
    assert (options.base_url, options.api_key) == ("http://x/v1", "k")
    assert options_from({}, "m", "http://y").base_url == "http://y"
    assert "api_key" not in repr(options)
