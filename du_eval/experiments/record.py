"""An experiment: its arms, how they compare, and what follows; to and from JSON, `du-eval experiment/1`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct, ValidationError, convert, field, json

from du_eval.errors import InputError, Problem, ReportError
from du_eval.experiments.decision import Decision
from du_eval.runs.figures import Figure
from du_eval.runs.record import Status
from du_eval.statistics.difference import Difference
from du_eval.statistics.verdict import Criteria, Verdict
from du_eval.trust.reading import read_file

FORMAT = "du-eval experiment/1"
KIND = "experiment"
"""The kind of a kept experiment, beside the kinds of runs."""
FILE = "experiment.json"
"""The file in the folder of an experiment that holds its record."""


class Arm(Struct, frozen=True):
    """One of the things that are compared, and what became of it."""

    name: str
    run: str = ""
    """The id of its run; the run is kept beside the experiment, or named by the user."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """What tells it from the other arms."""
    status: Status = Status.RUNNING
    steps: int = 0
    """How many steps it was asked."""
    calls: int = 0
    dropped: str = ""
    """Why the race went on without it; empty if it did not."""
    figures: tuple[Figure, ...] = ()

    def figure(self, name: str) -> Figure | None:
        """Return a figure by its name."""
        return next((one for one in self.figures if one.name == name), None)


class ArmPair(Struct, frozen=True):
    """Two arms over the steps that both were asked."""

    first: str
    second: str
    difference: Difference
    """How much more accurate the second one is."""
    adjusted_p: float
    """p after correction for the number of pairs."""
    verdict: Verdict
    """What can be said of the second arm against the first."""


class Race(Struct, frozen=True):
    """How arms were dropped on the way."""

    batches: int
    planned: int
    dropped: Mapping[str, int] = field(default_factory=dict)
    """Arms that were dropped, and after how many batches."""
    saved: int = 0
    """Questions that were not asked because of that."""


class Experiment(Struct, frozen=True):
    """Everything about an experiment but the steps, which are in the runs of its arms."""

    id: str
    name: str
    baseline: str
    """The arm that is in use today, as far as anybody said: the first one."""
    arms: tuple[Arm, ...]
    started: str = ""
    seconds: float = 0.0
    status: Status = Status.RUNNING
    stopped: str = ""
    """Why it ended before everything was asked, if it did."""
    unit: str = "user steps"
    pairs: tuple[ArmPair, ...] = ()
    missing: str = ""
    """What errored, where there is no decision because of it."""
    best: str = ""
    """The most accurate arm; none where nothing is right, or too much errored."""
    rivals: tuple[str, ...] = ()
    """Arms that cannot be told from the best one."""
    race: Race | None = None
    decision: Decision | None = None
    criteria: Criteria = field(default_factory=Criteria)

    def arm(self, name: str) -> Arm:
        """Return an arm by its name."""
        return next(one for one in self.arms if one.name == name)


def write_experiment(folder: Path, experiment: Experiment) -> None:
    """Write an experiment into its folder, whole or not at all."""
    partial = folder / f".{FILE}.{os.getpid()}"
    try:
        partial.write_bytes(encode_experiment(experiment))
        partial.replace(folder / FILE)
    except OSError as error:
        raise ReportError(f"{folder / FILE} cannot be written: {error}") from error


def encode_experiment(experiment: Experiment) -> bytes:
    """Return an experiment as JSON."""
    return b'{"format":"' + FORMAT.encode() + b'",' + json.encode(experiment)[1:] + b"\n"


def read_experiment(path: Path) -> Experiment:
    """Return the experiment of a file, or of its folder; raise if this version cannot read it."""
    path = path / FILE if path.is_dir() else path
    try:
        data = json.decode(read_file(path))
    except OSError as error:
        raise InputError(Problem(str(path), 0, f"cannot be read: {error.strerror or error}")) from error
    except (ValueError, RecursionError) as error:
        raise InputError(Problem(str(path), 0, f"this is not JSON: {error}")) from error
    if not isinstance(data, dict) or data.pop("format", None) != FORMAT:
        raise InputError(Problem(str(path), 0, f"this is not an experiment in the format '{FORMAT}'"))
    try:
        return convert(data, Experiment)
    except ValidationError as error:
        raise InputError(Problem(str(path), 0, f"a damaged experiment: {error}")) from error
