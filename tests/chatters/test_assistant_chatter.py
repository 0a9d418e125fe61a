"""An assistant of ours as the bot: it understands by a generator and answers by the dialogue engine."""

from __future__ import annotations

import asyncio

import pytest

from du_eval.assembly.quality import build_chatter, name_chatter
from du_eval.chatters.assistant import AssistantChatter
from du_eval.chatters.base import make_conversation
from du_eval.errors import ChatterError, ConfigError
from du_eval.quality.facts.load import load_packaged_facts
from tests.quality.holding import ran

BALANCE = {"action_fetch_balance": {"events": [{"event": "slot", "name": "balance", "value": "77"}]}}


KNOWN = {
    "how much do I have?": "StartFlow(show_balance)",
    "block my card": "StartFlow(block_card)",
    "the credit card": "SetSlot(card_kind, credit)",
}


def understanding(request):
    """Understand a few messages, and fail on demand."""
    if request.message == "crash":
        raise ValueError("no line")
    return KNOWN.get(request.message, "ChitChat()")


class Counting:
    """Counts what a generator is asked."""

    def __init__(self, generator) -> None:
        self.generator, self.calls = generator, 0

    async def generate(self, request):
        self.calls += 1
        return await self.generator.generate(request)


def bank(**options) -> AssistantChatter:
    choice = {
        "type": "dut",
        "assistant": "examples/bank",
        "generator": "tests.chatters.test_assistant_chatter:understanding",
        **options,
    }
    made = build_chatter(choice, load_packaged_facts(), {})
    assert isinstance(made, AssistantChatter)
    return made


def said(bot: AssistantChatter, *texts: str) -> str:
    return asyncio.run(bot.reply(make_conversation(texts)))


def test_the_engine_answers_what_the_generator_understood() -> None:
    assert "77 euros" in said(bank(stubs=BALANCE), "how much do I have?")


def test_a_dialogue_goes_on_where_it_was_and_others_do_not_disturb_it() -> None:
    bot = bank()
    bot.generator = counting = Counting(bot.generator)
    first = said(bot, "block my card")
    assert "debit card or your credit card" in first
    said(bot, "hello")
    second = said(bot, "block my card", first, "the credit card")
    assert counting.calls == 3
    assert second != first
    assert said(bank(), "block my card", first, "the credit card") == second


def test_an_action_that_nobody_knows_is_an_error_and_leaves_no_trace() -> None:
    bot = bank()
    with pytest.raises(ChatterError, match="action_fetch_balance"):
        said(bot, "how much do I have?")
    assert "credit card" in said(bot, "how much do I have?", "", "block my card")


def test_a_generator_that_fails_is_an_error() -> None:
    with pytest.raises(ChatterError, match="'crash' was not understood"):
        said(bank(), "crash")


def test_a_run_with_an_assistant_reports_what_it_could_not_do() -> None:
    lines = ["hello", "block my card", "how much do I have?", "the credit card"]
    run = ran(
        {
            "type": "dut",
            "assistant": "examples/bank",
            "generator": "tests.chatters.test_assistant_chatter:understanding",
        },
        conversations=2,
        tester={"type": "predefined", "lines": lines},
        probabilities={},
    )
    assert run.extra.replies == {"answered": 6, "error": 2}


def test_wrong_settings_of_an_assistant_are_named() -> None:
    with pytest.raises(ConfigError, match="needs a folder"):
        build_chatter("dut", load_packaged_facts(), {})
    with pytest.raises(ConfigError, match="unknown setting 'generatr'"):
        bank(generatr="baseline")
    assert name_chatter({"type": "dut", "assistant": "examples/bank"}) == "dut:examples/bank"
