"""Which metrics there are, in which order their columns stand, and which of them a user asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from importlib import import_module

from msgspec import Struct

from du_eval.corpus.metric import CorpusMetric, MetricColumn
from du_eval.corpus.settings import Definitions, MetricOptions
from du_eval.errors import InputError, PluginError, Problem, did_you_mean
from du_eval.plugins import PlugIns, load_object

ORIGINAL_COLUMNS = (
    "length",
    "per-unigram-entropy",
    "per-bigram-entropy",
    "utterance-unigram-entropy",
    "utterance-bigram-entropy",
    "unigram-kl-div",
    "bigram-kl-div",
    "embedding-average",
    "embedding-extrema",
    "embedding-greedy",
    "coherence",
    "distinct-1",
    "distinct-2",
    "bleu-1",
    "bleu-2",
    "bleu-3",
    "bleu-4",
)
GROUPS = {"dialog-eval": ORIGINAL_COLUMNS}
_CLASS_PATH = re.compile(r"[\w.]+:\w+")


class MetricSelection(Struct, frozen=True):
    """The metrics to run, the columns to show in order, and those that the user asked for by name."""

    metrics: tuple[CorpusMetric, ...]
    columns: tuple[MetricColumn, ...]
    named: frozenset[str]


def available(mode: Definitions, options: MetricOptions) -> tuple[CorpusMetric, ...]:
    """Return all metrics of a mode; those of other modes are not even imported."""
    module, _, function = mode.metrics.partition(":")
    found: tuple[CorpusMetric, ...] = getattr(import_module(module), function)(options)
    return found


def select_metrics(known: Sequence[CorpusMetric], wanted: Sequence[str]) -> MetricSelection:
    """Return what the user asked for: names, patterns (`bleu-*`), groups, or classes (`module:Class`)."""
    columns = _ordered([column for metric in known for column in metric.columns])
    if not wanted:
        return MetricSelection(tuple(known), columns, frozenset())
    every = PlugIns("metrics", {column.name: column for column in columns})
    foreign = {item: load_metric(item, every) for item in wanted if _is_foreign(item, every)}
    plugins = tuple(foreign.values())
    added = [column for metric in plugins for column in metric.columns]
    names = _names([item for item in wanted if item not in foreign], [c.name for c in columns])
    chosen = (*(column for column in columns if column.name in names), *added)
    shown = {column.name for column in chosen}
    metrics = tuple(m for m in (*known, *plugins) if any(column.name in shown for column in m.columns))
    named = frozenset(item for item in wanted if item in shown) | frozenset(column.name for column in added)
    return MetricSelection(metrics, tuple(chosen), named)


def _names(wanted: Sequence[str], known: Sequence[str]) -> set[str]:
    found: set[str] = set()
    problems = []
    for item in wanted:
        matching = GROUPS.get(item) or [name for name in known if item == "all" or fnmatchcase(name, item)]
        if not matching:
            hint = did_you_mean(item, [*known, *GROUPS]) or f"known: all, {', '.join([*GROUPS, *known])}"
            problems.append(Problem("--metrics", 0, f"unknown metric '{item}'", hint))
        found.update(matching)
    if problems:
        raise InputError(problems)
    return found


def _ordered(columns: Sequence[MetricColumn]) -> tuple[MetricColumn, ...]:
    """Return the columns of the original in their order, then the others."""
    places = {name: place for place, name in enumerate(ORIGINAL_COLUMNS)}
    return tuple(sorted(columns, key=lambda column: places.get(column.name, len(places))))


def _is_foreign(item: str, every: PlugIns) -> bool:
    """Tell whether a metric is somebody else's; a name that is ours as well is an error."""
    if _CLASS_PATH.fullmatch(item):
        return True
    return item in every and every[item] is not every.own.get(item)


def load_metric(path: str, every: PlugIns) -> CorpusMetric:
    """Return an instance of a metric class: of a path `module:Class`, or of an installed package."""
    metric = (every[path] if path in every else load_object(path))()
    for attribute in ("columns", "needs", "score"):
        if not hasattr(metric, attribute):
            raise PluginError(Problem("--metrics", 0, f"'{path}' is not a metric: it has no '{attribute}'"))
    if not metric.columns:
        hint = "give it at least one MetricColumn"
        raise PluginError(
            Problem("--metrics", 0, f"'{path}' has no columns, so it would have no result", hint)
        )
    return metric  # type: ignore[no-any-return]
