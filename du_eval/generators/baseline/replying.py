"""Slots that a message fills in answer to a question: the one asked for, further ones, and corrections."""

from __future__ import annotations

from du_eval.generators.baseline import phrases
from du_eval.generators.baseline.answers import answer_to
from du_eval.generators.baseline.corrections import changes, doubted
from du_eval.generators.baseline.filling import Filled, filled_by
from du_eval.generators.baseline.pieces import find_pieces
from du_eval.generators.baseline.profiles import FORMS, Role
from du_eval.generators.baseline.situation import Situation
from du_eval.generators.baseline.text import sentences


def reply(situation: Situation) -> tuple[tuple[str, str | None], ...]:
    """Return slots and values of a message that answers or corrects; nothing where it surely does neither."""
    if situation.asked is None:
        return ()
    changed = changes(situation.others, situation.slots, situation.message, situation.pieces)
    is_plain_answer = situation.is_answered and not situation.asks_yes_or_no
    if changed and not is_plain_answer:
        return (*_answer_before(situation), *changed)
    doubt = doubted(situation.others, situation.slots, situation.message)
    if doubt and not is_plain_answer:
        return ((doubt, None),)
    return _answered(situation, changed) if situation.is_answered else ()


def _answered(situation: Situation, changed: Filled) -> Filled:
    """Return a sure answer, with everything else that the message gives along with it."""
    asked, answer = situation.asked, situation.answer
    if asked is None or answer is None:
        return ()
    rivals = {item.name for item in situation.others if FORMS.get(item.role) == FORMS.get(asked.role)}
    apart = tuple(pair for pair in changed if pair[0] not in rivals and pair[1] not in answer.value)
    return ((asked.name, answer.value), *_further(situation, asked.role, answer.value), *apart)


def _further(situation: Situation, role: Role, value: str) -> Filled:
    """Return what a message tells about slots that would have been asked for next."""
    if role is Role.YES_NO:
        return ()
    unfilled = [
        item
        for item in situation.others
        if situation.slots.get(item.name) is None
        and item.role not in {Role.YES_NO, role}
        and not item.collect.ask_before_filling
    ]
    pieces = [span for span in situation.pieces if span.value not in value and span.is_sure]
    return tuple(pair for pair in filled_by(unfilled, situation.message, pieces) if pair[1] != value)


def _answer_before(situation: Situation) -> Filled:
    """Return the answer that a first sentence gives before another one changes something else."""
    first, *rest = sentences(situation.message)
    if not rest or situation.asked is None or situation.asks_yes_or_no:
        return ()
    pieces = find_pieces(first)
    answer = answer_to(situation.asked, first, pieces)
    is_change = phrases.CORRECTION.search(first) or changes(situation.others, situation.slots, first, pieces)
    return ((situation.asked.name, answer.value),) if answer and not is_change else ()
