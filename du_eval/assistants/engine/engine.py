"""The dialogue engine: a state and commands in; the next state, what happened and what the bot says out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from du_eval.assistants.actions import NoActions, Setting
from du_eval.assistants.coercion import coerce_value
from du_eval.assistants.engine.cleanup import clean_commands
from du_eval.assistants.engine.definition import Definition, PatternVersion
from du_eval.assistants.engine.effects import Effects
from du_eval.assistants.engine.events import BotMessage, BotUttered, CommandIgnored, Event, UserUttered
from du_eval.assistants.engine.execution import Execution
from du_eval.assistants.engine.performance import Performer
from du_eval.assistants.engine.stack import Frame, FrameKind
from du_eval.assistants.engine.state import EngineState, Recorder
from du_eval.assistants.model import Assistant
from du_eval.commands.base import Command

_START_ACTION = "action_session_start"
_NO_FRAME = Frame(0, "", FrameKind.PATTERN)
_MESSAGES = {"/session_start": "pattern_session_start", "/restart": "pattern_restart"}
"""Messages of channels, and the patterns that they start."""
ROUTING_SLOT = "route_session_to_calm"
"""The slot with which a router notes that flows, and nothing else, answer from now on."""
NOBODY = Setting(NoActions())


class Advance(Struct, frozen=True):
    """What one turn led to."""

    state: EngineState
    events: tuple[Event, ...] = ()

    @property
    def messages(self) -> tuple[BotMessage, ...]:
        """What the bot said."""
        return tuple(event.message for event in self.events if isinstance(event, BotUttered))

    @property
    def ignored(self) -> tuple[CommandIgnored, ...]:
        """The commands that had no effect."""
        return tuple(event for event in self.events if isinstance(event, CommandIgnored))


class Engine:
    """Follows dialogues with one assistant; holds no dialogue itself."""

    def __init__(self, assistant: Assistant, patterns: PatternVersion | None = None) -> None:
        self._definition = Definition(assistant, patterns)
        self.assistant = self._definition.assistant

    def is_named(self, name: str) -> bool:
        """Tell whether a flow or pattern names a response or action."""
        return name in self._definition.named

    def start(self, slots: Mapping[str, object] | None = None, setting: Setting = NOBODY) -> Advance:
        """Begin a dialogue, with slots that are set before the user speaks."""
        recorder = Recorder(EngineState(initial_slots=self._definition.initial_slots))
        for name, value in (slots or {}).items():
            slot = self.assistant.slots.get(name)
            recorder.set_slot(name, coerce_value(slot, value) if slot else value)
        Performer(self._definition, recorder, setting).perform(_START_ACTION, _NO_FRAME)
        return Advance(recorder.state, tuple(recorder.events))

    def turn(
        self, state: EngineState, commands: Sequence[Command], message: str = "", setting: Setting = NOBODY
    ) -> Advance:
        """Let the user say something that was understood as these commands."""
        recorder = Recorder(state)
        recorder.emit(UserUttered(message, tuple(commands)))
        if not state.stopped:
            if ROUTING_SLOT in self.assistant.slots and recorder.value(ROUTING_SLOT) is None:
                recorder.set_slot(ROUTING_SLOT, value=True)
            pattern = _MESSAGES.get(message.strip())
            if pattern:
                recorder.push(pattern, FrameKind.PATTERN)
            effective, ignored = clean_commands(commands, state, self._definition, message)
            for event in ignored:
                recorder.emit(event)
            Effects(self._definition, state, recorder).apply(effective if not pattern else ())
            self._run(recorder, setting)
        return Advance(recorder.state, tuple(recorder.events))

    def _run(self, recorder: Recorder, setting: Setting) -> None:
        Execution(self._definition, recorder, Performer(self._definition, recorder, setting)).run()
