"""A run of agent cases for people to read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from du_eval.agents.assessor import Assessment
from du_eval.agents.results import AgentRun, CaseResult, InteractionResult, Outcome, SampleResult
from du_eval.reports.agents_modes import mode_lines
from du_eval.reports.agents_numbers import numbers_of, percent

_COLOURS = {Outcome.PASSED: "32", Outcome.FAILED: "31", Outcome.ERRORED: "33"}
_SHOWN_SAMPLES = 3


@dataclass(frozen=True, slots=True)
class AgentConsoleReport:
    """Shows what did not pass and why; with details, also what passed."""

    has_colour: bool = False
    is_detailed: bool = False

    def render(self, run: AgentRun, assessments: tuple[Assessment, ...] = ()) -> str:
        """Return the report."""
        modes = {id(one.result): one for one in assessments}
        lines: list[str] = []
        for case in run.cases:
            if self.is_detailed or case.outcome is not Outcome.PASSED or case.is_flaky:
                lines += self._case(case, modes.get(id(case)))
        lines += self._totals(run)
        return "\n".join(lines) + "\n"

    def _word(self, outcome: Outcome) -> str:
        word = outcome.value.upper()
        return f"\033[1;{_COLOURS[outcome]}m{word}\033[0m" if self.has_colour else word

    def _case(self, case: CaseResult, assessment: Assessment | None) -> Iterator[str]:
        flaky = " (flaky)" if case.is_flaky else ""
        yield f"{self._word(case.outcome)}  {case.name}{flaky}"
        yield f"    {case.case.file}: agent '{case.case.agent}', {_tally(case)}"
        not_passed = [sample for sample in case.samples if sample.outcome is not Outcome.PASSED]
        shown = case.samples if self.is_detailed else not_passed[:_SHOWN_SAMPLES]
        for sample in shown:
            yield from self._sample(sample)
        hidden = len(not_passed) - _SHOWN_SAMPLES
        if hidden > 0 and not self.is_detailed:
            yield f"    … and {hidden} more samples that did not pass (--verbose shows them)"
        if assessment and len(not_passed) > 1:
            yield "    modes of failure:"
            yield from ("    " + line for line in mode_lines(assessment, examples=1))
        yield ""

    def _sample(self, sample: SampleResult) -> Iterator[str]:
        yield f"    sample {sample.number}: {self._word(sample.outcome)} after {sample.seconds:.2f} s"
        if sample.error:
            yield f"      {sample.error}"
        for number, interaction in enumerate(sample.interactions, 1):
            if self.is_detailed or interaction.outcome is not Outcome.PASSED:
                yield from _interaction(number, interaction)

    def _totals(self, run: AgentRun) -> Iterator[str]:
        numbers = numbers_of(run)
        counts = ", ".join(f"{run.count(outcome)} {outcome}" for outcome in _COLOURS)
        flaky = f", {numbers.flaky_cases} flaky" if numbers.flaky_cases else ""
        count = f"{len(run.cases)} case{'s' * (len(run.cases) != 1)}"
        yield f"== {count}: {counts}{flaky} in {run.seconds:.2f} s"
        yield f"   cases passed:   {percent(numbers.cases)}"
        errored = f" ({numbers.errored_samples} errored)" if numbers.errored_samples else ""
        yield f"   samples passed: {percent(numbers.samples)}{errored}"
        if numbers.latencies:
            times = ", ".join(f"{name} {value:.3f} s" for name, value in numbers.latencies.items())
            yield f"   answers after:  {times}"
        if numbers.tokens is not None:
            cost = f", cost {numbers.cost:.6g}" if numbers.cost is not None else ""
            yield f"   told by server: {numbers.tokens} tokens{cost}"
        yield f"   signature:      {run.signature}"
        if run.is_interrupted:
            yield "   interrupted: only the cases that were finished are shown"


def _tally(case: CaseResult) -> str:
    ratio, taken = case.case.ratio, len(case.samples)
    need = f"{ratio.need} of {ratio.samples} needed"
    early = f", stopped after {taken}" if taken < ratio.samples else ""
    errored = f", {case.count(Outcome.ERRORED)} errored" if case.count(Outcome.ERRORED) else ""
    rate = f" (pass rate {percent(case.pass_rate)})" if ratio.samples > 1 else ""
    return f"{case.count(Outcome.PASSED)} passed{errored}, {need}{early}{rate}"


def _interaction(number: int, interaction: InteractionResult) -> Iterator[str]:
    yield f"      {number}. user:  {_quoted(interaction.text)}"
    reply = interaction.reply
    if reply:
        yield f"         agent: {_quoted(reply.text)}"
        for part in ("structure", "sly_data"):
            if getattr(reply, part):
                yield f"         {part}: {_quoted(getattr(reply, part))}"
    if interaction.error:
        yield f"         error: {interaction.error}"
    for check in interaction.checks:
        if check.outcome is not Outcome.PASSED:
            yield f"         - {check.message}"
            yield f"           {check.file}:{check.line}"


def _quoted(value: object) -> str:
    """Return a value as JSON, so that no text of an agent reaches the terminal raw."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 500 else f"{text[:500]}… ({len(text)} characters)"
