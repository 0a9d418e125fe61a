"""Where runs are kept: one folder each, found again by name."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from datetime import datetime
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from du_eval.errors import InputError, ReportError, did_you_mean
from du_eval.runs.journal import JUDGE, Journal, is_being_written
from du_eval.runs.manifest import Manifest, hash_file
from du_eval.runs.record import AnyRun, D, E, Run, Status
from du_eval.runs.report import AnyKind, Kind, read_run, write_run
from du_eval.trust.consent import find_store, require_consent
from du_eval.trust.effects import FoundSettings
from du_eval.trust.files import make_private_folder, write_privately

_MANIFEST, _JOURNAL, RUN = "manifest.json", "journal.jsonl", "run.json"
LAST = "last"


class StoredRun(Struct, frozen=True):
    """A run on disk."""

    folder: Path
    manifest: Manifest

    @property
    def id(self) -> str:
        """The name of the run."""
        return self.manifest.id

    @property
    def status(self) -> Status:
        """How far the run is; one that is neither ended nor being written was killed."""
        if self.manifest.status is not Status.RUNNING:
            return self.manifest.status
        return Status.RUNNING if is_being_written(self.folder / _JOURNAL) else Status.KILLED

    @property
    def rejudged_status(self) -> Status:
        """How the run ends when it is judged again: one that was cut short stays incomplete."""
        return Status.FINISHED if self.status is Status.FINISHED else Status.STOPPED

    @property
    def has_report(self) -> bool:
        """Tell whether the run was written down as a whole."""
        return (self.folder / RUN).is_file()

    def read(self, kinds: Mapping[str, AnyKind]) -> AnyRun:
        """Return the whole run."""
        return read_run(self.folder / RUN, kinds)

    def save(self, run: Run[D, E], kind: Kind[D, E], manifest: Manifest) -> StoredRun:
        """Write the whole run down, so that later commands need nothing else, and how it ended."""
        write_run(self.folder / RUN, run, kind)
        ended = replace(manifest.sum_up(run), report=hash_file(self.folder / RUN))
        return self._seal_end(replace(ended, beside={}))

    def take_in(self, names: Iterable[str]) -> None:
        """Let the mark under an ended run be about files beside its report, too."""
        ended = Manifest.from_file(self.manifest_file)
        found = {name: hash_file(self.folder / name) for name in names}
        if found:
            self._seal_end(replace(ended, beside={**ended.beside, **found}))

    def _seal_end(self, ended: Manifest) -> StoredRun:
        return self.write_manifest(replace(ended, end_seal=find_store(os.environ).seal(ended.fingerprint)))

    def journal(self, *, writing: bool = False) -> Journal:
        """Return the journal, indexed."""
        return Journal.opened(self.folder / _JOURNAL, writing=writing, root=self.manifest.root)

    def write_manifest(self, manifest: Manifest) -> StoredRun:
        """Write another manifest, at once, and return the run as it is then."""
        try:
            write_privately(self.manifest_file, [manifest.to_json().encode("utf-8", "backslashreplace")])
        except OSError as error:
            raise ReportError(f"{self.manifest_file} cannot be written: {error}") from error
        return replace(self, manifest=manifest)

    @property
    def manifest_file(self) -> Path:
        """Where the manifest is."""
        return self.folder / _MANIFEST

    def is_sealed(self, environment: Mapping[str, str]) -> bool:
        """Tell whether this user began the run, so that its settings need no further consent."""
        manifest = self.manifest
        return find_store(environment).is_sealed(manifest.sealed_text, manifest.seal)

    def seal(self, environment: Mapping[str, str]) -> StoredRun:
        """Mark the run as this user's own."""
        seal = find_store(environment).seal(self.manifest.sealed_text)
        return self.write_manifest(replace(self.manifest, seal=seal))

    def outcomes(self) -> Mapping[str, str]:
        """Return what became of the cases; of a run that was killed, as far as its journal tells."""
        if self.manifest.outcomes:
            return self.manifest.outcomes
        found: dict[str, str] = {}
        with closing(self.journal()) as journal:
            for record in journal.records():
                if record.key.file == JUDGE:
                    continue
                case = f"{record.key.file}::{record.key.case}"
                if found.get(case) != "failed":
                    found[case] = record.outcome if record.outcome != "passed" else found.get(case, "passed")
        return found


