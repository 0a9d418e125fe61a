"""Protocol dialogues are held side by side; each reply is written down the moment it is there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter

from msgspec import Struct
from msgspec.structs import asdict

from du_eval.chatters.base import Chatter, TalkOverError, make_conversation, open_conversation
from du_eval.chatters.replies import Exchange, KeptReplies, ReplyStatus, ask_chatter
from du_eval.protocol.criteria import ProtocolDialogue, Spoken, is_on_topic, measure_switches
from du_eval.protocol.model import Protocol
from du_eval.protocol.plan import ProtocolPlan, Utterance
from du_eval.runs.asking import ask_each
from du_eval.runs.journal import Journal

MOST_FAILURES = 5
"""So many turns without an answer in a row end a dialogue: the bot is gone."""
_FILE = "protocol"


class ProtocolTalk(Struct, frozen=True):
    """Who is talked to; without a bot, only what the journal holds is repeated."""

    protocol: Protocol
    bot: Chatter | None
    journal: Journal | None = None
    timeout_seconds: float = 60.0
    clock: Callable[[], float] = perf_counter
    on_reply: Callable[[], None] = lambda: None

    async def hold(self, plan: ProtocolPlan) -> ProtocolDialogue:
        """Return the dialogue of a plan; replies that are known are not asked for again."""
        bot = None if self.bot is None else open_conversation(self.bot)
        said: list[str] = []
        spoken: list[Spoken] = []
        failures = 0
        for turn, utterance in enumerate(plan.utterances):
            if utterance.switch and _is_switched(spoken, utterance, self.protocol):
                continue
            exchange = await self._exchange(bot, plan.number, turn, [*said, utterance.text])
            if exchange is None:
                break
            said += [utterance.text, exchange.reply]
            spoken.append(Spoken(**asdict(exchange), utterance=utterance))
            self.on_reply()
            failures = 0 if spoken[-1].answered else failures + 1
            if failures >= MOST_FAILURES:
                break
        else:
            return ProtocolDialogue(plan.number, plan.name, tuple(spoken))
        return ProtocolDialogue(plan.number, plan.name, tuple(spoken), is_whole=False)

    async def _exchange(
        self, bot: Chatter | None, number: int, turn: int, said: Sequence[str]
    ) -> Exchange | None:
        kept = KeptReplies(self.journal, _FILE, with_errors=bot is None)
        found = kept.find(number, turn, said)
        if found is None and bot is not None:
            found = await self._answered(bot, said)
            kept.keep(number, turn, said, found)
        return found

    async def _answered(self, bot: Chatter, said: Sequence[str]) -> Exchange:
        """Return what the bot says; one that has nothing left to say fails, as the protocol goes on."""
        try:
            return await ask_chatter(bot, make_conversation(said), self.timeout_seconds, self.clock)
        except TalkOverError as error:
            return Exchange(said[-1], "", ReplyStatus.ERROR, str(error))


async def hold_protocol(
    plans: Sequence[ProtocolPlan], talk: ProtocolTalk, concurrency: int = 4
) -> list[ProtocolDialogue]:
    """Return a dialogue for each plan, in their order."""
    return await ask_each(plans, talk.hold, concurrency)


def _is_switched(spoken: Sequence[Spoken], utterance: Utterance, protocol: Protocol) -> bool:
    """Return whether the bot is on the topic already: then nothing more is said to bring it there."""
    tried = [one for one in spoken if one.utterance.switch == utterance.switch]
    return any(
        length is not None
        for length in measure_switches(tried, lambda turn: is_on_topic(tried[turn], protocol)).values()
    )
