"""Robustness runs: the suite of a session, changed and asked again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from du_eval.assembly import Session
from du_eval.errors import ConfigError, did_you_mean
from du_eval.evaluation.expectations import ExpectationReader
from du_eval.evaluation.predict import JournalStore, OnResult, ProbeStore
from du_eval.evaluation.record import TestRun
from du_eval.evaluation.rewrites import KINDS as REWRITES
from du_eval.evaluation.rewrites import (
    ChangedGenerator,
    ChangedMessages,
    Rewriter,
    change_messages,
    with_messages,
)
from du_eval.evaluation.robustness import PerturbedRun, Places, Robustness, measure_robustness
from du_eval.generators.base import CommandGenerator
from du_eval.perturbations.catalogue import PERTURBATIONS
from du_eval.runs.asking import NoStore
from du_eval.runs.journal import Journal
from du_eval.runs.record import Head, Status
from du_eval.runs.records import reduce_run
from du_eval.settings.commands import TestSettings
from du_eval.suites.model import TestSuite

Ask = Callable[[TestSuite, CommandGenerator], TestRun]


class Measured(Struct, frozen=True):
    """The robustness, as far as it was measured."""

    robustness: Robustness
    last: Head
    """How the last run ended."""


def count_variants(config: TestSettings) -> int:
    """Return how often the suite is asked again."""
    kinds, levels = read_kinds(config.perturb or ""), read_levels(config.levels)
    return sum(1 if kind in REWRITES else len(levels) for kind in kinds)


def ask_perturbed(
    session: Session,
    generator: CommandGenerator,
    base: TestRun,
    folder: Path | None = None,
    on_result: OnResult = lambda _: None,
) -> Measured:
    """Ask the changed suites, and compare each with the run over the unchanged one.

    With the folder of a run, answers are kept there, so that a run that goes on asks none of them twice.
    """
    kinds, levels = read_kinds(session.config.perturb or ""), read_levels(session.config.levels)
    asking, before = _Asking(session, generator, folder, on_result), reduce_run(base, "unchanged")
    runs: list[PerturbedRun] = []
    for variant in _variants(session, kinds, levels):
        result = asking.about(variant)
        if result.head.status is not Status.FINISHED:
            return Measured(measure_robustness(before, runs), result.head)
        record = reduce_run(result, "unchanged")
        runs.append(PerturbedRun(variant.kind, variant.level, variant.realised, record, variant.places))
    return Measured(measure_robustness(before, runs), base.head)


class _Variant(Struct, frozen=True):
    """A suite to ask about, or the messages of the unchanged one as they were changed."""

    kind: str
    level: float
    realised: float
    suite: TestSuite
    changed: ChangedMessages | None = None
    places: Places | None = None


class _Asking(Struct, frozen=True):
    """Who is asked, and where the answers are kept."""

    session: Session
    generator: CommandGenerator
    folder: Path | None
    on_result: OnResult

    def about(self, variant: _Variant) -> TestRun:
        """Return the answers about a variant of the suite."""
        changed = variant.changed
        generator = ChangedGenerator(self.generator, changed) if changed else self.generator
        with ExitStack() as stack:
            store: ProbeStore = stack.enter_context(self._kept(variant)) if self.folder else NoStore()
            evaluator = replace(self.session.evaluator, store=store, measures_goals=False)
            return evaluator.run(variant.suite, generator, on_result=self.on_result)

    @contextmanager
    def _kept(self, variant: _Variant) -> Iterator[JournalStore]:
        assert self.folder is not None, "the caller looks"
        config = self.session.config
        history = "-history" if config.perturb_history else ""
        file = self.folder / "perturbed" / f"{variant.kind}-{variant.level:g}-{config.seed}{history}.jsonl"
        with closing(Journal.opened(file, writing=True)) as journal:
            yield JournalStore(journal, self.session.evaluator.parser, config.retry_errors)


def read_kinds(text: str) -> list[str]:
    """Read the names of perturbations."""
    known = (*PERTURBATIONS, *REWRITES)
    found = [kind.strip() for kind in text.split(",") if kind.strip()]
    for kind in found:
        if kind not in known:
            hint = did_you_mean(kind, known) or f"choose from: {', '.join(known)}"
            raise ConfigError(f"--perturb: unknown perturbation '{kind}'; {hint}")
    return found


def read_levels(text: str) -> list[float]:
    """Read levels; 0 is the unchanged suite, which is always asked."""
    try:
        found = sorted({float(level) for level in text.split(",")} - {0.0})
    except ValueError as error:
        raise ConfigError(f"--levels: '{text}' is not a list of shares such as 0.1,0.2") from error
    if not found or not all(0 < level <= 1 for level in found):
        raise ConfigError(f"--levels: '{text}' needs shares above 0, up to 1")
    return found


def _variants(session: Session, kinds: list[str], levels: list[float]) -> Iterator[_Variant]:
    parser, config = session.evaluator.parser, session.config
    reader = ExpectationReader(parser)
    for kind in kinds:
        if kind in REWRITES:
            rewriter = Rewriter(reader, parser.syntax.print, config.seed, session.assistants.of)
            suite, places = rewriter.rewrite(session.suite, kind)
            yield _Variant(kind, 1.0, 1.0, suite, places=places)
            continue
        for level in levels:
            found = change_messages(session.suite, kind, level, reader, config.seed)
            if config.perturb_history:
                yield _Variant(kind, level, found.realised, with_messages(session.suite, found))
            else:
                yield _Variant(kind, level, found.realised, session.suite, found)
