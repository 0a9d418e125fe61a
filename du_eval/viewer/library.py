"""The runs that can be looked at: those of the folder, and report files that were named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct, field

from du_eval.assembly.history import Loaded, load_any
from du_eval.errors import InputError
from du_eval.reports.numbers import show_number
from du_eval.reports.renderers.page_parts import Json
from du_eval.reports.visible import make_visible
from du_eval.runs.manifest import Manifest
from du_eval.runs.record import Head, Status
from du_eval.runs.store import RunStore, StoredRun

_MOST_FIGURES = 4


class UnknownRunError(InputError):
    """There is no run of that name."""


class Library(Struct):
    """Finds runs by their names; nothing else of a disk can be named."""

    store: RunStore
    files: Mapping[str, Path] = field(default_factory=dict)
    """Reports that are no kept runs, by the names they go under."""
    _known: dict[str, tuple[tuple[int, int], StoredRun]] = field(default_factory=dict)

    def find(self, name: str) -> StoredRun | Path:
        """Return a kept run, or the file of a report."""
        if name in self.files:
            return self.files[name]
        folder = next((folder for folder in self._folders() if folder.name == name), None)
        if folder is None:
            raise UnknownRunError(f"there is no run '{name}'")
        return self._read(folder)

    def load(self, name: str) -> Loaded:
        """Return a run with everything in it."""
        found = self.find(name)
        return load_any(str(found.folder if isinstance(found, StoredRun) else found))

    def list_rows(self) -> list[Json]:
        """Return what is told of each run, the newest first."""
        rows = [(row["started"], row) for row in (*self._list_kept(), *self._list_files())]
        return [row for _, row in sorted(rows, key=lambda row: str(row[0]), reverse=True)]

    def _list_kept(self) -> Iterator[dict[str, Json]]:
        for folder in self._folders():
            try:
                yield _tell_run(self._read(folder))
            except InputError as error:
                yield _tell_problem(folder.name, error)

    def _list_files(self) -> Iterator[dict[str, Json]]:
        for name in self.files:
            try:
                run = self.load(name).whole
            except InputError as error:
                yield _tell_problem(name, error)
                continue
            figures = {one.name: one.value for one in run.figures if one.is_headline}
            outcomes: dict[str, Json] = {str(one): count for one, count in run.count_cases().items() if count}
            rest: dict[str, Json] = {"figures": _list_figures(figures), "outcomes": outcomes, "steps": 0}
            yield {"id": name, **_tell(run.head, run.head.status), **rest}

    def _folders(self) -> list[Path]:
        if not self.store.root.is_dir():
            return []
        return [folder for folder in self.store.root.iterdir() if (folder / "manifest.json").is_file()]

    def _read(self, folder: Path) -> StoredRun:
        """Return a run, read again only where its manifest has changed."""
        try:
            told = (folder / "manifest.json").stat()
        except OSError as error:
            raise UnknownRunError(f"the run '{folder.name}' was removed") from error
        stamp = (told.st_mtime_ns, told.st_size)
        known = self._known.get(folder.name)
        if known is None or known[0] != stamp:
            known = (stamp, StoredRun(folder, Manifest.from_file(folder / "manifest.json")))
            self._known[folder.name] = known
        return known[1]


def _tell_problem(name: str, error: InputError) -> dict[str, Json]:
    return {"id": "", "label": make_visible(name), "problem": make_visible(str(error)), "started": ""}


def _tell_run(run: StoredRun) -> dict[str, Json]:
    manifest = run.manifest
    names = manifest.headline or tuple(manifest.figures)
    return {
        "id": run.folder.name,
        **_tell(manifest, run.status),
        "figures": _list_figures({name: manifest.figures.get(name) for name in names}),
        "outcomes": dict[str, Json](Counter(manifest.outcomes.values())),
        "steps": manifest.steps,
    }


def _tell(run: Head | Manifest, status: Status) -> dict[str, Json]:
    named = {"kind": run.kind, "label": run.label, "subject": run.subject}
    shown: dict[str, Json] = {name: make_visible(text) for name, text in named.items()}
    return {**shown, "status": str(status), "started": run.started}


def _list_figures(figures: Mapping[str, float | None]) -> list[Json]:
    first = list(figures.items())[:_MOST_FIGURES]
    return [[make_visible(name.replace("_", " ")), _show(value)] for name, value in first]


def _show(value: float | None) -> str:
    """Return a figure; shares have two places, as in reports."""
    return show_number(value, 2 if value is not None and 0 <= value <= 1 else None)
