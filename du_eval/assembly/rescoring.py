"""Kept runs judged again, alone or joined, with the settings of today: who answered is not asked."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime

from msgspec.structs import replace

from du_eval.assembly import build_session
from du_eval.assembly.activities import find_settings, find_shown
from du_eval.assembly.keeping import NOT_KEPT, complete_record, keep_run, public_settings, settle_stored
from du_eval.assembly.selection import run_store
from du_eval.errors import InputError, tell_count
from du_eval.evaluation.predict import JournalReader
from du_eval.evaluation.record import TestRun
from du_eval.runs.budget import Budget
from du_eval.runs.figures import check_thresholds, parse_thresholds
from du_eval.runs.journal import JUDGE, Journal
from du_eval.runs.keeping import OpenRun, find_changed, require_unchanged
from du_eval.runs.manifest import hash_files
from du_eval.runs.record import AnyRun, Key, Spent, Status
from du_eval.runs.store import RunStore, StoredRun, new_run_id
from du_eval.settings.commands import TestSettings
from du_eval.settings.shared import KeptSettings
from du_eval.settings.sources import Settled
from du_eval.trust.effects import JUDGING, WRITING

_PARTS = ("shard", "sample")
"""Settings that make a run a part of its suite."""
_SEPARATE = ("test", "e2e", "agent")
"""Activities whose runs may be about different cases of the same suite."""


def judge_again(stored: StoredRun) -> AnyRun:
    """Return a kept run as its journal gives it; nobody is asked, not even judges."""
    config = settle_kept(stored).config
    with closing(stored.journal()) as journal:
        run = find_shown(stored.manifest.kind).rejudge(config, OpenRun(stored, journal))
    manifest = stored.manifest
    head = replace(
        run.head, id=stored.id, label=manifest.label, started=manifest.started, status=stored.status
    )
    return replace(run, head=head)


def settle_kept(stored: StoredRun, given: Mapping[str, object] | None = None) -> Settled[KeptSettings]:
    """Return the settings of a kept run, with others on top."""
    model = find_settings(stored.manifest.kind)
    uses = JUDGING | WRITING if model is TestSettings else None
    return settle_stored(model, stored, given or {}, os.environ, uses)


def rejudge_tests(config: TestSettings, opened: OpenRun) -> TestRun:
    """Return a run of command tests as it is judged with the commands and expectations of today."""
    require_unchanged(opened)
    session = build_session(config)
    # Nobody is asked, so no limit of the run counts.
    # Whether everything was asked of a dialogue that the generator drives, only the run itself knows.
    is_cut = config.history == "gold" or opened.stored.status is not Status.FINISHED
    evaluator = replace(session.evaluator, budget=Budget(), is_cut=is_cut)
    manifest = opened.stored.manifest
    result = evaluator.run(session.suite, JournalReader([opened.journal]), manifest.subject)
    answered = sum(1 for _ in result.results())
    missing = len(opened.journal) - answered
    notes = result.notes
    if missing > 0:
        told = tell_count(missing, "answer belongs", "answers belong")
        notes = (*notes, f"{told} to steps no longer in the suite")
    result = replace(result, notes=notes, head=replace(result.head, spent=Spent(reused=answered)))
    return complete_record(result, session)


def rescore_runs(
    runs: Sequence[StoredRun],
    given: Mapping[str, object],
    *,
    allows_changes: bool = False,
    merges: bool = False,
) -> tuple[AnyRun, KeptSettings]:
    """Return a new run that holds the answers of others, judged with the settings of today and kept.

    Where runs are merged, the new one is not complete while shards are missing.
    """
    _check_runs(runs)
    for run in runs:
        changed = find_changed(run.manifest, run.manifest.files)
        if changed and not allows_changes:
            raise InputError(
                f"changed since the run {run.id}: {', '.join(changed)} (use --changed-suite to judge the old "
                "answers by what the files say now; what was asked differently then cannot be judged)"
            )
    config = settle_kept(runs[0], given).config
    store = run_store(config)
    joined = _join(store, runs, config, given)
    parts = {key: joined.manifest.settings.get(key) for key in _PARTS} if len(runs) > 1 else {}
    about = {key: value for key, value in parts.items() if key in type(config).model_fields}
    config = config.model_copy(update={**about, "resume": str(joined.folder)})
    try:
        return _judge_joined(joined, runs, config, _find_shards(runs)[1] if merges else []), config
    except BaseException:
        store.remove(joined)
        raise


def _judge_joined(
    joined: StoredRun, runs: Sequence[StoredRun], config: KeptSettings, lost: Sequence[str]
) -> AnyRun:
    with closing(joined.journal(writing=True)) as journal:
        _copy_answers(runs, journal)
        run = find_shown(joined.manifest.kind).rejudge(config, OpenRun(joined, journal))
        if config.gate is not None:
            check_thresholds(parse_thresholds(config.gate), [figure.name for figure in run.figures])
        from_runs = f"the run{'s' * (len(runs) > 1)} {', '.join(one.id for one in runs)}"
        run = replace(run, notes=(f"judged again from {from_runs}", *run.notes))
        if lost:
            run = replace(run, head=replace(run.head, status=Status.STOPPED, stopped=_tell_missing(lost)))
        return keep_run(OpenRun(joined, journal), run, config)


def _join(
    store: RunStore, runs: Sequence[StoredRun], config: KeptSettings, given: Mapping[str, object]
) -> StoredRun:
    """Return a new run, without answers yet, of everything that runs are about."""
    first = runs[0].manifest
    now = datetime.now(UTC)
    changed = config.model_dump(mode="json", include=set(given) - NOT_KEPT)
    manifest = replace(
        first,
        id=new_run_id(now, secrets.token_hex(2)),
        files=hash_files(file for run in runs for file in run.manifest.files),
        corrected={},
        cases=tuple(dict.fromkeys(case for run in runs for case in run.manifest.cases)),
        settings=(settings := public_settings({**_join_settings(runs), **changed})),
        label=str(settings.get("label") or ""),
        steps=sum(run.manifest.steps for run in runs),
        merged=tuple(run.id for run in runs),
        started=min(run.manifest.started for run in runs),
        ended=now.isoformat(),
        status=next((run.status for run in runs if run.status is not Status.FINISHED), Status.FINISHED),
        outcomes={},
        spent=Spent(),
    )
    joined = store.create(manifest)
    is_own = all(run.is_sealed(os.environ) for run in runs)
    return joined.seal(os.environ) if is_own else joined


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
    is_other = len(runs) == 1 or len({run.manifest.label for run in runs}) > 1
    dropped = {*(_PARTS if len(runs) > 1 else ()), *(["label"] if is_other else [])}
    kept = {key: value for key, value in runs[0].manifest.settings.items() if key not in dropped}
    if len(runs) == 1:
        return kept
    present, missing = _find_shards(runs)
    return {**kept, "shard": ",".join(present)} if missing else kept


def _copy_answers(runs: Sequence[StoredRun], target: Journal) -> None:
    owners: dict[Key, str] = {}
    for run in runs:
        with closing(run.journal()) as journal:
            _copy(run.id, journal, target, owners)


def _copy(run_id: str, journal: Journal, target: Journal, owners: dict[Key, str]) -> None:
    for record in journal.records():
        key = record.key
        if key in owners and key.file == JUDGE:
            continue  # both runs asked a judge the same
        if key in owners:
            raise InputError(
                f"the runs {owners[key]} and {run_id} both have step {key.step} of "
                f"{key.file}::{key.case}; merge only runs of different cases"
            )
        owners[key] = run_id
        target.append(record)


def _check_runs(runs: Sequence[StoredRun]) -> None:
    """Raise unless runs can be judged together."""
    if len({run.id for run in runs}) < len(runs):
        raise InputError("a run is named twice; name each run once")
    kinds = list(dict.fromkeys(run.manifest.kind for run in runs))
    if len(kinds) > 1:
        raise InputError(f"runs of du-eval {' and '.join(kinds)} cannot be merged")
    if len(runs) > 1 and kinds[0] not in _SEPARATE:
        raise InputError(f"runs of du-eval {kinds[0]} have no cases of their own, so they cannot be merged")
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
