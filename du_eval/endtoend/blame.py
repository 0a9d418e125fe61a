"""Whose fault a failed case is: whether other commands would have made it pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct, field
from msgspec.structs import replace

from du_eval.assistants.engine.engine import ROUTING_SLOT
from du_eval.assistants.model import FLOAT, TEXT, Assistant
from du_eval.commands.base import Command
from du_eval.commands.flows import SetSlot
from du_eval.endtoend.candidates import Candidates, read_wishes
from du_eval.endtoend.check import PLACEHOLDER
from du_eval.endtoend.dialogue import CaseDialogue, Moment, read_payload_commands
from du_eval.endtoend.model import ScriptedTurn
from du_eval.endtoend.results import Blame, Fault, PlayedCase, TurnRecord
from du_eval.endtoend.search import Commands, TurnSearch

_MOST_TRIALS = 1_200
"""Sequences of commands that are tried for one turn."""
_MOST_TRIALS_IN_ALL = 4_000
_MOST_WAYS = 6
"""Ways on from one turn that are followed to the end of the case."""


def find_blame(
    outcome: PlayedCase, dialogue: CaseDialogue, is_known: Callable[[Command], bool] = lambda _: True
) -> PlayedCase:
    """Return a case with whose fault it is, and with how its turns go if they are understood right."""
    path = _Walk(outcome, dialogue, is_known).follow(0, dialogue.begin(), ())
    if not _is_good(path) and any(turn.is_unchecked for turn in outcome.case.turns):
        # What is understood wrongly where nothing is checked shows only later.
        answered = _Walk(outcome, dialogue, is_known, answers_first=True).follow(0, dialogue.begin(), ())
        path = answered if _is_good(answered) and len(answered) >= len(path) else path
    blames = [step.blame for step in path if step.blame is not None]
    return outcome.blame(tuple(blames), tuple(step.record for step in path if step.record is not None))


class _Step(Struct, frozen=True):
    """One turn on the way through a case: how it goes, and what had to be changed."""

    record: TurnRecord | None
    blame: Blame | None = None
    is_end: bool = False
    """True where nothing is known about what comes after it."""


_Path = tuple[_Step, ...]


class _Walk(Struct):
    """Follows a case turn by turn; where a turn cannot pass, earlier turns are understood in other ways."""

    outcome: PlayedCase
    dialogue: CaseDialogue
    is_known: Callable[[Command], bool]
    answers_first: bool = False
    """Whether a message that nothing checks is taken for the answer to the open question, or opens a flow."""
    _trials: int = 0
    _furthest: _Path = field(default=())

    def follow(self, number: int, moment: Moment, path: _Path) -> _Path:
        """Return the first way on which all turns pass, or else the one that leads furthest."""
        turns = self.outcome.case.turns
        if number == len(turns) or (path and path[-1].is_end):
            return path
        is_first = len(path) >= len(self._furthest)
        for way in self._ways(number, moment, turns[number], path):
            longer = (*path, way)
            if len(longer) > len(self._furthest):
                self._furthest = longer
            if way.record is None or (way.blame and way.blame.needs is None):
                continue
            advance = self.dialogue.take_turn(moment, turns[number].user, way.record.commands)
            after = self.dialogue.move_on(moment, turns[number].user, way.record.commands, advance)
            found = self.follow(number + 1, after, longer)
            if found and (len(found) == len(turns) or found[-1].is_end) and _is_good(found):
                return found
            if self._trials > _MOST_TRIALS_IN_ALL:
                break
        return self._furthest if is_first or self._furthest else path

    def _ways(self, number: int, moment: Moment, turn: ScriptedTurn, path: _Path) -> Iterator[_Step]:
        """Yield how a turn may go on: as it went, else with other commands, at last not at all."""
        ran = self.outcome.turns[number] if number < len(self.outcome.turns) else None
        given = ran.commands if ran else ()
        most = max(0, min(_MOST_TRIALS, _MOST_TRIALS_IN_ALL - self._trials))
        search = TurnSearch(self.dialogue, moment, turn, given, most)
        advance = search.advance(given)
        if ran is not None and advance.state.stopped:
            user, reason = turn.user, advance.state.stopped
            blame = Blame(user.line, user.text, given, None, Fault.UNKNOWN, 0, reason)
            yield _Step(None, None if ran.has_stopped else blame, is_end=True)
            return
        assistant = self.dialogue.engine.assistant
        if self.answers_first and turn.is_unchecked:
            for likely in self._guess(number, moment, given):
                yield self._repair(search, turn, likely)
        passes = ran is not None and search.passes(advance)
        if passes:
            record = TurnRecord(turn.user, given, advance.events, ran.unknown if ran else ())
            yield _Step(record, _judged(self.outcome, turn, given))
        others: list[Commands] = []
        if read_payload_commands(turn.user.text, self.dialogue.engine.assistant) is None:
            commands = [command for step in path if step.record for command in step.record.commands]
            candidates = Candidates(assistant, moment.state, turn, _earlier(commands))
            others = list(search.vary(candidates)) if passes else search.find(candidates)
            self._trials += search.trials
        if not others and not passes:
            yield _Step(None, _unsolved(search))
        for needs in others[:_MOST_WAYS]:
            yield self._repair(search, turn, needs)

    def _guess(self, number: int, moment: Moment, given: Commands) -> list[Commands]:
        """Return what an unchecked message may mean: an answer, or a start of what is checked next."""
        assistant, turns = self.dialogue.engine.assistant, self.outcome.case.turns
        asked = moment.state.asked_slot
        if asked and any(isinstance(one, SetSlot) and one.slot == asked for one in given):
            return []
        if asked:
            return [
                (answer,) for answer in Candidates(assistant, moment.state, turns[number], {}).fill(asked)[:1]
            ]
        checked = next((turn for turn in turns[number:] if not turn.is_unchecked), turns[number])
        said = replace(checked, user=replace(checked.user, text=turns[number].user.text))
        return Candidates(assistant, moment.state, said, {}).start()

    def _repair(self, search: TurnSearch, turn: ScriptedTurn, needs: Commands) -> _Step:
        """Return how a turn goes if it is understood in another way than it was."""
        unknown = tuple(command for command in needs if not self.is_known(command))
        record = TurnRecord(turn.user, needs, search.advance(needs).events, unknown)
        doubt = _find_doubt(needs, turn.user.text, self.dialogue.engine.assistant)
        user, fault = turn.user, Fault.UNDERSTANDING
        return _Step(record, Blame(user.line, user.text, search.given, needs, fault, search.trials, doubt))


def _is_good(path: _Path) -> bool:
    return all(step.blame is None or step.blame.needs is not None for step in path)


def _unsolved(search: TurnSearch) -> Blame:
    user = search.turn.user
    fault = Fault.UNKNOWN if search.stop else Fault.FLOW_OR_TEST
    reason = search.stop or ("" if search.trials else "the message states its commands itself")
    strange = "" if reason else _find_strange(search)
    if strange:
        reason = f"no flow has {strange}"
        if ROUTING_SLOT in search.dialogue.engine.assistant.slots:
            fault = Fault.UNKNOWN
            reason += ", and rules, stories and forms are not replayed"
    return Blame(user.line, user.text, search.given, None, fault, search.trials, reason)


def _find_strange(search: TurnSearch) -> str:
    """Return a response or action that a turn needs and that no flow names."""
    wishes = read_wishes(search.turn)
    names = (name for name in (*wishes.responses, *wishes.actions) if name and name != PLACEHOLDER)
    return next((name for name in names if not search.dialogue.engine.is_named(name)), "")


def _judged(outcome: PlayedCase, turn: ScriptedTurn, given: Commands) -> Blame | None:
    """Return who is to blame for a turn that failed only in the eyes of a judge."""
    lines = {assertion.line for assertion in turn.user.assertions if assertion.is_generative}
    if not any(finding.line in lines and not finding.is_error for finding in outcome.findings):
        return None
    reason = "the text of a generated answer is judged here, not the commands"
    return Blame(turn.user.line, turn.user.text, given, given, Fault.UNKNOWN, 0, reason)


def _find_doubt(needs: Commands, text: str, assistant: Assistant) -> str:
    """Return why the test may be wrong even though commands pass: it expects what the user does not say."""
    for command in needs:
        if isinstance(command, SetSlot) and command.value is not None:
            slot = assistant.slots.get(command.slot)
            is_free = slot is not None and slot.type in {TEXT, FLOAT}
            if is_free and str(command.value).casefold() not in text.casefold():
                return f"the message does not say {command.value}"
    return ""


def _earlier(commands: list[Command]) -> dict[str, tuple[str, ...]]:
    """Return the values that slots were given before."""
    found: dict[str, tuple[str, ...]] = {}
    for command in commands:
        if isinstance(command, SetSlot) and command.value is not None:
            found[command.slot] = (*found.get(command.slot, ()), str(command.value))
    return found
