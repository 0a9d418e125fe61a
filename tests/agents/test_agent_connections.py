"""Over every connection an answer arrives, or a clear error within the time limit."""

import asyncio
import gzip
import json
import ssl
import time

import pytest
import trustme

from du_eval.agents.connect import Connecting, parse_server_options
from du_eval.agents.load import load_case
from du_eval.agents.pipeline import run_cases
from du_eval.errors import InputError
from du_eval.runs.outcome import Outcome
from tests.agents.agent_fakes import raw_server, running_example, setting

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json-lines\r\nTransfer-Encoding: chunked\r\n\r\n"
FRAME = json.dumps({"response": {"type": "AGENT_FRAMEWORK", "text": "half"}}).encode() + b"\n"


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


@pytest.fixture
def case(tmp_path):
    def write(**keys):
        value = {
            "agent": "music_nerd",
            "connections": "http",
            "interactions": [{"text": "Who did Yellow Submarine?"}],
            **keys,
        }
        path = tmp_path / "case.json"
        path.write_text(json.dumps(value))
        return load_case(path, "case").case

    return write


def run(case, *urls, timeout_seconds=10.0, **options):
    connecting = Connecting(parse_server_options(urls), **options)
    (result,) = run_cases((case,), setting(connecting=connecting, timeout_seconds=timeout_seconds)).cases
    return result


def error_of(result):
    assert result.results[-1].outcome is Outcome.ERRORED
    return result.results[0].detail.interactions[-1].error


def test_http_asks_a_server(case):
    with running_example() as port:
        result = run(case(), f"http://127.0.0.1:{port}")
    assert (
        result.results[0].detail.interactions[0].reply.text == "Yellow Submarine was recorded by The Beatles."
    )


def test_a_connection_in_the_case_names_its_own_server(case):
    with running_example() as port:
        connection = {"kind": "http", "host": "127.0.0.1", "port": port, "base_path": "/api/v1"}
        result = run(case(connections=[connection]))
    assert result.results[-1].outcome is Outcome.PASSED
    assert result.results[0].detail.connection == f"http://127.0.0.1:{port}"


def test_metadata_travels_as_headers(case):
    seen = {}

    def spy(request):
        return "ok"

    from aiohttp import web

    from du_eval.agents.example_server import ExampleServer, Listening, serve
    from tests.agents.agent_fakes import looping

    class Spying(ExampleServer):
        def app(self):
            app = super().app()

            @web.middleware
            async def note(request, handler):
                seen.update(request.headers)
                return await handler(request)

            app.middlewares.append(note)
            return app

    with looping() as in_loop:
        runner, port = in_loop(serve(Spying({"spy": spy}), Listening(port=0)))
        run(
            case(agent="spy", metadata={"Authorization": "Bearer t", "user_id": 7}),
            f"http://127.0.0.1:{port}",
        )
        in_loop(runner.cleanup())
    assert (seen["Authorization"], seen["user_id"]) == ("Bearer t", "7")


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        ("nobody", "it does not know this agent"),
        ("broken", "the server reports an error: Internal server error"),
    ],
)
def test_what_the_server_refuses_is_an_error(case, agent, said):
    def broken(text):
        raise ValueError(text)

    with running_example({"broken": broken}) as port:
        assert said in error_of(run(case(agent=agent), f"http://127.0.0.1:{port}"))


def test_a_hanging_server_is_given_up_in_time(case):
    async def hang(writer):
        writer.write(HEAD + chunk(FRAME))
        await asyncio.sleep(30)

    start = time.perf_counter()
    with raw_server(hang) as port:
        asked = case(interactions=[{"text": "x", "timeout_in_seconds": 0.3}])
        assert error_of(run(asked, f"http://127.0.0.1:{port}")) == "no answer came within 0.3 s"
    assert time.perf_counter() - start < 15


def test_the_time_limit_of_the_case_covers_all_samples(case):
    asked_texts = []

    def slow(text):
        asked_texts.append(text)
        time.sleep(0.4)
        return "x"

    with running_example({"slow": slow}) as port:
        asked = case(agent="slow", success_ratio="10/10", timeout_in_seconds=0.6)
        connecting = Connecting(parse_server_options((f"http://127.0.0.1:{port}",)))
        (result,) = run_cases((asked,), setting(connecting=connecting, concurrency=1)).cases
    assert len(asked_texts) < 10
    assert result.results[-1].outcome is Outcome.ERRORED
    assert "the time limit of the case, 0.6 s for all samples, ran out" in result.results[-1].error


async def _cut(writer):
    writer.write(HEAD + chunk(FRAME) + b"ff\r\n{")
    await writer.drain()


async def _invalid(writer):
    writer.write(HEAD + chunk(FRAME) + chunk(b"{oops\n") + b"0\r\n\r\n")
    await writer.drain()


async def _nothing(writer):
    writer.write(HEAD + b"0\r\n\r\n")
    await writer.drain()


async def _silence(writer):
    await writer.drain()


async def _nonsense(writer):
    writer.write(b"SSH-2.0-nope\r\n\r\n")
    await writer.drain()


@pytest.mark.parametrize(
    ("respond", "said"),
    [
        (_cut, "closed the connection in the middle of its answer"),
        (_invalid, "line 2 of the answer is not JSON: '{oops'"),
        (_nothing, "sent an empty answer"),
        (_silence, "closed the connection without an answer"),
        (_nonsense, "is not HTTP"),
    ],
)
def test_a_server_that_breaks_off_is_a_clear_error(case, respond, said):
    with raw_server(respond) as port:
        assert said in error_of(run(case(), f"http://127.0.0.1:{port}"))


