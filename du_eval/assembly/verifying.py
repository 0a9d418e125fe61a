"""Whether a kept run is as it was written, and whether its report follows from its recorded answers."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from du_eval.assembly.activities import Kinds
from du_eval.assembly.rescoring import judge_again
from du_eval.errors import DuEvalError, InputError, tell_count
from du_eval.evaluation.record import TestExtra
from du_eval.runs.annotation import FILE, Annotation, read_annotations
from du_eval.runs.correcting import CORRECTED, correct_run
from du_eval.runs.journal import Journal
from du_eval.runs.keeping import find_changed
from du_eval.runs.manifest import hash_file
from du_eval.runs.parts import FOLDER, list_damaged
from du_eval.runs.record import AnyRun, Status
from du_eval.runs.report import decode_run, encode_run
from du_eval.runs.store import RUN, StoredRun, require_own
from du_eval.trust.consent import find_store

_SHOWN = 5


class Verified(Struct, frozen=True):
    """One thing that was looked at."""

    name: str
    text: str
    holds: bool | None = None
    """None: this cannot be told."""


def verify_run(stored: StoredRun) -> list[Verified]:
    """Return what can be said about a run."""
    manifest = stored.manifest
    if not stored.has_report or not manifest.chain or manifest.status is Status.RUNNING:
        raise InputError(f"the run {stored.id} has not ended, or was kept by an older version")
    with closing(stored.journal()) as journal:
        found = [_check_chain(stored, journal)]
    found += [_check_report(stored), _check_seal(stored), _check_files(stored)]
    return [*found, _check_verdicts(stored)]


def _check_chain(stored: StoredRun, journal: Journal) -> Verified:
    chain, manifest = journal.chain, stored.manifest
    if chain.broken:
        lines = ", ".join(map(str, chain.broken[:_SHOWN]))
        return Verified("answers", f"journal.jsonl was changed at line {lines}", holds=False)
    if journal.torn:
        return Verified("answers", "journal.jsonl ends with something that is not an answer", holds=False)
    if (chain.lines, chain.end) != (manifest.answers, manifest.chain):
        told = f"journal.jsonl has {tell_count(chain.lines, 'line')}; {manifest.answers} were written"
        return Verified("answers", f"{told}, or the manifest was changed", holds=False)
    return Verified(
        "answers", f"{tell_count(chain.lines, 'line')}, none changed, added or left out", holds=True
    )


def _check_report(stored: StoredRun) -> Verified:
    manifest = stored.manifest
    written = {RUN: manifest.report, **manifest.beside}
    damaged = [name for name, content in written.items() if hash_file(stored.folder / name) != content]
    if RUN not in damaged:
        kept = stored.read(Kinds())
        damaged += list_damaged(stored.folder / FOLDER, kept.totals.index) if kept.totals else []
        damaged += ["what manifest.json says of it"] if manifest.sum_up(kept) != manifest else []
    if damaged:
        return Verified("report", f"not as written: {', '.join(damaged)}", holds=False)
    others = len(written) - 1
    told = f"{RUN} and {tell_count(others, 'file')} beside it are" if others else f"{RUN} is"
    return Verified("report", f"{told} as written", holds=True)


def _check_seal(stored: StoredRun) -> Verified:
    manifest = stored.manifest
    if find_store(os.environ).is_sealed(manifest.fingerprint, manifest.end_seal):
        return Verified("seal", "sealed by you", holds=True)
    told = "not sealed by you: compare the fingerprint with one that was noted elsewhere (--expect)"
    return Verified("seal", told)


def _check_files(stored: StoredRun) -> Verified:
    manifest = stored.manifest
    changed = find_changed(manifest, manifest.files)
    if changed:
        return Verified("files", f"changed since the run: {', '.join(changed)}")
    return Verified("files", f"the run read {len(manifest.files)}, none has changed", holds=True)


def _check_verdicts(stored: StoredRun) -> Verified:
    kind = stored.manifest.kind
    try:
        require_own(stored, os.environ)
        kept = stored.read(Kinds())
        written = b"".join(encode_run(judge_again(stored), Kinds()[kind]))
        again = decode_run(written, stored.id, Kinds())  # a file cannot hold half a character, for one
    except DuEvalError as error:
        return Verified("verdicts", f"cannot be judged again: {error}")
    differences = list(_compare(kept, _complete(again, kept, read_annotations(stored.folder / FILE))))
    if differences:
        shown = "; ".join(differences[:_SHOWN])
        return Verified("verdicts", f"the report does not follow from the answers: {shown}", holds=False)
    results = sum(len(case.results) for case in kept.cases)
    figures = tell_count(len(kept.figures), "figure")
    told = f"{tell_count(results, 'result')} and {figures} follow from the answers"
    return Verified("verdicts", told, holds=True)


def _complete(again: AnyRun, kept: AnyRun, labels: Sequence[Annotation]) -> AnyRun:
    """Return a run with what no answer in its journal gives: corrections by labels, and robustness."""
    if isinstance(again.extra, TestExtra) and isinstance(kept.extra, TestExtra):
        extra = replace(again.extra, robustness=kept.extra.robustness)
        if kept.head.status is not Status.FINISHED:  # a limit ends what the gold history would still answer
            extra = replace(extra, gap=kept.extra.gap, drives=kept.extra.drives)
        again = replace(again, extra=extra)
    judged = Kinds()[kept.head.kind].list_judged
    if labels and judged is not None:
        return correct_run(again, tuple(judged(again)), labels)
    corrected = (figure for figure in kept.figures if figure.name.endswith(CORRECTED))
    return replace(again, figures=(*again.figures, *corrected), corrections=kept.corrections)


def _compare(kept: AnyRun, again: AnyRun) -> Iterator[str]:
    """Yield how the report differs from what the answers give."""
    before, after = (dict(_list_parts(run)) for run in (kept, again))
    for name in before | after:
        if _strip_reasons(before.get(name)) != _strip_reasons(after.get(name)):
            yield name


def _strip_reasons(value: object) -> object:
    """Return plain data without reasons: why a judge gave no answer is known only to the one who asked it."""
    plain = to_builtins(value)
    if isinstance(plain, dict):
        return {key: _strip_reasons(inner) for key, inner in plain.items() if key != "reason"}
    return list(map(_strip_reasons, plain)) if isinstance(plain, list | tuple) else plain


def _list_parts(run: AnyRun) -> Iterator[tuple[str, object]]:
    """Yield everything in a report that follows from answers, by name; what comes twice, with its number."""
    for number, case in enumerate(run.cases, 1):
        for place, one in enumerate(case.results, 1):
            yield f"case {number}, {case.id}{case.variant}, result {place}", one
        yield f"case {number}, {case.id}{case.variant}", replace(case, results=())
    yield from ((f"figure {number}, {one.name}", one) for number, one in enumerate(run.figures, 1))
    yield from (("tables", run.extra), ("corrections", run.corrections))
    yield "totals", replace(run.totals, index="") if run.totals else None
