"""Whatever an endpoint sends, one call ends in one answer or one cause, within limits."""

from __future__ import annotations

import asyncio
import gzip
import json
import resource
import zlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from du_eval.errors import EndpointError
from du_eval.llm.bodies import BodyError, unpack
from du_eval.llm.client import ChatClient
from du_eval.llm.endpoints import Endpoint
from du_eval.llm.messages import ChatAnswer, ChatRequest, Message, find_problem, read_answer
from du_eval.llm.persistence import Persistence, RetryPolicy
from du_eval.llm.purse import Price
from du_eval.llm.transport import Transport
from du_eval.trust.secrets import public_url
from tests.llm.raw_server import RawServer, http_answer

ONCE = RetryPolicy(attempts=1, timeout_seconds=5)
REQUEST = ChatRequest("m", (Message("user", "hello"),))
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def completion(**changes: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"content": "ChitChat()"}}], **changes}


def asked(*answers: bytes, limit: int = 1_000_000) -> ChatAnswer | str:
    """Return the answer, or the reason there is none."""

    async def ask(server: RawServer) -> ChatAnswer | str:
        transport = Transport(Persistence(ONCE), limit)
        client = ChatClient(Endpoint(server.base_url, "m"), transport, Price(1, 1))
        try:
            return await client.complete(REQUEST)
        except EndpointError as error:
            return str(error)
        finally:
            await client.close()

    with RawServer(list(answers)) as server:
        return asyncio.run(ask(server))


def json_answer(data: Any, **headers: str) -> bytes:
    return http_answer(json.dumps(data).encode(), headers=headers)


@pytest.mark.parametrize("location", ["http://[::1", "http://[", "//[x]y", "http://a:b:c/\x7f"])
def test_a_redirect_to_an_address_that_cannot_be_read_is_a_cause(location: str) -> None:
    found = asked(http_answer(b"", "302 Found", {"Location": location}))
    assert isinstance(found, str)
    assert "HTTP 302: moved to" in found


def test_an_address_that_cannot_be_read_is_not_shown() -> None:
    assert public_url("http://user:secret@[::1") == "(an address that cannot be read)"


@pytest.mark.parametrize("tokens", ["many", [], {}, None, 1.5, True, -3, 10**30])
def test_a_usage_of_odd_types_is_an_answer_without_a_cost(tokens: object) -> None:
    found = asked(json_answer(completion(usage={"prompt_tokens": tokens, "completion_tokens": 3})))
    assert isinstance(found, ChatAnswer)
    assert (found.text, found.prompt_tokens, found.completion_tokens, found.cost) == (
        "ChitChat()",
        None,
        3,
        None,
    )


@pytest.mark.parametrize("choices", [[], None, {}, "text", [None], [[]], 5])
def test_choices_that_are_none_are_told_as_what_they_are(choices: object) -> None:
    found = asked(json_answer({"choices": choices}))
    assert isinstance(found, str)
    assert f"its choices are {choices}" in found


@pytest.mark.parametrize("choice", [{}, {"message": None}, {"message": "hello"}, {"text": "old protocol"}])
def test_a_choice_without_a_message_is_no_answer(choice: dict[str, object]) -> None:
    found = asked(json_answer({"choices": [choice]}))
    assert isinstance(found, str)
    assert f"its first choice has no message: {choice}" in found


def test_parts_of_an_answer_may_be_plain_texts() -> None:
    parts = ["Chit", {"type": "text", "text": "Chat"}, {"type": "text", "text": None}, "()", 5]
    assert read_answer({"choices": [{"message": {"content": parts}}]}).text == "ChitChat()"


@given(st.fixed_dictionaries({"choices": st.lists(ANYTHING, max_size=2)}, optional={"usage": ANYTHING}))
@settings(max_examples=150, deadline=None)
def test_data_without_a_problem_is_an_answer(data: dict[str, Any]) -> None:
    assert find_problem(data) or isinstance(read_answer(data).text, str)


