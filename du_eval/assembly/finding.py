"""Runs by name: a file, the folder of a kept run, its id, the start of its id, its label, or `last`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from du_eval.assembly import settle
from du_eval.assembly.activities import Kinds
from du_eval.errors import ConfigError, InputError, NothingSelectedError, Problem
from du_eval.experiments.record import KIND as EXPERIMENT
from du_eval.experiments.record import read_experiment
from du_eval.runs.budget import StopRules
from du_eval.runs.record import Run
from du_eval.runs.report import read_run
from du_eval.runs.schedule import Sampling
from du_eval.runs.store import RunStore, StoredRun
from du_eval.settings.commands import TestSettings
from du_eval.settings.shared import RunSettings
from du_eval.statistics.success import SuccessRatio
from du_eval.suites.select import drawn, only, take_shard, with_first
from du_eval.trust.effects import NOTHING

if TYPE_CHECKING:
    from du_eval.suites.model import TestSuite


_NOT_PASSED = frozenset({"failed", "errored"})


def chosen(suite: TestSuite, config: TestSettings) -> TestSuite:
    """Return the part of a suite that a run is about; a resumed run is about the cases it began with."""
    if config.resume is not None:
        manifest = run_store(config).find(config.resume).manifest
        found = only(suite, frozenset(manifest.cases))
        if not len(found):
            raise NothingSelectedError(
                f"none of the {len(manifest.cases)} cases of the run {manifest.id} "
                f"is in {', '.join(config.paths)}"
            )
        if manifest.merged:
            return found
        order = {case: number for number, case in enumerate(manifest.cases)}
        return type(suite)(tuple(sorted(found, key=lambda case: order[case.id])), suite.warnings)
    if config.last_failed or config.failed_first:
        suite = _by_last_run(suite, config)
    if config.shard is not None:
        suite = replace(suite, cases=take_shard(suite.cases, config.shard))
    return drawn(suite, config.sample, config.seed) if config.sample is not None else suite


def _by_last_run(suite: TestSuite, config: TestSettings) -> TestSuite:
    """Return what did not pass in the last run, or that first; everything where there was no such run."""
    try:
        last = run_store(config).find()
        outcomes = last.outcomes()
    except InputError:
        return suite
    bad = {case for case, outcome in outcomes.items() if outcome in _NOT_PASSED}
    if config.last_failed:
        found = only(suite, bad)
        if not len(found):
            what = (
                f"of the {len(bad)} cases that did not pass, none is selected" if bad else "every case passed"
            )
            raise NothingSelectedError(f"--lf: in the last run ({last.id}), {what}")
        return found
    return with_first(suite, bad)


def sampling_of(config: TestSettings) -> Sampling:
    """Return how often cases are asked."""
    try:
        ratio = SuccessRatio.parsed(config.success_ratio) if config.success_ratio else None
    except ValueError as error:
        raise ConfigError(f"--success-ratio: {error}") from error
    return Sampling(config.samples, ratio, config.all_samples)


def stop_rules_of(config: TestSettings) -> StopRules:
    """Return when a run stops early."""
    return StopRules(config.max_calls, config.max_cost, config.max_error_rate, config.maxfail)


def run_store(config: RunSettings) -> RunStore:
    """Return where runs are kept."""
    return RunStore(Path(config.runs_dir))


AnyRun = Run[Any, Any]


def find_store(runs_dir: str | None = None) -> RunStore:
    """Return where runs are kept, as the settings say if nothing is given."""
    return run_store(settle(TestSettings, {"runs_dir": runs_dir}, os.environ, uses=NOTHING).config)


def find_run(name: str, runs_dir: str | None = None) -> AnyRun:
    """Return a run; one that was killed before its report was written must be continued first."""
    path = Path(name)
    if path.is_file():
        return read_run(path, Kinds())
    if path.suffix == ".json":
        raise InputError(Problem(name, 0, "there is no such file"))
    return read_stored(find_store(runs_dir).find(name))


def read_stored(stored: StoredRun) -> AnyRun:
    """Return a kept run; of one that was killed, what its journal has."""
    if stored.has_report:
        return stored.read(Kinds())
    manifest = stored.manifest
    if manifest.kind == "test":
        return judge_again(stored)
    if manifest.kind == "agent":
        from du_eval.assembly.agent_journals import restore_agents

        return restore_agents(stored)
    if manifest.kind == EXPERIMENT:
        arms = ", ".join(f"{arm.run} ({arm.name})" for arm in read_experiment(stored.folder).arms)
        raise InputError(f"{stored.id} is an experiment, not a run: name one of its arms: {arms}")
    hint = f"finish it: du-eval {manifest.kind} --resume {stored.id}"
    raise InputError(f"the run {stored.id} has no report yet: it is {stored.status} ({hint})")


def judge_again(stored: StoredRun) -> AnyRun:
    """Return a run of command tests from its journal."""
    from du_eval import __version__
    from du_eval.assembly.keeping import record_session
    from du_eval.assembly.rescoring import rescored
    from du_eval.evaluation.aggregate import evaluated

    result, session, _ = rescored({"resume": str(stored.folder)})
    record = record_session(evaluated(result, __version__), session)
    head = replace(record.head, id=stored.id, started=stored.manifest.started, status=stored.status)
    return replace(record, head=head)


def find_last(kind: str, runs_dir: str | None = None) -> AnyRun | None:
    """Return the last run of a kind that has a report, if there is one."""
    for stored in reversed(list(find_store(runs_dir))):
        if stored.manifest.kind == kind and stored.has_report:
            try:
                return read_stored(stored)
            except InputError:
                continue
    return None


def find_before(run: AnyRun, runs_dir: str | None = None) -> AnyRun | None:
    """Return the run of the same kind that was kept before a kept one, if there is one with a report."""
    older = [
        stored
        for stored in find_store(runs_dir)
        if stored.manifest.kind == run.head.kind and stored.id < run.head.id and stored.has_report
    ]
    try:
        return read_stored(older[-1]) if older else None
    except InputError:
        return None


def pair_runs(runs: Sequence[AnyRun]) -> list[tuple[AnyRun, AnyRun]]:
    """Return each run with the last one of its activity."""
    found = []
    for kind in dict.fromkeys(run.head.kind for run in runs):
        *others, newest = [run for run in runs if run.head.kind == kind]
        found += [(run, newest) for run in others]
    return found
