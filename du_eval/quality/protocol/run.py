"""Protocol dialogues are held and judged: criteria with intervals, the dialogue as the cluster."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from du_eval.errors import AgentError, ChatterError, EndpointError
from du_eval.judges.gist import GistJudge
from du_eval.quality.chatters.base import Chatter, conversation_of
from du_eval.quality.dialogue import Outcome
from du_eval.quality.protocol.criteria import (
    Judged,
    Reading,
    Ruling,
    Spoken,
    judge_dialogue,
    switch_lengths,
)
from du_eval.quality.protocol.model import Criterion, Protocol
from du_eval.quality.protocol.plan import ProtocolPlan, Utterance
from du_eval.statistics.intervals import Measurement, clustered_proportion

_ASKED = {
    Criterion.OPEN: "The reply answers the question, on topic, and does not only ask back.",
    Criterion.CLOSED: "The reply says yes or no to the question, or explains why neither.",
    Criterion.DIALOG: "The reply keeps the conversation going.",
    Criterion.EMOTION: "The reply reacts fittingly to the feeling that was expressed.",
}


@dataclass(frozen=True)
class ProtocolDialogue:
    """A finished dialogue."""

    number: int
    name: str
    spoken: tuple[Spoken, ...]
    outcomes: tuple[str, ...]


@dataclass(frozen=True)
class CriterionResult:
    """One criterion over all dialogues."""

    criterion: Criterion
    rate: Measurement
    successes: int
    unclear: int
    extra: str = ""
    """What else must be said, such as censored switches."""


@dataclass(frozen=True)
class ProtocolReport:
    """A whole run of the protocol."""

    language: str
    bot: str
    dialogues: tuple[ProtocolDialogue, ...]
    judged: tuple[Judged, ...]
    results: tuple[CriterionResult, ...]
    switches: tuple[int | None, ...]
    """Utterances that each topic switch took; None for one that never came about."""
    limit: int
    judges: str

    @property
    def mean_switch(self) -> float | None:
        """The mean number of utterances until a switch, over those that came about."""
        done = [count for count in self.switches if count is not None]
        return sum(done) / len(done) if done else None


async def hold_protocol(
    plans: Sequence[ProtocolPlan],
    bot: Chatter,
    protocol: Protocol,
    timeout_seconds: float = 60.0,
    concurrency: int = 4,
) -> list[ProtocolDialogue]:
    """Return a dialogue for each plan."""
    gate = asyncio.Semaphore(concurrency)

    async def one(plan: ProtocolPlan) -> ProtocolDialogue:
        async with gate:
            return await _held(plan, bot, protocol, timeout_seconds)

    return list(await asyncio.gather(*(one(plan) for plan in plans)))


async def _held(
    plan: ProtocolPlan, bot: Chatter, protocol: Protocol, timeout_seconds: float
) -> ProtocolDialogue:
    said: list[str] = []
    spoken: list[Spoken] = []
    outcomes: list[str] = []
    for utterance in plan.utterances:
        if utterance.switch and _is_switched(spoken, utterance, protocol):
            continue
        reply, outcome = await _reply(bot, [*said, utterance.text], timeout_seconds)
        said += [utterance.text, reply]
        spoken.append(Spoken(utterance, reply, outcome is Outcome.ANSWERED))
        outcomes.append(str(outcome))
    return ProtocolDialogue(plan.number, plan.name, tuple(spoken), tuple(outcomes))


def _is_switched(spoken: Sequence[Spoken], utterance: Utterance, protocol: Protocol) -> bool:
    """Return whether the bot is on the topic already: then nothing more is said to bring it there."""
    tried = [one for one in spoken if one.utterance.switch == utterance.switch]
    return any(length is not None for length in switch_lengths(tried, protocol))


async def _reply(bot: Chatter, said: Sequence[str], timeout_seconds: float) -> tuple[str, Outcome]:
    try:
        reply = (await asyncio.wait_for(bot.reply(conversation_of(said)), timeout_seconds)).strip()
    except TimeoutError:
        return "", Outcome.TIMEOUT
    except ChatterError:
        return "", Outcome.ERROR
    return reply, Outcome.ANSWERED if reply else Outcome.EMPTY


def judge_all(dialogues: Sequence[ProtocolDialogue], reading: Reading) -> list[Judged]:
    """Return every decision by rules."""
    return [
        judged for one in dialogues for judged in judge_dialogue(one.number, one.name, one.spoken, reading)
    ]


async def with_gist(judged: Sequence[Judged], gist: GistJudge) -> list[Judged]:
    """Return the decisions, those on single replies made by a language model instead of by rules."""

    async def one(item: Judged) -> Judged:
        if item.criterion not in _ASKED or not item.reply:
            return item
        sample = f"Said to the bot: {item.utterance}\nReply of the bot: {item.reply}"
        try:
            opinion = await gist.decide(sample, _ASKED[item.criterion])
        except (EndpointError, AgentError) as error:
            return replace(item, ruling=Ruling.UNCLEAR, reason=f"the judge failed: {error}", judge=gist.name)
        rulings = {True: Ruling.PASSED, False: Ruling.FAILED, None: Ruling.UNCLEAR}
        return replace(item, ruling=rulings[opinion.met], reason=opinion.reason, judge=opinion.judge)

    return list(await asyncio.gather(*(one(item) for item in judged)))


def report_protocol(
    dialogues: Sequence[ProtocolDialogue], judged: Sequence[Judged], protocol: Protocol, bot: str, judges: str
) -> ProtocolReport:
    """Return the criteria of all dialogues."""
    switches = [length for one in dialogues for length in switch_lengths(one.spoken, protocol)]
    tries = [sum(1 for s in one.spoken if s.utterance.switch) for one in dialogues]
    return ProtocolReport(
        language=protocol.language,
        bot=bot,
        dialogues=tuple(dialogues),
        judged=tuple(judged),
        results=tuple(
            _result(criterion, judged, dialogues) for criterion in Criterion if criterion != Criterion.TOPIC
        ),
        switches=tuple(switches),
        limit=max(tries, default=0),
        judges=judges,
    )


def _result(
    criterion: Criterion, judged: Sequence[Judged], dialogues: Sequence[ProtocolDialogue]
) -> CriterionResult:
    mine = [item for item in judged if item.criterion is criterion]
    decided = [item for item in mine if item.ruling is not Ruling.UNCLEAR]
    wanted: Callable[[Judged], bool] = lambda item: item.ruling is Ruling.PASSED  # noqa: E731
    if criterion is Criterion.REPEATING:
        wanted = lambda item: item.ruling is Ruling.FAILED  # noqa: E731 - the share of repetitions is asked for
    clusters: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    for item in decided:
        clusters[item.dialogue][0] += wanted(item)
        clusters[item.dialogue][1] += 1
    if criterion is Criterion.HELLO_BYE:
        clusters = defaultdict(list, {key: [int(good == n), 1] for key, (good, n) in clusters.items()})
    rate = clustered_proportion([(good, n) for good, n in clusters.values()])
    good = sum(good for good, _ in clusters.values())
    return CriterionResult(
        criterion, rate, good, len(mine) - len(decided), _extra(criterion, good, dialogues)
    )


def _extra(criterion: Criterion, repeats: int, dialogues: Sequence[ProtocolDialogue]) -> str:
    if criterion is not Criterion.REPEATING:
        return ""
    utterances = sum(2 * len(one.spoken) for one in dialogues)
    return f"{repeats}/{utterances} = {repeats / utterances:.1%} of all utterances" if utterances else ""
