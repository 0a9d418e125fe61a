"""Robustness runs: the suite of a session, changed and asked again."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from du_eval import __version__
from du_eval.assembly import Session
from du_eval.commands.slots import SetSlot
from du_eval.errors import ConfigError, did_you_mean
from du_eval.evaluation.aggregate import Evaluation, evaluated
from du_eval.evaluation.expectations import ExpectationReader
from du_eval.evaluation.predict import NoStore
from du_eval.evaluation.records import RunRecord
from du_eval.evaluation.results import RunResult
from du_eval.evaluation.rewrites import KINDS as REWRITES
from du_eval.evaluation.rewrites import Rewriter
from du_eval.evaluation.robustness import PerturbedRun, Robustness, robustness_of
from du_eval.generators.base import CommandGenerator
from du_eval.reports.data import DataReporter
from du_eval.reports.saved import record_of
from du_eval.suites.model import TestSuite, UserStep
from du_eval.suites.perturb import KINDS, perturbed

Ask = Callable[[TestSuite], RunResult]


def measured_robustness(session: Session, generator: CommandGenerator, base: Evaluation) -> Robustness:
    """Ask the changed suites, and compare each with the run over the unchanged one."""
    from dataclasses import replace

    kinds, levels = kinds_of(session.config.perturb or ""), levels_of(session.config.levels)
    evaluator = replace(session.evaluator, store=NoStore())
    runs = list(_runs(session, kinds, levels, lambda suite: evaluator.run(suite, generator)))
    return robustness_of(_record(base), runs)


def kinds_of(text: str) -> list[str]:
    """Read the names of perturbations."""
    known = (*KINDS, *REWRITES)
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


def _runs(session: Session, kinds: list[str], levels: list[float], ask: Ask) -> Iterator[PerturbedRun]:
    parser, seed = session.evaluator.parser, session.config.seed
    reader = ExpectationReader(parser)
    for kind in kinds:
        if kind in REWRITES:
            suite, places = Rewriter(reader, parser.syntax.print, seed).rewritten(session.suite, kind)
            yield PerturbedRun(kind, 1.0, 1.0, _record_of(ask(suite)), places)
            continue
        for level in levels:
            found = perturbed(session.suite, kind, level, lambda step: _values(step, reader), seed)
            yield PerturbedRun(kind, level, found.realised, _record_of(ask(found.suite)))


def _values(step: UserStep, reader: ExpectationReader) -> set[str]:
    """Return the slot values that must stay as they are, so that the expectation stays right."""
    return {
        str(command.value)
        for group in reader.alternatives(step)
        for command in group
        if isinstance(command, SetSlot)
    }


def _record(evaluation: Evaluation) -> RunRecord:
    return record_of(DataReporter().everything(evaluation), "unchanged")


def _record_of(run: RunResult) -> RunRecord:
    return _record(evaluated(run, __version__))
