"""A chatter that is an assistant of ours: a generator understands, the dialogue engine answers."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from du_eval.assistants.actions import Actions, NoActions, Setting
from du_eval.assistants.engine.engine import Advance, Engine
from du_eval.conversation import Conversation, Speaker, Turn
from du_eval.errors import ChatterError, CommandReadError, GeneratorError
from du_eval.generators.answers import AnswerReader
from du_eval.generators.base import CommandGenerator, Place, Request, close_if_open

Said = tuple[str, ...]


class _Stand(Struct, frozen=True):
    """Where a dialogue stands: the engine's state, what was said, and the reply that led here."""

    advance: Advance
    history: Conversation
    reply: str = ""


class AssistantChatter(Struct):
    """Answers as the assistant would; what was said tells dialogues apart, so many may go on at once."""

    engine: Engine
    generator: CommandGenerator
    reader: AnswerReader
    actions: Actions = field(default_factory=NoActions)
    slots: Mapping[str, object] = field(default_factory=dict)
    """Slots that are set before a dialogue begins."""
    _stands: dict[Said, _Stand] = field(default_factory=dict)

    async def reply(self, conversation: Conversation) -> str:
        """Return what the assistant says; turns that it has not seen yet are replayed first."""
        prompts, replies = _exchanges(conversation)
        known = _before(prompts, replies)
        start = max((n for n in range(len(prompts)) if known[n] in self._stands), default=None)
        stand = self._stands[known[start]] if start is not None else self._begun()
        for number in range(start or 0, len(prompts)):
            is_past = number < len(replies)
            if is_past and not replies[number]:
                continue  # a turn that failed left no trace in the assistant
            stand = await self._next(stand, prompts[number], number)
            said = replies[number] if is_past else stand.reply
            self._stands[(*known[number], prompts[number], said)] = stand
        return stand.reply

    async def close(self) -> None:
        """Close the connections of the generator, if it has any."""
        await close_if_open(self.generator)

    def _begun(self) -> _Stand:
        advance = self.engine.start(self.slots, Setting(self.actions))
        return _Stand(advance, Conversation(_spoken(advance)))

    async def _next(self, stand: _Stand, prompt: str, number: int) -> _Stand:
        assistant = self.engine.assistant
        place = Place(assistant.path, "quality", number + 1)
        request = Request(
            prompt, stand.history, stand.advance.state.summary(), assistant=assistant, place=place
        )
        try:
            commands = self.reader.commands(await self.generator.generate(request))
        except (GeneratorError, CommandReadError) as error:
            raise ChatterError(f"'{prompt}' was not understood: {error}") from error
        setting = Setting(self.actions, history=stand.history)
        advance = self.engine.turn(stand.advance.state, commands, prompt, setting)
        if advance.state.stopped:
            raise ChatterError(f"the assistant cannot continue: {advance.state.stopped}")
        spoken = _spoken(advance)
        greeting = [turn.text for turn in stand.history] if number == 0 else []
        reply = " ".join([*greeting, *(turn.text for turn in spoken)]).strip()
        return _Stand(advance, stand.history.adding(Turn(Speaker.USER, prompt), *spoken), reply)


def _exchanges(conversation: Conversation) -> tuple[list[str], list[str]]:
    """Return what the user and the bot said, in pairs; a bot's turn before the first user's is left out."""
    turns = list(conversation)
    while turns and turns[0].speaker is Speaker.BOT:
        turns.pop(0)
    return [turn.text for turn in turns[::2]], [turn.text for turn in turns[1::2]]


def _before(prompts: list[str], replies: list[str]) -> list[Said]:
    """Return for each prompt all that was said before it."""
    known: list[Said] = [()]
    for prompt, reply in zip(prompts, replies, strict=False):
        known.append((*known[-1], prompt, reply))
    return known[: len(prompts)]


def _spoken(advance: Advance) -> tuple[Turn, ...]:
    return tuple(
        Turn(Speaker.BOT, message.text, message.response) for message in advance.messages if message.text
    )
