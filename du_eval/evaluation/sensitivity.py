"""Schema sensitivity: how much the same frames depend on the words of a schema, over several runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from du_eval.evaluation.goals import FrameKey


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How much the joint goal of the same frames depends on the words of the schema."""

    value: float | None
    """The mean over frames of standard deviation by mean; a frame that is never right counts as 0."""
    n: int
    means: tuple[float, ...]
    """The joint goal accuracy of each run, over the frames that all runs have."""


def measure_sensitivity(runs: Sequence[Mapping[FrameKey, float]]) -> Sensitivity:
    """Return the schema sensitivity of at least two runs over the frames that all of them have."""
    shared = [key for key in runs[0] if all(key in run for run in runs)]
    if not shared or len(runs) < 2:
        return Sensitivity(None, len(shared), ())
    ratios = []
    for key in shared:
        values = [run[key] for run in runs]
        mean = fmean(values)
        ratios.append(stdev(values) / mean if mean else 0.0)
    return Sensitivity(fmean(ratios), len(shared), tuple(fmean(run[key] for key in shared) for run in runs))
