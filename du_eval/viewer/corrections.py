"""The expectation was wrong: show the edit of the test file, write it on confirmation, and judge again."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from du_eval.assembly.activities import find_shown
from du_eval.assembly.keeping import keep_run
from du_eval.assembly.rescoring import settle_kept
from du_eval.errors import InputError
from du_eval.evaluation.record import KIND
from du_eval.parsers.text_files import read_text_file
from du_eval.reports.sections import make_entry_id
from du_eval.runs.keeping import OpenRun
from du_eval.runs.manifest import hash_files
from du_eval.runs.record import Result
from du_eval.runs.store import StoredRun
from du_eval.suites.editing import Edit, edit_expectation
from du_eval.suites.load import load_suite
from du_eval.viewer.library import Library

_ENDINGS = {".yml", ".yaml"}


class Corrections(Struct, frozen=True):
    """Edits test files of kept runs, and nothing else."""

    library: Library

    def preview(self, told: Mapping[str, object]) -> dict[str, object]:
        """Return the edit that a page asks for; nothing is written."""
        edit = self._make_edit(told)
        return {
            "file": edit.file,
            "line": edit.line,
            "lines": list(edit.difference),
            "hash": _hash(edit.before),
        }

    def apply(self, told: Mapping[str, object]) -> dict[str, object]:
        """Write an edit that was shown before, and judge the run again; nobody is asked."""
        edit = self._make_edit(told)
        if _hash(edit.before) != told.get("hash"):
            raise InputError(f"{edit.file} has changed since the edit was shown: look at it again")
        path = Path(edit.file)
        partial = path.with_name(f".{path.name}.{os.getpid()}")
        partial.write_bytes(edit.after.encode("utf-8"))
        partial.chmod(path.stat().st_mode)
        partial.replace(path)
        rescore_kept(self._find(told))
        return {"file": edit.file, "line": edit.line}

    def _find(self, told: Mapping[str, object]) -> StoredRun:
        run = self.library.find(str(told.get("run", "")))
        if not isinstance(run, StoredRun) or run.manifest.kind != "test":
            raise InputError("only kept runs of command tests have expectations that can be corrected")
        if not run.is_sealed(os.environ):
            raise InputError("this run was started elsewhere: its files are not edited from here")
        return run

    def _make_edit(self, told: Mapping[str, object]) -> Edit:
        run = self._find(told)
        result = self._find_result(run, str(told.get("id", "")))
        path = self._check_file(run, result.key.file)
        text = read_text_file(path)
        predicted = list(result.actual)
        groups = [predicted]
        if told.get("how") == "any_of":
            step = next(
                (step for case in load_suite([path]) for step in case.user_steps if step.line == result.line),
                None,
            )
            before = (
                [[one.text for one in group] for group in step.alternatives]
                if step
                else [list(result.expected)]
            )
            groups = [*before, predicted]
        return edit_expectation(text, str(path), result.line, groups)

    def _find_result(self, run: StoredRun, name: str) -> Result[object]:
        whole = self.library.load(run.folder.name).whole
        found = next((one for one in whole.results() if make_entry_id(one.key) == name), None)
        if found is None:
            raise InputError("there is no such step in this run")
        return found

    def _check_file(self, run: StoredRun, name: str) -> Path:
        """Return a test file of a run, below the working directory."""
        path = Path(name).resolve()
        is_own = (
            name in run.manifest.files
            and path.suffix in _ENDINGS
            and path.is_relative_to(Path.cwd().resolve())
        )
        if not is_own or not path.is_file():
            raise InputError(f"'{name}' is not a test file of this folder")
        return Path(name)


def rescore_kept(run: StoredRun) -> None:
    """Judge a kept run again with the test files of today, and keep what comes out."""
    config = settle_kept(run).config
    opened = OpenRun(run, run.journal(writing=True))
    record = find_shown(run.manifest.kind).rejudge(config, opened)
    if run.has_report:
        before = run.read({KIND.name: KIND}).head
        record = replace(record, head=replace(record.head, seconds=before.seconds, spent=before.spent))
    stored = run.write_manifest(replace(run.manifest, corrected=hash_files(run.manifest.files)))
    keep_run(replace(opened, stored=stored), record, config)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
