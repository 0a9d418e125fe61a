"""From a message in its context to commands: of some rules, the first that applies decides."""

from __future__ import annotations

from du_eval.assistants.model import Assistant
from du_eval.commands.base import Command
from du_eval.commands.flows import (
    CancelFlow,
    CannotHandle,
    ChitChat,
    Clarify,
    HumanHandoff,
    RepeatLastBotMessages,
    SearchAndReply,
    SetSlot,
    SkipQuestion,
)
from du_eval.generators.base import Request
from du_eval.generators.baseline import cues
from du_eval.generators.baseline.answering import Situation, accept, answer, answer_whole, raw_answer
from du_eval.generators.baseline.choosing import FlowChooser
from du_eval.generators.baseline.pieces import find_pieces
from du_eval.generators.baseline.ranking import Embedding
from du_eval.generators.baseline.slots import read_payload, read_profiles
from du_eval.generators.baseline.text import content_words, sentences
from du_eval.text.words import plain, words

Commands = tuple[Command, ...]
_FEW, _SHORT, _REMARK, _SHORT_ANSWER, _LONG_ANSWER = 3, 4, 5, 8, 15
"""Lengths in words."""
_MOST_CHARACTERS = 2000
_CLEAR, _NAMED = 0.25, 0.5


class Decider:
    """Decides for one assistant; built once."""

    def __init__(self, assistant: Assistant, embedding: Embedding | None = None) -> None:
        self._assistant = assistant
        self._profiles = {flow: read_profiles(assistant, flow) for flow in assistant.flows}
        self._chooser = FlowChooser(assistant, self._profiles, embedding)
        self._rules = (
            self._repeat,
            self._hand_over,
            self._cancel,
            self._skip,
            self._clarify,
            self._agree,
            self._start,
            self._answer,
            self._accept,
            self._reply,
        )

    def decide(self, request: Request) -> Commands:
        """Return the commands for a message."""
        if payload := read_payload(request.message):
            return tuple(SetSlot(name, value) for name, value in payload)
        situation = self._read(request)
        is_waiting = not words(cues.without("waiting", situation.message))
        found = (rule(situation) for rule in self._rules) if not is_waiting else ()
        return next((commands for commands in found if commands is not None), ())

    def _read(self, request: Request) -> Situation:
        state = request.state
        own = self._profiles.get(state.active_flow or "", ())
        every = (profile for group in (own, *self._profiles.values()) for profile in group)
        asked = next((profile for profile in every if profile.name == state.asked_slot), None)
        return Situation(
            plain(request.message[:_MOST_CHARACTERS]),
            state.active_flow,
            asked,
            own if asked is None or asked in own else (*own, asked),
            state.slots,
            " ".join(turn.text for turn in request.history.last_bot_turns),
        )

    def _repeat(self, situation: Situation) -> Commands | None:
        rest = cues.without("repeat", situation.message)
        is_all = cues.says("repeat", situation.message) and len(content_words(rest)) <= 2
        says_more = any(piece.is_sure for piece in find_pieces(rest))
        if not is_all or says_more or self._chooser.best(situation.message).score >= _NAMED:
            return None
        return (RepeatLastBotMessages(),)

    def _hand_over(self, situation: Situation) -> Commands | None:
        """Hand over, unless a flow of the assistant is there to do it."""
        if not cues.asks_for_staff(situation.message):
            return None
        best = self._chooser.best(situation.message)
        flow = self._assistant.flows.get(best.flow) if best.score >= _CLEAR else None
        return None if flow and cues.says("staff", flow.description) else (HumanHandoff(),)

    def _cancel(self, situation: Situation) -> Commands | None:
        # `No, cancel` in answer to a yes-or-no question is a no.
        is_no = situation.asks_yes_or_no and words(situation.message)[0] in {"no", "nope", "nah"}
        is_meant = situation.flow and cues.says("cancel", situation.message) and not is_no
        if not is_meant:
            return None
        rest = cues.without("cancel", situation.message)
        return (CancelFlow(), *self._chooser.choose_clear(rest, besides=situation.flow))

    def _skip(self, situation: Situation) -> Commands | None:
        message = situation.message
        if not situation.asked or (answer(situation) and not situation.asks_yes_or_no):
            return None
        is_next = cues.says("next", message) and situation.length <= _SHORT and not find_pieces(message)
        is_unsure = cues.says("unsure", message) and len(content_words(message)) <= _SHORT
        return (SkipQuestion(),) if cues.says("skip", message) or is_next or is_unsure else None

    def _clarify(self, situation: Situation) -> Commands | None:
        """Ask back where a message is hardly more than a word that several flows share."""
        message = situation.message
        text = cues.without("request", message)
        if not 0 < len(content_words(text)) <= 2 or find_pieces(message):
            return None
        if (situation.flow or situation.length > _FEW) and "something" not in words(message):
            return None
        options = self._chooser.find_named(text)
        return (Clarify(options),) if len(options) > 1 else None

    def _agree(self, situation: Situation) -> Commands | None:
        """Start a related flow that the bot has just proposed, where the user agrees."""
        is_free = situation.flow and not situation.asks_yes_or_no
        is_yes = is_free and cues.yes_or_no(" ".join(words(situation.message)[:_SHORT])) is True
        return self._chooser.accept(situation) or None if is_yes else None

    def _start(self, situation: Situation) -> Commands | None:
        return self._chooser.choose(situation) or None

    def _answer(self, situation: Situation) -> Commands | None:
        whole = answer_whole(situation)
        found = whole or (answer(situation) if situation.flow or situation.asked else ())
        is_answered = situation.asked is not None and situation.asked.name in dict(found)
        asks_more = is_answered and any(map(cues.is_question, sentences(situation.message)[1:]))
        values = (SetSlot(name, value) for name, value in found)
        return (*values, *([SearchAndReply()] if asks_more else [])) if found else None

    def _accept(self, situation: Situation) -> Commands | None:
        """Take what the bot names or repeats where the user agrees; to take note fills nothing."""
        message = situation.message
        is_yes = cues.yes_or_no(" ".join(words(message)[:_SHORT])) is True
        is_meant = is_yes or cues.is_acknowledgement(message)
        if not situation.flow or situation.asks_yes_or_no or not is_meant:
            return None
        found = accept(situation)
        asks = any(map(cues.is_question, sentences(message)))
        return tuple(SetSlot(name, value) for name, value in found) if found or not asks else None

    def _reply(self, situation: Situation) -> Commands:
        """Look up what a question asks for, chat, or take a short message for the answer as it is."""
        message = situation.message
        is_chat = cues.says("small_talk", message)
        if not is_chat and any(map(cues.is_question, sentences(message))):
            return (SearchAndReply(),)
        if is_chat or cues.says("greeting", message) or cues.says("thanks", message):
            return (ChitChat(),)
        most = _LONG_ANSWER if situation.asks_yes_or_no else _SHORT_ANSWER
        whole = raw_answer(situation)
        if situation.asked and whole and situation.length <= most:
            return (SetSlot(situation.asked.name, whole),)
        return (ChitChat(),) if situation.length > _REMARK else (CannotHandle(),)
