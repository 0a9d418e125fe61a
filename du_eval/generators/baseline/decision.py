"""From a message in its context to commands: of some rules, the first that applies decides."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
from du_eval.generators.baseline import cues, phrases
from du_eval.generators.baseline.answering import accept_offer, answer, raw_answer
from du_eval.generators.baseline.choosing import FlowChooser
from du_eval.generators.baseline.pieces import find_pieces
from du_eval.generators.baseline.ranking import Embedding
from du_eval.generators.baseline.situation import Situation
from du_eval.generators.baseline.slots import SlotProfile, read_payload, read_profiles
from du_eval.generators.baseline.text import clauses, content_words, sentences
from du_eval.text.words import plain, words

Commands = tuple[Command, ...]
_FEW, _SHORT, _REMARK, _SHORT_ANSWER, _LONG_ANSWER = 3, 4, 5, 8, 15
"""Lengths in words."""
_MOST_CHARACTERS = 2000
_CLEAR, _NAMED = 0.25, 0.5
_AS_VERB = re.compile(r"\b(?:to|can i|could i|let me|let's)\s+\w+\W*$", re.IGNORECASE)


class Decider:
    """Decides for one assistant; built once."""

    def __init__(self, assistant: Assistant, embedding: Embedding | None = None) -> None:
        self._assistant = assistant
        self._profiles = {flow: read_profiles(assistant, flow) for flow in assistant.flows}
        self._chooser = FlowChooser(assistant, self._profiles, embedding)
        self._rules = (
            self._hesitate,
            self._repeat,
            self._hand_over,
            self._cancel,
            self._skip,
            self._clarify,
            self._agree,
            self._start,
            self._accept,
            self._answer,
            self._acknowledge,
            self._search,
            self._chat,
            self._give_up,
        )

    def decide(self, request: Request) -> Commands:
        """Return the commands for a message."""
        if payload := read_payload(request.message):
            return tuple(SetSlot(name, value) for name, value in payload)
        situation = self._read(request)
        for rule in self._rules:
            found = rule(situation)
            if found is not None:
                return found
        return ()

    def _read(self, request: Request) -> Situation:
        message, state = plain(request.message[:_MOST_CHARACTERS]), request.state
        own = self._profiles.get(state.active_flow or "", ())
        bot = " ".join(turn.text for turn in request.history.last_bot_turns)
        asked = self._asked(state.asked_slot, own) if state.asked_slot else None
        profiles = own if asked is None or asked in own else (*own, asked)
        return Situation(
            message,
            find_pieces(message),
            state.active_flow,
            asked,
            profiles,
            state.slots,
            bot,
        )

    def _asked(self, slot: str, own: Sequence[SlotProfile]) -> SlotProfile | None:
        every = (profile for group in (own, *self._profiles.values()) for profile in group)
        return next((profile for profile in every if profile.name == slot), None)

    def _hesitate(self, situation: Situation) -> Commands | None:
        return () if cues.is_waiting(situation.message) or not words(situation.message) else None

    def _repeat(self, situation: Situation) -> Commands | None:
        rest = cues.without(phrases.REPEAT, situation.message)
        is_repeat = phrases.REPEAT.search(situation.message) and len(content_words(rest)) <= 2
        says_more = any(piece.is_sure for piece in find_pieces(rest))
        if not is_repeat or says_more or self._chooser.best(situation.message).score >= _NAMED:
            return None
        return (RepeatLastBotMessages(),)

    def _hand_over(self, situation: Situation) -> Commands | None:
        """Hand over, unless a flow of the assistant is there to do it."""
        if not cues.asks_for_staff(situation.message):
            return None
        best = self._chooser.best(situation.message)
        flow = self._assistant.flows.get(best.flow) if best.score >= _CLEAR else None
        return None if flow and phrases.STAFF.search(flow.description) else (HumanHandoff(),)

    def _cancel(self, situation: Situation) -> Commands | None:
        if not situation.flow or not phrases.CANCEL.search(situation.message):
            return None
        # `No, cancel` in answer to a yes-or-no question is a no.
        if situation.asks_yes_or_no and words(situation.message)[0] in {"no", "nope", "nah"}:
            return None
        rest = [part for part in clauses(situation.message) if not phrases.CANCEL.search(part)]
        wished = [part for part in rest if cues.is_wish(part)]
        return (CancelFlow(), *self._chooser.choose_clear(wished, besides=situation.flow))

    def _skip(self, situation: Situation) -> Commands | None:
        message = situation.message
        if not situation.asked or (answer(situation) and not situation.asks_yes_or_no):
            return None
        is_next = phrases.NEXT.search(message) and situation.length <= _SHORT and not situation.pieces
        is_unsure = phrases.UNSURE.search(message) and situation.content <= _SHORT
        return (SkipQuestion(),) if phrases.SKIP.search(message) or is_next or is_unsure else None

    def _clarify(self, situation: Situation) -> Commands | None:
        """Ask back where a message is hardly more than a word that fits several flows."""
        text = cues.without(phrases.REQUEST, situation.message)
        if not 0 < len(content_words(text)) <= 2 or situation.pieces or _AS_VERB.search(situation.message):
            return None
        is_vague = "something" in words(situation.message)
        if (situation.flow or situation.length > _FEW) and not is_vague:
            return None
        options = self._chooser.find_alternatives(text)
        return (Clarify(options),) if len(options) > 1 else None

    def _start(self, situation: Situation) -> Commands | None:
        return self._chooser.choose(situation) or None

    def _answer(self, situation: Situation) -> Commands | None:
        is_fact = cues.asks_for_facts(situation.message) and len(sentences(situation.message)) == 1
        if is_fact or (not situation.flow and not situation.asked):
            return None
        found = answer(situation)
        asks_more = any(cues.is_question(part) for part in sentences(situation.message)[1:])
        is_answered = situation.asked is not None and situation.asked.name in dict(found)
        more = (SearchAndReply(),) if asks_more and is_answered else ()
        return (*(SetSlot(name, value) for name, value in found), *more) if found else None

    def _agree(self, situation: Situation) -> Commands | None:
        """Start a related flow that the bot has just proposed, where the user agrees."""
        is_free = situation.flow and not situation.asks_yes_or_no and not cues.is_confirming(situation.bot)
        is_yes = is_free and cues.yes_or_no(" ".join(words(situation.message)[:_SHORT])) is True
        return self._chooser.accept(situation) or None if is_yes else None

    def _accept(self, situation: Situation) -> Commands | None:
        """Take over values that the bot has proposed, where the user agrees and nothing else is asked for."""
        is_yes = cues.yes_or_no(situation.message) is True
        says_more = situation.asked is not None and situation.content > 2
        if not situation.flow or not is_yes or situation.asks_yes_or_no or says_more:
            return None
        found = accept_offer(self._chooser.related_slots(situation.flow), situation)
        return tuple(SetSlot(name, value) for name, value in found) or None

    def _acknowledge(self, situation: Situation) -> Commands | None:
        """Do nothing about a message inside a flow that only takes note of what the bot said."""
        if not situation.flow or situation.asked or any(map(cues.is_question, sentences(situation.message))):
            return None
        return () if cues.is_acknowledgement(situation.message) else None

    def _search(self, situation: Situation) -> Commands | None:
        if phrases.SMALL_TALK.search(situation.message):
            return None
        is_question = any(cues.is_question(part) for part in sentences(situation.message))
        return (SearchAndReply(),) if is_question else None

    def _chat(self, situation: Situation) -> Commands | None:
        patterns = (phrases.SMALL_TALK, phrases.GREETING, phrases.THANKS)
        return (ChitChat(),) if any(pattern.search(situation.message) for pattern in patterns) else None

    def _give_up(self, situation: Situation) -> Commands | None:
        most = _LONG_ANSWER if situation.asks_yes_or_no else _SHORT_ANSWER
        whole = raw_answer(situation)
        if situation.asked and whole and situation.length <= most:
            return (SetSlot(situation.asked.name, whole),)
        return (ChitChat(),) if situation.length > _REMARK else (CannotHandle(),)