class RunStore(Struct, frozen=True):
    """The folder that holds the runs."""

    root: Path

    def create(self, manifest: Manifest, place: Path | None = None) -> StoredRun:
        """Make the folder of a new run and write its manifest; in a place of its own, if one is named."""
        folder = place or self.root / manifest.id
        if (folder / _MANIFEST).exists():
            raise InputError(f"{folder} already holds a run: continue it with --resume {folder}")
        try:
            make_private_folder(folder.parent)
            folder.mkdir(mode=0o700, exist_ok=place is not None)
            ignore = self.root / ".gitignore"
            if place is None and not ignore.exists():
                write_privately(ignore, [b"*\n"])
            return StoredRun(folder, manifest).write_manifest(manifest)
        except (OSError, ReportError) as error:
            raise InputError(
                f"the folder of the run {folder} cannot be created: {error} (choose another with --runs-dir)"
            ) from error

    def __iter__(self) -> Iterator[StoredRun]:
        """Yield the runs, the oldest first; those that cannot be read are passed over."""
        for found in self.scan():
            if isinstance(found, StoredRun):
                yield found

    def scan(self) -> Iterator[StoredRun | InputError]:
        """Yield the runs, the oldest first, and why one cannot be read."""
        for folder in self._folders():
            try:
                yield self._load(folder.name)
            except InputError as error:
                yield error

    def find(self, name: str = LAST, kind: str | None = None) -> StoredRun:
        """Return a run by id, start of its id, label, folder, or `last`; only of a kind, if told."""
        found = self._find(name, kind)
        if kind is not None and found.manifest.kind != kind:
            raise InputError(f"the run {found.id} is one of du-eval {found.manifest.kind}, not of {kind}")
        return found

    def _find(self, name: str, kind: str | None) -> StoredRun:
        if (Path(name) / _MANIFEST).is_file():
            return StoredRun(Path(name), Manifest.from_file(Path(name) / _MANIFEST))
        ids = [folder.name for folder in self._folders()]
        if name == LAST:
            return self._last(kind)
        found = [known for known in ids if known == name] or [
            known for known in ids if known.startswith(name)
        ]
        if len(found) == 1:
            return self._load(found[0])
        if found:
            raise InputError(f"'{name}' matches several runs: {', '.join(found)}")
        labelled = [run for run in self if run.manifest.label == name]
        if labelled:
            return next((run for run in reversed(labelled) if run.manifest.kind == kind), labelled[-1])
        labels = [run.manifest.label for run in self if run.manifest.label]
        hint = did_you_mean(name, [*ids, *labels]) or "du-eval runs ls lists all runs"
        raise InputError(f"there is no run '{name}' in {self.root} ({hint})")

    def _last(self, kind: str | None) -> StoredRun:
        for found in reversed(list(self)):
            if kind is None or found.manifest.kind == kind:
                return found
        of_kind = f" of du-eval {kind}" if kind else ""
        raise InputError(f"there is no run{of_kind} in {self.root}")

    def remove(self, run: StoredRun) -> None:
        """Delete a run with everything in it."""
        shutil.rmtree(run.folder)

    def _folders(self) -> list[Path]:
        if not self.root.is_dir():
            return []
        return sorted(folder for folder in self.root.iterdir() if (folder / _MANIFEST).is_file())

    def _load(self, run_id: str) -> StoredRun:
        return StoredRun(self.root / run_id, Manifest.from_file(self.root / run_id / _MANIFEST))


def require_own(run: StoredRun, environment: Mapping[str, str]) -> None:
    """Raise unless this user began a run, or agreed to go on with it: its settings choose whom to ask."""
    if not run.is_sealed(environment):
        require_consent(FoundSettings(run.manifest_file, {"settings": run.manifest.settings}), environment)


def new_run_id(now: datetime, suffix: str) -> str:
    """Return a name that sorts by time."""
    return f"{now:%Y%m%d-%H%M%S}-{now.microsecond // 1000:03d}-{suffix}"
