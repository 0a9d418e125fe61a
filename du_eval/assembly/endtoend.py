"""End-to-end tests: settings into cases that can run; a run that goes on asks nothing twice."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence

from msgspec import Struct, convert
from msgspec.structs import asdict, replace

from du_eval.assembly import Assistants, build_generator, build_parser, build_stage
from du_eval.assembly.judges import JudgeOptions, build_panel
from du_eval.assembly.keeping import identify_run
from du_eval.assembly.selection import name_selected
from du_eval.endtoend.detail import KIND
from du_eval.endtoend.load import EndToEndSuite, list_unknown_names, load_end_to_end
from du_eval.endtoend.record import EndToEndRun, record_endtoend
from du_eval.endtoend.results import PlayedCase
from du_eval.endtoend.run import EndToEndRunner
from du_eval.errors import GeneratorError, SuiteError
from du_eval.evaluation.plan import Probe
from du_eval.evaluation.predict import JournalReader, JournalStore
from du_eval.generators.answers import AnswerReader
from du_eval.generators.base import CommandGenerator, Prediction, Request, close_if_open
from du_eval.judges.generated import AnswerRater, PlayedRater, Rating, SimilarityRater
from du_eval.judges.gist import PlayedGist
from du_eval.judges.similarity import similarity_judge
from du_eval.judges.tasks import Role
from du_eval.parsers.command_parser import CommandParser
from du_eval.runs.budget import Budget
from du_eval.runs.journal import JUDGE, Journal, Record
from du_eval.runs.keeping import Opening, OpenRun
from du_eval.runs.record import Head, Key
from du_eval.settings.commands import EndToEndSettings
from du_eval.suites.select import parse_target, pick_cases, take_shard


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

    async def rate_relevance(self, answer: str, question: str) -> Rating:
        """Return how much an answer is about the question."""
        return await self._rate("relevance", answer, question)

    async def rate_grounding(self, answer: str, facts: str) -> Rating:
        """Return which part of an answer is supported by facts."""
        return await self._rate("grounding", answer, facts)

    async def _rate(self, role: str, answer: str, other: str) -> Rating:
        asked = json.dumps([self.name, role, answer, other])
        key = Key(JUDGE, hashlib.sha256(asked.encode()).hexdigest()[:16], 0)
        kept = self.journal.find(key, asked, with_errors=False)
        if kept is not None and kept.answer is not None:
            return convert(kept.answer, Rating)
        if not self.journal.is_writing:  # a run that is only read asks nobody
            return Rating(None, "the journal of the run does not contain the judge's answer")
        rate = self.rater.rate_relevance if role == "relevance" else self.rater.rate_grounding
        rating = await rate(answer, other)
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
        identity=identify_run(config) | {"judge": config.judge_model or config.similarity},
        steps=sum(len(case.turns) for case in suite.cases),
    )


def keep_answers(runner: EndToEndRunner, opened: OpenRun, parser: CommandParser) -> EndToEndRunner:
    """Return a runner that writes every answer into the journal of a run."""
    store = JournalStore(opened.journal, parser, retries_errors=True)
    rater = KeptRater(runner.rater, opened.journal)
    return replace(runner, generator=KeptGenerator(runner.generator, store), rater=rater)


class EndToEndSession(Struct, frozen=True):
    """Checked end-to-end cases with everything that runs them."""

    suite: EndToEndSuite
    runner: EndToEndRunner
    parser: CommandParser
    generator_name: str
    warnings: tuple[str, ...]
    budget: Budget
    """Counts what the generator asks."""

    def record(self, outcomes: Sequence[PlayedCase], head: Head) -> EndToEndRun:
        """Return the record of what became of the cases; `head` brings what only the caller knows."""
        head = replace(head, subject=self.generator_name, planned=len(self.suite.cases))
        judge = self.runner.name_judge(self.suite)
        run = record_endtoend(outcomes, self.parser.syntax.print, head, judge)
        return replace(run, notes=self.suite.warnings)


def build_end_to_end(config: EndToEndSettings) -> EndToEndSession:
    """Load and check end-to-end cases; raise with all problems of all files at once."""
    targets = [parse_target(path) for path in config.paths]
    suite = load_end_to_end([target.path for target in targets])
    cases = pick_cases(suite.cases, targets, config.select, config.deselect)
    cases = take_shard(cases, config.shard) if config.shard else cases
    assistants = Assistants(config.assistant, config.skip_validation)
    for case in cases:
        assistants.for_file(case.file)
    if assistants.problems:
        raise SuiteError(sorted(set(assistants.problems)))
    parser = build_parser(config)
    budget = Budget()
    generator = build_generator(config, parser, budget)
    runner = EndToEndRunner(
        generator,
        AnswerReader(parser, parser.registry),
        lambda case: assistants.for_file(case.file),
        build_stage(config.actions, config.action_endpoint).actions,
        build_stage(config.actions, None).actions,
        config.concurrency,
        _rater(config),
        frozenset[str]().union(*(case.named_responses for case in cases)),
    )
    name = getattr(generator, "name", type(generator).__name__)
    unknown = list_unknown_names(cases, assistants.for_file)
    warnings = (*suite.warnings, *assistants.warnings, *unknown)
    return EndToEndSession(EndToEndSuite(cases, suite.warnings), runner, parser, name, warnings, budget)


def rejudge_endtoend(config: EndToEndSettings, opened: OpenRun) -> EndToEndRun:
    """Return a run of end-to-end tests as its recorded answers give it; the generator is not asked."""
    session, journal = build_end_to_end(config), opened.journal
    rater = KeptRater(session.runner.rater, journal)
    runner = replace(session.runner, generator=JournalReader([journal]), rater=rater)
    head = Head(KIND.name, status=opened.stored.rejudged_status, part=name_selected(config))
    return session.record(runner.run(session.suite), head)


def _rater(config: EndToEndSettings) -> AnswerRater:
    chosen = config.judges or ("gist=llm" if config.judge_model else "")
    if not chosen:
        return SimilarityRater(similarity_judge(config.similarity))
    url = config.judge_base_url or config.base_url or ""
    options = JudgeOptions(chosen, config.judge_model, url, environment=os.environ, cache=config.cache)
    return PlayedRater(PlayedGist(build_panel([Role.GIST], options)[Role.GIST]))
