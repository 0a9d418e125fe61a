"""Notes and thumbs on steps, beside the run that they belong to."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from msgspec import Struct

from du_eval.errors import InputError
from du_eval.reports.renderers.page_parts import Json
from du_eval.runs.store import StoredRun
from du_eval.trust.reading import read_file
from du_eval.viewer.library import Library

FILE = "notes.json"
_LONGEST = 4000
_MOST = 20_000
_THUMBS = (-1, 0, 1)


class Notes(Struct, frozen=True):
    """Reads and writes the notes of kept runs."""

    library: Library

    def read(self, name: str) -> dict[str, Json]:
        """Return the notes of a run by the ids of its steps."""
        run = self.library.find(name)
        if not isinstance(run, StoredRun):
            return {}
        try:
            found = json.loads(read_file(run.folder / FILE))
        except (OSError, ValueError, RecursionError):
            return {}
        return (
            {str(key): value for key, value in found.items() if isinstance(value, dict)}
            if isinstance(found, dict)
            else {}
        )

    def write(self, told: Mapping[str, object]) -> dict[str, object]:
        """Keep a note and a thumb; an empty note without a thumb is gone."""
        name, key = str(told.get("run", "")), str(told.get("id", ""))
        run = self.library.find(name)
        if not isinstance(run, StoredRun):
            raise InputError("only kept runs can have notes")
        text, thumb = str(told.get("note", ""))[:_LONGEST], told.get("thumb", 0)
        if thumb not in _THUMBS or not key or len(key) > _LONGEST:
            raise InputError("this is not a note on a step")
        notes = self.read(name)
        notes.pop(key, None)
        if text or thumb:
            notes[key] = {"note": text, "thumb": thumb}
        if len(notes) > _MOST:
            raise InputError(f"a run can have {_MOST} notes")
        partial = run.folder / f".{FILE}.{os.getpid()}"
        partial.write_text(json.dumps(notes, ensure_ascii=False, indent=1), encoding="utf-8")
        partial.replace(run.folder / FILE)
        return {"saved": True}
