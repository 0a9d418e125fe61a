"""Answers in the journal of a run: kept when they come, found again when a run goes on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from du_eval.commands.base import Command
from du_eval.errors import CommandReadError, DuEvalError, GeneratorError
from du_eval.evaluation.plan import Probe, key_of
from du_eval.generators.base import CommandLike, Prediction, Request
from du_eval.generators.plain import plain, prediction_from
from du_eval.parsers.command_parser import CommandParser
from du_eval.parsers.tool_calls import command_from_data
from du_eval.runs.asking import NotAskedError
from du_eval.runs.journal import Journal, Record
from du_eval.runs.outcome import Outcome


def fingerprint(request: Request) -> str:
    """Return what tells one question from another: the message and the conversation before it."""
    turns = (f"{turn.speaker}\x1f{turn.text}\x1f{turn.response or ''}" for turn in request.history)
    text = "\x1e".join((request.message, *turns))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


class JournalStore(Struct, frozen=True):
    """The store of a run that is written down."""

    journal: Journal
    parser: CommandParser
    retries_errors: bool = False
    """Ask again where the journal has only an error."""

    def recall(self, item: Probe) -> Prediction | DuEvalError | None:
        """Return the answer in the journal, if it answers this very request."""
        if item.key not in self.journal:
            return None
        found = self.journal.find(item.key, fingerprint(item.request), with_errors=not self.retries_errors)
        return None if found is None else answer_of(found)

    def keep(self, item: Probe, answer: Prediction | DuEvalError, outcome: Outcome | None) -> None:
        """Write an answer down."""
        key, request_print, became = item.key, fingerprint(item.request), str(outcome or "")
        if isinstance(answer, Prediction):
            record = Record(key, request_print, plain(self._readable(answer)), outcome=became)
        else:
            record = Record(key, request_print, error=str(answer), outcome=became)
        self.journal.append(record)

    def _readable(self, answer: Prediction) -> Prediction:
        """Return the answer with its command objects in a form that will be read back as the same."""
        if not answer.commands and not answer.components:
            return answer
        commands = None if answer.commands is None else self._all_readable(answer.commands)
        components = {
            name: part if isinstance(part, str) else self._all_readable(part)
            for name, part in answer.components.items()
        }
        return replace(answer, commands=commands, components=components)

    def _all_readable(self, commands: tuple[CommandLike, ...]) -> tuple[CommandLike, ...]:
        return tuple(command if isinstance(command, str) else self._one(command) for command in commands)

    def _one(self, command: Command | Mapping[str, Any]) -> CommandLike:
        given = command.as_dict() if isinstance(command, Command) else dict(command)
        data: Mapping[str, Any] = json.loads(json.dumps(given, default=str))
        if not isinstance(command, Command):
            return data
        try:
            if command_from_data(data, self.parser.registry) == command:
                return data
        except CommandReadError:
            pass
        return self.parser.syntax.print(command)


class JournalReader:
    """Answers of finished runs, for judging them again: nobody is asked."""

    def __init__(self, journals: list[Journal]) -> None:
        self._journals = journals

    async def generate(self, request: Request) -> Prediction:
        """Return the answer that a journal holds for a request."""
        key = key_of(request.place)
        for journal in self._journals:
            found = journal.find(key, fingerprint(request))
            if found is not None:
                answer = answer_of(found)
                if isinstance(answer, DuEvalError):
                    raise answer
                return answer
        if any(key in journal for journal in self._journals):
            raise GeneratorError("the message or the conversation before it has changed since the run")
        raise NotAskedError("the run has no answer for this step")


def answer_of(record: Record) -> Prediction | DuEvalError:
    """Return the answer of a record."""
    if record.answer is None:
        return GeneratorError(record.error)
    try:
        return prediction_from(record.answer)
    except GeneratorError as error:
        return error
