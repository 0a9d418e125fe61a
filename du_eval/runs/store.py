"""Where runs are kept: one folder each, found again by name."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from du_eval.errors import InputError, did_you_mean
from du_eval.runs.journal import Journal, is_being_written
from du_eval.runs.manifest import RUNNING, Manifest

_MANIFEST, _JOURNAL = "manifest.json", "journal.jsonl"
LAST, KILLED = "last", "killed"


@dataclass(frozen=True)
class StoredRun:
    """A run on disk."""

    folder: Path
    manifest: Manifest

    @property
    def id(self) -> str:
        """The name of the run."""
        return self.manifest.id

    @property
    def status(self) -> str:
        """How far the run is; one that is neither ended nor being written was killed."""
        if self.manifest.status != RUNNING:
            return self.manifest.status
        return RUNNING if is_being_written(self.folder / _JOURNAL) else KILLED

    def journal(self, *, writing: bool = False) -> Journal:
        """Return the journal, indexed."""
        return Journal.opened(self.folder / _JOURNAL, writing=writing)

    def updated(self, **changes: Any) -> StoredRun:
        """Write the manifest with changes, at once, and return the run as it is then."""
        run = replace(self, manifest=replace(self.manifest, **changes))
        partial = self.folder / f".{_MANIFEST}.{os.getpid()}"
        partial.write_text(run.manifest.to_json(), encoding="utf-8")
        partial.replace(self.folder / _MANIFEST)
        return run

    def outcomes(self) -> Mapping[str, str]:
        """Return what became of the cases; of a run that was killed, as far as its journal tells."""
        if self.manifest.outcomes:
            return self.manifest.outcomes
        found: dict[str, str] = {}
        with closing(self.journal()) as journal:
            for record in journal.records():
                case = f"{record.key.file}::{record.key.case}"
                if found.get(case) != "failed":
                    found[case] = record.outcome if record.outcome != "passed" else found.get(case, "passed")
        return found


@dataclass(frozen=True)
class RunStore:
    """The folder that holds the runs."""

    root: Path

    def create(self, manifest: Manifest) -> StoredRun:
        """Make the folder of a new run and write its manifest."""
        folder = self.root / manifest.id
        try:
            folder.mkdir(parents=True, exist_ok=False)
            ignore = self.root / ".gitignore"
            if not ignore.exists():
                ignore.write_text("*\n", encoding="utf-8")
            return StoredRun(folder, manifest).updated()
        except OSError as error:
            raise InputError(
                f"the folder of the run {folder} cannot be made: {error} (set --runs-dir, or --no-journal)"
            ) from error

    def __iter__(self) -> Iterator[StoredRun]:
        """Yield the runs, the oldest first."""
        if not self.root.is_dir():
            return
        for folder in sorted(self.root.iterdir()):
            if (folder / _MANIFEST).is_file():
                yield StoredRun(folder, Manifest.from_file(folder / _MANIFEST))

    def find(self, name: str = LAST) -> StoredRun:
        """Return a run by its id, the start of its id, the path of its folder, or `last`."""
        if (Path(name) / _MANIFEST).is_file():
            return StoredRun(Path(name), Manifest.from_file(Path(name) / _MANIFEST))
        ids = [folder.name for folder in self._folders()]
        if name == LAST and ids:
            return self._load(ids[-1])
        found = [known for known in ids if known == name] or [
            known for known in ids if known.startswith(name)
        ]
        if len(found) == 1:
            return self._load(found[0])
        if found:
            raise InputError(f"'{name}' may be any of the runs {', '.join(found)}")
        hint = did_you_mean(name, ids) or "du-eval runs ls lists them"
        raise InputError(f"there is no run '{name}' in {self.root} ({hint})")

    def remove(self, run: StoredRun) -> None:
        """Delete a run with everything in it."""
        shutil.rmtree(run.folder)

    def _folders(self) -> list[Path]:
        if not self.root.is_dir():
            return []
        return sorted(folder for folder in self.root.iterdir() if (folder / _MANIFEST).is_file())

    def _load(self, run_id: str) -> StoredRun:
        return StoredRun(self.root / run_id, Manifest.from_file(self.root / run_id / _MANIFEST))


def new_run_id(now: datetime, suffix: str) -> str:
    """Return a name that sorts by time."""
    return f"{now:%Y%m%d-%H%M%S}-{now.microsecond // 1000:03d}-{suffix}"
