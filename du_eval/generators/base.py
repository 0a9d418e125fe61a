"""Who predicts: the one method of a generator, what it is given and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import isawaitable
from typing import Protocol, runtime_checkable

from msgspec import Struct, field
from msgspec.structs import replace

from du_eval.assistants.model import Assistant, DialogueState
from du_eval.commands.base import Command
from du_eval.conversation import Conversation

CommandLike = Command | str | Mapping[str, object]
"""A command, its text, or its dictionary form (also a tool call)."""


class Place(Struct, frozen=True, omit_defaults=True):
    """Which user step of which case a request belongs to."""

    file: str = ""
    case: str = ""
    step: int = 0
    """The number among the user steps of the case, from 1."""
    line: int = 0
    sample: int = 1
    """Which repetition of the step this is, from 1."""
    twin: int = 0
    """How many cases of the same name come before this one in the file."""
    history: str = "gold"
    """Whose commands led here: the gold ones, or the predicted ones."""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Request(Struct, frozen=True):
    """One user message in its context; holds nothing about what is expected of it."""

    message: str
    history: Conversation = Conversation()
    state: DialogueState = DialogueState()
    metadata: Mapping[str, object] = field(default_factory=dict)
    assistant: Assistant = field(default_factory=Assistant)
    place: Place = Place()
    past_commands: tuple[tuple[Command, ...], ...] = ()
    """What the user's earlier messages meant, in order; nothing about this one."""
    fixture_slots: Mapping[str, object] = field(default_factory=dict)
    """Slots that were set before the dialogue began."""


class Prompt(Struct, frozen=True, omit_defaults=True):
    """One call of a model that led to a prediction."""

    name: str
    user: str = ""
    system: str = ""
    answer: str = ""
    component: str = ""
    latency_seconds: float | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    retries: int = 0
    is_cached: bool = False


def bare(prompt: Prompt) -> Prompt:
    """Return a prompt without its texts: only the answer and what it took."""
    return replace(prompt, user="", system="") if prompt.user or prompt.system else prompt


class Prediction(Struct, frozen=True, omit_defaults=True):
    """An answer: raw text or separate commands, or either of them per component."""

    text: str | None = None
    commands: tuple[CommandLike, ...] | None = None
    components: Mapping[str, str | tuple[CommandLike, ...]] = field(default_factory=dict)
    prompts: tuple[Prompt, ...] = ()
    latency_seconds: float | None = None
    latencies: Mapping[str, float] = field(default_factory=dict)
    """Seconds by component, where a generator knows them."""
    reasoning: str = ""
    """What a model thought, as far as it comes apart from the answer."""
    finish: str = ""
    """Why a model stopped, as its endpoint says: stop, length, content_filter, ..."""
    refusal: str = ""
    """Why a model does not answer, as far as its endpoint says that apart."""


@runtime_checkable
class CommandGenerator(Protocol):
    """Turns a user message into commands; raises GeneratorError where it cannot."""

    async def generate(self, request: Request) -> Prediction:
        """Return the answer to one request."""
        ...


async def close_if_open(one: object) -> None:
    """Close what holds connections, at once or in time; most do not."""
    close = getattr(one, "close", None)
    done = close() if callable(close) else None
    if isawaitable(done):
        await done
