"""Protocol dialogues are held and judged: criteria with intervals, the dialogue as the cluster."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from du_eval.errors import AgentError, EndpointError
from du_eval.judges.gist import GistJudge
from du_eval.protocol.criteria import (
    Judged,
    Reading,
    Ruling,
    judge_dialogue,
    switch_lengths,
)
from du_eval.protocol.model import Criterion, Protocol
from du_eval.protocol.plan import TRIES
from du_eval.protocol.talk import ProtocolDialogue
from du_eval.statistics.clusters import clustered_proportion
from du_eval.statistics.intervals import Measurement

_ASKED = {
    Criterion.OPEN: "The reply answers the question, on topic, does not only ask back, and does not "
    "contradict what is known about the bot.",
    Criterion.CLOSED: "The reply says yes or no to the question, or explains why neither, and agrees with "
    "what is known about the bot.",
    Criterion.DIALOG: "The reply keeps the conversation going.",
    Criterion.EMOTION: "The reply reacts fittingly to the feeling that was expressed.",
}


@dataclass(frozen=True)
class CriterionResult:
    """One criterion over all dialogues."""

    criterion: Criterion
    rate: Measurement
    successes: int
    unclear: int
    extra: str = ""
    """What else must be said, such as the share of all utterances."""
    of_all: Measurement | None = None
    """The share over all utterances of the dialogues, where the protocol asks for it."""


@dataclass(frozen=True, slots=True)
class Switch:
    """A try to bring the bot to another topic."""

    dialogue: int
    number: int
    topic: str
    length: int | None
    """How many utterances it took; None for one that never came about."""


@dataclass(frozen=True)
class ProtocolReport:
    """A whole run of the protocol."""

    language: str
    bot: str
    dialogues: tuple[ProtocolDialogue, ...]
    judged: tuple[Judged, ...]
    results: tuple[CriterionResult, ...]
    switched: tuple[Switch, ...]
    """The topic switches to which the bot replied."""
    limit: int
    judges: str
    unjudged_switches: int = 0
    """Topic switches to which the bot gave no reply at all."""

    @property
    def switches(self) -> tuple[int | None, ...]:
        """Utterances that each topic switch took; None for one that never came about."""
        return tuple(one.length for one in self.switched)

    @property
    def mean_with_censored(self) -> float | None:
        """The least that the mean can be: a switch that never came about took one more than the limit."""
        if not self.switches:
            return None
        counts = [self.limit + 1 if count is None else count for count in self.switches]
        return sum(counts) / len(counts)

    @property
    def mean_switch(self) -> float | None:
        """The mean number of utterances until a switch, over those that came about."""
        done = [count for count in self.switches if count is not None]
        return sum(done) / len(done) if done else None


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
        known = f"Known about the bot: {item.saw}\n" if item.saw else ""
        sample = f"{known}Said to the bot: {item.utterance}\nReply of the bot: {item.reply}"
        try:
            opinion = await gist.decide(sample, _ASKED[item.criterion])
        except (EndpointError, AgentError) as error:
            return replace(item, ruling=Ruling.UNCLEAR, reason=f"the judge failed: {error}", judge=gist.name)
        rulings = {True: Ruling.PASSED, False: Ruling.FAILED, None: Ruling.UNCLEAR}
        return replace(
            item,
            ruling=rulings[opinion.met],
            reason=opinion.reason,
            judge=opinion.judge,
            score=None,
            threshold=None,
            saw=sample,
        )

    return list(await asyncio.gather(*(one(item) for item in judged)))


def report_protocol(
    dialogues: Sequence[ProtocolDialogue], judged: Sequence[Judged], protocol: Protocol, bot: str, judges: str
) -> ProtocolReport:
    """Return the criteria of all dialogues."""
    switched = tuple(switch for one in dialogues for switch in _switches(one, protocol))
    tried = {(one.number, said.utterance.switch) for one in dialogues for said in one.spoken}
    return ProtocolReport(
        language=protocol.language,
        bot=bot,
        dialogues=tuple(dialogues),
        judged=tuple(judged),
        results=tuple(
            _result(criterion, judged, dialogues) for criterion in Criterion if criterion != Criterion.TOPIC
        ),
        switched=switched,
        limit=min(TRIES, len(protocol.blocks["topic"])),
        judges=judges,
        unjudged_switches=sum(switch > 0 for _, switch in tried) - len(switched),
    )


def _switches(dialogue: ProtocolDialogue, protocol: Protocol) -> Iterator[Switch]:
    topics = {said.utterance.switch: said.utterance.topic for said in dialogue.spoken}
    for number, length in switch_lengths(dialogue.spoken, protocol).items():
        yield Switch(dialogue.number, number, topics[number], length)


def _result(
    criterion: Criterion, judged: Sequence[Judged], dialogues: Sequence[ProtocolDialogue]
) -> CriterionResult:
    mine = [item for item in judged if item.criterion is criterion]
    if criterion is Criterion.HELLO_BYE:
        mine = list(decide_greetings(mine))
    decided = [item for item in mine if item.ruling is not Ruling.UNCLEAR]
    # The share of repetitions is asked for, and the share of what is satisfactory elsewhere.
    counted = Ruling.FAILED if criterion is Criterion.REPEATING else Ruling.PASSED
    clusters: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    for item in decided:
        clusters[item.dialogue][0] += item.ruling is counted
        clusters[item.dialogue][1] += 1
    good = sum(good for good, _ in clusters.values())
    unclear = len(mine) - len(decided)
    rate = replace(clustered_proportion([(good, n) for good, n in clusters.values()]), missing=unclear)
    found = CriterionResult(criterion, rate, good, unclear)
    return _with_all(found, clusters, dialogues) if criterion is Criterion.REPEATING else found


def decide_greetings(mine: Sequence[Judged]) -> Iterator[Judged]:
    """Yield one decision a dialogue: both the greeting and the farewell are to be right."""
    severity = {Ruling.FAILED: 0, Ruling.UNCLEAR: 1, Ruling.PASSED: 2}
    for dialogue in dict.fromkeys(item.dialogue for item in mine):
        yield min((i for i in mine if i.dialogue == dialogue), key=lambda item: severity[item.ruling])


def _with_all(
    found: CriterionResult, clusters: Mapping[int, Sequence[int]], dialogues: Sequence[ProtocolDialogue]
) -> CriterionResult:
    """Add the share over all utterances, the tester's too, as the protocol defines it."""
    shares = [
        (clusters[one.number][0] if one.number in clusters else 0, 2 * len(one.spoken))
        for one in dialogues
        if one.spoken
    ]
    of_all = clustered_proportion(shares)
    text = (
        f"{found.successes}/{of_all.n} = {of_all.value:.1%} of all utterances"
        if of_all.value is not None
        else ""
    )
    return replace(found, extra=text, of_all=of_all)
