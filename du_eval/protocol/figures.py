"""The figures of the protocol: criteria with intervals, the dialogue as the cluster; switches of topic."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from du_eval.protocol.criteria import CriterionRuling, ProtocolDialogue, measure_switches
from du_eval.protocol.model import Criterion
from du_eval.runs.figures import Direction, Figure
from du_eval.runs.outcome import Outcome
from du_eval.statistics.clusters import clustered_proportion
from du_eval.statistics.intervals import Interval, Measurement

SWITCHED = "topic_switched"
OF_ALL, AT_LEAST = f"{Criterion.REPEATING}.of_all", f"{Criterion.TOPIC}.at_least"
RATES = tuple(criterion for criterion in Criterion if criterion is not Criterion.TOPIC)
"""Criteria that are shares; switches of topic are counted in utterances."""


class Switch(Struct, frozen=True):
    """A try to bring the bot to another topic."""

    dialogue: int
    number: int
    topic: str
    length: int | None
    """How many utterances it took; None for one that never came about."""


def list_switches(
    dialogues: Iterable[ProtocolDialogue], judged: Iterable[CriterionRuling]
) -> tuple[Switch, ...]:
    """Return the topic switches to which the bot replied."""
    on_topic = {
        (item.dialogue, item.turn)
        for item in judged
        if item.criterion is Criterion.TOPIC and item.outcome is Outcome.PASSED
    }
    return tuple(switch for one in dialogues for switch in _list_switches(one, on_topic))


def _list_switches(dialogue: ProtocolDialogue, on_topic: Container[tuple[int, int]]) -> Iterator[Switch]:
    topics = {said.utterance.switch: said.utterance.topic for said in dialogue.spoken}
    lengths = measure_switches(dialogue.spoken, lambda turn: (dialogue.number, turn) in on_topic)
    for number, length in lengths.items():
        yield Switch(dialogue.number, number, topics[number], length)


def list_criteria(
    judged: Sequence[CriterionRuling], dialogues: Sequence[ProtocolDialogue]
) -> Iterator[Figure]:
    """Yield the criteria that are rates, and the share of repetitions in what both sides said."""
    for criterion in RATES:
        clusters, left = _count(criterion, judged)
        rate = replace(clustered_proportion(list(clusters.values())), missing=left)
        better = Direction.LOWER if criterion is Criterion.REPEATING else Direction.HIGHER
        yield Figure(str(criterion), rate, better=better, is_headline=True)
    repeated, left = _count(Criterion.REPEATING, judged)
    shares = [(repeated.get(one.number, (0, 0))[0], 2 * len(one.spoken)) for one in dialogues if one.spoken]
    title = "repetition in the utterances of both sides"
    of_all = clustered_proportion(shares)
    if left and of_all.value is not None:
        possible = Interval(of_all.value, of_all.value + left / of_all.n)
        of_all = replace(of_all, missing=left, possible=possible)
    yield Figure(OF_ALL, of_all, title, Direction.LOWER)


def _count(criterion: Criterion, judged: Iterable[CriterionRuling]) -> tuple[dict[int, tuple[int, int]], int]:
    """Return how often a criterion was met of how many decisions, by dialogue; and how many are open."""
    mine = [item for item in judged if item.criterion is criterion]
    if criterion is Criterion.HELLO_BYE:
        mine = list(decide_greetings(mine))
    decided = [item for item in mine if item.outcome is not Outcome.UNDECIDED]
    # The share of repetitions is asked for, and the share of what is satisfactory elsewhere.
    counted = Outcome.FAILED if criterion is Criterion.REPEATING else Outcome.PASSED
    clusters: dict[int, tuple[int, int]] = {}
    for item in decided:
        good, n = clusters.get(item.dialogue, (0, 0))
        clusters[item.dialogue] = good + (item.outcome is counted), n + 1
    return clusters, len(mine) - len(decided)


def decide_greetings(mine: Sequence[CriterionRuling]) -> Iterator[CriterionRuling]:
    """Yield one decision a dialogue: both the greeting and the farewell are to be right."""
    severity = {Outcome.FAILED: 0, Outcome.UNDECIDED: 1, Outcome.PASSED: 2}
    for dialogue in dict.fromkeys(item.dialogue for item in mine):
        yield min((i for i in mine if i.dialogue == dialogue), key=lambda item: severity[item.outcome])


def list_switch_figures(switched: Sequence[Switch], limit: int) -> Iterator[Figure]:
    """Yield the mean number of utterances until a switch, and how many switches came about.

    At the least, a switch that never came about took one more utterance than the limit.
    """
    done = [one.length for one in switched if one.length is not None]
    least = [limit + 1 if one.length is None else one.length for one in switched]
    mean, bound = (Measurement(sum(n) / len(n) if n else None, len(n)) for n in (done, least))
    yield Figure(str(Criterion.TOPIC), mean, "", Direction.LOWER, "utterances", is_headline=True)
    yield Figure(AT_LEAST, bound, "topic_switch_trying, at least", Direction.LOWER, "utterances")
    clusters: dict[int, list[bool]] = defaultdict(list)
    for one in switched:
        clusters[one.dialogue].append(one.length is not None)
    rate = clustered_proportion([(sum(found), len(found)) for found in clusters.values()])
    yield Figure(SWITCHED, rate, "topic switches that took place")
