"""Robustness runs: the suite of a session, changed and asked again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from du_eval import __version__
from du_eval.assembly import Session
from du_eval.errors import ConfigError, did_you_mean
from du_eval.evaluation.aggregate import Evaluation, evaluated
from du_eval.evaluation.expectations import ExpectationReader
from du_eval.evaluation.perturbing import (
    ChangedGenerator,
    ChangedMessages,
    changed_messages,
    with_messages,
)
from du_eval.evaluation.predict import NoStore
from du_eval.evaluation.records import RunRecord
from du_eval.evaluation.results import RunResult
from du_eval.evaluation.rewrites import KINDS as REWRITES
from du_eval.evaluation.rewrites import Rewriter
from du_eval.evaluation.robustness import PerturbedRun, Robustness, robustness_of
from du_eval.generators.base import CommandGenerator
from du_eval.perturbations.catalogue import NAMES
from du_eval.reports.data import DataReporter
from du_eval.reports.saved import record_of
from du_eval.suites.model import TestSuite

Ask = Callable[[TestSuite, CommandGenerator], RunResult]


def measured_robustness(session: Session, generator: CommandGenerator, base: Evaluation) -> Robustness:
    """Ask the changed suites, and compare each with the run over the unchanged one."""
    kinds, levels = kinds_of(session.config.perturb or ""), levels_of(session.config.levels)
    evaluator = replace(session.evaluator, store=NoStore())
    runs = list(_runs(session, kinds, levels, _Asking(evaluator.run, generator)))
    return robustness_of(_record(base), runs)


@dataclass(frozen=True)
class _Asking:
    """Who is asked, and how."""

    run: Ask
    generator: CommandGenerator

    def about(self, suite: TestSuite, changed: ChangedMessages | None = None) -> RunRecord:
        """Return the answers about a suite, or about its messages as they were changed."""
        generator = ChangedGenerator(self.generator, changed) if changed else self.generator
        return _record(evaluated(self.run(suite, generator), __version__))


def kinds_of(text: str) -> list[str]:
    """Read the names of perturbations."""
    known = (*NAMES, *REWRITES)
    found = [kind.strip() for kind in text.split(",") if kind.strip()]
    for kind in found:
        if kind not in known:
            hint = did_you_mean(kind, known) or f"known are: {', '.join(known)}"
            raise ConfigError(f"--perturb: there is no perturbation '{kind}'; {hint}")
    return found


def levels_of(text: str) -> list[float]:
    """Read levels; 0 is the unchanged suite, which is always asked."""
    try:
        found = sorted({float(level) for level in text.split(",")} - {0.0})
    except ValueError as error:
        raise ConfigError(f"--levels: '{text}' is no list of shares such as 0.1,0.2") from error
    if not found or not all(0 < level <= 1 for level in found):
        raise ConfigError(f"--levels: '{text}' needs shares above 0, up to 1")
    return found


def _runs(session: Session, kinds: list[str], levels: list[float], ask: _Asking) -> Iterator[PerturbedRun]:
    parser, config = session.evaluator.parser, session.config
    reader = ExpectationReader(parser)
    for kind in kinds:
        if kind in REWRITES:
            rewriter = Rewriter(reader, parser.syntax.print, config.seed, session.assistants.of)
            suite, places = rewriter.rewritten(session.suite, kind)
            yield PerturbedRun(kind, 1.0, 1.0, ask.about(suite), places)
            continue
        for level in levels:
            found = changed_messages(session.suite, kind, level, reader, config.seed)
            record = (
                ask.about(with_messages(session.suite, found))
                if config.perturb_history
                else ask.about(session.suite, found)
            )
            yield PerturbedRun(kind, level, found.realised, record)


def _record(evaluation: Evaluation) -> RunRecord:
    return record_of(DataReporter().everything(evaluation), "unchanged")
