"""One end-to-end case in the engine: how it begins, and what a message leads to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from du_eval.assistants.actions import Actions, FirstOf, Setting, StubbedActions, name_session
from du_eval.assistants.engine.engine import Advance, Engine
from du_eval.assistants.engine.events import BotMessage
from du_eval.assistants.engine.state import EngineState
from du_eval.assistants.model import Assistant
from du_eval.commands.base import Command, null_or_text, unquote_value
from du_eval.commands.flows import SetSlot, StartFlow
from du_eval.conversation import Conversation, Speaker, Turn
from du_eval.endtoend.check import PLACEHOLDER
from du_eval.endtoend.model import EndToEndCase, UserMessage

_SET_SLOTS = re.compile(r"/SetSlots\((?P<pairs>.*)\)\s*", re.DOTALL)
_INTENT = re.compile(r"/(?P<intent>[\w-]+)\s*(?:\{.*\})?")


def read_payload_commands(text: str, assistant: Assistant) -> tuple[Command, ...] | None:
    """Return the commands of `/SetSlots(a=b, …)` or of the intent `/name`; None for words of a user."""
    if text.strip() in {"/session_start", "/restart"}:
        return ()
    match = _SET_SLOTS.fullmatch(text)
    if match:
        pairs = (pair.partition("=") for pair in match["pairs"].split(",") if pair.strip())
        return tuple(SetSlot(name.strip(), null_or_text(unquote_value(value))) for name, _, value in pairs)
    intent = _INTENT.fullmatch(text)
    if intent is None:
        return None
    flows = [flow.id for flow in assistant.user_flows if intent["intent"] in flow.intents]
    return tuple(StartFlow(flow) for flow in flows) or None


class Moment(Struct, frozen=True):
    """Where a dialogue stands before the user speaks."""

    state: EngineState
    history: Conversation = Conversation()
    opening: Advance | None = None
    """What happened before the first message; None later on."""
    understood: tuple[tuple[Command, ...], ...] = ()
    """What the user's messages so far were taken for."""


class CaseDialogue(Struct, frozen=True):
    """A case, the engine that answers in it, and whoever runs its actions."""

    case: EndToEndCase
    engine: Engine
    actions: Actions
    session: str = field(default_factory=name_session)
    """Under which name actions store what they store; each run has its own."""

    def begin(self) -> Moment:
        """Return the moment before the first message."""
        slots = {slot: value for fixture in self.case.fixtures.values() for slot, value in fixture.items()}
        advance = self.engine.start(slots, self._setting({}))
        return Moment(advance.state, Conversation(_speak(advance.messages)), advance)

    def take_turn(self, moment: Moment, step: UserMessage, commands: tuple[Command, ...]) -> Advance:
        """Let the user say something that is understood as these commands."""
        understood = (*moment.understood, commands)
        setting = replace(self._setting(step.metadata), history=moment.history, understood=understood)
        advance = self.engine.turn(moment.state, commands, step.text, setting)
        if moment.opening is None:
            return advance
        return Advance(advance.state, (*moment.opening.events, *advance.events))

    def move_on(
        self, moment: Moment, step: UserMessage, commands: tuple[Command, ...], advance: Advance
    ) -> Moment:
        """Return the moment after a turn."""
        turns = (Turn(Speaker.USER, step.text), *_speak(advance.state.said))
        understood = (*moment.understood, commands)
        return Moment(advance.state, moment.history.adding(*turns), understood=understood)

    def _setting(self, metadata: Mapping[str, object]) -> Setting:
        actions = FirstOf((StubbedActions(self.case.stubs), self.actions))
        return Setting(actions, self.session, {**self.case.metadata, **metadata})


def _speak(messages: Iterable[BotMessage]) -> tuple[Turn, ...]:
    return tuple(
        Turn(Speaker.BOT, message.text, PLACEHOLDER if message.is_generated else message.response)
        for message in messages
    )
