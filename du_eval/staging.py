"""Configuration into dialogues: what runs end-to-end tests, and what a suite covers of an assistant."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from du_eval.assembly import Assistants, build_generator, build_parser, build_session, build_stage
from du_eval.errors import AssistantError, SuiteError
from du_eval.settings.commands import EndToEndSettings, TestSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from du_eval.endtoend.load import EndToEndSuite
    from du_eval.endtoend.record import EndToEndRun
    from du_eval.endtoend.results import CaseOutcome
    from du_eval.endtoend.run import EndToEndRunner
    from du_eval.evaluation.coverage import Coverage
    from du_eval.judges.generated import AnswerRater
    from du_eval.parsers.command_parser import CommandParser
    from du_eval.runs.budget import Budget
    from du_eval.runs.record import Head
    from du_eval.runs.store import StoredRun


def build_coverage(config: TestSettings, *, with_suite: bool) -> Coverage:
    """Return the flows of the one assistant of a run, and what the suite exercises of them."""
    from du_eval.assistants.load import load_assistant
    from du_eval.evaluation.coverage import covered
    from du_eval.evaluation.expectations import ExpectationReader

    stage = build_stage(config.actions, config.action_endpoint)
    reader = ExpectationReader(build_parser(config))
    if not with_suite:
        assistant = load_assistant(config.assistant or "", skip_validation=config.skip_validation)
        return covered(assistant, (), reader, stage)
    session = build_session(config)
    found = {bot.path: bot for case in session.suite if (bot := session.assistants.of(case)) is not None}
    if len(found) != 1:
        names = ", ".join(found) or "none"
        raise AssistantError(
            f"the flows of one assistant can be shown at a time, these cases have: {names} "
            "(name the test files of one, or --assistant)"
        )
    return covered(next(iter(found.values())), session.suite, reader, stage)


class EndToEndSession(Struct, frozen=True):
    """Checked end-to-end cases with everything that runs them."""

    suite: EndToEndSuite
    runner: EndToEndRunner
    parser: CommandParser
    generator_name: str
    warnings: tuple[str, ...]
    budget: Budget
    """Counts what the generator asks."""

    def record(self, outcomes: Sequence[CaseOutcome], head: Head) -> EndToEndRun:
        """Return the record of what became of the cases; `head` brings what only the caller knows."""
        from du_eval.endtoend.record import record_endtoend

        head = replace(head, subject=self.generator_name, planned=len(self.suite.cases))
        judge = self.runner.name_judge(self.suite)
        run = record_endtoend(outcomes, self.parser.syntax.print, head, judge)
        return replace(run, notes=self.suite.warnings)


def build_end_to_end(config: EndToEndSettings) -> EndToEndSession:
    """Load and check end-to-end cases; raise with all problems of all files at once."""
    from du_eval.endtoend.load import EndToEndSuite, list_unknown_names, load_end_to_end
    from du_eval.endtoend.run import EndToEndRunner
    from du_eval.generators.answers import AnswerReader
    from du_eval.runs.budget import Budget
    from du_eval.suites.select import pick_cases, take_shard, target_of

    targets = [target_of(path) for path in config.paths]
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


def rejudge_endtoend(stored: StoredRun) -> EndToEndRun:
    """Return a kept run of end-to-end tests as its recorded answers give it; nobody is asked."""
    from contextlib import closing

    from du_eval.assembly.endtoend_run import KeptRater
    from du_eval.assembly.keeping import settle_run
    from du_eval.evaluation.predict import JournalReader
    from du_eval.runs.record import Head

    config = settle_run(EndToEndSettings, {"resume": str(stored.folder)}, os.environ).config
    session = build_end_to_end(config)
    with closing(stored.journal()) as journal:
        rater = KeptRater(session.runner.rater, journal)
        runner = replace(session.runner, generator=JournalReader([journal]), rater=rater)
        outcomes = runner.run(session.suite)
    return session.record(outcomes, Head(stored.manifest.kind))


def _rater(config: EndToEndSettings) -> AnswerRater:
    from du_eval.judges.generated import PlayedRater, SimilarityRater

    chosen = config.judges or ("gist=llm" if config.judge_model else "")
    if not chosen:
        from du_eval.judges.similarity import similarity_judge

        return SimilarityRater(similarity_judge(config.similarity))
    from du_eval.assembly.judges import JudgeOptions, build_panel
    from du_eval.judges.gist import PlayedGist
    from du_eval.judges.tasks import Role

    url = config.judge_base_url or config.base_url or ""
    options = JudgeOptions(chosen, config.judge_model, url, environment=os.environ, cache=config.cache)
    return PlayedRater(PlayedGist(build_panel([Role.GIST], options)[Role.GIST]))
