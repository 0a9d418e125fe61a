"""What another catalogue does to a generator: points of a curve, and flows mixed up."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from importlib.resources import files
from math import ceil, floor, sqrt
from random import Random
from statistics import median

from msgspec import Struct
from msgspec.structs import replace

from du_eval.assistants.model import Assistant, Flow, Slot
from du_eval.commands.flows import Clarify, StartFlow
from du_eval.evaluation.aggregate import measure_steps
from du_eval.evaluation.record import TestRun
from du_eval.evaluation.step import JudgedStep
from du_eval.generators.base import CommandGenerator, Prediction, Request, close_if_open
from du_eval.generators.baseline.index import TextIndex, bag_of_words
from du_eval.generators.baseline.text import content_words, split_identifier
from du_eval.statistics.intervals import Interval, Measurement
from du_eval.statistics.paired_means import clustered_mean
from du_eval.statistics.quantiles import normal_quantile
from du_eval.text.words import stem

_TOO_ALIKE = 0.4
"""The likeness from which a foreign flow would be a right answer, too, and is left out."""
_TWINS = (
    ("for_companies", "for companies only"),
    ("abroad", "in another country"),
    ("for_a_child", "on behalf of a child"),
)


class CatalogueChange(StrEnum):
    """What is done to a catalogue."""

    DISTRACTORS = "distractors"
    NEAR = "near"
    SHUFFLE = "shuffle"
    PARAPHRASE = "paraphrase"


class Foreign(Struct, frozen=True):
    """A flow that an assistant does not have, with the slots that it asks for."""

    flow: Flow
    slots: tuple[Slot, ...] = ()


def read_packaged() -> tuple[Foreign, ...]:
    """Return the flows that come with the package."""
    return tuple(
        Foreign(Flow(name, text, name.replace("_", " "))) for name, text in _read_pairs("flows.txt").items()
    )


def borrow_flows(assistants: Iterable[Assistant]) -> tuple[Foreign, ...]:
    """Return the flows of other assistants that a user may start."""
    return tuple(
        Foreign(
            replace(flow, calls=(), links=(), intents=(), steps=()),
            tuple(other.slots[item.slot] for item in flow.collects if item.slot in other.slots),
        )
        for other in assistants
        for flow in other.user_flows
        if flow.is_startable
    )


def resize(
    assistant: Assistant, needed: Collection[str], size: int, foreign: Sequence[Foreign], seed: int
) -> Assistant:
    """Return an assistant with about `size` flows that users may start, all needed ones among them."""
    own = [flow.id for flow in assistant.user_flows if flow.is_startable]
    rng = Random(seed)  # noqa: S311 - reproducible draws
    if size < len(own):
        others = [flow for flow in own if flow not in needed]
        kept = set(rng.sample(others, max(0, min(len(others), size - len(own) + len(others))))) | set(needed)
        flows = {key: flow for key, flow in assistant.flows.items() if key in kept or key not in own}
        return replace(assistant, flows=flows, path=f"{assistant.path}#{size}:{','.join(sorted(kept))}")
    drawn = rng.sample(usable := _drop_alike(assistant, foreign), min(len(usable), size - len(own)))
    flows = dict(assistant.flows)
    slots = dict(assistant.slots)
    for item in drawn:
        is_apart = not any(slot.name in assistant.slots for slot in item.slots)
        flows[item.flow.id] = item.flow if is_apart else replace(item.flow, collects=())
        slots.update({slot.name: slot for slot in item.slots} if is_apart else {})
    return replace(assistant, flows=flows, slots=slots, path=f"{assistant.path}#{size}")


def add_twins(assistant: Assistant) -> Assistant:
    """Return an assistant with a flow of nearly the same name and description beside each of its own."""
    flows = dict(assistant.flows)
    for number, flow in enumerate(flow for flow in assistant.user_flows if flow.is_startable):
        ending, limit = _TWINS[number % len(_TWINS)]
        words = flow.description.rstrip(". ") or flow.readable_name.replace("_", " ")
        twin = Flow(f"{flow.id}_{ending}", f"{words}, {limit}.", flow.name and f"{flow.name} {limit}")
        flows.setdefault(twin.id, twin)
    return replace(assistant, flows=flows, path=f"{assistant.path}#near")


def shuffle_flows(assistant: Assistant, seed: int) -> Assistant:
    """Return an assistant whose flows stand in another order."""
    order = list(assistant.flows)
    Random(seed).shuffle(order)  # noqa: S311 - reproducible draws
    flows = {name: assistant.flows[name] for name in order}
    return replace(assistant, flows=flows, path=f"{assistant.path}#shuffle-{seed}")


def paraphrase_flows(assistant: Assistant) -> Assistant:
    """Return an assistant whose flows are described in other words; ids and slots stay."""
    table = _read_pairs("rewordings.txt")
    flows = {
        name: flow if flow.is_pattern else replace(flow, description=reword(flow.description, table))
        for name, flow in assistant.flows.items()
    }
    return replace(assistant, flows=flows, path=f"{assistant.path}#paraphrase")


def reword(text: str, table: Mapping[str, str]) -> str:
    """Return a text with each word of the table replaced once, capitals kept."""

    def swap(match: re.Match[str]) -> str:
        other = table.get(match[0].lower())
        if other is None:
            return match[0]
        return other[0].upper() + other[1:] if match[0][0].isupper() else other

    return re.sub(r"[^\W\d_]+", swap, text)


def _drop_alike(assistant: Assistant, foreign: Sequence[Foreign]) -> list[Foreign]:
    """Return the foreign flows that are none of the assistant's own in other words."""
    own = [f"{flow.readable_name} {flow.description}".replace("_", " ") for flow in assistant.user_flows]
    index = TextIndex(own, bag_of_words)
    known = set(assistant.flows)
    return [
        item
        for item in foreign
        if item.flow.id not in known
        and max(index.compare(f"{item.flow.id} {item.flow.description}".replace("_", " ")), default=0.0)
        < _TOO_ALIKE
    ]


