"""The flows of an assistant as a table, and what a suite never tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from du_eval.errors import tell_count
from du_eval.evaluation.coverage import Coverage, FlowCoverage, Part
from du_eval.reports.numbers import one_line
from du_eval.reports.renderers.layout import set_table

_SHOWN = 12


def catalogue_text(coverage: Coverage) -> str:
    """Return the table, with coverage where there is a suite."""
    return "\n".join([*_lines(coverage), ""])


def encode_catalogue(coverage: Coverage) -> dict[str, object]:
    """Return the catalogue as plain data."""
    return {
        "assistant": coverage.assistant.path,
        "cases": coverage.cases,
        "cases_not_replayed_to_the_end": coverage.stopped,
        "flows": [_flow_data(found) for found in coverage.flows],
        "responses": _part(coverage.responses),
        "patterns": _part(coverage.patterns),
    }


def _flow_data(found: FlowCoverage) -> dict[str, object]:
    return {
        "id": found.flow.id,
        "name": found.flow.readable_name,
        "description": found.flow.description,
        "startable": found.flow.is_startable,
        "file": found.flow.file,
        "line": found.flow.line,
        "starts": found.starts,
        "steps": _part(found.steps),
        "branches": _part(found.branches),
        "slots": _part(found.slots),
    }


def _part(part: Part) -> dict[str, object]:
    return {"total": part.total, "tested": part.tested, "untested": list(part.untested)}


def _lines(coverage: Coverage) -> Iterator[str]:
    header = ["flow", "slots", "steps", "branches"]
    rows = [_row(found, has_suite=coverage.has_suite) for found in coverage.flows]
    if coverage.has_suite:
        header = ["flow", "starts", "slots", "steps", "branches"]
    yield from set_table([header, *rows], [False, *[True] * (len(header) - 1)], None)
    yield ""
    if not coverage.has_suite:
        flows = tell_count(len(coverage.flows), "flow")
        yield f"{flows} in {coverage.assistant.path}; name test files to see what they cover"
        return
    yield f"tested by {tell_count(coverage.cases, 'case')} of {coverage.assistant.path}:"
    reached = len(coverage.flows) - len(coverage.untested_flows)
    yield from _never("flows", Part(len(coverage.flows), coverage.untested_flows), f"{reached}")
    yield from _never("branches", _summed([found.branches for found in coverage.flows], coverage))
    yield from _never("slots", _all_slots(coverage))
    yield from _never("responses", coverage.responses)
    yield from _never("patterns", coverage.patterns)
    if coverage.stopped:
        cases = tell_count(coverage.stopped, "case")
        yield f"{cases} could not be replayed to the end: what comes later is not counted"


def _row(found: FlowCoverage, *, has_suite: bool) -> list[str]:
    guard = "" if found.flow.is_startable else " (by call or link)"
    name = f"{found.flow.id}{guard}"
    parts = (found.slots, found.steps, found.branches)
    if not has_suite:
        return [name, *(str(part.total) for part in parts)]
    return [name, str(found.starts) if found.starts else "never", *(f"{p.tested}/{p.total}" for p in parts)]


def _summed(parts: Sequence[Part], coverage: Coverage) -> Part:
    untested = tuple(
        f"{found.flow.id} {name}"
        for found, part in zip(coverage.flows, parts, strict=True)
        for name in part.untested
    )
    return Part(sum(part.total for part in parts), untested)


def _all_slots(coverage: Coverage) -> Part:
    names = {slot.slot for found in coverage.flows for slot in found.flow.collects}
    untested = {slot for found in coverage.flows for slot in found.slots.untested}
    return Part(len(names), tuple(sorted(untested)))


def _never(what: str, part: Part, tested: str = "") -> Iterator[str]:
    yield f"  {what}: {tested or part.tested} of {part.total}{'; never:' if part.untested else ''}"
    for name in part.untested[:_SHOWN]:
        yield f"    - {one_line(name)}"
    if len(part.untested) > _SHOWN:
        yield f"    ... and {len(part.untested) - _SHOWN} more (--json lists all)"
