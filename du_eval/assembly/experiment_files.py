"""Experiments on disk: the file that describes one, the server it starts, and kept ones read back."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from du_eval.assembly.finding import find_store, read_stored
from du_eval.assembly.settings import make_relative, settle
from du_eval.errors import ConfigError, InputError, Problem
from du_eval.experiments.arms import ArmPlan, ExperimentPlan, read_plan
from du_eval.experiments.record import FILE, Experiment, read_experiment
from du_eval.parsers.text_files import read_text_file
from du_eval.plugins import look_into
from du_eval.reports.sections import View
from du_eval.reports.views.experiment import view_experiment
from du_eval.runs.manifest import Manifest
from du_eval.runs.record import AnyRun
from du_eval.runs.store import StoredRun
from du_eval.settings.commands import TestSettings
from du_eval.settings.sources import FLAG, Source

_PATIENCE_SECONDS = 60.0
_POLITE_SECONDS = 5.0
_STANDARD_ERROR = 2
_OF_A_SINGLE_RUN = ("fail_under", "against", "perturb", "output_file", "junitxml")
"""Settings that an experiment does not follow."""


def load_plan(file: str) -> ExperimentPlan:
    """Return the experiment of a file; modules beside the file are found from now on."""
    plan = read_plan(read_text_file(file), file)
    look_into(Path(file).parent)
    return plan


def settle_arms(
    plan: ExperimentPlan, flags: Mapping[str, object], environment: Mapping[str, str]
) -> tuple[TestSettings, list[TestSettings]]:
    """Return the settings that all arms share, and those of each; raise with the problems of all of them."""
    settled = settle(TestSettings, flags, environment, [_make_source(plan)])
    shared = settled.config
    _refuse_single(plan, settled.origins)
    found, problems = [], []
    for arm in plan.arms:
        try:
            config = settle(TestSettings, flags, environment, [_make_source(plan, arm)]).config
        except ConfigError as error:
            problems += [one for one in error.problems if one not in problems]
        else:
            given = {"label": arm.name}
            if config.syntax != shared.syntax:
                given["suite_syntax"] = shared.suite_syntax or shared.syntax
            found.append(update_settings(config, given))
    if problems:
        raise ConfigError(problems)
    return shared, found


def _refuse_single(plan: ExperimentPlan, origins: Mapping[str, str]) -> None:
    """Raise where settings are given to the arms that only a single run follows."""
    hint = "each arm is kept as a run of its own: gate, compare or report that"
    told = "is for a single run, not for several arms"
    flags = [f"--{key.replace('_', '-')}" for key in _OF_A_SINGLE_RUN if origins[key] == FLAG]
    problems = [Problem("", 0, f"{flag} {told}", hint) for flag in flags]
    keys = [key for key in _OF_A_SINGLE_RUN if key in plan.settings]
    problems += [Problem(plan.file, plan.lines[key], f"{key} {told}", hint) for key in keys]
    if problems:
        raise ConfigError(problems)


def _make_source(plan: ExperimentPlan, arm: ArmPlan | None = None) -> Source:
    values, lines = dict(plan.settings), dict(plan.lines)
    if arm is not None:
        values |= arm.values
        lines |= arm.lines
    known = {key: value for key, value in values.items() if value is not None}
    folder = Path(plan.file).parent if plan.file else None
    source = Source(plan.file or "the arms", known, lines)
    return make_relative(source, folder, TestSettings) if folder else source


def update_settings(config: TestSettings, changes: Mapping[str, object]) -> TestSettings:
    """Return settings with changes, checked; what was given stays marked as given."""
    return TestSettings.model_validate({**config.model_dump(exclude_unset=True), **changes})


@contextmanager
def serving(plan: ExperimentPlan, addresses: Sequence[str]) -> Iterator[None]:
    """Run the server that an experiment starts, from when it answers until the experiment has ended."""
    if not plan.start:
        yield
        return
    words = [sys.executable, *plan.start[1:]] if plan.start[0] in {"python", "python3"} else list(plan.start)
    try:
        server = subprocess.Popen(  # noqa: S603 - what the user's own file says
            words, cwd=Path(plan.file).parent, stdin=subprocess.DEVNULL, stdout=_STANDARD_ERROR
        )
    except OSError as error:
        raise ConfigError(_complain(plan, f"cannot be started: {error.strerror}")) from error
    try:
        for address in addresses:
            _wait_for(address, server, plan)
        yield
    finally:
        server.terminate()
        try:
            server.wait(_POLITE_SECONDS)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _wait_for(address: str, server: subprocess.Popen[bytes], plan: ExperimentPlan) -> None:
    parts = urlsplit(address)
    place = (parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80))
    end = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < end:
        if server.poll() is not None:
            raise ConfigError(
                _complain(plan, f"ended with exit code {server.returncode} before the first request")
            )
        try:
            with socket.create_connection(place, timeout=1):
                return
        except OSError:
            time.sleep(0.05)
    raise ConfigError(
        _complain(plan, f"did not answer at {parts.netloc} after {_PATIENCE_SECONDS:g} seconds")
    )


def _complain(plan: ExperimentPlan, what: str) -> Problem:
    return Problem(plan.file, plan.lines.get("start", 0), f"start: '{' '.join(plan.start)}' {what}")


def read_arms(folder: Path) -> tuple[Experiment, list[tuple[str, AnyRun]]]:
    """Return a kept experiment, and the runs of its arms as far as they are there."""
    experiment = read_experiment(folder)
    found = []
    for arm in experiment.arms:
        place = folder.parent / arm.run
        if arm.run and (place / "manifest.json").is_file():
            found.append(
                (arm.name, read_stored(StoredRun(place, Manifest.from_file(place / "manifest.json"))))
            )
    return experiment, found


def find_experiment(name: str, runs_dir: str | None = None) -> Path | None:
    """Return the folder of a kept experiment by its name; None for what is none."""
    if Path(name).is_file():
        return None
    try:
        folder = find_store(runs_dir).find(name).folder
    except InputError:
        return None
    return folder if (folder / FILE).is_file() else None


def view_kept(folder: Path) -> View:
    """Return the view of a kept experiment; while it goes on, of what there is."""
    return view_experiment(*read_arms(folder))
