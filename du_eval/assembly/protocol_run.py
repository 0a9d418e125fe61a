"""A protocol run that is kept: begun or gone on with, written down reply by reply, reported."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from du_eval import __version__
from du_eval.assembly.protocol import ProtocolSettings, build_bot, check_judges
from du_eval.errors import ConfigError
from du_eval.llm.secrets import public_url
from du_eval.quality.chatters.base import Chatter
from du_eval.quality.protocol.model import LANGUAGES, load_protocol
from du_eval.quality.protocol.run import ProtocolReport
from du_eval.reports.files import json_text, write
from du_eval.reports.quality_protocol import protocol_data, protocol_summary
from du_eval.runs.journal import Journal
from du_eval.runs.manifest import (
    Manifest,
    git_commit_here,
    hashes_of,
    versions_here,
)
from du_eval.runs.record import Status
from du_eval.runs.store import RunStore, StoredRun, new_run_id

ROOT = Path(".du-eval/protocol")
REPORT, SUMMARY = "report.json", "summary.json"
_KIND = "protocol"
_IDENTITY = ("bot", "language", "seed", "plan", "blocks")
"""Settings that decide about what is said: a run that goes on must keep them."""


@dataclass(frozen=True)
class ProtocolRun:
    """A protocol run that is being written down."""

    stored: StoredRun
    settings: ProtocolSettings
    bot: Chatter
    journal: Journal
    notes: tuple[str, ...] = ()

    def closed(self) -> None:
        """Close the journal; a run in which nothing was said leaves nothing behind."""
        is_empty = not len(self.journal)
        self.journal.close()
        if is_empty:
            RunStore(self.stored.folder.parent).remove(self.stored)

    def ended(self, report: ProtocolReport, *, is_interrupted: bool) -> dict[str, Any]:
        """Write the report and how the run ended; return the report as data."""
        outcomes = {
            f"{_KIND}::{one.number}": "errored" if {"error", "timeout"} & {*one.outcomes} else "passed"
            for one in report.dialogues
        }
        manifest = self.stored.manifest
        head = {"kind": _KIND, "run": manifest.id, "started": manifest.started}
        if self.settings.label:
            head["label"] = self.settings.label
        data = {**head, **protocol_data(report)}
        write(self.stored.folder / REPORT, json_text(data))
        write(self.stored.folder / SUMMARY, json_text({**head, **protocol_summary(report)}))
        status = Status.INTERRUPTED if is_interrupted else Status.FINISHED
        self.stored.updated(status=status, ended=datetime.now(UTC).isoformat(), outcomes=outcomes)
        return data


def begun_protocol(
    given: Mapping[str, Any], resume: str | None, root: Path, environment: Mapping[str, str]
) -> ProtocolRun:
    """Return a new run, or the one to go on with; what is given holds before what was kept."""
    chosen = {key: value for key, value in given.items() if value is not None}
    stored = find_protocol(resume, root) if resume is not None else None
    settings = _continued(stored, chosen) if stored is not None else ProtocolSettings(**chosen)
    protocol = load_protocol(settings.language)
    plans = settings.plans(protocol)
    check_judges(settings, environment)
    bot = build_bot(settings.bot, protocol, environment)
    if stored is None:
        stored = RunStore(root).create(_manifest(settings, sum(len(plan.utterances) for plan in plans)))
        return ProtocolRun(stored, settings, bot, stored.journal(writing=True))
    journal = stored.journal(writing=True)
    notes = tuple(_notes(stored, journal))
    stored = stored.updated(status=Status.RUNNING, ended=None, outcomes={}, settings=_told(settings))
    return ProtocolRun(stored, settings, bot, journal, notes)


def _notes(stored: StoredRun, journal: Journal) -> Iterator[str]:
    if len(journal):
        yield f"{len(journal)} replies are kept from before"
    for file, content in hashes_of(stored.manifest.files).items():
        if stored.manifest.files[file] != content:
            yield f"changed since the run began: {file}; what differs is said again"


def find_protocol(name: str, root: Path) -> StoredRun:
    """Return a kept protocol run by its id, the start of its id, its folder, or `last`."""
    return RunStore(root).find(name, _KIND)


def kept_settings(stored: StoredRun) -> ProtocolSettings:
    """Return the settings of a kept run."""
    known = {field.name for field in fields(ProtocolSettings)}
    found = {key: value for key, value in stored.manifest.settings.items() if key in known}
    return ProtocolSettings(**{**found, "blocks": tuple(found.get("blocks", ()))})


def _continued(stored: StoredRun, chosen: Mapping[str, Any]) -> ProtocolSettings:
    before = kept_settings(stored)
    now = replace(before, **chosen)
    changed = [key for key in _IDENTITY if getattr(now, key) != getattr(before, key)]
    if changed:
        told = "; ".join(
            f"{key}: {getattr(before, key)!r} then, {getattr(now, key)!r} now" for key in changed
        )
        raise ConfigError(f"the run {stored.id} cannot go on with other settings ({told}); start a new run")
    return now


def _told(settings: ProtocolSettings) -> dict[str, Any]:
    """Return settings without anything secret in them."""
    return {**asdict(settings), "base_url": public_url(settings.base_url), "blocks": [*settings.blocks]}


def _manifest(settings: ProtocolSettings, steps: int) -> Manifest:
    now = datetime.now(UTC)
    read = [settings.language, settings.plan or "", settings.bot]
    files = [name for name in read if name not in LANGUAGES and Path(name).is_file()]
    told = _told(settings)
    return Manifest(
        id=new_run_id(now, secrets.token_hex(2)),
        kind=_KIND,
        subject=settings.bot,
        files=hashes_of(files),
        cases=tuple(f"{_KIND}::{number}" for number in range(settings.dialogues)),
        settings=told,
        identity={key: told[key] for key in _IDENTITY},
        seed=settings.seed,
        versions=versions_here(__version__),
        git_commit=git_commit_here(),
        started=now.isoformat(),
        steps=steps,
    )
