"""One answer into one result: parse what was predicted, compare it, and keep what could not be used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

from du_eval.assistants.model import Assistant
from du_eval.commands.base import Command
from du_eval.commands.flows import Clarify, StartFlow
from du_eval.errors import CommandReadError, DuEvalError
from du_eval.evaluation.compare import EXACT, CommandDiff, JudgingPolicy
from du_eval.evaluation.expectations import Alternatives
from du_eval.evaluation.explanation import Explanation, Provenance
from du_eval.evaluation.plan import Probe
from du_eval.evaluation.provenance import Explainer
from du_eval.evaluation.results import StepResult
from du_eval.generators.answers import AnswerReader, ReadAnswer
from du_eval.generators.base import Prediction, bare
from du_eval.parsers.command_parser import CommandParser
from du_eval.runs.outcome import Outcome


@dataclass(frozen=True)
class StepJudge:
    """Turns answers into results, by one policy."""

    parser: CommandParser
    policy: JudgingPolicy = EXACT
    keeps_prompts: bool = True
    """Hold the prompts of steps that did not pass; those of passed steps are only in the journal."""
    parses_reasoning: bool = False
    """Take commands in what a model only thought for predicted ones."""
    strict_output: bool = False
    """Fail steps whose answer calls commands that do not exist, even beside the right ones."""

    def judged(self, probe: Probe, answer: Prediction | DuEvalError) -> StepResult:
        """Return the result of a step; whatever cannot be judged is errored, with the reason."""
        if isinstance(answer, DuEvalError):
            return _errored(probe, str(answer))
        try:
            own = self._own_reader.read(answer)
            reader = self._official_reader(probe.request.assistant)
            return self._compared(probe, answer, reader.read(answer) if reader else own, own)
        except CommandReadError as error:
            return _errored(probe, str(error), self._kept(answer, Outcome.ERRORED))
        except Exception as error:
            text = f"the commands could not be compared: {type(error).__name__}: {error}"
            return _errored(probe, text, self._kept(answer, Outcome.ERRORED))

    def _compared(self, probe: Probe, answer: Prediction, read: ReadAnswer, own: ReadAnswer) -> StepResult:
        """Return the result by what the policy reads; our own reading explains it, whatever the policy."""
        request, predicted = probe.request, read.commands
        lists = [commands for _, commands in read.components]
        expected, diff, passes = self._best(probe.alternatives, lists, request.assistant)
        passes = passes and not (self.strict_output and own.hallucinated)
        outcome = Outcome.PASSED if passes else Outcome.FAILED
        return StepResult(
            request.place,
            request.message,
            outcome,
            expected=expected,
            predicted=predicted,
            diff=diff,
            components=tuple(component for component in read.components if component[0]),
            unparsed=read.unparsed,
            explanation=self._explain(probe, answer, own, None if passes else diff),
            unknown_flows=_unknown_flows(predicted, request.assistant),
            **_asked(probe),
            **self._kept(answer, outcome),
        )

    def _best(
        self, alternatives: Alternatives, predicted: Sequence[Sequence[Command]], assistant: Assistant
    ) -> tuple[tuple[Command, ...], CommandDiff, bool]:
        """Return the alternative that passes, or else the one that is nearest."""
        policy = self.policy.match(assistant)
        judged = [(expected, *policy.diff(expected, predicted)) for expected in alternatives]
        return max(judged, key=lambda found: (found[2], -len(found[1].missing) - len(found[1].unexpected)))

    def _explain(
        self, probe: Probe, answer: Prediction, read: ReadAnswer, diff: CommandDiff | None
    ) -> Explanation:
        """Return what can be seen in an answer; the difference, if any, is what failed."""
        explainer = Explainer(self.parser)
        if diff is None:
            return explainer.describe(answer, read)

        def passes(commands: tuple[Command, ...]) -> bool:
            return self._best(probe.alternatives, [commands], probe.request.assistant)[2]

        return explainer.explain(answer, read, diff, passes)

    @cached_property
    def _own_reader(self) -> AnswerReader:
        return AnswerReader(self.parser, self.parser.registry, self.parses_reasoning)

    def _official_reader(self, assistant: Assistant) -> AnswerReader | None:
        """Return who reads by the rules of another tool, where the policy asks for them."""
        if self.policy.read_with is None:
            return None
        reader = self.policy.read_with(self.parser, assistant)
        return AnswerReader(reader, self.parser.registry, self.parses_reasoning)

    def _kept(self, answer: Prediction, outcome: Outcome) -> dict[str, Any]:
        """Return what a result keeps of an answer."""
        has_prompts = self.keeps_prompts and outcome is not Outcome.PASSED
        return {
            "raw": answer.text,
            "prompts": answer.prompts if has_prompts else tuple(map(bare, answer.prompts)),
            "latency_seconds": answer.latency_seconds,
            "latencies": tuple(answer.latencies.items()),
        }


def _asked(probe: Probe) -> dict[str, Any]:
    """Return what a result keeps of a question."""
    alternatives = sorted(" ".join(sorted(map(str, group))) for group in probe.alternatives)
    text = "\0".join((probe.request.message, *alternatives))
    question = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    return {"history": probe.request.history, "state": probe.request.state, "question": question}


def _errored(probe: Probe, error: str, kept: Mapping[str, Any] | None = None) -> StepResult:
    request = probe.request
    return StepResult(
        request.place,
        request.message,
        Outcome.ERRORED,
        expected=probe.alternatives[0],
        error=error,
        explanation=Explanation(Provenance.FORMAT if kept else Provenance.ENDPOINT),
        **_asked(probe),
        **(kept or {}),
    )


def _unknown_flows(predicted: Sequence[Command], assistant: Assistant) -> tuple[str, ...]:
    if not assistant.flows:
        return ()
    named: list[str] = []
    for command in predicted:
        if isinstance(command, StartFlow):
            named.append(command.flow)
        elif isinstance(command, Clarify):
            named.extend(command.options)
    return tuple(dict.fromkeys(flow for flow in named if flow not in assistant.flows))
