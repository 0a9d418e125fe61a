"""Runs to and from JSON: one format for every activity, `du-eval run/1`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from json import dumps
from pathlib import Path
from types import NoneType
from typing import Any, Generic

from msgspec import Struct, ValidationError, convert, json, to_builtins
from msgspec.structs import replace

from du_eval.errors import InputError, Problem, ReportError
from du_eval.runs.annotation import JudgedText
from du_eval.runs.figures import CorrectedRate, Figure
from du_eval.runs.record import AnyRun, Case, D, E, Head, Run, Totals
from du_eval.trust.files import write_privately
from du_eval.trust.reading import read_file

FORMAT = "du-eval run/1"
_FIRST_VERSION = {
    "test_cases": "test or e2e",
    "assessments": "quality",
    "decisions": "protocol",
    "files": "metrics",
    "numbers": "agent",
}
"""What reports of the first version had, by activity: they are refused by name."""


class Kind(Struct, Generic[D, E], frozen=True):
    """What runs of an activity consist of: all that is needed to read one back."""

    name: str
    detail: type[D]
    extra: type[E | None] = NoneType
    list_judged: Callable[[Run[D, E]], Iterable[JudgedText]] | None = None
    """What people may label: texts that a judge decided about; None where no text is judged."""

    strip: Callable[[D], D] | None = None
    """Takes out of a detail what is needed only while a run is made; None: all of it is written."""

    def read_case(self, data: object) -> Case[D]:
        """Return the case of plain data; raise ValidationError where they have another form."""
        return convert(data, Case[self.detail])  # type: ignore[name-defined]


AnyKind = Kind[Any, Any]
"""A kind by its name only: what it reads back is known by its classes, not by its type."""
Summary = dict[str, dict[str, float | None]]
_FIGURES, _NOTES, _CORRECTIONS = tuple[Figure, ...], tuple[str, ...], tuple[CorrectedRate, ...]


def encode_run(run: Run[D, E], kind: Kind[D, E]) -> Iterator[bytes]:
    """Yield the JSON of a run in pieces, so that a large one need not be held twice."""
    yield b'{"format":"' + FORMAT.encode() + b'","kind":' + _encode(run.head.kind)
    yield b',"summary":' + _encode(_sum_up(run))
    yield b',"head":' + _encode(run.head)
    yield b',"figures":' + _encode(run.figures)
    yield b',"notes":' + _encode(run.notes)
    if run.corrections:
        yield b',"corrections":' + _encode(run.corrections)
    if run.extra is not None:
        yield b',"extra":' + _encode(run.extra)
    if run.totals is not None:
        yield b',"totals":' + _encode(run.totals)
    yield b',"cases":['
    for number, case in enumerate(run.cases):
        yield (b"," if number else b"") + encode_case(case, kind)
    yield b"]}\n"


def encode_case(case: Case[D], kind: Kind[D, E]) -> bytes:
    """Return the JSON of a case."""
    # The outcome of a case follows from its results; scripts find it here, and nothing reads it back.
    outcome = case.outcome
    if kind.strip is not None:
        stripped = tuple(replace(one, detail=kind.strip(one.detail)) for one in case.results)
        case = replace(case, results=stripped)
    return b'{"outcome":"' + outcome.encode() + b'",' + _encode(case)[1:]


def _encode(value: object) -> bytes:
    """Return a value as JSON; half characters, as models send them at times, become question marks."""
    try:
        return json.encode(value)
    except UnicodeEncodeError:
        plain = to_builtins(value)
        return dumps(plain, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _sum_up(run: Run[D, E]) -> Summary:
    """Return what scripts look for first: it follows from the rest, and is not read back."""
    return {
        "figures": {figure.name: figure.value for figure in run.figures},
        "cases": {str(outcome): count for outcome, count in run.count_cases().items()},
        "results": {str(outcome): count for outcome, count in run.count_results().items()},
    }


def write_run(path: Path, run: Run[D, E], kind: Kind[D, E]) -> None:
    """Write a run, whole or not at all."""
    try:
        write_privately(path, encode_run(run, kind))
    except OSError as error:
        raise ReportError(f"{path} cannot be written: {error}") from error


def read_run(path: Path, kinds: Mapping[str, AnyKind]) -> AnyRun:
    """Return the run of a file; raise if it is not one that this version can read."""
    try:
        content = read_file(path)
    except OSError as error:
        raise InputError(Problem(str(path), 0, f"cannot be read: {error.strerror or error}")) from error
    return decode_run(content, str(path), kinds)


def decode_run(content: bytes, name: str, kinds: Mapping[str, AnyKind]) -> AnyRun:
    """Return the run of a text; `name` is how errors call it."""
    try:
        data = json.decode(content)
    except (ValueError, RecursionError) as error:
        hint = "name the run.json, folder or id of a run; compare and gate also read official reports"
        raise InputError(Problem(name, 0, f"this is not JSON: {error}", hint)) from error
    kind = _find_kind(data, name, kinds)
    extra: Any = kind.extra | None
    try:
        head = convert(data.get("head"), Head)
        if head.kind != kind.name:
            raise InputError(
                Problem(name, 0, f"a damaged run of du-eval {kind.name}: its head is of another kind")
            )
        return Run(
            head=head,
            cases=tuple(map(kind.read_case, data.get("cases", ()))),
            figures=convert(data.get("figures", ()), _FIGURES),
            notes=convert(data.get("notes", ()), _NOTES),
            extra=convert(data.get("extra"), extra),
            corrections=convert(data.get("corrections", ()), _CORRECTIONS),
            totals=convert(data.get("totals"), Totals | None),
        )
    except (ValidationError, TypeError) as error:
        raise InputError(Problem(name, 0, f"a damaged run of du-eval {kind.name}: {error}")) from error


def _find_kind(data: object, name: str, kinds: Mapping[str, AnyKind]) -> AnyKind:
    if not isinstance(data, dict):
        raise InputError(Problem(name, 0, "this is not a run of du-eval"))
    if data.get("format") != FORMAT:
        raise InputError(Problem(name, 0, *_refuse(data)))
    kind = kinds.get(str(data.get("kind")))
    if kind is None:
        hint = f"known kinds: {', '.join(kinds)}; install the package that adds it"
        raise InputError(Problem(name, 0, f"a run of the unknown kind '{data.get('kind')}'", hint))
    return kind


def _refuse(data: Mapping[object, object]) -> tuple[str, str]:
    """Return why data are not a run, and what to do."""
    found = data.get("format")
    if isinstance(found, str) and found.startswith("du-eval run/"):
        return f"a run in the format '{found}'", f"this version reads '{FORMAT}': update du-eval"
    old = next((activity for key, activity in _FIRST_VERSION.items() if key in data), None)
    if old:
        return (
            f"a report of du-eval {old} 0.1, which this version does not read",
            "run it again; answers in the cache cost nothing",
        )
    return "this is not a run of du-eval", "write one with --output-file run.json"
