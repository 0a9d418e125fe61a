"""What came of it: checks, interactions, samples and cases, each passed, failed or errored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from du_eval.runs.outcome import Outcome, combine


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
class AnswerUsage:
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
class StreamMessage:
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
    usage: AnswerUsage | None = None
    messages: tuple[StreamMessage, ...] = ()


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
        own = {Outcome.ERRORED} if self.error else set()
        return combine({check.outcome for check in self.checks} | own)


@dataclass(frozen=True, slots=True)
class SampleResult:
    """One attempt at a case."""

    interactions: tuple[InteractionResult, ...] = ()
    error: str = ""
    seconds: float = 0.0

    @property
    def outcome(self) -> Outcome:
        """Failed if an interaction failed, errored if something could not be judged."""
        own = {Outcome.ERRORED} if self.error else set()
        return combine({interaction.outcome for interaction in self.interactions} | own)


@dataclass(frozen=True, slots=True)
class AgentTalk:
    """One attempt at a case: what was said, answered and checked."""

    agent: str
    connection: str
    interactions: tuple[InteractionResult, ...] = ()
