"""The headline figures of a run by name, and the least that is asked of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from du_eval.errors import ConfigError, did_you_mean
from du_eval.evaluation.aggregate import Evaluation
from du_eval.evaluation.goals import GOAL_FIGURES

Figures = Mapping[str, float | None]
_OVERALL = ("accuracy", "accuracy.cases", "f1.macro", "f1.micro", "f1.weighted")
_MEASURES = ("f1", "precision", "recall")


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
    goals = evaluation.goals.figures if evaluation.goals else ()
    return found | {figure.key: figure.measurement.value for figure in goals}


def known_figures(commands: Iterable[str]) -> list[str]:
    """Return the names of all figures that a run over these commands can have."""
    keys = [name.replace(" ", "_") for name in commands]
    return [*_OVERALL, *GOAL_FIGURES, *(f"{measure}.{key}" for measure in _MEASURES for key in keys)]


def thresholds_of(
    text: str, known: Collection[str] | None = None, origin: str = "--fail-under"
) -> list[Threshold]:
    """Read `accuracy=0.9,f1.set_slot=0.85`; a percentage may be written as 90%.

    With the names of the figures that there can be, an unknown one is refused before anything is asked.
    """
    found = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, separator, value = part.partition("=")
        try:
            least = float(value.strip().removesuffix("%")) / (100 if value.strip().endswith("%") else 1)
        except ValueError:
            separator = ""
        if not separator or not 0 <= least <= 1:
            raise ConfigError(f"{origin}: '{part}' is no figure with its least value, as in accuracy=0.9")
        found.append(Threshold(name.strip().replace(" ", "_"), least))
    if not found:
        raise ConfigError(f"{origin} names no figure; write accuracy=0.9")
    unknown = [one.name for one in found if known is not None and one.name not in known]
    if unknown:
        told = [f"{origin}: there is no figure '{name}'; {_hint(name, known or ())}" for name in unknown]
        raise ConfigError("\n".join(told))
    return found


def _hint(name: str, names: Collection[str]) -> str:
    """Return what was perhaps meant: another figure, another measure, or another command."""
    measure, _, command = name.partition(".")
    if command and measure not in _MEASURES:
        return did_you_mean(name, names) or f"known measures are: {', '.join(_MEASURES)}"
    if command:
        commands = [one.partition(".")[2] for one in names if one.startswith(f"{measure}.")]
        return did_you_mean(name, names) or f"commands of this run are: {', '.join(commands)}"
    others = [one for one in names if "." not in one or one in _OVERALL]
    more = ", and f1, precision and recall of a command" if len(others) < len(names) else ""
    return did_you_mean(name, names) or f"known are: {', '.join(others)}{more}"


def missed(figures: Figures, thresholds: Sequence[Threshold]) -> list[str]:
    """Return why the figures are not enough; a figure that is undefined is not enough either."""
    found = []
    for threshold in thresholds:
        value = figures.get(threshold.name)
        if value is None:
            found.append(f"{threshold.name} is undefined, and must be at least {threshold.least:g}")
        elif value < threshold.least:
            found.append(f"{threshold.name} is {value:.4f}, and must be at least {threshold.least:g}")
    return found
