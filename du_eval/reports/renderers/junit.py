"""What CI reads: JUnit XML, and annotations of GitHub workflows at the lines of test files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from xml.etree import ElementTree as ET

from du_eval.errors import ExitCode
from du_eval.reports.sections import Entry, Note, Tone, Transcript, View, make_entry_id
from du_eval.reports.visible import tell_apart
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import AnyRun, Case
from du_eval.runs.ruling import Ruling

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOTHING = "(nothing)"


def render_junit(run: AnyRun, view: View, ruling: Ruling) -> str:
    """Return the XML, a suite for each file; gates have a case, and so has a run that was not finished."""
    root = ET.Element("testsuites", name="du-eval", time=f"{run.head.seconds:.3f}")
    entries = {entry.id: entry for entry in view.entries()}
    by_file: dict[str, list[Case[object]]] = {}
    for case in run.cases:
        by_file.setdefault(case.file or run.head.subject or run.head.kind, []).append(case)
    if run.unfinished:
        told = f"the run was not finished: {run.unfinished}"
        _add_ruling(root, "the whole run", Ruling(ExitCode.ERRORED, (told,)), "unfinished")
    for file, cases in by_file.items():
        _add_suite(root, file, cases, entries)
    if ruling.reasons:
        _add_ruling(root, "gate", ruling, "gate")
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _add_ruling(root: ET.Element, name: str, ruling: Ruling, kind: str) -> None:
    tag = {ExitCode.PASSED: "", ExitCode.FAILED: "failure"}.get(ruling.code, "error")
    failures, errors = (str(int(tag == one)) for one in ("failure", "error"))
    suite = ET.SubElement(root, "testsuite", name="du-eval", tests="1", failures=failures, errors=errors)
    case = ET.SubElement(suite, "testcase", name=name, classname="du-eval", time="0.000")
    if tag:
        told = xml_text("; ".join(ruling.reasons))
        ET.SubElement(case, tag, type=kind, message=told).text = told


def _add_suite(root: ET.Element, file: str, cases: list[Case[object]], entries: Mapping[str, Entry]) -> None:
    outcomes = [case.outcome for case in cases]
    failures, passed = outcomes.count(Outcome.FAILED), outcomes.count(Outcome.PASSED)
    suite = ET.SubElement(
        root,
        "testsuite",
        name=xml_text(file),
        tests=str(len(cases)),
        failures=str(failures),
        errors=str(len(cases) - failures - passed),
        skipped="0",
        time=f"{sum(map(_count_seconds, cases)):.3f}",
    )
    for case, outcome in zip(cases, outcomes, strict=True):
        _add_case(suite, case, outcome, entries)


def _add_case(suite: ET.Element, case: Case[object], outcome: Outcome, entries: Mapping[str, Entry]) -> None:
    variant = f" [{case.variant}]" if case.variant else ""
    found = ET.SubElement(
        suite,
        "testcase",
        name=xml_text(case.name + variant),
        classname=xml_text(re.sub(r"\.\w+$", "", case.file).replace("/", ".")),
        file=xml_text(case.file),
        line=str(case.line),
        time=f"{_count_seconds(case):.3f}",
    )
    if outcome is Outcome.PASSED:
        return
    ids = dict.fromkeys([case.id, *(make_entry_id(result.key) for result in case.results)])
    own = [entries[one] for one in ids if one in entries]
    bad = [entry for entry in own if entry.outcome not in {Outcome.PASSED, None}]
    bad.sort(key=lambda entry: entry.outcome is not outcome)
    message = "; ".join(describe_entry(entry) for entry in bad if entry.outcome is outcome)
    element = ET.SubElement(
        found,
        "failure" if outcome is Outcome.FAILED else "error",
        type=str(outcome),
        message=xml_text(message or case.failure or "not finished"),
    )
    element.text = xml_text("\n\n".join("\n".join(list_lines(entry)) for entry in bad) or case.failure)


def describe_entry(entry: Entry) -> str:
    """Return in one line why an entry did not pass."""
    if entry.message:
        return f"'{entry.title}': {entry.message}"
    expected, actual = _name_both(entry)
    return f"'{entry.title}': expected {expected}, {entry.verb} {actual}"


def _name_both(entry: Entry) -> tuple[str, str]:
    expected, actual = entry.expected, entry.actual
    one, other = tell_apart(expected.replace("\n", ", "), actual.replace("\n", ", "))
    return one or _NOTHING, other or _NOTHING


def list_lines(entry: Entry) -> Iterator[str]:
    """Yield all that build servers show of an entry that did not pass."""
    yield f"{entry.place}: '{entry.title}'"
    if entry.message:
        yield entry.message
    if entry.expected or entry.actual:
        expected, actual = _name_both(entry)
        width = max(len("expected"), len(entry.verb))
        yield f"{'expected':{width}}: {expected}"
        yield f"{entry.verb:{width}}: {actual}"
    yield from (detail.text for detail in entry.detail if isinstance(detail, Note))
    for detail in entry.detail:
        if isinstance(detail, Transcript):
            yield from (f"    {line.speaker}: {line.text}" for line in detail.lines)


def _count_seconds(case: Case[object]) -> float:
    return sum(result.seconds or 0.0 for result in case.results)


def xml_text(text: str) -> str:
    """Return a text without characters that XML does not have."""
    return _NOT_XML.sub("�", text)


_MOST = 50
"""GitHub shows few annotations of a step; the summary has the rest."""
_PLACE = re.compile(r"(?P<file>.+):(?P<line>\d+)$")


def render_github(view: View, code: ExitCode) -> str:
    """Return the workflow commands, a line each; there is an error if and only if the exit code says so."""
    return "".join(f"{line}\n" for line in _list_lines(view, code))


def _list_lines(view: View, code: ExitCode) -> Iterator[str]:
    level = "warning" if code is ExitCode.PASSED else "error"
    bad = [entry for entry in view.entries() if entry.is_failure]
    yield from (_annotate(entry, level) for entry in bad[:_MOST])
    if len(bad) > _MOST:
        yield f"::notice title=du-eval::{len(bad) - _MOST} more did not pass"
    told = [one for one in view.sections if isinstance(one, Note) and one.tone in {Tone.BAD, Tone.OPEN}]
    for note in told:
        yield f"::{level} title=du-eval::{_escape(note.text)}"
    if view.headline.tone is Tone.OPEN or (level == "error" and not (bad or told)):
        yield f"::{level} title=du-eval::{_escape(view.headline.text)}"


def _annotate(entry: Entry, level: str) -> str:
    found = _PLACE.match(entry.place)
    place = f"file={_escape_property(found['file'])},line={found['line']}," if found else ""
    return f"::{level} {place}title={_escape_property(entry.case)}::{_escape(describe_entry(entry))}"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
