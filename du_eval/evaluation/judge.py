"""One answer into one result: parse what was predicted, compare it, and keep what could not be used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from hashlib import blake2b

from msgspec import Struct
from msgspec.structs import replace

from du_eval.assistants.model import Assistant, DialogueState
from du_eval.commands.base import Command
from du_eval.commands.flows import Clarify, SetSlot, StartFlow
from du_eval.errors import CommandReadError, DuEvalError
from du_eval.evaluation.compare import EXACT, CommandDiff, JudgingPolicy
from du_eval.evaluation.expectations import Alternatives
from du_eval.evaluation.plan import Probe
from du_eval.evaluation.provenance import Explainer
from du_eval.evaluation.step import Explanation, JudgedStep, LiveCommands, Provenance, StateSeen, StepDetail
from du_eval.generators.answers import AnswerReader, ReadAnswer
from du_eval.generators.base import Prediction, bare
from du_eval.parsers.command_parser import CommandParser
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Result


class StepJudge(Struct, frozen=True, dict=True):
    """Turns answers into results, by one policy."""

    parser: CommandParser
    policy: JudgingPolicy = EXACT
    keeps_prompts: bool = True
    """Hold the prompts of steps that did not pass; those of passed steps are only in the journal."""
    parses_reasoning: bool = False
    """Take commands in what a model only thought for predicted ones."""
    strict_output: bool = False
    """Fail steps whose answer calls commands that do not exist, even beside the right ones."""
    spell: Callable[[Command], str] = str
    """Writes commands as the test files do."""

    def judge(self, probe: Probe, answer: Prediction | DuEvalError) -> JudgedStep:
        """Return the result of a step; whatever cannot be judged is errored, with the reason."""
        if isinstance(answer, DuEvalError):
            return self._errored(probe, str(answer))
        try:
            own = self._own_reader.read(answer)
            reader = self._official_reader(probe.request.assistant)
            return self._compared(probe, answer, reader.read(answer) if reader else own, own)
        except CommandReadError as error:
            return self._errored(probe, str(error), answer)
        except (Exception, SystemExit) as error:
            text = f"the commands could not be compared: {type(error).__name__}: {error}"
            return self._errored(probe, text, answer)

    def _compared(self, probe: Probe, answer: Prediction, read: ReadAnswer, own: ReadAnswer) -> JudgedStep:
        """Return the result by what the policy reads; our own reading explains it, whatever the policy."""
        request, predicted = probe.request, read.commands
        lists = [commands for _, commands in read.components]
        expected, diff, passes = self._best(probe.alternatives, lists, request.assistant)
        passes = passes and not (self.strict_output and own.hallucinated)
        detail = StepDetail(
            missing=self._spell_all(diff.missing),
            unexpected=self._spell_all(diff.unexpected),
            components=tuple((name, self._spell_all(given)) for name, given in read.components if name),
            unparsed=read.unparsed,
            unknown_flows=_unknown_flows(predicted, request.assistant),
            explanation=self._explain(probe, answer, own, None if passes else diff),
            live=LiveCommands(expected, predicted, diff),
        )
        return self._result(probe, Outcome.PASSED if passes else Outcome.FAILED, detail, answer)

    def _errored(self, probe: Probe, error: str, answer: Prediction | None = None) -> JudgedStep:
        explanation = Explanation(Provenance.FORMAT if answer else Provenance.ENDPOINT)
        detail = StepDetail(explanation=explanation, live=LiveCommands(probe.alternatives[0]))
        return self._result(probe, Outcome.ERRORED, detail, answer, error)

    def _result(
        self, probe: Probe, outcome: Outcome, own: StepDetail, answer: Prediction | None, error: str = ""
    ) -> JudgedStep:
        """Return a result with what it keeps of the question and the answer."""
        request, live, is_passed = probe.request, own.live, outcome is Outcome.PASSED
        prompts = answer.prompts if answer else ()
        expected = self._spell_all(live.expected)
        commands = (*live.expected, *live.predicted)
        detail = replace(
            own,
            flows=tuple(dict.fromkeys(one.flow for one in commands if isinstance(one, StartFlow))),
            slots=tuple(dict.fromkeys(one.slot for one in commands if isinstance(one, SetSlot))),
            raw=(answer.text or "") if answer else "",
            prompts=prompts if self.keeps_prompts and not is_passed else tuple(map(bare, prompts)),
            latencies=tuple(answer.latencies.items()) if answer else (),
            conversation=() if is_passed else tuple(request.history),
            state=None if is_passed else _describe(request.state),
        )
        return Result(
            probe.key,
            outcome,
            detail,
            asked=request.message,
            expected=expected,
            actual=expected if live.predicted == live.expected else self._spell_all(live.predicted),
            error=error,
            line=request.place.line,
            question=_fingerprint(probe),
            seconds=answer.latency_seconds if answer else None,
        )

    def _spell_all(self, commands: Sequence[Command]) -> tuple[str, ...]:
        return tuple(map(self.spell, commands))

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


def _fingerprint(probe: Probe) -> str:
    """Return what tells a question from others: the message and all that is expected of it."""
    alternatives = sorted(" ".join(sorted(map(str, group))) for group in probe.alternatives)
    text = "\0".join((probe.request.message, *alternatives))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def _describe(state: DialogueState) -> StateSeen | None:
    slots = {name: str(value) for name, value in state.slots.items() if value is not None}
    found = StateSeen(state.active_flow or "", state.asked_slot or "", slots)
    return found if found != StateSeen() else None


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
