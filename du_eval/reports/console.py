"""The report for people at a terminal, in the layout of the documented output."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from du_eval.commands.base import Command
from du_eval.evaluation.aggregate import CommandScore, Evaluation
from du_eval.evaluation.results import CaseResult, CommandDiff, StepResult
from du_eval.reports.goals import goal_lines
from du_eval.reports.mistakes import mistake_lines
from du_eval.reports.provenance import provenance_lines, step_remarks
from du_eval.reports.repeats import repeat_lines, samples_remark, spent_line
from du_eval.reports.replay_text import bot_differences, gap_lines, replay_summary
from du_eval.reports.robustness import robustness_lines
from du_eval.reports.text import measured, number, one_line, seconds, side_by_side, spoken
from du_eval.runs.outcome import Outcome

Lines = Iterator[Text]
_STYLES = {Outcome.PASSED: "green", Outcome.FAILED: "red", Outcome.ERRORED: "yellow"}
_PLACES_SHOWN = 5


@dataclass(frozen=True)
class ConsoleReporter:
    """Renders an evaluation as text."""

    spell: Callable[[Command], str] = str
    width: int = 80
    colour: bool = False
    show_prompts: bool = False
    show_details: bool = True

    def render(self, evaluation: Evaluation) -> str:
        """Return the whole report."""
        out = io.StringIO()
        console = Console(
            file=out,
            width=self.width,
            force_terminal=self.colour,
            no_color=not self.colour,
            color_system="standard" if self.colour else None,
            markup=False,
            highlight=False,
            emoji=False,
            soft_wrap=True,
            legacy_windows=False,
        )
        for line in self._lines(evaluation):
            console.print(line)
        return out.getvalue()

    def _lines(self, evaluation: Evaluation) -> Lines:
        if self.show_details:
            yield from self._failures(evaluation)
            yield from self._errors(evaluation)
            yield from bot_differences(evaluation.run, self.width)
        yield from self._test_cases(evaluation)
        yield from self._metrics(evaluation)
        yield from self._mistakes(evaluation)
        yield from self._provenance(evaluation)
        yield from self._measured_quantities(evaluation)
        yield from self._repeats(evaluation)
        yield from gap_lines(evaluation.run, self.width)
        yield from self._totals(evaluation)

    def _heading(self, title: str, mark: str = "=") -> Text:
        return Text(f" {title} ".center(self.width, mark), style="bold")

    def _failures(self, evaluation: Evaluation) -> Lines:
        failed = [case for case in evaluation.run.cases if case.outcome is Outcome.FAILED]
        if not failed:
            return
        yield self._heading("FAILURES")
        for case in failed:
            yield from self._failed_case(case, evaluation.run.generator)

    def _failed_case(self, case: CaseResult, generator: str) -> Lines:
        steps = case.first_that(Outcome.FAILED)
        yield Text()
        yield Text(f"------------- test_case: {one_line(case.id)} -------------", style="bold red")
        yield Text()
        yield Text(f"Number of failed steps: {len(steps)}")
        for step in steps:
            yield Text()
            yield from self._failed_step(step, generator, samples_remark(case, step))

    def _failed_step(self, step: StepResult, generator: str, remark: str) -> Lines:
        yield Text(f"== failure starting at user message '{one_line(step.message)}'.", style="red")
        yield Text(f"   {step.place}", style="dim")
        if remark:
            yield Text(f"   {remark}", style="dim")
        yield Text()
        yield Text("-- COMMAND GENERATOR(s) --", style="bold")
        for name in [component for component, commands in step.components if commands] or [generator]:
            yield Text(name)
        yield Text()
        if self.show_prompts:
            yield from self._prompts(step)
        yield Text("-- CONVERSATION --", style="bold")
        for turn in step.history:
            yield Text(spoken(turn))
        yield Text(f"user: {one_line(step.message)}")
        yield from self._table(step)
        yield from step_remarks(step)

    def _table(self, step: StepResult) -> Lines:
        rows = list(self._rows(step.expected, step.diff)) or [("(no command)", "(no command)", True)]
        if not step.expected:
            rows[0] = ("(no command)", *rows[0][1:])
        if not step.predicted:
            rows[0] = (rows[0][0], "(no command)", rows[0][2])
        lines = side_by_side(
            [("-- EXPECTED --", "-- PREDICTED --"), *((a, b) for a, b, _ in rows)], self.width
        )
        yield Text(lines[0][0], style="bold")
        for (_, _, is_same), row in zip(rows, lines[1:], strict=True):
            for line in row:
                yield Text(line, style="" if is_same else "red")

    def _rows(self, expected: tuple[Command, ...], diff: CommandDiff) -> Iterator[tuple[str, str, bool]]:
        """Yield each expectation beside the prediction for it; false alarms fill the gaps, then follow."""
        matched, unexpected = list(diff.matched), list(diff.unexpected)
        for command in expected:
            if matched and matched[0][0] is command:
                yield self._spelled(command), self._spelled(matched.pop(0)[1]), True
            else:
                other = self._spelled(unexpected.pop(0)) if unexpected else ""
                yield self._spelled(command), other, False
        for command in unexpected:
            yield "", self._spelled(command), False

    def _spelled(self, command: Command) -> str:
        return one_line(self.spell(command))

    def _prompts(self, step: StepResult) -> Lines:
        yield Text("-- PROMPT(s) --", style="bold")
        if not step.prompts:
            yield Text("(the generator records no prompts)", style="dim")
        for prompt in step.prompts:
            used = [f"{prompt.prompt_tokens} prompt tokens"] if prompt.prompt_tokens is not None else []
            used += (
                [f"{prompt.completion_tokens} completion tokens"]
                if prompt.completion_tokens is not None
                else []
            )
            used += [seconds(prompt.latency_seconds)] if prompt.latency_seconds is not None else []
            used += [f"{prompt.retries} retries"] if prompt.retries else []
            used += [f"cost {prompt.cost:.6f}"] if prompt.cost is not None else []
            used += ["from the cache"] if prompt.is_cached else []
            yield Text(f"[{prompt.name}]{' ' + ', '.join(used) if used else ''}", style="bold")
            for title, text in (("system", prompt.system), ("user", prompt.user), ("answer", prompt.answer)):
                if text:
                    yield Text(f"{title}: {text}")
        yield Text()

    def _errors(self, evaluation: Evaluation) -> Lines:
        by_error: dict[str, list[StepResult]] = {}
        for step in evaluation.run.steps():
            if step.outcome is Outcome.ERRORED:
                by_error.setdefault(step.error, []).append(step)
        if not by_error:
            return
        yield Text()
        yield self._heading("ERRORS: STEPS THAT COULD NOT BE JUDGED")
        for error, steps in sorted(by_error.items(), key=lambda item: -len(item[1])):
            yield Text()
            yield Text(f"{len(steps)} x {one_line(error)}", style="yellow")
            for step in steps[:_PLACES_SHOWN]:
                yield Text(f"   {step.place} '{one_line(step.message)}'", style="dim")
            if len(steps) > _PLACES_SHOWN:
                yield Text(f"   ... and {len(steps) - _PLACES_SHOWN} more", style="dim")

    def _test_cases(self, evaluation: Evaluation) -> Lines:
        yield Text()
        yield self._heading("TEST CASES")
        for outcome in Outcome:
            for case in evaluation.run.cases:
                if case.outcome is outcome:
                    yield Text.assemble((f"{outcome.value:8}", _STYLES[outcome]), one_line(case.id))

    def _metrics(self, evaluation: Evaluation) -> Lines:
        if not evaluation.commands:
            return
        yield Text()
        yield self._heading("COMMAND METRICS")
        for name, score in evaluation.commands.items():
            yield Text()
            yield from _command_lines(name, score)
        yield Text()
        yield self._heading("COMMANDS F1", "-")
        means = evaluation.f1
        for name, value in (("macro", means.macro), ("micro", means.micro), ("weighted", means.weighted)):
            interval = evaluation.f1_intervals.get(name)
            yield Text(
                f"{name:9}: {number(value)}" + (f" ({interval})" if interval and value is not None else "")
            )
        if means.skipped:
            yield Text(f"skipped  : {means.skipped} commands without an F1", style="dim")

    def _mistakes(self, evaluation: Evaluation) -> Lines:
        parts = [("MISTAKES", list(mistake_lines(evaluation.run)))]
        if evaluation.robustness:
            parts.append(("ROBUSTNESS", list(robustness_lines(evaluation.robustness))))
        if evaluation.goals:
            parts.append(("DIALOGUE STATE", list(goal_lines(evaluation.goals))))
        for title, lines in parts:
            if lines:
                yield Text()
                yield self._heading(title, "-")
                yield from map(Text, lines)

    def _provenance(self, evaluation: Evaluation) -> Lines:
        lines = list(provenance_lines(evaluation.run))
        if lines:
            yield Text()
            yield self._heading("WHERE FAILURES COME FROM")
            for line in lines:
                yield Text(line)

    def _measured_quantities(self, evaluation: Evaluation) -> Lines:
        if evaluation.latency:
            yield Text()
            yield self._heading("LATENCY", "-")
            for component, values in evaluation.latency.items():
                shown = "  ".join(f"{name} {seconds(value)}" for name, value in values.items())
                yield Text(f"{component}: {shown}")
        for title, table in (
            ("PROMPT TOKEN", evaluation.prompt_tokens),
            ("COMPLETION TOKEN", evaluation.completion_tokens),
        ):
            if table:
                yield self._heading(title, "-")
                for component, values in table.items():
                    yield Text(
                        f"{component}: " + "  ".join(f"{name} {value:.0f}" for name, value in values.items())
                    )

    def _repeats(self, evaluation: Evaluation) -> Lines:
        if evaluation.repeats is not None:
            yield Text()
            yield self._heading("REPEATED SAMPLES")
            for line in repeat_lines(evaluation.repeats):
                yield Text(line)

    def _totals(self, evaluation: Evaluation) -> Lines:
        run = evaluation.run
        yield Text()
        if run.is_interrupted:
            yield Text(
                "interrupted: what follows counts only the steps that were finished", style="bold yellow"
            )
        if run.stopped:
            yield Text(
                f"stopped early: {run.stopped}; what follows counts only finished steps", "bold yellow"
            )
        unfinished = sum(case.is_unfinished for case in run.cases if case.outcome is Outcome.ERRORED)
        if unfinished:
            text = f"{unfinished} test cases were not finished; they are listed as errored"
            yield Text(text, style="yellow")
        unparsed = sum(bool(step.unparsed) for step in run.steps())
        if unparsed:
            yield Text(f"{unparsed} steps have output that is no command (unparsed)", style="yellow")
        for note in run.notes:
            yield Text(note, style="yellow")
        for line in replay_summary(run):
            yield Text(line)
        yield self._heading(_counted(evaluation.cases, "test cases"))
        yield Text(f"test cases: accuracy {measured(evaluation.case_accuracy)}")
        steps = _counted(evaluation.steps, "user steps").removesuffix(" user steps")
        which = "user steps" if evaluation.repeats is None else "user steps, all samples"
        yield Text(f"{which}: accuracy {measured(evaluation.step_accuracy)}; {steps}")
        if line := spent_line(run):
            yield Text(line, style="dim")
        yield Text(f"signature: {evaluation.signature}", style="dim")


def _counted(tally: object, what: str) -> str:
    assert isinstance(tally, dict)
    parts = [f"{tally[outcome]} {outcome.value}" for outcome in (Outcome.FAILED, Outcome.PASSED)]
    if tally[Outcome.ERRORED]:
        parts.append(f"{tally[Outcome.ERRORED]} errored")
    return f"{', '.join(parts)} {what}"


def _command_lines(name: str, score: CommandScore) -> Lines:
    counts = score.counts
    yield Text(f"{name} (total count: {counts.total}):", style="bold")
    yield Text(f"  tp: {counts.tp} fp: {counts.fp} fn: {counts.fn}")
    yield Text(f"  precision: {measured(score.precision)}")
    yield Text(f"  recall   : {measured(score.recall)}")
    yield Text(f"  f1       : {measured(score.f1)}")
