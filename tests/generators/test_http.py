"""Any HTTP endpoint as a generator."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from du_eval.commands import Syntax, default_commands
from du_eval.errors import GeneratorError, InputError
from du_eval.generators.base import Prediction, Request
from du_eval.generators.http import HttpGenerator
from du_eval.generators.templates import PromptTemplate
from du_eval.parsers.command_parser import CommandParser
from tests.cli.calling import Caller
from tests.reading import read_run


class Endpoint:
    """Gives back whatever it was told to; remembers what it was asked."""

    def __init__(self) -> None:
        self.answer: Any = {}
        self.bodies: list[Any] = []
        self.headers: list[dict[str, str]] = []
        self.ready = threading.Event()

    async def serve(self) -> None:
        self.loop, self.stop = asyncio.get_running_loop(), asyncio.Event()
        application = web.Application()
        application.router.add_post("/predict", self._handle)
        runner = web.AppRunner(application, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}/predict"
        self.ready.set()
        await self.stop.wait()
        await runner.cleanup()

    async def _handle(self, request: web.Request) -> web.Response:
        self.bodies.append(await request.json())
        self.headers.append(dict(request.headers))
        return web.json_response(self.answer)


@pytest.fixture(scope="module")
def shared() -> Iterator[Endpoint]:
    endpoint = Endpoint()
    threading.Thread(target=lambda: asyncio.run(endpoint.serve()), daemon=True).start()
    assert endpoint.ready.wait(10)
    yield endpoint
    endpoint.loop.call_soon_threadsafe(endpoint.stop.set)


@pytest.fixture
def endpoint(shared: Endpoint) -> Endpoint:
    shared.bodies.clear()
    shared.headers.clear()
    return shared


def asked(endpoint: Endpoint, answer: Any, path: str = "$", body: str | None = None) -> Prediction:
    endpoint.answer = answer
    template = PromptTemplate("body", body) if body else None
    parser = CommandParser(default_commands(), Syntax.CALLS)
    generator = HttpGenerator(endpoint.url, parser, body=template, path=path)

    async def run() -> Prediction:
        try:
            return await generator.generate(Request('say "hi"'))
        finally:
            await generator.close()

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("answer", "path", "text", "commands"),
    [
        ({"result": {"text": "StartFlow(a)"}}, "$.result.text", "StartFlow(a)", None),
        ("StartFlow(a)", "$", "StartFlow(a)", None),
        ({"text": "StartFlow(a)"}, "$", "StartFlow(a)", None),
        ({"commands": ["CancelFlow()"]}, "$", None, ("CancelFlow()",)),
        (
            {"all": [{"c": "CancelFlow()"}, {"c": "ChitChat()"}]},
            "$.all[*].c",
            None,
            ("CancelFlow()", "ChitChat()"),
        ),
        ({"out": [{"command": "cancel flow"}]}, "$.out", None, ({"command": "cancel flow"},)),
        ({"command": "cancel flow"}, "$", None, ({"command": "cancel flow"},)),
        ({"out": None}, "$.out", None, ()),
        ({"out": []}, "$.out", None, ()),
    ],
)
def test_the_answer_is_found_by_its_path(
    endpoint: Endpoint, answer: Any, path: str, text: str | None, commands: object
) -> None:
    prediction = asked(endpoint, answer, path)
    assert (prediction.text, prediction.commands) == (text, commands)


def test_nothing_at_the_path_is_an_error_that_shows_the_answer(endpoint: Endpoint) -> None:
    with pytest.raises(GeneratorError, match=r"nothing at \$\.x in the answer: {\"y\": 1}"):
        asked(endpoint, {"y": 1}, "$.x")


def test_the_body_is_a_template(endpoint: Endpoint) -> None:
    asked(endpoint, [], body='{"q": {{ message | json }}, "n": {{ step }}}')
    assert endpoint.bodies == [{"q": 'say "hi"', "n": 0}]


def test_a_body_that_is_no_json_is_told(endpoint: Endpoint) -> None:
    with pytest.raises(GeneratorError, match=r"quote values with \| json"):
        asked(endpoint, [], body='{"q": "{{ message }}"}')


def test_without_a_template_message_and_state_are_sent(endpoint: Endpoint) -> None:
    asked(endpoint, [])
    assert endpoint.bodies[0]["message"] == 'say "hi"'
    assert endpoint.bodies[0]["history"] == []


def test_a_wrong_path_is_told_at_once(endpoint: Endpoint) -> None:
    with pytest.raises(InputError, match="not a JSONPath"):
        asked(endpoint, [], "$[")


def test_it_runs_from_the_command_line(
    endpoint: Endpoint, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MY_KEY", "very-secret")
    (tmp_path / "s.yml").write_text(
        "test_cases:\n  - test_case: c\n    steps:\n      - user: x\n        commands: [ChitChat()]\n"
    )
    endpoint.answer = {"a": {"b": ["ChitChat()"]}}
    common = ("test", "s.yml", "--no-output", "--answer-path", "$.a.b", "--header", "X-Key: ${MY_KEY}")
    answer = Caller(capsys)(*common, "-g", endpoint.url)
    assert answer.code == 0
    assert Caller(capsys)(*common, "-g", "http", "--url", endpoint.url).code == 0
    assert endpoint.headers[0]["X-Key"] == "very-secret"
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or b"very-secret" not in file.read_bytes()
    assert Caller(capsys)(*common, "-g", "http").code == 2


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Caller:
    return Caller(capsys)


def cached_run(call: Caller, endpoint: Endpoint, *more: str) -> Any:
    answer = call(
        *("test", "suite.yml", "-g", "http", "--url", endpoint.url, "--answer-path", "$.commands"),
        *("--no-output", "--no-journal", "--json", *more),
    )
    return read_run(answer.out)


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, endpoint: Endpoint) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DU_EVAL_CACHE_DIR", str(tmp_path / "cache"))
    steps = "".join(f"      - user: hello {n}\n        commands: [ChitChat()]\n" for n in range(3))
    Path("suite.yml").write_text(f"test_cases:\n  - test_case: c\n    steps:\n{steps}", encoding="utf-8")
    endpoint.answer = {"commands": ["ChitChat()"]}


@pytest.mark.usefixtures("suite")
def test_answers_are_kept_where_that_is_wished_and_come_back_offline(
    call: Caller, endpoint: Endpoint
) -> None:
    assert cached_run(call, endpoint, "--cache", "--samples", "2")["steps"]["passed"] == 6
    assert len(endpoint.bodies) == 6
    again = cached_run(call, endpoint, "--offline", "--samples", "2")
    assert (again["steps"]["passed"], again["spent"]["answers_from_cache"]) == (6, 6)
    assert len(endpoint.bodies) == 6
    endpoint.answer = {"commands": ["CancelFlow()"]}
    assert cached_run(call, endpoint, "--refresh")["steps"]["failed"] == 3
    assert cached_run(call, endpoint, "--offline")["steps"]["failed"] == 3


@pytest.mark.usefixtures("suite")
def test_an_endpoint_is_asked_each_time_unless_answers_shall_be_kept(
    call: Caller, endpoint: Endpoint
) -> None:
    cached_run(call, endpoint)
    cached_run(call, endpoint)
    assert len(endpoint.bodies) == 6
    assert cached_run(call, endpoint, "--offline")["steps"]["errored"] == 3


@pytest.mark.usefixtures("suite")
def test_answers_belong_to_the_headers_they_were_asked_with_but_not_to_keys(
    call: Caller, endpoint: Endpoint
) -> None:
    cached_run(call, endpoint, "--cache", "--header", "X-Version: 1", "--header", "X-Api-Key: abcdef")
    cached_run(call, endpoint, "--cache", "--header", "X-Version: 1", "--header", "X-Api-Key: ghijkl")
    assert len(endpoint.bodies) == 3
    cached_run(call, endpoint, "--cache", "--header", "X-Version: 2")
    assert len(endpoint.bodies) == 6


@pytest.mark.parametrize("generator", ["rasa", "baseline"])
@pytest.mark.usefixtures("suite")
def test_generators_without_a_cache_cannot_be_offline(call: Caller, generator: str) -> None:
    answer = call("test", "suite.yml", "-g", generator, "--offline", "--no-output")
    assert answer.code == 2
    assert "only the generators llm and http have" in answer.err
