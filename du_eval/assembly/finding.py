"""Runs by name: a file, the folder of a kept run, its id, the start of its id, its label, or `last`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from du_eval.assembly import settle
from du_eval.assembly.activities import Kinds
from du_eval.assembly.selection import run_store
from du_eval.errors import InputError, Problem
from du_eval.runs.record import AnyRun
from du_eval.runs.report import read_run
from du_eval.runs.store import RunStore, StoredRun
from du_eval.settings.commands import TestSettings
from du_eval.trust.effects import NOTHING


def find_store(runs_dir: str | None = None) -> RunStore:
    """Return where runs are kept, as the settings say if nothing is given."""
    return run_store(settle(TestSettings, {"runs_dir": runs_dir}, os.environ, uses=NOTHING).config)


def find_run(name: str, runs_dir: str | None = None) -> AnyRun:
    """Return a run; one that was killed before its report was written must be continued first."""
    path = Path(name)
    if path.exists() and not path.is_dir():
        return read_run(path, Kinds())
    if path.suffix == ".json":
        raise InputError(Problem(name, 0, "no such file"))
    return read_stored(find_store(runs_dir).find(name))


def read_stored(stored: StoredRun) -> AnyRun:
    """Return a kept run; of one that was killed, what its journal has."""
    if stored.has_report:
        return stored.read(Kinds())
    from du_eval.experiments.record import KIND, read_experiment

    if stored.manifest.kind == KIND:
        arms = ", ".join(f"{arm.run} ({arm.name})" for arm in read_experiment(stored.folder).arms)
        raise InputError(f"{stored.id} is an experiment, not a run: name one of its arms: {arms}")
    from du_eval.assembly.rescoring import judge_again

    return judge_again(stored)


def find_last(kind: str, runs_dir: str | None = None, before: str = "") -> AnyRun | None:
    """Return the last run of a kind that has a report, or the last one before another, if there is one.

    Arms of an experiment stand beside each other; they are not what there was before.
    """
    kept = list(find_store(runs_dir))
    arms = {run for stored in kept for run in _list_arms(stored)}
    for stored in reversed(kept):
        is_older = not before or stored.id < before
        if is_older and stored.manifest.kind == kind and stored.has_report and stored.id not in arms:
            with suppress(InputError):
                return read_stored(stored)
    return None


def _list_arms(stored: StoredRun) -> Iterator[str]:
    """Yield the runs that are arms, where what is kept is an experiment."""
    from du_eval.experiments.record import KIND, read_experiment

    if stored.manifest.kind != KIND:
        return
    with suppress(InputError):
        yield from (arm.run for arm in read_experiment(stored.folder).arms)


def pair_runs(runs: Sequence[AnyRun]) -> list[tuple[AnyRun, AnyRun]]:
    """Return each run with the last one of its activity."""
    found = []
    for kind in dict.fromkeys(run.head.kind for run in runs):
        *others, newest = [run for run in runs if run.head.kind == kind]
        found += [(run, newest) for run in others]
    return found
