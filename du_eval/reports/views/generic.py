"""The view of a run of any activity, and the parts that other views are made of."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import asdict, replace

from du_eval.errors import tell_count
from du_eval.reports.columns import Code, Number, OutcomeColumn, Share, make_columns
from du_eval.reports.numbers import UNDEFINED, name_method, show_number, show_seconds
from du_eval.reports.sections import (
    Cell,
    Detail,
    Diff,
    Entries,
    Entry,
    Facts,
    Figures,
    Note,
    Section,
    Table,
    Text,
    Tone,
    View,
    make_entry_id,
    sign_intervals,
)
from du_eval.runs.figures import CorrectedRate
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import AnyRun, Case, Check, Result

_WORST_FIRST = (Outcome.FAILED, Outcome.ERRORED, Outcome.UNDECIDED, Outcome.PASSED)


def view_any(run: AnyRun) -> View:
    """Return a view of a run that nothing is known about but that it is one."""
    return make_view(run, make_headline(run), _list_sections(run))


def make_view(run: AnyRun, headline: Note, sections: Iterable[Section]) -> View:
    """Return the view of a run: what all activities say alike, around sections of its own."""
    shown = (*_put_corrections(run, sections), *_list_figure_table(run))
    return View(
        title=make_title(run),
        kind=run.head.kind,
        headline=headline,
        about=list_about(run),
        sections=shown,
        signature=sign_intervals(run.head.signature, (Figures(tuple(run.figures)), *shown)),
        notes=run.notes,
        unfinished=run.unfinished,
    )


def _put_corrections(run: AnyRun, sections: Iterable[Section]) -> Iterator[Section]:
    """Yield sections, the corrected rates behind the figures that people look at first."""
    tables = [make_correction_table(run.corrections)] if run.corrections else []
    for section in sections:
        yield section
        if isinstance(section, Figures):
            yield from tables
            tables = []
    yield from tables


def make_correction_table(corrections: Sequence[CorrectedRate]) -> Table:
    """Return rates corrected for the judge, beside the raw ones and those of the labels alone."""
    columns = make_columns(
        Code("check"), Share("raw"), Share("corrected"), Share("labels alone"), "method", Number("kappa"),
        "kappa of annotators", "to halve",
    )  # fmt: skip
    remark = (
        "raw: what the judge decided, uncorrected; kappa: agreement of judge and people beyond chance; "
        "to halve: more labels that would halve the interval"
    )
    return Table("Corrected for the judge", columns, tuple(map(_make_correction_row, corrections)), remark)


def _make_correction_row(one: CorrectedRate) -> tuple[Cell, ...]:
    between = f"{show_number(one.kappa_of_annotators, 2)} ({one.twice} texts)" if one.twice else UNDEFINED
    more = UNDEFINED if one.more_labels is None else f"{tell_count(one.more_labels, 'label')}"
    kappa = None if one.kappa is None else round(one.kappa, 2)
    return one.check, one.raw, one.corrected, one.labelled, one.method, kappa, between, more


def _list_sections(run: AnyRun) -> Iterator[Section]:
    yield from list_figures(run)
    yield make_entries(run)
    yield make_outcome_table(run)


def make_title(run: AnyRun) -> str:
    """Return what a run is called: its label, or who was tested."""
    return run.head.label or run.head.subject or run.head.id or run.head.kind


def make_headline(run: AnyRun, unit: str = "cases") -> Note:
    """Return the sentence about a run that people read first; an unfinished run says so."""
    counts = run.count_cases()
    if run.unfinished:
        counts[Outcome.ERRORED] -= sum(case.is_partial for case in run.cases)
    total = sum(counts.values())
    if any(result.outcome is not None for result in run.results()) or any(case.failure for case in run.cases):
        text = f"{counts[Outcome.PASSED]} of {total} {unit} passed"
        parts = [f"{counts[one]} {one}" for one in _WORST_FIRST[:-1] if counts[one]]
        text = ", ".join([text, *parts])
    else:
        text = f"{total} {unit} measured"
    text += f" ({run.head.part})" if run.head.part else ""
    if run.unfinished:
        return Note(f"Not finished ({run.unfinished}). So far: {text}", Tone.OPEN)
    if counts[Outcome.FAILED]:
        return Note(text, Tone.BAD)
    is_open = counts[Outcome.ERRORED] or counts[Outcome.UNDECIDED]
    return Note(text, Tone.OPEN if is_open or not total else Tone.GOOD)


def list_about(run: AnyRun) -> tuple[tuple[str, str], ...]:
    """Return who was tested, when, and with which settings."""
    head = run.head
    spent = head.spent
    calls = f"{tell_count(spent.calls, 'call')}" if spent.calls else ""
    cost = f"cost {spent.cost:.4g}" if spent.cost is not None else ""
    rows = {
        "activity": head.kind,
        "subject": head.subject,
        **head.settings,
        "label": head.label,
        "samples": str(head.samples) if head.samples > 1 else "",
        "started": head.started[:16].replace("T", " "),
        "took": show_seconds(head.seconds) if head.seconds else "",
        "spent": ", ".join(filter(None, (calls, cost))),
        "run": head.id,
    }
    return tuple((name, value) for name, value in rows.items() if value)


def list_figures(run: AnyRun) -> Iterator[Figures]:
    """Yield the figures that people look at first; all of them where none stands out."""
    first = tuple(figure for figure in run.figures if figure.is_headline) or run.figures[:6]
    if first:
        yield Figures(first)


def _list_figure_table(run: AnyRun) -> Iterator[Table]:
    """Yield all figures as a table that is closed at first, where there are more than the headline shows."""
    if all(figure.is_headline for figure in run.figures):
        return
    columns = make_columns(Code("figure"), Number("value"), "unit", "better", "method")
    rows = tuple(
        (
            one.name,
            one.measured,
            one.unit,
            str(one.better),
            name_method(one),
        )
        for one in run.figures
    )
    yield Table("All figures", columns, rows, is_minor=True)


def make_outcome_table(run: AnyRun, title: str = "Cases") -> Table:
    """Return what became of each case, the worst first; a press on a case shows what was judged in it."""
    columns = make_columns(OutcomeColumn("outcome"), Code("case", facet="case"))
    ranked = sorted(run.cases, key=lambda case: _WORST_FIRST.index(case.outcome))
    rows = tuple((case.outcome, case.id) for case in ranked)
    return Table(title, columns, rows, lists_cases=True)


def make_entries(run: AnyRun) -> Entries:
    """Return everything that was judged in a run, with the opinions about it."""
    found = [entry for case in run.cases for entry in _list_case(case)]
    unit = run.head.unit
    return Entries(f"{unit[:1].upper()}{unit[1:]}", unit, tuple(found))


def _list_case(case: Case[object]) -> Iterator[Entry]:
    if case.failure:
        yield make_case_entry(case)
    for result in case.results:
        failed = [check for check in result.checks if check.outcome not in {Outcome.PASSED, None}]
        facets = [("kind", kind) for kind in dict.fromkeys(result.mistakes)]
        facets += [("check", check.name) for check in failed]
        yield replace(
            make_entry(case, result, facets, _list_details(result)),
            title=result.asked or case.name,
            message=result.error or "; ".join(f"{one.name}: {one.reason or one.outcome}" for one in failed),
        )


def make_entry(
    case: Case[object], result: Result[object], facets: Iterable[tuple[str, str]], details: Iterable[Detail]
) -> Entry:
    """Return what is listed of a result, whatever its activity; a repeated one is told by its sample, too."""
    is_repeated = case.results[0].key.sample != case.results[-1].key.sample
    is_excusable = case.ratio is not None and result.outcome not in {Outcome.PASSED, None}
    sample = [("sample", str(result.key.sample))] if is_repeated else []
    return Entry(
        id=make_entry_id(result.key),
        outcome=result.outcome,
        place=make_place(case, result),
        case=case.id,
        title=result.asked,
        expected="\n".join(result.expected),
        actual="\n".join(result.actual),
        facets=(("case", case.id), *facets, *sample),
        detail=tuple(details),
        message=result.error,
        is_excused=is_excusable and case.outcome is Outcome.PASSED,
    )


def make_case_entry(case: Case[object]) -> Entry:
    """Return the entry of a case that failed as a whole."""
    name = case.id
    line = f":{case.line}" if case.line else ""
    place = f"{case.file}{line}"
    return Entry(name, Outcome.FAILED, place, name, case.name, facets=(("case", name),), message=case.failure)


def make_place(case: Case[object], result: Result[object]) -> str:
    """Return where a result is looked up: `file:line`, or its case."""
    file, line = result.key.file or case.file, result.line or case.line
    return f"{file}:{line}" if file and line else file or case.name


def _list_details(result: Result[object]) -> Iterator[Detail]:
    if result.error:
        yield Text("Error", result.error)
    if result.expected:
        yield Diff(result.expected, result.actual, ("expected", "actual"))
    if result.checks:
        yield make_check_table(result.checks)
    named = _name_fields(result.detail).items()
    rows = tuple((name.replace("_", " "), str(value)) for name, value in named if value not in ("", None, ()))
    if rows:
        yield Facts(rows, "Details")


def _name_fields(detail: object) -> dict[str, object]:
    """Return the fields of an activity's own words, however it declares them."""
    if isinstance(detail, Struct):
        return asdict(detail)
    if dataclasses.is_dataclass(detail) and not isinstance(detail, type):
        return dataclasses.asdict(detail)
    return {}


def make_check_table(checks: tuple[Check, ...]) -> Table:
    """Return the opinions about an answer."""
    columns = make_columns("check", OutcomeColumn("outcome"), Number("score"), "reason", "judge")
    return Table(
        "Checks", columns, tuple((one.name, one.outcome, one.score, one.reason, one.judge) for one in checks)
    )
