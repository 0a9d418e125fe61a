"""Ask a generator, keep its answers in the journal of a run, and collect what became of them."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct, ValidationError, convert, field, to_builtins
from msgspec.structs import asdict, replace

from du_eval.commands.base import Command
from du_eval.errors import CommandReadError, DuEvalError, EndpointError, GeneratorError
from du_eval.evaluation.plan import Plan, Probe, make_key
from du_eval.evaluation.replay import Replay
from du_eval.evaluation.step import DriveSeen, JudgedStep
from du_eval.generators.base import CommandGenerator, CommandLike, Prediction, Request
from du_eval.parsers.command_parser import CommandParser
from du_eval.parsers.tool_calls import read_command_data
from du_eval.runs.asking import AnswerStore, Asker, NotAskedError
from du_eval.runs.budget import Budget
from du_eval.runs.journal import Journal, Record
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Spent

OnResult = Callable[[JudgedStep], None]
Answer = Prediction | DuEvalError
ProbeStore = AnswerStore[Probe, Prediction]
ProbeAsker = Asker[Probe, Prediction, JudgedStep]


async def ask(probe: Probe, generator: CommandGenerator) -> Answer:
    """Return the answer, or the reason there is none; time it where the generator gives no time."""
    start = time.perf_counter()
    try:
        answer: object = await generator.generate(probe.request)
    except (GeneratorError, EndpointError) as error:
        return error
    if not isinstance(answer, Prediction):
        return GeneratorError(f"the generator returned {type(answer).__name__} instead of a Prediction")
    if answer.latency_seconds is None:
        return replace(answer, latency_seconds=time.perf_counter() - start)
    return answer


class Collected(Struct):
    """Results by case; holds what was finished when a run is interrupted."""

    by_case: dict[int, list[JudgedStep]] = field(default_factory=dict)
    replays: dict[int, Replay] = field(default_factory=dict)
    """What replaying a case found, by the number of the case."""
    plans: dict[int, Plan] = field(default_factory=dict)
    """Plans that are needed again, by the number of the case: actions run once."""
    drives: dict[int, DriveSeen] = field(default_factory=dict)
    """Cases driven by the generator's own commands, by the number of the case."""
    retries: int = 0
    cached: int = 0
    reused: int = 0

    def add(self, number: int, result: JudgedStep, answer: Answer, *, is_reused: bool) -> None:
        """Take in a result, and what its answer took."""
        self.by_case.setdefault(number, []).append(result)
        self.count(answer, is_reused=is_reused)

    def count(self, answer: Answer, *, is_reused: bool) -> None:
        """Take in what an answer took."""
        self.reused += is_reused
        if is_reused:
            return
        if not isinstance(answer, Prediction):
            # A generator tells in its own words what its endpoint did.
            cause = answer if isinstance(answer, EndpointError) else answer.__cause__
            self.retries += cause.retries if isinstance(cause, EndpointError) else 0
        else:
            self.retries += sum(prompt.retries for prompt in answer.prompts)
            self.cached += bool(answer.prompts) and all(prompt.is_cached for prompt in answer.prompts)

    def count_spent(self, budget: Budget) -> Spent:
        """Return what the run took."""
        return Spent(budget.calls, self.retries, self.cached, budget.cost or None, self.reused)


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
        return None if found is None else decode_answer(found)

    def keep(self, item: Probe, answer: Prediction | DuEvalError, outcome: Outcome | None) -> None:
        """Write an answer down."""
        key, request_print, became = item.key, fingerprint(item.request), str(outcome or "")
        if isinstance(answer, Prediction):
            record = Record(
                key, request_print, to_builtins(self._readable(answer), enc_hook=_make_plain), outcome=became
            )
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
            if read_command_data(data, self.parser.registry) == command:
                return data
        except CommandReadError:
            pass
        return self.parser.syntax.print(command)


class JournalReader(Struct, frozen=True):
    """Answers of finished runs, for judging them again: nobody is asked."""

    journals: Sequence[Journal]

    async def generate(self, request: Request) -> Prediction:
        """Return the answer that a journal holds for a request."""
        key = make_key(request.place)
        for journal in self.journals:
            found = journal.find(key, fingerprint(request))
            if found is not None:
                answer = decode_answer(found)
                if isinstance(answer, DuEvalError):
                    raise answer
                return answer
        if any(key in journal for journal in self.journals):
            raise GeneratorError("the message or the conversation before it has changed since the run")
        raise NotAskedError("the run has no answer for this step")


def _make_plain(value: Any) -> object:
    """Return what JSON does not know as what it does: mappings of any kind, numbers of numpy, else a text."""
    if isinstance(value, Mapping):
        return dict(value)
    return value.item() if hasattr(value, "item") else str(value)


Kept = tuple[str | dict[str, object], ...]


class _KeptPrediction(Prediction, frozen=True):
    """A prediction as a journal holds it: its commands stay data until they are judged."""

    commands: Kept | None = None
    components: dict[str, str | Kept] = field(default_factory=dict)


def decode_answer(record: Record) -> Prediction | DuEvalError:
    """Return the answer of a record; one of another form, as a damaged journal holds it, is an error."""
    if record.answer is None:
        return GeneratorError(record.error)
    try:
        return Prediction(**asdict(convert(record.answer, _KeptPrediction)))
    except ValidationError as error:
        return GeneratorError(f"the kept answer is damaged: {error}")
