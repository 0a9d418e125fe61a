"""The client reads everything that a server of the protocol may say."""

import json

import pytest

from du_eval.agents.connections.base import AgentRequest
from du_eval.agents.connections.wire import build_reply, make_request_body, read_frames
from du_eval.agents.model import ChatFilter
from du_eval.errors import AgentError
from du_eval.llm.bodies import BodyError


def reply(*messages):
    return build_reply([{"response": message} for message in messages])


def answer(text, **more):
    return {"type": "AGENT_FRAMEWORK", "text": text, "chat_context": {"chat_histories": []}, **more}


def test_a_request_leaves_out_what_is_empty():
    assert make_request_body(AgentRequest("hi")) == {
        "user_message": {"type": 2, "text": "hi"},
        "chat_filter": {"chat_filter_type": "MINIMAL"},
    }
    full = make_request_body(AgentRequest("hi", {"a": 1}, {"chat_histories": []}, ChatFilter.MAXIMAL))
    assert full["sly_data"] == {"a": 1}
    assert full["chat_context"] == {"chat_histories": []}


def test_frames_may_share_a_line():
    text = '{"response": {"text": "ä\\u00e4"}} {}\n{"response": {}}'
    assert read_frames(text) == [{"response": {"text": "ää"}}, {}, {"response": {}}]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{oops\n", "line 1 of the answer is not JSON"),
        ("{}\n[1]\n", "line 2 of the answer is not an object"),
        ('{"error": "Internal server error"}\n', "the server reports an error: Internal server error"),
        ('{"response": 5}\n', "line 1 of the answer is not a message"),
        ('{"response": {"text": 5}}\n', "line 1 of the answer is not a message"),
        ('{"response": {"origin": 5}}\n', "line 1 of the answer is not a message"),
    ],
)
def test_lines_that_are_no_frames_are_errors(line, said):
    with pytest.raises(BodyError, match=said):
        read_frames(line)


def test_the_last_answer_counts():
    found = reply(answer("Retrying: 1", chat_context={}), answer("done", sly_data={"n": 1}))
    assert (found.text, found.sly_data) == ("done", {"n": 1})


def test_only_the_front_agent_answers():
    inner = {"type": "AI", "text": "inner", "origin": [{"tool": "a"}, {"tool": "b"}]}
    assert reply({"type": "AI", "text": "front", "origin": [{"tool": "a"}]}, inner).text == "front"


def test_types_may_be_numbers_and_unknown_words_are_passed_over():
    assert reply({"type": 101, "text": "yes"}, {"type": "NEW", "text": "no"}).text == "yes"


def test_an_empty_frame_is_an_answer_without_text():
    assert build_reply([{}]).text is None


def test_an_error_that_poses_as_an_answer_is_an_error():
    with pytest.raises(AgentError, match="Error from music_nerd: quota"):
        reply(answer("Error from music_nerd: quota exceeded"))


def test_tools_tokens_and_cost_are_read_from_all_messages():
    origin = [{"tool": "a"}]
    inner = [*origin, {"tool": "hidden"}]
    found = reply(
        {
            "type": "AGENT",
            "origin": origin,
            "structure": {"invoking_start": True, "invoked_agent_name": "t", "params": {"x": 1}},
        },
        {
            "type": "AGENT",
            "origin": [*origin, {"tool": "t"}],
            "structure": {"tool_start": True, "tool_args": {}},
        },
        {"type": "AGENT", "origin": inner, "structure": {"tool_start": True, "tool_args": {"y": 2}}},
        {"type": "AGENT", "origin": origin, "structure": {"total_tokens": 1, "total_cost": 0.5}},
        {"type": "AGENT", "origin": origin, "structure": {"total_tokens": 7, "total_cost": 0.6}},
        answer("done"),
    )
    assert [(call.name, dict(call.params)) for call in found.tools] == [("t", {"x": 1}), ("hidden", {"y": 2})]
    assert (found.usage.total_tokens, found.usage.cost) == (7, 0.6)
    assert len(found.messages) == 6


def test_a_frame_survives_json():
    assert json.loads(json.dumps(make_request_body(AgentRequest(None))))["user_message"]["text"] is None
