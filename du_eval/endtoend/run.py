"""Run end-to-end cases: a generator understands, the engine answers, the steps are checked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress

from msgspec import Struct, field

from du_eval.assistants.actions import TOO_SLOW, Actions, NoActions, RehearsedActions
from du_eval.assistants.coercion import coerce_value, fits
from du_eval.assistants.engine.definition import choose_patterns
from du_eval.assistants.engine.engine import Engine
from du_eval.assistants.model import CATEGORICAL, Assistant
from du_eval.commands.base import Command
from du_eval.commands.flows import Clarify, SetSlot, StartFlow
from du_eval.endtoend.assertions import assertion_findings
from du_eval.endtoend.blame import find_blame
from du_eval.endtoend.check import step_findings
from du_eval.endtoend.dialogue import CaseDialogue, read_payload_commands
from du_eval.endtoend.load import EndToEndSuite
from du_eval.endtoend.model import EndToEndCase
from du_eval.endtoend.results import Finding, PlayedCase, TurnRecord
from du_eval.errors import CommandReadError, GeneratorError
from du_eval.generators.answers import AnswerReader
from du_eval.generators.base import CommandGenerator, Place, Request, close_if_open
from du_eval.judges.generated import AnswerRater, SimilarityRater
from du_eval.judges.similarity import similarity_judge
from du_eval.runs.asking import NotAskedError, ask_each
from du_eval.runs.outcome import Outcome

_SECONDS_OF_ACTIONS = 5.0
"""How long custom actions may take to find out whose fault one case is."""


class EndToEndRunner(Struct, frozen=True):
    """Everything that a run needs besides the cases."""

    generator: CommandGenerator
    reader: AnswerReader
    assistant_of: Callable[[EndToEndCase], Assistant | None]
    actions: Actions = field(default_factory=NoActions)
    rehearsal: Actions = field(default_factory=NoActions)
    """Actions that may run again and again, to find out whose fault a failure is."""
    concurrency: int = 8
    rater: AnswerRater = field(default_factory=lambda: SimilarityRater(similarity_judge()))
    """Judges generated answers, where assertions ask for that."""
    named: frozenset[str] = frozenset()
    """Responses that the cases name: they tell which version of the patterns is tested."""
    _engines: dict[str, Engine] = field(default_factory=dict)

    def run(self, suite: EndToEndSuite) -> tuple[PlayedCase, ...]:
        """Return what became of all cases, or of those that were finished before an interruption."""
        found: dict[int, PlayedCase | None] = {}
        with suppress(KeyboardInterrupt):
            asyncio.run(self._all_and_close(suite.cases, found))
        return tuple(self.blame(one) for _, one in sorted(found.items()) if one is not None)

    def name_judge(self, suite: EndToEndSuite) -> str:
        """Return who judges generated answers; nothing where no assertion asks for that."""
        return self.rater.name if any(case.has_generative for case in suite.cases) else ""

    async def _all_and_close(
        self, cases: Sequence[EndToEndCase], found: dict[int, PlayedCase | None]
    ) -> None:
        try:
            await ask_each(cases, self._play, self.concurrency, found)
        finally:
            for one in (self.generator, self.rater):
                await close_if_open(one)

    async def _play(self, case: EndToEndCase) -> PlayedCase | None:
        """Return what became of one case; None where a recorded run did not ask it to its end."""
        try:
            return await self.outcome(case)
        except NotAskedError:
            return None

    async def outcome(self, case: EndToEndCase) -> PlayedCase:
        """Return what became of one case."""
        assistant = self.assistant_of(case)
        if assistant is None:
            return PlayedCase(case, (), error="no assistant was found; name one with --assistant")
        records: list[TurnRecord] = []
        error = ""
        async for record in self._talk(CaseDialogue(case, self._engine(assistant), self.actions)):
            if isinstance(record, str):
                error = record
            else:
                records.append(record)
        return PlayedCase(case, tuple(records), tuple(await self._findings(case, records)), error)

    def blame(self, outcome: PlayedCase) -> PlayedCase:
        """Return a case that did not pass with whose fault it is."""
        assistant = self.assistant_of(outcome.case)
        is_stopped = any(record.has_stopped for record in outcome.turns)
        is_open = outcome.verdict is Outcome.FAILED or (outcome.error and not is_stopped)
        if assistant is None or not is_open:
            return outcome
        actions = RehearsedActions(self.rehearsal, _SECONDS_OF_ACTIONS)
        dialogue = CaseDialogue(outcome.case, self._engine(assistant), actions)
        found = find_blame(outcome, dialogue, lambda command: self._is_known(command, assistant))
        return found.doubt(TOO_SLOW) if actions.is_used_up else found

    async def _talk(self, dialogue: CaseDialogue) -> AsyncIterator[TurnRecord | str]:
        """Yield turn after turn; at last a text, where the dialogue cannot go on."""
        case, assistant = dialogue.case, dialogue.engine.assistant
        moment = dialogue.begin()
        for number, turn in enumerate(case.turns, 1):
            place = Place(case.file, case.name, number, turn.user.line)
            metadata = {**case.metadata, **turn.user.metadata}
            state = moment.state.summary()
            request = Request(turn.user.text, moment.history, state, metadata, assistant, place)
            try:
                commands = await self._understood(request)
            except (GeneratorError, CommandReadError) as error:
                yield f"{place}: '{turn.user.text}' was not understood: {error}"
                return
            advance = dialogue.take_turn(moment, turn.user, commands)
            unknown = tuple(command for command in commands if not self._is_known(command, assistant))
            yield TurnRecord(turn.user, commands, advance.events, unknown)
            if advance.state.stopped:
                yield f"{place}: {advance.state.stopped}"
                return
            moment = dialogue.move_on(moment, turn.user, commands, advance)

    async def _understood(self, request: Request) -> tuple[Command, ...]:
        given = read_payload_commands(request.message, request.assistant)
        if given is not None:
            return given
        return self.reader.commands(await self.generator.generate(request))

    def _is_known(self, command: Command, assistant: Assistant) -> bool:
        if isinstance(command, StartFlow):
            return command.flow in assistant.flows
        if isinstance(command, Clarify):
            return all(option in assistant.flows for option in command.options)
        if isinstance(command, SetSlot):
            slot = assistant.slots.get(command.slot)
            return slot is not None and (
                slot.type != CATEGORICAL or fits(slot, coerce_value(slot, command.value))
            )
        return type(command) in self.reader.registry.commands

    def _engine(self, assistant: Assistant) -> Engine:
        if assistant.path not in self._engines:
            self._engines[assistant.path] = Engine(assistant, choose_patterns(assistant, self.named))
        return self._engines[assistant.path]

    async def _findings(self, case: EndToEndCase, records: Sequence[TurnRecord]) -> list[Finding]:
        found: list[Finding] = []
        for turn, record in zip(case.turns, records, strict=False):
            if record.has_stopped:
                break
            if case.has_assertions:
                found.extend(await assertion_findings(turn.user, record, self.rater))
            else:
                found.extend(step_findings(turn, record))
        return found
