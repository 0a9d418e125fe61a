"""From a message in its context to commands: of some rules, the first that applies decides."""

from __future__ import annotations

import re
from collections.abc import Sequence

from du_eval.assistants.model import Assistant
from du_eval.commands.base import Command
from du_eval.commands.flows import CancelFlow, Clarify, StartFlow
from du_eval.commands.replies import (
    CannotHandle,
    ChitChat,
    HumanHandoff,
    RepeatLastBotMessages,
    SearchAndReply,
    SkipQuestion,
)
from du_eval.commands.slots import SetSlot
from du_eval.generators.base import Request
from du_eval.generators.baseline import cues, phrases
from du_eval.generators.baseline.answers import answer_to
from du_eval.generators.baseline.pieces import find_pieces
from du_eval.generators.baseline.profiles import payload_slots, profile_of
from du_eval.generators.baseline.replying import reply
from du_eval.generators.baseline.situation import Situation
from du_eval.generators.baseline.starting import FlowChooser, Wish
from du_eval.generators.baseline.text import clauses, content_words, plain, sentences, words

Commands = tuple[Command, ...]
_SHORT, _REMARK, _SHORT_ANSWER, _LONG_ANSWER = 4, 5, 8, 15
"""Lengths in words."""
_MOST_CHARACTERS = 2000
_WITHOUT_FLOW, _BY_WISH, _CLEAR, _BY_STATEMENT, _AGAINST_ANSWER = 0.3, 0.5, 0.6, 0.65, 0.8
"""How well a flow must fit a message to be started, in rising order."""
_REFUSAL = re.compile(r"\s*(?:no[,.]?\s+)?(?:not|anything but|everything but)\s+(?P<what>.+)", re.IGNORECASE)
_AS_VERB = re.compile(r"\b(?:to|can i|could i|let me|let's)\s+\w+\W*$", re.IGNORECASE)


