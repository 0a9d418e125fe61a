"""One answer into one result: parse what was predicted, compare it, and keep what could not be used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from du_eval.assistants.model import Assistant
from du_eval.commands.base import Command
from du_eval.commands.flows import Clarify, StartFlow
from du_eval.errors import CommandReadError, DuEvalError
from du_eval.evaluation.compare import ExactPolicy, MatchPolicy, RasaPolicy
from du_eval.evaluation.plan import Probe
from du_eval.evaluation.results import CommandDiff, Outcome, StepResult
from du_eval.generators.base import CommandLike, Prediction
from du_eval.parsers.command_parser import CommandParser, ParsedCommands
from du_eval.parsers.rasa_rules import RasaCommandParser
from du_eval.parsers.tool_calls import command_from_data

Component = tuple[str, tuple[Command, ...]]


class Reader(Protocol):
    """Reads predicted text."""

    def parse(self, text: str) -> ParsedCommands:
        """Return the commands in a text."""
        ...


@dataclass(frozen=True)
class _OfficialReader:
    """The official parsing rules, for predicted text."""

    parser: RasaCommandParser

    def parse(self, text: str) -> ParsedCommands:
        return ParsedCommands(self.parser.parse(text))


@dataclass(frozen=True)
class StepJudge:
    """Turns answers into results, by one policy."""

    parser: CommandParser
    policy: str = "exact"

    def judged(self, probe: Probe, answer: Prediction | DuEvalError) -> StepResult:
        """Return the result of a step; whatever cannot be judged is errored, with the reason."""
        request = probe.request
        blank = StepResult(
            request.place, request.message, Outcome.ERRORED, probe.alternatives[0], history=request.history
        )
        if isinstance(answer, DuEvalError):
            return replace(blank, error=str(answer))
        kept = replace(
            blank,
            raw=answer.text,
            prompts=answer.prompts,
            latency_seconds=answer.latency_seconds,
            latencies=tuple(answer.latencies.items()),
        )
        try:
            components, unparsed = self._components(answer, request.assistant)
        except CommandReadError as error:
            return replace(kept, error=str(error))
        return self._compared(probe, kept, components, unparsed)

    def _compared(
        self, probe: Probe, kept: StepResult, components: Sequence[Component], unparsed: tuple[str, ...]
    ) -> StepResult:
        assistant = probe.request.assistant
        policy: MatchPolicy = RasaPolicy() if self.policy == "rasa" else ExactPolicy(assistant.slots)
        lists = [commands for _, commands in components]
        best: tuple[tuple[Command, ...], CommandDiff, bool] | None = None
        for expected in probe.alternatives:
            diff, passes = policy.diff(expected, lists)
            if best is None or (passes, -_size(diff)) > (best[2], -_size(best[1])):
                best = (expected, diff, passes)
        assert best is not None, "a step has at least one list of expected commands"
        expected, diff, passes = best
        predicted = tuple(command for commands in lists for command in commands)
        return replace(
            kept,
            outcome=Outcome.PASSED if passes else Outcome.FAILED,
            expected=expected,
            predicted=predicted,
            diff=diff,
            components=tuple(component for component in components if component[0]),
            unparsed=unparsed,
            unknown_flows=_unknown_flows(predicted, assistant),
        )

    def _components(
        self, answer: Prediction, assistant: Assistant
    ) -> tuple[list[Component], tuple[str, ...]]:
        reader = self._reader(assistant)
        parts: Mapping[str, str | tuple[CommandLike, ...]] = answer.components
        if not parts:
            parts = {"": answer.commands if answer.commands is not None else answer.text or ""}
        found, unparsed = [], []
        for name, part in parts.items():
            commands, rest = self._read(part, reader)
            found.append((name, commands))
            unparsed.extend(rest)
        return found, tuple(unparsed)

    def _read(
        self, part: str | tuple[CommandLike, ...], reader: Reader
    ) -> tuple[tuple[Command, ...], list[str]]:
        if isinstance(part, str):
            parsed = reader.parse(part)
            return parsed.commands, list(parsed.unparsed)
        commands: list[Command] = []
        unparsed: list[str] = []
        for item in part:
            if isinstance(item, str):
                parsed = reader.parse(item)
                commands.extend(parsed.commands)
                unparsed.extend(parsed.unparsed)
            elif isinstance(item, Command):
                commands.append(item)
            else:
                command = command_from_data(item, self.parser.registry)
                commands.extend([command] if command else [])
                unparsed.extend([] if command else [str(dict(item))])
        return tuple(commands), unparsed

    def _reader(self, assistant: Assistant) -> Reader:
        if self.policy != "rasa":
            return self.parser
        flows = frozenset(assistant.flows) or None
        return _OfficialReader(RasaCommandParser(self.parser.registry, self.parser.syntax, flows))


def _size(diff: CommandDiff) -> int:
    return len(diff.missing) + len(diff.unexpected)


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
