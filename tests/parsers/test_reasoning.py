"""What a model thought is told from what it said, in the marks that models use."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from du_eval.parsers.reasoning import separate_reasoning
from tests.growth import assert_grows_evenly

THOUGHT, SAID = "maybe StartFlow(wrong)", "StartFlow(right)"
HARMONY = f"<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant<|channel|>final<|message|>{SAID}<|return|>"


@pytest.mark.parametrize(
    "text",
    [
        f"<think>{THOUGHT}</think>{SAID}",
        f"<think>\n{THOUGHT}\n</think>\n\n{SAID}",
        f"<Thinking>{THOUGHT}</Thinking>{SAID}",
        f'<think time="3">{THOUGHT}</think >{SAID}',
        f"<reasoning>{THOUGHT}</reasoning>{SAID}",
        f"<seed:think>{THOUGHT}</seed:think>{SAID}",
        f"[THINK]{THOUGHT}[/THINK]{SAID}",
        f"◁think▷{THOUGHT}◁/think▷{SAID}",
        f"<|begin_of_thought|>{THOUGHT}<|end_of_thought|><|begin_of_solution|>{SAID}<|end_of_solution|>",
        f"<|START_THINKING|>{THOUGHT}<|END_THINKING|><|START_RESPONSE|>{SAID}<|END_RESPONSE|>",
        f"{THOUGHT}\n</think>\n{SAID}",
        f"<think>{THOUGHT}</think><answer>{SAID}</answer>",
        f"{THOUGHT}\n<answer>{SAID}</answer>",
        f"{THOUGHT}\n<final_answer>{SAID}",
        f"```thinking\n{THOUGHT}\n```\n{SAID}",
        f"{THOUGHT}\n**Final Answer:** {SAID}",
        f"{THOUGHT}\nfinal answer: {SAID}",
        f"analysis {THOUGHT} assistantfinal{SAID}",
        f"<|channel>thought\n{THOUGHT}\n<channel|>{SAID}",
        f"<|inner_prefix|>{THOUGHT}<|inner_suffix|>{SAID}",
        f"<|think|>{THOUGHT}<|end|><|begin|>assistant<|content|>{SAID}",
        f"<longcat_think>{THOUGHT}</longcat_think>{SAID}",
        f"<antThinking>{THOUGHT}</antThinking>{SAID}",
        f"[unused16]{THOUGHT}[unused17]{SAID}",
        f"{THOUGHT}\n</think>\n<response>\n{SAID}\n</response>",
        f"<|START_THINKING|>{THOUGHT}<|END_THINKING|><|START_TEXT|>{SAID}<|END_TEXT|>",
        HARMONY,
    ],
)
def test_thoughts_are_set_aside_and_kept(text: str) -> None:
    found = separate_reasoning(text)
    assert (found.said.strip(), found.thought, found.is_open) == (SAID, THOUGHT, False)


def test_a_thought_process_ends_where_the_response_begins() -> None:
    opened = "Here is my thought process:"
    found = separate_reasoning(f"{opened}\n{THOUGHT}\n\nHere's my response:\n{SAID}")
    assert (found.said, found.thought) == (SAID, f"{opened}\n{THOUGHT}")


def test_a_call_in_a_channel_is_said_and_not_thought() -> None:
    call = '<|channel|>commentary to=functions.StartFlow <|constrain|>json<|message|>{"flow": "a"}<|call|>'
    found = separate_reasoning(f"{HARMONY[: HARMONY.index('<|start|>')]}<|start|>assistant{call}")
    assert (found.said, found.thought) == ('functions.StartFlow {"flow": "a"}', THOUGHT)
    assert not found.is_open


@pytest.mark.parametrize(
    "text",
    [
        f"<think>{THOUGHT}",
        f"<|channel>thought\n{THOUGHT}",
        f"\n<think>\n{THOUGHT}",
        HARMONY[: HARMONY.index("<|end|>")],
    ],
)
def test_thinking_that_never_ends_leaves_no_answer(text: str) -> None:
    found = separate_reasoning(text)
    assert (found.said.strip(), found.thought, found.is_open) == ("", THOUGHT, True)


def test_several_blocks_are_all_set_aside() -> None:
    found = separate_reasoning("<think>a</think>StartFlow(x)\n<think>b</think>SetSlot(y, 1)")
    assert (found.said, found.thought) == ("StartFlow(x)\nSetSlot(y, 1)", "a\nb")


def test_a_block_in_a_block_ends_with_the_outer_one() -> None:
    found = separate_reasoning("<thinking>a <think>b</think> c</thinking>StartFlow(x)")
    assert found.said == "StartFlow(x)"


@pytest.mark.parametrize(
    "text",
    [
        "StartFlow(a)",
        "",
        "SetSlot(note, <think>)",
        'SetSlot(note, "use <think> here")',
        "Final answer: StartFlow(a)",
        '["StartFlow(a)"]',
        "SetSlot(note, analysis)",
        "```\nStartFlow(a)\n```",
        "I think that is all",
        "a < b and [b]",
    ],
)
def test_an_answer_without_marks_stays_as_it_is(text: str) -> None:
    assert separate_reasoning(text).said == text
    assert separate_reasoning(text).thought == ""


@given(
    st.text(alphabet="ab \n<>/|[]`", max_size=60),
    st.sampled_from(["<think>", "</think>", "<|channel|>final<|message|>"]),
)
@settings(max_examples=300)
def test_any_text_has_two_parts(text: str, mark: str) -> None:
    found = separate_reasoning(text[:20] + mark + text[20:])
    assert len(found.said) + len(found.thought) <= 2 * (len(text) + len(mark))


@pytest.mark.parametrize(
    "piece",
    ["<think>a</think> b", "<think>", "x<think>", "</think>", "<answer>", "```think\n", "final answer: x\n", "\n",
     "<|channel|>", "<|channel|>analysis<|message|>", "<", "`", "assistantfinal"],
)  # fmt: skip
def test_a_long_text_full_of_marks_takes_no_more_than_its_share_of_time(piece: str) -> None:
    assert_grows_evenly(lambda size: separate_reasoning(piece * (size // len(piece)) + "<[`"), 50_000)
