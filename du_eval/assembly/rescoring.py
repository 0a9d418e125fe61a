"""Kept runs judged again, alone or joined: nobody is asked."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime

from msgspec.structs import replace

from du_eval.assembly import Session, build_session, settle
from du_eval.assembly.keeping import complete_record, settle_run
from du_eval.assembly.selection import run_store
from du_eval.errors import InputError, tell_count
from du_eval.evaluation.predict import JournalReader
from du_eval.evaluation.record import TestRun
from du_eval.runs.budget import Budget
from du_eval.runs.journal import Journal
from du_eval.runs.keeping import find_changed
from du_eval.runs.record import Key, Spent, Status
from du_eval.runs.store import StoredRun, new_run_id
from du_eval.settings.commands import TestSettings
from du_eval.trust.effects import JUDGING, NOTHING, WRITING


def rescore_run(
    flags: Mapping[str, object], *, allows_changes: bool = False
) -> tuple[TestRun, Session, StoredRun]:
    """Return a kept run as it is judged with the settings, commands and expectations of today."""
    config = settle_run(TestSettings, flags, os.environ, uses=JUDGING | WRITING).config
    stored = run_store(config).find(str(config.resume))
    _check_files(stored, allows_changes=allows_changes)
    session = build_session(config)
    # Nobody is asked, so no limit of the run counts.
    is_cut = stored.status is not Status.FINISHED
    evaluator = replace(session.evaluator, budget=Budget(), is_cut=is_cut)
    with closing(stored.journal()) as journal:
        result = evaluator.run(session.suite, JournalReader([journal]), stored.manifest.subject)
    answered = sum(1 for _ in result.results())
    missing = len(journal) - answered
    notes = (f"judged again from the run {stored.id}", *result.notes)
    if missing > 0:
        notes = (
            *notes,
            f"{tell_count(missing, 'answer belongs', 'answers belong')} to steps no longer in the suite",
        )
    head = replace(result.head, spent=Spent(reused=answered))
    if stored.manifest.merged and (lost := _find_shards([stored])[1]):
        head = replace(head, status=Status.STOPPED, stopped=_tell_missing(lost))
    return complete_record(replace(result, notes=notes, head=head), session), session, stored


def merge_runs(names: Sequence[str], runs_dir: str | None) -> StoredRun:
    """Return a new run that holds the answers of several runs of the same kind."""
    store = run_store(settle(TestSettings, {"runs_dir": runs_dir}, os.environ, uses=NOTHING).config)
    runs = [store.find(name) for name in names]
    if len({run.id for run in runs}) < len(runs):
        raise InputError("a run is named twice; name each run once")
    first = runs[0].manifest
    _check_kinds(runs)
    now = datetime.now(UTC)
    manifest = replace(
        first,
        id=new_run_id(now, secrets.token_hex(2)),
        files={file: content for run in runs for file, content in run.manifest.judged_by.items()},
        corrected={},
        cases=tuple(dict.fromkeys(case for run in runs for case in run.manifest.cases)),
        settings=(settings := _join_settings(runs)),
        label=str(settings.get("label") or ""),
        steps=sum(run.manifest.steps for run in runs),
        merged=tuple(run.id for run in runs),
        started=min(run.manifest.started for run in runs),
        ended=now.isoformat(),
        status=Status.FINISHED,
        outcomes={},
    )
    joined = store.create(manifest)
    if all(run.is_sealed(os.environ) for run in runs):
        joined = joined.seal(os.environ)
    try:
        _copy_answers(runs, joined)
    except InputError:
        store.remove(joined)
        raise
    return joined


def merge_remarks(runs: Iterable[StoredRun]) -> list[str]:
    """Return what a reader should know before trusting a merged report."""
    remarks = [
        f"the run {run.id} is not complete: it is {run.status}"
        for run in runs
        if run.status != Status.FINISHED
    ]
    _, missing = _find_shards(runs)
    return [*remarks, _tell_missing(missing)] if missing else remarks


def _tell_missing(shards: Sequence[str]) -> str:
    return f"shards are missing: {', '.join(shards)}"


def _find_shards(runs: Iterable[StoredRun]) -> tuple[list[str], list[str]]:
    """Return the shards that runs are, and those that are missing, where all are parts of one whole."""
    shards = [str(run.manifest.settings.get("shard") or "") for run in runs]
    present = sorted({one for shard in shards for one in shard.split(",") if one})
    wholes = {shard.partition("/")[2] for shard in present}
    if len(wholes) != 1 or "" in shards:
        return present, []
    whole = int(wholes.pop())
    return present, [f"{i}/{whole}" for i in range(1, whole + 1) if f"{i}/{whole}" not in present]


def _join_settings(runs: Sequence[StoredRun]) -> dict[str, object]:
    """Return the settings of the first run; joined shards stay a part while some are missing."""
    dropped = {"shard", "sample", *(["label"] if len({run.manifest.label for run in runs}) > 1 else [])}
    kept = {key: value for key, value in runs[0].manifest.settings.items() if key not in dropped}
    present, missing = _find_shards(runs)
    return {**kept, "shard": ",".join(present)} if missing else kept


def _copy_answers(runs: Sequence[StoredRun], joined: StoredRun) -> None:
    owners: dict[Key, str] = {}
    with closing(joined.journal(writing=True)) as target:
        for run in runs:
            with closing(run.journal()) as journal:
                _copy(run.id, journal, target, owners)


def _copy(run_id: str, journal: Journal, target: Journal, owners: dict[Key, str]) -> None:
    for record in journal.records():
        if record.key in owners:
            key = record.key
            raise InputError(
                f"the runs {owners[key]} and {run_id} both have step {key.step} of "
                f"{key.file}::{key.case}; merge only runs of different cases"
            )
        owners[record.key] = run_id
        target.append(record)


def _check_kinds(runs: Sequence[StoredRun]) -> None:
    first = runs[0].manifest
    for run in runs[1:]:
        other = run.manifest
        for key in sorted({*first.identity, *other.identity}):
            if first.identity.get(key) != other.identity.get(key):
                raise InputError(
                    f"the runs {first.id} and {other.id} differ in {key}: {first.identity.get(key)!r} and "
                    f"{other.identity.get(key)!r}; such runs cannot be merged"
                )
        for file in first.files.keys() & other.files.keys():
            if first.files[file] != other.files[file]:
                raise InputError(f"{file} was changed between the runs {first.id} and {other.id}")


def _check_files(stored: StoredRun, *, allows_changes: bool) -> None:
    changed = find_changed(stored.manifest, stored.manifest.files)
    if changed and not allows_changes:
        raise InputError(
            f"changed since the run {stored.id}: {', '.join(changed)} (use --changed-suite to judge the old "
            "answers by what the files say now; steps whose message changed cannot be judged)"
        )