class Decider:
    """Decides for one assistant; built once."""

    def __init__(self, assistant: Assistant) -> None:
        self._assistant = assistant
        self._profiles = {
            flow.id: tuple(profile_of(assistant, collect) for collect in assistant.collects_of(flow.id))
            for flow in assistant.flows.values()
        }
        self._chooser = FlowChooser(assistant, self._profiles)
        self._rules = (
            self._hesitation,
            self._repeat,
            self._hand_over,
            self._cancel,
            self._skip,
            self._choice,
            self._clarify,
            self._start,
            self._answer,
            self._question,
            self._small_talk,
            self._rest,
        )

    def commands(self, request: Request) -> Commands:
        """Return the commands for a message."""
        payload = payload_slots(request.message)
        if payload:
            return tuple(SetSlot(name, value) for name, value in payload)
        situation = self._situation(request)
        for rule in self._rules:
            found = rule(situation)
            if found is not None:
                return found
        return ()

    def _situation(self, request: Request) -> Situation:
        message, state = plain(request.message[:_MOST_CHARACTERS]), request.state
        pieces = find_pieces(message)
        profiles = self._profiles.get(state.active_flow or "", ())
        asked = next((profile for profile in profiles if profile.name == state.asked_slot), None)
        if asked is None and state.asked_slot:
            every = (profile for group in self._profiles.values() for profile in group)
            asked = next((profile for profile in every if profile.name == state.asked_slot), None)
        answer = answer_to(asked, message, pieces) if asked else None
        offered = state.offered_flows
        return Situation(message, pieces, state.active_flow, asked, profiles, state.slots, answer, offered)

    def _hesitation(self, situation: Situation) -> Commands | None:
        return () if cues.is_waiting(situation.message) or not words(situation.message) else None

    def _repeat(self, situation: Situation) -> Commands | None:
        match = phrases.REPEAT.search(situation.message)
        rest = cues.without(phrases.REPEAT, situation.message)
        if match and len(content_words(rest)) <= 2 and not situation.pieces:
            return (RepeatLastBotMessages(),)
        return None

    def _hand_over(self, situation: Situation) -> Commands | None:
        """Hand over, unless a flow of the assistant is there to do it."""
        if not cues.asks_for_staff(situation.message):
            return None
        wish = self._chooser.best(situation.message)
        flow = self._assistant.flows.get(wish.flow) if wish and wish.score >= _CLEAR else None
        return None if flow and phrases.STAFF.search(flow.description) else (HumanHandoff(),)

    def _cancel(self, situation: Situation) -> Commands | None:
        if not situation.active_flow or not phrases.CANCEL.search(situation.message):
            return None
        # `No, cancel` in answer to a yes-or-no question is a no.
        if situation.asks_yes_or_no and words(situation.message)[0] in {"no", "nope", "nah"}:
            return None
        rest = [part for part in clauses(situation.message) if not phrases.CANCEL.search(part)]
        wished = [part for part in rest if phrases.REQUEST.search(part) or cues.is_question(part)]
        wishes = self._chooser.wishes(wished, _CLEAR, besides=situation.active_flow)
        return (CancelFlow(), *_fulfilled(wishes))

    def _skip(self, situation: Situation) -> Commands | None:
        message = situation.message
        if not situation.asked or (situation.is_answered and not situation.asks_yes_or_no):
            return None
        is_next = phrases.NEXT.search(message) and situation.length <= _SHORT and not situation.pieces
        is_unsure = phrases.UNSURE.search(message) and len(content_words(message)) <= _SHORT
        return (SkipQuestion(),) if phrases.SKIP.search(message) or is_next or is_unsure else None

    def _choice(self, situation: Situation) -> Commands | None:
        """Start what is left of two flows that were offered, where the user turns down one of them."""
        refused = _REFUSAL.match(situation.message)
        if not refused or len(situation.offered) != 2 or situation.length > _REMARK:
            return None
        wish = self._chooser.best(refused["what"], among=situation.offered)
        left = [flow for flow in situation.offered if wish and flow != wish.flow]
        return (StartFlow(left[0]),) if len(left) == 1 else None

    def _clarify(self, situation: Situation) -> Commands | None:
        """Ask back where a message is hardly more than a word that fits several flows."""
        text = cues.without(phrases.REQUEST, situation.message)
        if not 0 < len(content_words(text)) <= 2 or situation.pieces or situation.is_answered:
            return None
        if situation.active_flow and "something" not in words(situation.message):
            return None
        if _AS_VERB.search(situation.message):
            return None
        options = self._chooser.sharing(text)
        if len(options) < 2 and not situation.active_flow and text == situation.message.strip(" ,.!?;:-"):
            options = self._chooser.close_to(text)
        return (Clarify(options),) if len(options) > 1 else None

    def _start(self, situation: Situation) -> Commands | None:
        parts = clauses(situation.message)
        wishes = self._chooser.wishes(parts, self._bar(situation), besides=situation.active_flow)
        return _fulfilled(wishes) or None

    def _bar(self, situation: Situation) -> float:
        """Return how well a flow must fit: better where another is active, best where the message answers."""
        if not situation.active_flow:
            return _WITHOUT_FLOW
        is_short_answer = situation.answer and situation.length <= _REMARK and not situation.is_wish
        if situation.is_answered or is_short_answer:
            return _AGAINST_ANSWER
        return _BY_WISH if situation.is_wish else _BY_STATEMENT

    def _answer(self, situation: Situation) -> Commands | None:
        found = tuple(SetSlot(name, value) for name, value in reply(situation))
        asks_more = any(cues.is_question(part) for part in sentences(situation.message)[1:])
        if found and asks_more and situation.is_answered:
            return (*found, SearchAndReply())
        return found or None

    def _question(self, situation: Situation) -> Commands | None:
        if phrases.SMALL_TALK.search(situation.message):
            return None
        is_question = any(cues.is_question(part) for part in sentences(situation.message))
        return (SearchAndReply(),) if is_question else None

    def _small_talk(self, situation: Situation) -> Commands | None:
        for pattern in (phrases.SMALL_TALK, phrases.GREETING, phrases.THANKS):
            if pattern.search(situation.message):
                return (ChitChat(),)
        return None

    def _rest(self, situation: Situation) -> Commands | None:
        most = _LONG_ANSWER if situation.asks_yes_or_no else _SHORT_ANSWER
        if situation.asked and situation.answer and situation.length <= most:
            return (SetSlot(situation.asked.name, situation.answer.value),)
        return (ChitChat(),) if situation.length > _REMARK else (CannotHandle(),)


def _fulfilled(wishes: Sequence[Wish]) -> Commands:
    return tuple(command for wish in wishes for command in wish.commands)
