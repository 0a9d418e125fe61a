"""What another catalogue does to a generator: points of a curve, and flows mixed up."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, sqrt
from statistics import fmean, median, stdev

from du_eval.assistants.model import Assistant, Flow
from du_eval.commands.flows import Clarify, StartFlow
from du_eval.evaluation.aggregate import Evaluation
from du_eval.evaluation.results import StepResult
from du_eval.evaluation.stress.catalogue import CatalogueChange
from du_eval.generators.base import CommandGenerator, Prediction, Request
from du_eval.generators.baseline.index import TextIndex, bag_of_words
from du_eval.generators.baseline.text import content_words, split_identifier, stem
from du_eval.statistics.intervals import Interval, Measurement
from du_eval.statistics.quantiles import mean_half_width, normal_quantile

_CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class StressPoint:
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


@dataclass(frozen=True, slots=True)
class ConfusedFlows:
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


@dataclass(frozen=True)
class CatalogueGenerator:
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
        close = getattr(self.generator, "close", None)
        if callable(close):
            done = close()
            if hasattr(done, "__await__"):
                await done


def measure_point(change: CatalogueChange, flows: float, evaluation: Evaluation) -> StressPoint:
    """Return the figures of a run with one catalogue."""
    steps = list(evaluation.run.steps())
    tokens = [sum(p.prompt_tokens or 0 for p in step.prompts) for step in steps if step.prompts]
    start = evaluation.commands.get(StartFlow.name)
    return StressPoint(
        change,
        flows,
        evaluation.step_accuracy,
        start.f1 if start else None,
        _measure_mean([float(count) for count in tokens if count]),
        _measure_median([step.latency_seconds for step in steps if step.latency_seconds is not None]),
    )


def find_confused(
    runs: Sequence[tuple[Evaluation, Mapping[str, Flow]]], most: int = 15
) -> tuple[ConfusedFlows, ...]:
    """Return the pairs of flows that were mixed up in some runs, the most frequent first."""
    messages: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    flows: dict[str, Flow] = {}
    for evaluation, known in runs:
        flows.update(known)
        for step in evaluation.run.steps():
            for pair in _pairs_in(step):
                messages[pair].append(step.message)
    ranked = sorted(messages.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(_compare(pair, found, flows) for pair, found in ranked[:most])


def _pairs_in(step: StepResult) -> Iterator[tuple[str, str]]:
    missing = [command.flow for command in step.diff.missing if isinstance(command, StartFlow)]
    wrong = [command.flow for command in step.diff.unexpected if isinstance(command, StartFlow)]
    wrong += [flow for c in step.diff.unexpected if isinstance(c, Clarify) for flow in c.options]
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


def _measure_mean(values: Sequence[float]) -> Measurement | None:
    if not values:
        return None
    mean = fmean(values)
    half = mean_half_width(stdev(values), len(values), _CONFIDENCE) if len(values) > 1 else None
    interval = Interval(max(0.0, mean - half), mean + half) if half is not None else None
    return Measurement(mean, len(values), interval, method=f"t@{_CONFIDENCE:g}")


def _measure_median(values: Sequence[float]) -> Measurement | None:
    """Return the median; its interval lies between two of the values, whatever their distribution."""
    if not values:
        return None
    ordered, n = sorted(values), len(values)
    half = normal_quantile((1 + _CONFIDENCE) / 2) * sqrt(n) / 2
    low, high = ordered[max(0, floor(n / 2 - half))], ordered[min(n - 1, ceil(n / 2 + half))]
    return Measurement(median(ordered), n, Interval(low, high), method=f"order-statistics@{_CONFIDENCE:g}")
