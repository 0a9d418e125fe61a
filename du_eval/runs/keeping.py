"""A run and its folder: begin it or go on with it, and end it."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from du_eval.errors import ConfigError, InputError, tell_count
from du_eval.runs.annotation import FILE, read_annotations
from du_eval.runs.journal import Journal, Record
from du_eval.runs.manifest import Manifest, hash_files, list_versions, read_git_commit
from du_eval.runs.record import D, E, Run, Spent, Status
from du_eval.runs.report import Kind
from du_eval.runs.store import RunStore, StoredRun, new_run_id
from du_eval.trust.reading import open_file


class Opening(Struct, frozen=True):
    """What a run is about, before anything is asked."""

    kind: str
    subject: str
    files: tuple[str, ...] = ()
    """Files whose content matters: a change of one is told when the run goes on."""
    cases: tuple[str, ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)
    """Without anything secret in them."""
    identity: Mapping[str, object] = field(default_factory=dict)
    """The settings that decide about the answers: a run that is continued must keep them."""
    label: str = ""
    seed: int = 0
    samples: int = 1
    steps: int = 0


class OpenRun(Struct, frozen=True):
    """A run that is being written down."""

    stored: StoredRun
    journal: Journal
    notes: tuple[str, ...] = ()
    """What a reader should know about a run that goes on."""
    earlier: Spent = Spent()
    """What earlier parts of a run took that goes on."""

    def end(self, run: Run[D, E], kind: Kind[D, E]) -> Run[D, E]:
        """Write the whole run down, corrected by labels that it had before; return it as it is kept."""
        manifest = self.stored.manifest
        spent = run.head.spent.after(self.earlier)
        stopped = run.head.stopped
        if stopped and spent.earlier:
            stopped += f"; {_tell_calls(spent)} in all parts of the run"
        settings = _identify(manifest, run.head.settings)
        head = replace(run.head, id=manifest.id, label=manifest.label, started=manifest.started)
        kept = replace(run, head=replace(head, spent=spent, stopped=stopped, settings=settings))
        labels = read_annotations(self.stored.folder / FILE)
        if labels and kind.list_judged is not None:
            from du_eval.runs.correcting import correct_run  # noqa: PLC0415 - few runs have labels

            kept = correct_run(kept, tuple(kind.list_judged(kept)), labels)
        self.journal.close()
        ended = replace(
            manifest,
            answers=self.journal.chain.lines,
            chain=self.journal.chain.end,
            ended=datetime.now(UTC).isoformat(),
        )
        self.stored.save(kept, kind, ended)
        return kept

    def discard_if_empty(self) -> bool:
        """Close the journal, and remove the run if nothing was written into it."""
        is_empty = not len(self.journal)
        self.journal.close()
        if is_empty:
            RunStore(self.stored.folder.parent).remove(self.stored)
        return is_empty


def open_run(
    store: RunStore, opening: Opening, resume: str | None = None, place: Path | None = None
) -> OpenRun:
    """Return a new run, in a folder of its own if one is named, or the one that is to be continued."""
    if resume is None:
        stored = store.create(_begin(opening), place).seal(os.environ)
        return OpenRun(stored, stored.journal(writing=True))
    stored = store.find(resume, opening.kind)
    notes = _compare(stored.manifest, opening)
    journal = stored.journal(writing=True)
    earlier = _spend_of_answers(journal.path, stored.manifest.answers).after(stored.manifest.spent)
    label = opening.label or stored.manifest.label
    going = replace(stored.manifest, status=Status.RUNNING, ended=None, outcomes={}, label=label)
    stored = stored.write_manifest(going)
    return OpenRun(stored, journal, (*notes, *_tell_earlier(earlier)), earlier)


def _identify(manifest: Manifest, settings: Mapping[str, str]) -> dict[str, str]:
    """Return what people want to know of the settings, between the suite and the commit of a run."""
    paths = manifest.settings.get("paths")
    suite = " ".join(map(str, paths)) if isinstance(paths, list) else ""
    named = {"suite": suite, **settings, "commit": (manifest.git_commit or "")[:8]}
    return {name: value for name, value in named.items() if value}


def _tell_earlier(spent: Spent) -> Iterator[str]:
    if spent.calls:
        yield f"earlier parts of this run took {_tell_calls(spent)}; its limits count from here"


def _tell_calls(spent: Spent) -> str:
    return f"{tell_count(spent.calls, 'call')}{f' that cost {spent.cost:.4g}' if spent.cost else ''}"


def _spend_of_answers(journal: Path, counted: int) -> Spent:
    """Return what the answers took that were kept after the last part that ended: a part that was killed."""
    calls = retries = 0
    cost = None
    with open_file(journal) as lines:
        for line in islice(lines, counted, None):
            record = Record.from_line(line)
            prompts = record.answer.get("prompts") if record and record.answer else None
            for prompt in prompts if isinstance(prompts, list) else ():
                if not prompt.get("is_cached"):
                    calls, retries = calls + 1 + prompt.get("retries", 0), retries + prompt.get("retries", 0)
                    cost = prompt["cost"] + (cost or 0.0) if prompt.get("cost") is not None else cost
    return Spent(calls, retries, cost=cost)


def _begin(opening: Opening) -> Manifest:
    now = datetime.now(UTC)
    return Manifest(
        id=new_run_id(now, secrets.token_hex(2)),
        kind=opening.kind,
        subject=opening.subject,
        files=hash_files(opening.files),
        cases=opening.cases,
        settings=opening.settings,
        identity=opening.identity,
        seed=opening.seed,
        samples=opening.samples,
        versions=list_versions(),
        git_commit=read_git_commit(),
        started=now.isoformat(),
        steps=opening.steps,
        label=opening.label,
    )


def _compare(before: Manifest, opening: Opening) -> tuple[str, ...]:
    """Return what a reader should know about continuing a run; raise where it would mix two runs."""
    kept, now = before.identity, opening.identity
    changed = [key for key in sorted({*kept, *now}) if kept.get(key) != now.get(key)]
    if changed:
        told = "; ".join(f"{key}: {kept.get(key)!r} then, {now.get(key)!r} now" for key in changed)
        raise ConfigError(
            f"the run {before.id} cannot continue with different settings ({told}); start a new run"
        )
    files = find_changed(before, opening.files)
    if not files:
        return ()
    return (f"changed since the run began: {', '.join(files)}; what differs is asked again",)


def find_changed(manifest: Manifest, files: Iterable[str]) -> list[str]:
    """Return the files whose content is not what it was when the run was judged."""
    known = manifest.judged_by
    return [file for file, content in hash_files(files).items() if known.get(file) != content]


def require_unchanged(opened: OpenRun) -> None:
    """Raise where a run that is only read was about other files: they do not tell what it was judged by."""
    changed = find_changed(opened.stored.manifest, opened.stored.manifest.files)
    if changed and not opened.journal.is_writing:
        raise InputError(
            f"changed since the run {opened.stored.id}: {', '.join(changed)} "
            "(du-eval rescore --changed-suite judges the old answers by what the files say now)"
        )
