"""A run and its folder: begin it or go on with it, judge it again, and end it."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from du_eval.assembly import Session, settle
from du_eval.assembly.selection import run_store
from du_eval.config import FILE_ENDINGS, RunConfig, Settled, Source
from du_eval.errors import ConfigError
from du_eval.evaluation.answers import JournalStore
from du_eval.llm.secrets import HIDDEN, public_headers, public_url
from du_eval.runs.journal import Journal
from du_eval.runs.manifest import (
    FINISHED,
    INTERRUPTED,
    RUNNING,
    STOPPED,
    Manifest,
    git_commit_here,
    hash_of,
    hashes_of,
    versions_here,
)
from du_eval.runs.store import StoredRun, new_run_id

if TYPE_CHECKING:
    from du_eval.evaluation.results import RunResult

_NOT_KEPT = frozenset(
    {
        "resume", "retry_errors", "last_failed", "failed_first", "output_file", "output", "runs_dir",
        "journal", "html", "junitxml", "markdown", "fail_under", "against", "batch",
    }
)  # fmt: skip
_IDENTITY = (
    "generator", "model", "base_url", "system_prompt", "output_mode", "temperature", "max_tokens",
    "parameters", "url", "answer_path", "syntax",
)  # fmt: skip
"""Settings that decide about the answers: a run that goes on must keep them."""


@dataclass(frozen=True)
class KeptRun:
    """A run that is being written down."""

    stored: StoredRun
    journal: Journal
    session: Session
    notes: tuple[str, ...] = ()

    def ended(self, result: RunResult) -> None:
        """Write down how the run ended."""
        status = INTERRUPTED if result.is_interrupted else STOPPED if result.stopped else FINISHED
        outcomes = {case.id: case.outcome.value for case in result.cases}
        self.journal.close()
        self.stored.updated(status=status, ended=_now().isoformat(), outcomes=outcomes)


def settle_run(flags: Mapping[str, Any], environment: Mapping[str, str]) -> Settled:
    """Return the settings of a run; one that goes on keeps the settings that it began with."""
    found = settle(flags, environment)
    if found.config.retry_errors and found.config.resume is None:
        flags = {**flags, "resume": "last"}
    resume = flags.get("resume") or found.config.resume
    if not resume:
        return found
    run = run_store(found.config).find(str(resume))
    if kind := run.manifest.identity.get("kind"):
        raise ConfigError(f"the run {run.id} is one of du-eval {kind}; it has no test cases to go on with")
    known = {key: value for key, value in run.manifest.settings.items() if not _is_hidden(value)}
    return settle({**flags, "resume": str(run.folder)}, environment, Source(f"run {run.id}", known, {}))


def _is_hidden(value: object) -> bool:
    return HIDDEN in str(value)


def begun(session: Session, generator: str, own_version: str) -> KeptRun:
    """Return a new run, or the one that is to be continued, with a session that writes into it."""
    config = session.config
    notes: tuple[str, ...] = ()
    if config.resume is not None:
        stored = run_store(config).find(config.resume)
        notes = _checked(stored, session)
        stored = stored.updated(status=RUNNING, ended=None, outcomes={})
    else:
        stored = run_store(config).create(_manifest(session, generator, own_version))
    journal = stored.journal(writing=True)
    store = JournalStore(journal, session.evaluator.parser, config.retry_errors)
    return KeptRun(
        stored, journal, replace(session, evaluator=replace(session.evaluator, store=store)), notes
    )


def identity_of(config: RunConfig) -> dict[str, Any]:
    """Return what decides about the answers of a run."""
    data = public_settings(config.model_dump(mode="json", include=set(_IDENTITY)))
    if "seed" in config.model_fields_set:
        data["seed"] = config.seed
    for key in ("prompt", "body"):
        value = getattr(config, key)
        is_file = value is not None and (key == "prompt" or value.endswith(FILE_ENDINGS[key]))
        data[key] = hash_of(Path(value)) if is_file else value
    return data


def public_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings without anything secret in them."""
    found = dict(settings)
    for key in ("base_url", "url"):
        if isinstance(found.get(key), str):
            found[key] = public_url(found[key])
    headers = found.get("headers")
    if isinstance(headers, Mapping):
        found["headers"] = public_headers(headers)
    return found


def changed_files(manifest: Manifest, files: Iterable[str]) -> list[str]:
    """Return the files whose content is not what it was when the run began."""
    return [file for file, content in hashes_of(files).items() if manifest.files.get(file) != content]


def _manifest(session: Session, generator: str, own_version: str) -> Manifest:
    config = session.config
    now = _now()
    settings = config.model_dump(mode="json", exclude_unset=True, exclude=set(_NOT_KEPT))
    settings |= {"paths": config.paths}
    suite = session.suite
    return Manifest(
        id=new_run_id(now, secrets.token_hex(2)),
        generator=generator,
        files=hashes_of(suite.files),
        cases=tuple(case.id for case in suite),
        settings=public_settings(settings),
        identity=identity_of(config),
        seed=config.seed,
        samples=config.samples or 1,
        versions=versions_here(own_version),
        git_commit=git_commit_here(),
        started=now.isoformat(),
        steps=session.questions,
    )


def _checked(stored: StoredRun, session: Session) -> tuple[str, ...]:
    """Return what a reader should know about continuing a run; raise where it would mix two runs."""
    manifest = stored.manifest
    before, now = dict(manifest.identity), identity_of(session.config)
    changed = [key for key in sorted({*before, *now}) if before.get(key) != now.get(key)]
    if changed:
        told = "; ".join(f"{key}: {before.get(key)!r} then, {now.get(key)!r} now" for key in changed)
        raise ConfigError(f"the run {stored.id} cannot go on with other settings ({told}); start a new run")
    files = changed_files(manifest, session.suite.files)
    if not files:
        return ()
    return (f"changed since the run began: {', '.join(files)}; steps with other messages are asked again",)


def _now() -> datetime:
    return datetime.now(UTC)
