"""Protocol dialogues are held and judged: criteria with intervals, the dialogue as the cluster."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from du_eval.protocol.criteria import CriterionRuling, Pending, Reading, judge_dialogue, switch_lengths
from du_eval.protocol.model import Criterion, Protocol
from du_eval.protocol.plan import TRIES
from du_eval.protocol.talk import ProtocolDialogue
from du_eval.runs.outcome import Outcome
from du_eval.statistics.clusters import clustered_proportion
from du_eval.statistics.intervals import Measurement


@dataclass(frozen=True)
class CriterionResult:
    """One criterion over all dialogues."""

    criterion: Criterion
    rate: Measurement
    successes: int
    undecided: int
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
    judged: tuple[CriterionRuling, ...]
    results: tuple[CriterionResult, ...]
    switched: tuple[Switch, ...]
    """The topic switches to which the bot replied."""
    limit: int
    judges: str
    unjudged_switches: int = 0
    """Topic switches to which the bot gave no reply at all."""
    notes: tuple[str, ...] = ()
    """What a reader should know besides: what the judge cost."""

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


def judge_all(dialogues: Sequence[ProtocolDialogue], reading: Reading) -> list[CriterionRuling]:
    """Return every decision; the judge gets all that it has to decide at once."""
    found = [item for one in dialogues for item in judge_dialogue(one.number, one.name, one.spoken, reading)]
    opinions = iter(reading.judge.judge([item.task for item in found if isinstance(item, Pending)]))
    return [item.decide(next(opinions)) if isinstance(item, Pending) else item for item in found]


def report_protocol(
    dialogues: Sequence[ProtocolDialogue],
    judged: Sequence[CriterionRuling],
    protocol: Protocol,
    bot: str,
    judges: str,
) -> ProtocolReport:
    """Return the criteria of all dialogues."""
    on_topic = {
        (item.dialogue, item.turn)
        for item in judged
        if item.criterion is Criterion.TOPIC and item.outcome is Outcome.PASSED
    }
    switched = tuple(switch for one in dialogues for switch in _switches(one, on_topic))
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


def _switches(dialogue: ProtocolDialogue, on_topic: Container[tuple[int, int]]) -> Iterator[Switch]:
    topics = {said.utterance.switch: said.utterance.topic for said in dialogue.spoken}
    lengths = switch_lengths(dialogue.spoken, lambda turn: (dialogue.number, turn) in on_topic)
    for number, length in lengths.items():
        yield Switch(dialogue.number, number, topics[number], length)


def _result(
    criterion: Criterion, judged: Sequence[CriterionRuling], dialogues: Sequence[ProtocolDialogue]
) -> CriterionResult:
    mine = [item for item in judged if item.criterion is criterion]
    if criterion is Criterion.HELLO_BYE:
        mine = list(decide_greetings(mine))
    decided = [item for item in mine if item.outcome is not Outcome.UNDECIDED]
    # The share of repetitions is asked for, and the share of what is satisfactory elsewhere.
    counted = Outcome.FAILED if criterion is Criterion.REPEATING else Outcome.PASSED
    clusters: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    for item in decided:
        clusters[item.dialogue][0] += item.outcome is counted
        clusters[item.dialogue][1] += 1
    good = sum(good for good, _ in clusters.values())
    left = len(mine) - len(decided)
    rate = replace(clustered_proportion([(good, n) for good, n in clusters.values()]), missing=left)
    found = CriterionResult(criterion, rate, good, left)
    return _with_all(found, clusters, dialogues) if criterion is Criterion.REPEATING else found


def decide_greetings(mine: Sequence[CriterionRuling]) -> Iterator[CriterionRuling]:
    """Yield one decision a dialogue: both the greeting and the farewell are to be right."""
    severity = {Outcome.FAILED: 0, Outcome.UNDECIDED: 1, Outcome.PASSED: 2}
    for dialogue in dict.fromkeys(item.dialogue for item in mine):
        yield min((i for i in mine if i.dialogue == dialogue), key=lambda item: severity[item.outcome])


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
