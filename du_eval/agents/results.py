"""What came of it: checks, interactions, samples and cases, each passed, failed or errored."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from du_eval.runs.outcome import Outcome, combine


class CheckResult(Struct, frozen=True, omit_defaults=True):
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


class AnswerUsage(Struct, frozen=True, omit_defaults=True):
    """What an answer cost, as far as the server says."""

    total_tokens: int | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None


class ToolCall(Struct, frozen=True, omit_defaults=True):
    """One tool or agent that the tested agent called on its way to the answer."""

    name: str
    params: Mapping[str, object]


class StreamMessage(Struct, frozen=True, omit_defaults=True):
    """One message of the stream."""

    type: str
    origin: str = ""
    text: str | None = None
    structure: Mapping[str, object] | None = None


class AgentReply(Struct, frozen=True, omit_defaults=True):
    """The agent's answer, and what is needed to go on."""

    text: str | None = None
    structure: Mapping[str, object] | None = None
    sly_data: Mapping[str, object] | None = None
    chat_context: Mapping[str, object] | None = None
    tools: tuple[ToolCall, ...] = ()
    usage: AnswerUsage | None = None
    messages: tuple[StreamMessage, ...] = ()


class InteractionResult(Struct, frozen=True, omit_defaults=True):
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


class SampleResult(Struct, frozen=True, omit_defaults=True):
    """One attempt at a case."""

    interactions: tuple[InteractionResult, ...] = ()
    error: str = ""
    seconds: float = 0.0

    @property
    def outcome(self) -> Outcome:
        """Failed if an interaction failed, errored if something could not be judged."""
        own = {Outcome.ERRORED} if self.error else set()
        return combine({interaction.outcome for interaction in self.interactions} | own)


class AgentTalk(Struct, frozen=True, omit_defaults=True):
    """One attempt at a case: what was said, answered and checked."""

    agent: str
    connection: str
    interactions: tuple[InteractionResult, ...] = ()
