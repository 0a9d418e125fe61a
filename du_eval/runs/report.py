"""Runs to and from JSON: one format for every activity, `du-eval run/1`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache, cached_property
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Generic, TypeVar, get_type_hints

from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import CoreSchema, PydanticSerializationError, core_schema, from_json, to_json

from du_eval.errors import InputError, Problem, ReportError
from du_eval.runs.annotation import JudgedText
from du_eval.runs.figures import CorrectedRate, Figure
from du_eval.runs.record import AnyRun, Case, D, E, Head, Run, Totals
from du_eval.trust.files import write_privately
from du_eval.trust.reading import read_file

T = TypeVar("T")
FORMAT = "du-eval run/1"


class _Opaque:
    """Takes a value as it is, whatever its type consists of."""

    def __get_pydantic_core_schema__(self, *_: object) -> CoreSchema:
        return core_schema.any_schema()


Unstored = Annotated[T, _Opaque(), Field(exclude=True)]
"""Of a field: needed while a run is made, and not written."""
_FIRST_VERSION = {
    "test_cases": "test or e2e",
    "assessments": "quality",
    "decisions": "protocol",
    "files": "metrics",
    "numbers": "agent",
}
"""What reports of the first version had, by activity: they are refused by name."""


@dataclass(frozen=True)
class Kind(Generic[D, E]):
    """What runs of an activity consist of: all that is needed to read one back."""

    name: str
    detail: type[D]
    extra: type[E | None] = NoneType
    list_judged: Callable[[Run[D, E]], Iterable[JudgedText]] | None = None
    """What people may label: texts that a judge decided about; None where no text is judged."""

    @cached_property
    def cases(self) -> TypeAdapter[Case[D]]:
        """How a case is written and read."""
        return TypeAdapter(Case[self.detail])  # type: ignore[name-defined]


AnyKind = Kind[Any, Any]
"""A kind by its name only: what it reads back is known by its classes, not by its type."""
Summary = dict[str, dict[str, float | None]]
_FIGURES, _NOTES, _CORRECTIONS = tuple[Figure, ...], tuple[str, ...], tuple[CorrectedRate, ...]


@cache
def _adapt(shape: Any) -> TypeAdapter[Any]:
    """Return how values are written and read; made on first use, since few runs have all parts."""
    return TypeAdapter(shape)


def encode_run(run: Run[D, E], kind: Kind[D, E]) -> Iterator[bytes]:
    """Yield the JSON of a run in pieces, so that a large one need not be held twice."""
    yield b'{"format":"' + FORMAT.encode() + b'","kind":' + to_json(run.head.kind)
    yield b',"summary":' + to_json(_sum_up(run), inf_nan_mode="null")
    yield b',"head":' + _encode(_adapt(Head), run.head)
    yield b',"figures":' + _encode(_adapt(_FIGURES), run.figures)
    yield b',"notes":' + _encode(_adapt(_NOTES), run.notes)
    if run.corrections:
        yield b',"corrections":' + _encode(_adapt(_CORRECTIONS), run.corrections)
    if run.extra is not None:
        yield b',"extra":' + _encode_extra(run.extra)
    if run.totals is not None:
        yield b',"totals":' + _encode(_adapt(Totals), run.totals)
    yield b',"cases":['
    for number, case in enumerate(run.cases):
        yield (b"," if number else b"") + encode_case(case, kind)
    yield b"]}\n"


def _encode_extra(extra: Any) -> bytes:
    """Return the JSON of an activity's words about the whole run; most have a few of many fields."""
    shape: Any = type(extra)
    if not is_dataclass(shape):
        return _encode(_adapt(shape), extra)
    shapes = get_type_hints(shape, include_extras=True)
    given = {one.name: getattr(extra, one.name) for one in fields(extra)}
    written = [one.name for one in fields(extra) if not _is_left_out(given[one.name], one, shapes[one.name])]
    parts = (to_json(name) + b":" + _encode(_adapt(shapes[name]), given[name]) for name in written)
    return b"{" + b",".join(parts) + b"}"


def _is_left_out(value: object, field: Any, shape: Any) -> bool:
    default = field.default if field.default_factory is MISSING else field.default_factory()
    return value == default or any(
        getattr(note, "exclude", False) for note in getattr(shape, "__metadata__", ())
    )


def encode_case(case: Case[D], kind: Kind[D, E]) -> bytes:
    """Return the JSON of a case."""
    # The outcome of a case follows from its results; scripts find it here, and nothing reads it back.
    return b'{"outcome":"' + case.outcome.encode() + b'",' + _encode(kind.cases, case)[1:]


def _encode(adapter: TypeAdapter[T], value: T) -> bytes:
    """Return a value as JSON; half characters, as models send them at times, become question marks."""
    try:
        return adapter.dump_json(value, exclude_defaults=True)
    except PydanticSerializationError:
        plain = adapter.dump_python(value, mode="json", exclude_defaults=True)
        return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


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
        data = from_json(content)
    except ValueError as error:
        raise InputError(Problem(name, 0, f"this is not JSON: {error}")) from error
    kind = _find_kind(data, name, kinds)
    extra: Any = kind.extra | None
    try:
        head = _adapt(Head).validate_python(data.get("head"))
        if head.kind != kind.name:
            raise InputError(
                Problem(name, 0, f"a damaged run of du-eval {kind.name}: its head is of another kind")
            )
        return Run(
            head=head,
            cases=tuple(map(kind.cases.validate_python, data.get("cases", ()))),
            figures=_adapt(_FIGURES).validate_python(data.get("figures", ())),
            notes=_adapt(_NOTES).validate_python(data.get("notes", ())),
            extra=_adapt(extra).validate_python(data.get("extra")),
            corrections=_adapt(_CORRECTIONS).validate_python(data.get("corrections", ())),
            totals=_adapt(Totals | None).validate_python(data.get("totals")),
        )
    except (ValidationError, TypeError) as error:
        raise InputError(Problem(name, 0, f"a damaged run of du-eval {kind.name}: {_told(error)}")) from error


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


def _told(error: ValidationError | TypeError) -> str:
    if isinstance(error, TypeError):
        return str(error)
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"]))
    return f"{where}: {first['msg'][:1].lower()}{first['msg'][1:]}" if where else first["msg"]
