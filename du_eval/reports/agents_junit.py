"""A run of agent cases as JUnit XML, for build servers."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape, quoteattr

from du_eval.agents.results import AgentRun, CaseResult, Outcome

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def render_junit(run: AgentRun) -> str:
    """Return the report as XML; a case over one connection is one test case."""
    failed, errored = run.count(Outcome.FAILED), run.count(Outcome.ERRORED)
    head = f'tests="{len(run.cases)}" failures="{failed}" errors="{errored}" time="{run.seconds:.3f}"'
    cases = "\n".join(_case(case) for case in run.cases)
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="agents" {head}>\n{cases}\n</testsuite>\n'
    )


def _case(case: CaseResult) -> str:
    names = f"classname={_attribute(case.connection.name)} name={_attribute(case.case.name)}"
    start = f'  <testcase {names} file={_attribute(case.case.file)} time="{case.seconds:.3f}"'
    if case.outcome is Outcome.PASSED:
        return f"{start}/>"
    tag = "failure" if case.outcome is Outcome.FAILED else "error"
    problems = [f"sample {sample.number}: {one}" for sample in case.samples for one in sample.problems]
    first = _attribute(problems[0] if problems else "no sample could be judged")
    body = escape(_FORBIDDEN.sub("�", "\n".join(problems)))
    return f"{start}>\n    <{tag} message={first}>{body}</{tag}>\n  </testcase>"


def _attribute(text: str) -> str:
    return quoteattr(_FORBIDDEN.sub("�", text))
