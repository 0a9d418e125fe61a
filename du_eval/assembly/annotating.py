"""People label what judges decided in a kept run: which texts come next, and the run with corrected rates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

from msgspec import Struct

from du_eval.assembly.activities import Kinds
from du_eval.assembly.finding import find_store, read_stored
from du_eval.errors import InputError, did_you_mean
from du_eval.runs.annotation import (
    FILE,
    Annotation,
    JudgedText,
    append_annotation,
    group_by_check,
    read_annotations,
    settle_labels,
)
from du_eval.runs.correcting import calibrate_run, correct_run
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import AnyRun
from du_eval.runs.report import AnyKind
from du_eval.runs.store import StoredRun
from du_eval.statistics.correction import order_to_label


class AnnotationSession(Struct, frozen=True):
    """A kept run with the texts that people label."""

    stored: StoredRun
    run: AnyRun
    kind: AnyKind
    texts: tuple[JudgedText, ...]

    @property
    def file(self) -> Path:
        """Where the answers are kept."""
        return self.stored.folder / FILE

    def list_next(self, by: str, checks: Sequence[str] = ()) -> Iterator[JudgedText]:
        """Yield what a person has not labelled yet, the checks in turn, each spread over the judge's doubt.

        Everybody gets the same order, so that a second person labels what the first one did.
        """
        groups = group_by_check(self.texts)
        unknown = [check for check in checks if check not in groups]
        if unknown:
            hint = did_you_mean(unknown[0], groups) or f"there are {', '.join(groups)}"
            raise InputError(f"the run {self.stored.id} has no judged check '{unknown[0]}' ({hint})")
        done = {one.text for one in read_annotations(self.file) if one.by == by}
        ordered = [
            [mine[place] for place in order_to_label([one.doubt for one in mine])]
            for check, mine in groups.items()
            if not checks or check in checks
        ]
        for row in zip_longest(*ordered):
            yield from (one for one in row if one is not None and one.id not in done)

    def label(self, text: JudgedText, label: Outcome, by: str) -> None:
        """Keep an answer at once."""
        append_annotation(self.file, Annotation(text.id, text.check, label, by))

    def correct(self, elsewhere: AnnotationSession | None = None) -> AnyRun:
        """Return the run with corrected rates, by its own labels or by those of another run; it is kept."""
        if elsewhere is None:
            found = correct_run(self.run, self.texts, read_annotations(self.file))
        else:
            labels = settle_labels(read_annotations(elsewhere.file))
            found = calibrate_run(self.run, self.texts, elsewhere.texts, labels)
            if not found.corrections:
                raise InputError(
                    f"the labels of {elsewhere.stored.id} cannot correct {self.stored.id}: for the same "
                    "checks and judge, they must hold passes and failures, and the judge must beat chance"
                )
        self.stored.save(found, self.kind, self.stored.manifest)
        return found


def open_annotation(name: str, runs_dir: str | None = None) -> AnnotationSession:
    """Return a kept run whose judged texts people may label."""
    stored = find_store(runs_dir).find(name)
    run = read_stored(stored)
    kind = Kinds()[run.head.kind]
    if kind.list_judged is None:
        raise InputError(
            f"the run {stored.id} is one of du-eval {kind.name}, where no judge assesses texts: "
            "there is nothing to label"
        )
    texts = tuple(kind.list_judged(run))
    if not texts:
        raise InputError(f"no judge was used in the run {stored.id}: there is nothing to label")
    return AnnotationSession(stored, run, kind, texts)
