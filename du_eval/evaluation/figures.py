"""The headline figures of a run by name, and the least that is asked of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from du_eval.errors import ConfigError, did_you_mean
from du_eval.evaluation.aggregate import Evaluation

Figures = Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Threshold:
    """The least value of a figure."""

    name: str
    least: float


def figures_of(evaluation: Evaluation) -> dict[str, float | None]:
    """Return the figures of a run: accuracy, accuracy.cases, f1.macro, f1.set_slot, recall.set_slot, ...

    A command that has the name of an average, such as `macro`, is `f1.command.macro`.
    """
    found = {
        "accuracy": evaluation.step_accuracy.value,
        "accuracy.cases": evaluation.case_accuracy.value,
        "f1.macro": evaluation.f1.macro,
        "f1.micro": evaluation.f1.micro,
        "f1.weighted": evaluation.f1.weighted,
    }
    for name, score in evaluation.commands.items():
        key = name.replace(" ", "_")
        found[f"f1.command.{key}" if f"f1.{key}" in found else f"f1.{key}"] = score.f1.value
        found[f"precision.{key}"] = score.precision.value
        found[f"recall.{key}"] = score.recall.value
    return found


def thresholds_of(text: str) -> list[Threshold]:
    """Read `accuracy=0.9,f1.set_slot=0.85`; a percentage may be written as 90%."""
    found = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, separator, value = part.partition("=")
        try:
            least = float(value.strip().removesuffix("%")) / (100 if value.strip().endswith("%") else 1)
        except ValueError:
            separator = ""
        if not separator or not 0 <= least <= 1:
            raise ConfigError(f"--fail-under: '{part}' is no figure with its least value, as in accuracy=0.9")
        found.append(Threshold(name.strip().replace(" ", "_"), least))
    if not found:
        raise ConfigError("--fail-under names no figure; write accuracy=0.9")
    return found


def missed(figures: Figures, thresholds: Sequence[Threshold]) -> list[str]:
    """Return why the figures are not enough; a figure that is undefined is not enough either."""
    found = []
    for threshold in thresholds:
        if threshold.name not in figures:
            hint = did_you_mean(threshold.name, figures) or f"known are: {', '.join(figures)}"
            raise ConfigError(f"--fail-under: this run has no figure '{threshold.name}'; {hint}")
        value = figures[threshold.name]
        if value is None:
            found.append(f"{threshold.name} is undefined, and must be at least {threshold.least:g}")
        elif value < threshold.least:
            found.append(f"{threshold.name} is {value:.4f}, and must be at least {threshold.least:g}")
    return found
