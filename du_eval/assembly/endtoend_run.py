"""A run of end-to-end tests and its folder: a run that goes on asks nothing twice."""

from __future__ import annotations

import hashlib
import json

from msgspec import Struct, convert
from msgspec.structs import asdict, replace

from du_eval.assembly.keeping import identity_of
from du_eval.endtoend.detail import KIND
from du_eval.endtoend.load import EndToEndSuite
from du_eval.endtoend.run import EndToEndRunner
from du_eval.errors import GeneratorError
from du_eval.evaluation.plan import Probe
from du_eval.evaluation.predict import JournalStore
from du_eval.generators.base import CommandGenerator, Prediction, Request, close_if_open
from du_eval.judges.generated import AnswerRater, Rating
from du_eval.parsers.command_parser import CommandParser
from du_eval.runs.journal import JUDGE, Journal, Record
from du_eval.runs.keeping import Opening, OpenRun
from du_eval.runs.record import Key
from du_eval.settings.commands import EndToEndSettings


class KeptGenerator(Struct, frozen=True):
    """Asks a generator only what the journal of the run does not hold; errors are asked again."""

    generator: CommandGenerator
    store: JournalStore

    async def generate(self, request: Request) -> Prediction:
        """Return the answer to one request."""
        probe = Probe(request, ())
        found = self.store.recall(probe)
        if isinstance(found, Prediction):
            return found
        try:
            answer = await self.generator.generate(request)
        except GeneratorError as error:
            self.store.keep(probe, error, None)
            raise
        self.store.keep(probe, answer, None)
        return answer

    async def close(self) -> None:
        """Close the generator, where it can be closed."""
        await close_if_open(self.generator)


class KeptRater(Struct, frozen=True):
    """Asks a judge of generated answers only what the journal of the run does not hold."""

    rater: AnswerRater
    journal: Journal

    @property
    def name(self) -> str:
        """How results name the judge."""
        return self.rater.name

    async def relevance(self, answer: str, question: str) -> Rating:
        """Return how much an answer is about the question."""
        return await self._rate("relevance", answer, question)

    async def grounding(self, answer: str, facts: str) -> Rating:
        """Return which part of an answer is supported by facts."""
        return await self._rate("grounding", answer, facts)

    async def _rate(self, role: str, answer: str, other: str) -> Rating:
        asked = json.dumps([self.name, role, answer, other])
        key = Key(JUDGE, hashlib.sha256(asked.encode()).hexdigest()[:16], 0)
        kept = self.journal.find(key, asked, with_errors=False)
        if kept is not None and kept.answer is not None:
            return convert(kept.answer, Rating)
        if not self.journal.is_writing:  # a run that is only read asks nobody
            return Rating(None, "the journal of the run does not hold what the judge said")
        rating: Rating = await getattr(self.rater, role)(answer, other)
        if rating.value is not None:  # what the judge left open, it is asked again
            self.journal.append(Record(key, asked, asdict(rating)))
        return rating

    async def close(self) -> None:
        """Close the judge, where it can be closed."""
        await close_if_open(self.rater)


def describe_endtoend(config: EndToEndSettings, suite: EndToEndSuite, generator: str) -> Opening:
    """Return what a run of end-to-end tests is about."""
    return Opening(
        kind=KIND.name,
        subject=generator,
        files=tuple(dict.fromkeys(case.file for case in suite.cases)),
        cases=tuple(case.id for case in suite.cases),
        identity=identity_of(config) | {"judge": config.judge_model or config.similarity},
        steps=sum(len(case.turns) for case in suite.cases),
    )


def keep_answers(runner: EndToEndRunner, opened: OpenRun, parser: CommandParser) -> EndToEndRunner:
    """Return a runner that writes every answer into the journal of a run."""
    store = JournalStore(opened.journal, parser, retries_errors=True)
    rater = KeptRater(runner.rater, opened.journal)
    return replace(runner, generator=KeptGenerator(runner.generator, store), rater=rater)