@given(ANYTHING, ANYTHING)
@settings(max_examples=150, deadline=None)
def test_messages_and_usage_may_be_anything(message: Any, usage: Any) -> None:
    found = read_answer({"choices": [{"message": message}], "usage": usage})
    assert isinstance(found.text, str)
    assert all(isinstance(call, dict) for call in found.tool_calls)


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200\r\n\r\n{}",
        b"HTTP/9.9 abc def\r\n\r\n",
        b"\x00\x01\x02\x03" * 100,
        http_answer(b"[" * 100_000),
        http_answer(b'{"choices": ' + b"9" * 10_000 + b"}"),
        http_answer(b"\xff\xfe\x00"),
        http_answer(b"{}", headers={"Content-Length": "-5"}),
        http_answer(b"{}", headers={"Content-Length": "abc"}),
        http_answer(b"{}", headers={"X-Long": "x" * 100_000}),
        http_answer(b"{}", headers={"Content-Encoding": "br"}),
        http_answer(b"{}", headers={"Content-Encoding": "gzip"}),
        http_answer(b"zz\r\n", headers={"Content-Length": "", "Transfer-Encoding": "chunked"}),
        http_answer(b"{}", "429 Too Many", {"Retry-After": "inf"}),
        http_answer(b"{}", "429 Too Many", {"Retry-After": "Mon, 99 Foo 99999 99:99:99"}),
        http_answer(b'{"error": {"message": {"a": [1]}, "code": []}}', "400 Bad"),
        http_answer(b'{"error": [[]]}', "500 Oops"),
    ],
)
def test_bytes_that_are_no_answer_are_a_cause(answer: bytes) -> None:
    assert isinstance(asked(answer), str)


def test_an_answer_that_says_its_length_is_not_even_read_where_it_is_too_long() -> None:
    found = asked(http_answer(b"{}", headers={"Content-Length": "5000000000"}))
    assert isinstance(found, str)
    assert "longer than 1,000,000 bytes (it is 5,000,000,000 bytes long); --max-answer-bytes" in found


def test_an_answer_without_a_length_is_read_up_to_the_limit() -> None:
    body = b" " * 2_000_000 + json.dumps(completion()).encode()
    chunked = f"{len(body):x}\r\n".encode() + body + b"\r\n0\r\n\r\n"
    answer = http_answer(chunked, headers={"Content-Length": "", "Transfer-Encoding": "chunked"})
    assert "--max-answer-bytes" in str(asked(answer))
    assert isinstance(asked(answer, limit=3_000_000), ChatAnswer)


def test_a_packed_answer_is_unpacked() -> None:
    body = json.dumps(completion()).encode()
    raw = zlib.compressobj(wbits=-15)
    packings = {
        "gzip": [gzip.compress(body), gzip.compress(body[:9]) + gzip.compress(body[9:])],
        "deflate": [zlib.compress(body), raw.compress(body) + raw.flush()],
    }
    for encoding, packed in packings.items():
        for one in packed:
            found = asked(http_answer(one, headers={"Content-Encoding": encoding}))
            assert isinstance(found, ChatAnswer), found


def bomb(megabytes: int) -> bytes:
    """Return packed data that is a thousand times as long unpacked, made piece by piece."""
    packer = zlib.compressobj(wbits=31)
    pieces = [packer.compress(b" " * 1_000_000) for _ in range(megabytes)]
    return b"".join([*pieces, packer.flush()])


def test_many_small_pieces_of_packed_data_are_refused_at_once() -> None:
    with pytest.raises(BodyError, match="more than 100 pieces of gzip data"):
        unpack(gzip.compress(b"") * 100_000, "gzip", 100)
    assert unpack(gzip.compress(b"x") * 100, "gzip", 100) == b"x" * 100


def test_a_bomb_is_refused_before_it_fills_the_memory() -> None:
    answer = http_answer(bomb(500), headers={"Content-Encoding": "gzip"})
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = asked(answer, limit=16_000_000)
    grown_kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert "longer than 16,000,000 bytes (unpacked from gzip)" in str(found)
    assert grown_kilobytes < 100_000


def test_packed_data_that_is_cut_off_is_no_answer() -> None:
    with pytest.raises(BodyError, match="ends in the middle"):
        unpack(gzip.compress(b"some text")[:-4], "gzip", 100)


def test_an_answer_exactly_as_long_as_allowed_is_one() -> None:
    assert unpack(gzip.compress(b"x" * 100), "gzip", 100) == b"x" * 100
    with pytest.raises(BodyError):
        unpack(gzip.compress(b"x" * 101), "gzip", 100)
