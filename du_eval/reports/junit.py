"""JUnit XML: one test case element for each case, as build servers read it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from du_eval.commands.base import Command
from du_eval.evaluation.aggregate import Evaluation
from du_eval.evaluation.results import CaseResult, StepResult
from du_eval.reports.text import spoken
from du_eval.runs.outcome import Outcome

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class JunitReporter:
    """Renders an evaluation as JUnit XML."""

    spell: Callable[[Command], str] = str

    def render(self, evaluation: Evaluation) -> str:
        """Return the XML, a suite for each test file."""
        by_file: dict[str, list[CaseResult]] = {}
        for case in evaluation.run.cases:
            by_file.setdefault(case.file, []).append(case)
        root = ET.Element("testsuites", name="du-eval", time=f"{evaluation.run.seconds:.3f}")
        for file, cases in by_file.items():
            self._add_suite(root, file, cases)
        ET.indent(root)
        return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"

    def _add_suite(self, root: ET.Element, file: str, cases: list[CaseResult]) -> None:
        outcomes = [case.outcome for case in cases]
        suite = ET.SubElement(
            root,
            "testsuite",
            name=xml_text(file),
            tests=str(len(cases)),
            failures=str(outcomes.count(Outcome.FAILED)),
            errors=str(outcomes.count(Outcome.ERRORED)),
            skipped="0",
            time=f"{sum(map(_seconds, cases)):.3f}",
        )
        for case in cases:
            self._add_case(suite, case)

    def _add_case(self, suite: ET.Element, case: CaseResult) -> None:
        found = ET.SubElement(
            suite,
            "testcase",
            name=xml_text(case.name),
            classname=xml_text(re.sub(r"\.ya?ml$", "", case.file).replace("/", ".")),
            file=xml_text(case.file),
            line=str(case.line),
            time=f"{_seconds(case):.3f}",
        )
        if case.outcome is Outcome.PASSED:
            return
        kind = "failure" if case.outcome is Outcome.FAILED else "error"
        said = "; ".join(f"'{step.message}'" for step in case.first_that(case.outcome))
        element = ET.SubElement(found, kind, type=case.outcome.value, message=xml_text(said))
        element.text = xml_text(self.case_text(case))

    def case_text(self, case: CaseResult) -> str:
        """Return the steps that did not pass, with what was expected and what was predicted."""
        steps = (*case.first_that(Outcome.FAILED), *case.first_that(Outcome.ERRORED))
        return "\n\n".join("\n".join(self._lines(step)) for step in steps)

    def _lines(self, step: StepResult) -> Iterator[str]:
        yield f"{step.place}: '{step.message}'"
        if step.error:
            yield step.error
            return
        yield f"expected : {self._spelled(step.expected)}"
        yield f"predicted: {self._spelled(step.predicted)}"
        for title, commands in (("missing", step.diff.missing), ("unexpected", step.diff.unexpected)):
            if commands:
                yield f"{title}: {self._spelled(commands)}"
        yield from (f"    {spoken(turn)}" for turn in step.history)

    def _spelled(self, commands: tuple[Command, ...]) -> str:
        return ", ".join(map(self.spell, commands)) or "(no command)"


def _seconds(case: CaseResult) -> float:
    return sum(step.latency_seconds or 0.0 for step in case.steps)


def xml_text(text: str) -> str:
    """Return a text without characters that XML does not have."""
    return _NOT_XML.sub("�", text)