def _read_pairs(name: str) -> dict[str, str]:
    lines = files(__package__).joinpath(name).read_text(encoding="utf-8").splitlines()
    pairs = (line.partition(": ") for line in lines if line and not line.startswith("#"))
    return {key: value for key, _, value in pairs}


_CONFIDENCE = 0.95


class StressPoint(Struct, frozen=True):
    """What was measured with one catalogue."""

    change: CatalogueChange
    flows: float
    """The flows that a user could start, in the mean over the steps."""
    accuracy: Measurement
    start_f1: Measurement | None
    prompt_tokens: Measurement | None
    """The mean over the steps; None where the generator counts none."""
    latency_seconds: Measurement | None
    """The median over the steps."""


class ConfusedFlows(Struct, frozen=True):
    """Two flows of which one was started instead of the other."""

    expected: str
    predicted: str
    times: int
    example: str
    """A message that was misunderstood so."""
    likeness: float
    """The cosine of their descriptions' words, from 0 to 1."""
    shared: tuple[str, ...]
    """The words that both descriptions use."""
    only_predicted: tuple[str, ...]
    """The words of the messages that only the wrong flow's description uses."""


class CatalogueGenerator(Struct, frozen=True):
    """Asks a generator with other catalogues than those of the assistants, and remembers their sizes."""

    generator: CommandGenerator
    catalogues: Mapping[tuple[str, str, str], Assistant]
    """The assistants to use, by path of the original one, file and case."""

    @property
    def name(self) -> str:
        """The name of the generator that is asked."""
        return str(getattr(self.generator, "name", type(self.generator).__name__))

    @property
    def counts_calls(self) -> bool:
        """Tell whether the generator keeps account of the budget itself."""
        return bool(getattr(self.generator, "counts_calls", False))

    async def generate(self, request: Request) -> Prediction:
        """Return the answer of the generator to a request with another catalogue."""
        place = request.place
        assistant = self.catalogues.get((request.assistant.path, place.file, place.case), request.assistant)
        return await self.generator.generate(replace(request, assistant=assistant))

    async def close(self) -> None:
        """Close the generator, if it wants that."""
        await close_if_open(self.generator)


def measure_point(change: CatalogueChange, flows: float, run: TestRun) -> StressPoint:
    """Return the figures of a run with one catalogue."""
    prompts = [[step.detail.prompts for step in case.results] for case in run.cases]
    sums = [[sum(one.prompt_tokens or 0 for one in sent) for sent in steps] for steps in prompts]
    tokens = [[float(count) for count in counts if count] for counts in sums]
    start = run.extra.commands.get(StartFlow.name) if run.extra else None
    return StressPoint(
        change,
        flows,
        measure_steps(run.cases),
        start.f1 if start else None,
        clustered_mean(tokens, _CONFIDENCE) if any(tokens) else None,
        _measure_median([step.seconds for step in run.results() if step.seconds is not None]),
    )


def find_confused(
    runs: Sequence[tuple[TestRun, Mapping[str, Flow]]], most: int = 15
) -> tuple[ConfusedFlows, ...]:
    """Return the pairs of flows that were mixed up in some runs, the most frequent first."""
    messages: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    flows: dict[str, Flow] = {}
    for run, known in runs:
        flows.update(known)
        for step in run.results():
            for pair in _pairs_in(step):
                messages[pair].append(step.asked)
    ranked = sorted(messages.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(_compare(pair, found, flows) for pair, found in ranked[:most])


def _pairs_in(step: JudgedStep) -> Iterator[tuple[str, str]]:
    diff = step.detail.live.diff
    missing = [command.flow for command in diff.missing if isinstance(command, StartFlow)]
    wrong = [command.flow for command in diff.unexpected if isinstance(command, StartFlow)]
    wrong += [flow for c in diff.unexpected if isinstance(c, Clarify) for flow in c.options]
    if missing:
        yield from {(missing[0], flow) for flow in wrong if flow != missing[0]}


def _compare(pair: tuple[str, str], messages: Sequence[str], flows: Mapping[str, Flow]) -> ConfusedFlows:
    texts = [_describe(flows[flow]) if flow in flows else split_identifier(flow) for flow in pair]
    right, wrong = ({stem(word): word for word in content_words(text)} for text in texts)
    said = Counter(stem(word) for message in messages for word in content_words(message))
    only = [wrong[item] for item, _ in said.most_common() if item in wrong and item not in right]
    likeness = float(TextIndex([texts[0]], bag_of_words).compare(texts[1])[0])
    shared = tuple(right[item] for item in right if item in wrong)
    return ConfusedFlows(*pair, len(messages), messages[0], likeness, shared, tuple(only))


def _describe(flow: Flow) -> str:
    return f"{split_identifier(flow.id)} {flow.description}"


def _measure_median(values: Sequence[float]) -> Measurement | None:
    """Return the median; its interval lies between two of the values, whatever their distribution."""
    if not values:
        return None
    ordered, n = sorted(values), len(values)
    half = normal_quantile((1 + _CONFIDENCE) / 2) * sqrt(n) / 2
    low, high = ordered[max(0, floor(n / 2 - half))], ordered[min(n - 1, ceil(n / 2 + half))]
    return Measurement(median(ordered), n, Interval(low, high), method=f"order-statistics:{_CONFIDENCE:g}")
