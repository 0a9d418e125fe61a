"""What came of it: checks, interactions, samples and cases, each passed, failed or errored."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from msgspec import Struct, ValidationError, convert
from msgspec.structs import asdict, replace

from du_eval.agents.model import AgentCase, Connection
from du_eval.errors import DuEvalError
from du_eval.runs.journal import Journal, Record
from du_eval.runs.outcome import Outcome, combine
from du_eval.runs.record import Key


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


class Trial(Struct, frozen=True):
    """A case over one connection, as one of its samples."""

    case: AgentCase
    connection: Connection
    key: Key
    request: str = ""
    """A fingerprint of what is asked, and of who judges it."""

    @classmethod
    def of(cls, case: AgentCase, connection: Connection, signature: str = "") -> Trial:
        """Return the first sample of a case under some judges; a changed case is another one."""
        variant = connection.name if len(case.connections) > 1 else ""
        asked = f"{case.digest}\n{connection.name}\n{signature}"
        key = Key(case.file, case.name, 1, 1, variant)
        return cls(case, connection, key, sha256(asked.encode()).hexdigest()[:16])

    def at_sample(self, sample: int) -> Trial:
        """Return the same question as another repetition."""
        return replace(self, key=replace(self.key, sample=sample))


class KeptSamples(Struct, frozen=True):
    """Reads samples from a journal, and writes them to it."""

    journal: Journal
    retries_errors: bool = False

    def recall(self, trial: Trial) -> SampleResult | None:
        """Return the sample that was kept, unless it is to be taken again."""
        record = self.journal.find(trial.key, trial.request)
        sample = restore_sample(record.answer) if record and record.answer else None
        is_again = sample is not None and self.retries_errors and sample.outcome is Outcome.ERRORED
        return None if is_again else sample

    def keep(self, trial: Trial, sample: SampleResult | DuEvalError, outcome: Outcome | None) -> None:
        """Write one finished sample."""
        self.journal.append(Record(trial.key, trial.request, make_plain(sample), "", str(outcome or "")))


def restore_sample(data: Mapping[str, object]) -> SampleResult | None:
    """Return a sample that was made plain; None for data of another form."""
    try:
        return convert(data, SampleResult)
    except ValidationError:
        return None


def clean_sample(sample: SampleResult) -> SampleResult:
    """Return a sample with nothing in it that JSON does not have: agents in Python answer with anything."""
    return restore_sample(make_plain(sample)) or sample


def make_plain(value: object) -> Any:
    """Return a value as JSON has it; anything else as a text."""
    if isinstance(value, Struct):
        value = asdict(value)
    if isinstance(value, Mapping):
        return {str(key): make_plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [make_plain(one) for one in value]
    if value is None or isinstance(value, bool | int | float):
        return value
    # Half a character, as models send them at times, is none in a file.
    return str(value).encode("utf-8", "replace").decode()
