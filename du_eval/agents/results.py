"""What came of it: checks, interactions, samples and cases, each passed, failed or errored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from du_eval.agents.model import AgentCase, Connection
from du_eval.errors import ExitCode
from du_eval.statistics.intervals import Measurement, proportion


class Outcome(StrEnum):
    """A crash is not a pass and not a fail."""

    PASSED = "passed"
    FAILED = "failed"
    ERRORED = "errored"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One expectation held against an answer."""

    subject: str
    check: str
    outcome: Outcome
    message: str = ""
    actual: str = ""
    expected: str = ""
    judge: str = ""
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Usage:
    """What an answer cost, as far as the server says."""

    total_tokens: int | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool or agent that the tested agent called on its way to the answer."""

    name: str
    params: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the stream."""

    type: str
    origin: str = ""
    text: str | None = None
    structure: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class AgentReply:
    """The agent's answer, and what is needed to go on."""

    text: str | None = None
    structure: Mapping[str, object] | None = None
    sly_data: Mapping[str, object] | None = None
    chat_context: Mapping[str, object] | None = None
    tools: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    messages: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class InteractionResult:
    """One message, its answer or the reason there is none, and the checks on it."""

    text: str | None
    reply: AgentReply | None = None
    error: str = ""
    checks: tuple[CheckResult, ...] = ()
    seconds: float = 0.0

    @property
    def outcome(self) -> Outcome:
        """Failed if a check failed, errored if something could not be judged."""
        outcomes = {check.outcome for check in self.checks}
        if Outcome.FAILED in outcomes:
            return Outcome.FAILED
        return Outcome.ERRORED if self.error or Outcome.ERRORED in outcomes else Outcome.PASSED


@dataclass(frozen=True, slots=True)
class SampleResult:
    """One attempt at a case."""

    number: int
    interactions: tuple[InteractionResult, ...] = ()
    error: str = ""
    seconds: float = 0.0

    @property
    def outcome(self) -> Outcome:
        """Failed if an interaction failed, errored if something could not be judged."""
        outcomes = {interaction.outcome for interaction in self.interactions}
        if Outcome.FAILED in outcomes:
            return Outcome.FAILED
        return Outcome.ERRORED if self.error or Outcome.ERRORED in outcomes else Outcome.PASSED

    @property
    def problems(self) -> tuple[str, ...]:
        """Everything that kept the sample from passing, in order."""
        found = [self.error] if self.error else []
        for number, interaction in enumerate(self.interactions, 1):
            where = f"interaction {number}: " if len(self.interactions) > 1 else ""
            found += [where + interaction.error] if interaction.error else []
            found += [
                where + check.message for check in interaction.checks if check.outcome is not Outcome.PASSED
            ]
        return tuple(found)


@dataclass(frozen=True)
class CaseResult:
    """A case over one connection."""

    case: AgentCase
    connection: Connection
    samples: tuple[SampleResult, ...]

    @property
    def name(self) -> str:
        """The case, and the connection where there are several."""
        return (
            f"{self.case.name} [{self.connection.name}]" if len(self.case.connections) > 1 else self.case.name
        )

    def count(self, outcome: Outcome) -> int:
        """Return how many samples ended so."""
        return sum(sample.outcome is outcome for sample in self.samples)

    @cached_property
    def outcome(self) -> Outcome:
        """Passed once enough samples passed; failed where failures alone rule that out."""
        ratio = self.case.ratio
        if self.count(Outcome.PASSED) >= ratio.need:
            return Outcome.PASSED
        ruled_out = self.count(Outcome.FAILED) > ratio.samples - ratio.need
        return Outcome.FAILED if ruled_out else Outcome.ERRORED

    @property
    def pass_rate(self) -> Measurement:
        """The share of judged samples that passed, with its interval."""
        passed, failed = self.count(Outcome.PASSED), self.count(Outcome.FAILED)
        return proportion(passed, passed + failed)

    @property
    def is_flaky(self) -> bool:
        """Whether the same case both passed and failed."""
        return bool(self.count(Outcome.PASSED) and self.count(Outcome.FAILED))

    @property
    def seconds(self) -> float:
        """The time that its samples took, added up."""
        return sum(sample.seconds for sample in self.samples)


@dataclass(frozen=True, slots=True)
class AgentRun:
    """All cases of a run."""

    cases: tuple[CaseResult, ...]
    seconds: float = 0.0
    is_interrupted: bool = False
    signature: str = ""

    def count(self, outcome: Outcome) -> int:
        """Return how many cases ended so."""
        return sum(case.outcome is outcome for case in self.cases)

    @property
    def exit_code(self) -> ExitCode:
        """What the process tells its caller."""
        if self.is_interrupted:
            return ExitCode.INTERRUPTED
        if self.count(Outcome.FAILED):
            return ExitCode.FAILED
        return ExitCode.ERRORED if self.count(Outcome.ERRORED) else ExitCode.PASSED
