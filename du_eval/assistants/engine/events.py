"""What happens in a dialogue: a state is nothing but its events, one after the other."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from du_eval.assistants.engine.stack import Stack
from du_eval.assistants.model import Button
from du_eval.commands.base import Command


class BotMessage(Struct, frozen=True):
    """One message of the bot."""

    text: str
    response: str | None = None
    """The name of the response; a text of a custom action has none."""
    is_generated: bool = False
    """True where a model would write the text."""
    buttons: tuple[Button, ...] = ()
    wordings: tuple[str, ...] = ()
    """All texts that the response could have had here."""
    choices: frozenset[str] = frozenset()
    """Responses of the domain of which a model would choose one."""

    def __str__(self) -> str:
        if self.is_generated:
            return "a generated answer"
        return self.response or repr(self.text)


class UserUttered(Struct, frozen=True):
    """The user spoke, and was understood so."""

    text: str
    commands: tuple[Command, ...]


class BotUttered(Struct, frozen=True):
    """The bot spoke."""

    message: BotMessage


class SlotSet(Struct, frozen=True):
    """A slot got a value."""

    name: str
    value: object


class SlotReset(Struct, frozen=True):
    """A slot went back to how it was at the start."""

    name: str
    value: object = None


class StackChanged(Struct, frozen=True):
    """Flows were opened, closed or moved on."""

    stack: Stack
    count: int
    """How many frames there were so far, for their numbers."""


class FlowStarted(Struct, frozen=True):
    """A flow began."""

    flow: str
    context: Mapping[str, object] = field(default_factory=dict)


class FlowCompleted(Struct, frozen=True):
    """A flow came to its end."""

    flow: str
    step: str


class FlowCancelled(Struct, frozen=True):
    """A flow was given up."""

    flow: str
    step: str


class ActionExecuted(Struct, frozen=True):
    """An action ran: a response, an action of the user's, or a built-in one."""

    name: str


class StepTaken(Struct, frozen=True):
    """A step of a flow was reached, by the branch that led there."""

    flow: str
    step: str
    branch: int | None = None
    """The line of the branch that was chosen on the way."""


class CommandIgnored(Struct, frozen=True):
    """A command had no effect."""

    command: Command
    reason: str


class Stopped(Struct, frozen=True):
    """The dialogue cannot go on: nobody knows what happens next."""

    reason: str
    trace: str = ""
    """Where an action failed, for its author."""
    is_gap: bool = False
    """True where an action, agent or tool is missing that a real assistant has."""


Event = (
    UserUttered
    | BotUttered
    | SlotSet
    | SlotReset
    | StackChanged
    | FlowStarted
    | FlowCompleted
    | FlowCancelled
    | ActionExecuted
    | StepTaken
    | CommandIgnored
    | Stopped
)