def test_a_server_that_is_not_there_is_a_clear_error(case):
    assert "is the server running there?" in error_of(run(case(), "http://127.0.0.1:1"))


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture
def server_tls(authority):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("localhost", "127.0.0.1").configure_cert(context)
    return context


def test_https_trusts_the_given_authority(case, authority, server_tls, tmp_path):
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    with running_example(tls=server_tls) as port:
        files = {"ca_file": str(tmp_path / "ca.pem")}
        assert (
            run(case(connections="https"), f"https://127.0.0.1:{port}", files=files).results[-1].outcome
            is Outcome.PASSED
        )


def test_a_client_certificate_is_shown_where_it_is_wanted(case, authority, server_tls, tmp_path):
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    authority.configure_trust(server_tls)
    server_tls.verify_mode = ssl.CERT_REQUIRED
    mine = authority.issue_cert("client")
    mine.private_key_and_cert_chain_pem.write_to_path(tmp_path / "client.pem")
    asked = case(connections={"kind": "https", "ca_file": "ca.pem", "certificate": "client.pem"})
    with running_example(tls=server_tls) as port:
        url = f"https://127.0.0.1:{port}"
        assert run(asked, url).results[-1].outcome is Outcome.PASSED
        nameless = case(connections={"kind": "https", "ca_file": "ca.pem"})
        assert error_of(run(nameless, url))


@pytest.mark.parametrize("kind", ["https", "http"])
def test_wrong_tls_is_a_clear_error(case, server_tls, kind):
    with running_example(tls=server_tls) as port:
        said = error_of(run(case(connections=kind), f"{kind}://127.0.0.1:{port}", timeout_seconds=5))
    assert "is not trusted" in said if kind == "https" else "https" in said


def test_https_to_a_plain_port_is_a_clear_error_in_time(case):
    with running_example() as port:
        said = error_of(run(case(connections="https"), f"https://127.0.0.1:{port}", timeout_seconds=3))
    assert "TLS" in said or "no answer came within 3 s" in said


def test_a_certificate_that_cannot_be_used_is_told_before_the_run(case, tmp_path):
    (tmp_path / "ca.pem").write_text("no certificate")
    with pytest.raises(InputError, match="cannot be used"):
        run(case(connections={"kind": "https", "ca_file": "ca.pem"}))


def test_a_connection_that_is_closed_once_is_tried_again(case):
    tries = []

    async def second_time(writer):
        tries.append(1)
        if len(tries) > 1:
            writer.write(HEAD + chunk(FRAME) + b"0\r\n\r\n")
        await writer.drain()

    with raw_server(second_time) as port:
        assert run(case(), f"http://127.0.0.1:{port}").results[-1].outcome is Outcome.PASSED
    assert len(tries) == 2


def test_an_answer_that_was_begun_is_not_asked_for_again(case):
    tries = []

    async def cut(writer):
        tries.append(1)
        await _cut(writer)

    with raw_server(cut) as port:
        assert error_of(run(case(), f"http://127.0.0.1:{port}"))
    assert len(tries) == 1


def test_a_packed_answer_that_would_fill_the_memory_is_an_error(case):
    packed = gzip.compress(b" " * 20_000_000)
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(packed)}\r\n\r\n"

    async def bomb(writer):
        writer.write(head.encode() + packed)
        await writer.drain()

    with raw_server(bomb) as port:
        assert "longer than 16,000,000 bytes" in error_of(run(case(), f"http://127.0.0.1:{port}"))


@pytest.mark.parametrize("wait", ["1e9", "inf", "nan", "Fri, 31 Dec 9999 23:59:59 GMT", "-5", "soon"])
def test_a_server_cannot_make_a_run_wait_for_ever(case, wait):
    async def later(writer):
        writer.write(f"HTTP/1.1 429 Slow\r\nRetry-After: {wait}\r\nContent-Length: 0\r\n\r\n".encode())
        await writer.drain()

    with raw_server(later) as port:
        assert "too many requests" in error_of(run(case(), f"http://127.0.0.1:{port}"))


def test_a_server_that_asks_to_wait_is_given_the_time(case):
    tries = []

    async def later(writer):
        tries.append(1)
        refusal = b"HTTP/1.1 429 Slow\r\nRetry-After: 0.01\r\nContent-Length: 0\r\n\r\n"
        writer.write(refusal if len(tries) == 1 else HEAD + chunk(FRAME) + b"0\r\n\r\n")
        await writer.drain()

    with raw_server(later) as port:
        assert run(case(), f"http://127.0.0.1:{port}").results[-1].outcome is Outcome.PASSED
    assert len(tries) == 2


@pytest.mark.parametrize("name", ["../../admin", "a/../b", "."])
def test_the_name_of_an_agent_leads_to_no_other_place_of_the_server(case, name):
    with running_example() as port:
        assert "leads to another place of the server" in error_of(
            run(case(agent=name), f"http://127.0.0.1:{port}")
        )


@pytest.mark.parametrize("url", ["http://bob:hunter2-secret@h:99999", "ftp://bob:hunter2-secret@h"])
def test_an_address_of_a_server_that_is_refused_shows_no_password(url):
    with pytest.raises(InputError, match="--server") as told:
        parse_server_options([url])
    assert "hunter2" not in str(told.value)
