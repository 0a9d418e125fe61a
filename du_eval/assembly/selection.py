"""Which cases run, how often, and when it is enough: settings into values."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from du_eval.errors import ConfigError, InputError, NothingSelectedError, Problem, tell_count
from du_eval.runs.budget import StopRules
from du_eval.runs.schedule import Sampling
from du_eval.runs.store import RunStore
from du_eval.settings.commands import TestSettings
from du_eval.settings.shared import RunSettings
from du_eval.statistics.success import SuccessRatio
from du_eval.suites.select import draw_cases, name_part, only, take_shard, with_first

if TYPE_CHECKING:
    from du_eval.agents.settings import AgentSettings
    from du_eval.settings.commands import EndToEndSettings
    from du_eval.suites.model import TestSuite


_NOT_PASSED = frozenset({"failed", "errored"})


def choose_suite(suite: TestSuite, config: TestSettings) -> TestSuite:
    """Return the part of a suite that a run is about; a resumed run is about the cases it began with."""
    if config.resume is not None:
        manifest = run_store(config).find(config.resume).manifest
        found = only(suite, frozenset(manifest.cases))
        if not len(found):
            raise NothingSelectedError(
                f"none of the {len(manifest.cases)} cases of the run {manifest.id} "
                f"is in {', '.join(config.paths)}"
            )
        if manifest.merged:
            return found
        order = {case: number for number, case in enumerate(manifest.cases)}
        return type(suite)(tuple(sorted(found, key=lambda case: order[case.id])), suite.warnings)
    if config.last_failed or config.failed_first:
        suite = _by_last_run(suite, config)
    if config.shard is not None:
        suite = replace(suite, cases=take_shard(suite.cases, config.shard))
    return draw_cases(suite, config.sample, config.seed) if config.sample is not None else suite


def _by_last_run(suite: TestSuite, config: TestSettings) -> TestSuite:
    """Return what did not pass in the last run, or that first; everything where there was no such run."""
    try:
        last = run_store(config).find(kind="test")
        outcomes = last.outcomes()
    except InputError:
        return suite
    bad = {case for case, outcome in outcomes.items() if outcome in _NOT_PASSED}
    if config.last_failed:
        found = only(suite, bad)
        if not len(found):
            unasked = len(set(last.manifest.cases) - outcomes.keys())
            what = "no case failed" if unasked else "every case passed"
            if bad:
                what = f"none of the cases that did not pass ({len(bad)}) is selected"
            rest = f", and {tell_count(unasked, 'case was', 'cases were')} not asked (--resume goes on)"
            raise NothingSelectedError(f"--lf: in the last run ({last.id}), {what}{rest if unasked else ''}")
        return found
    return with_first(suite, bad)


def name_selected(config: EndToEndSettings | AgentSettings) -> str:
    """Return which part of the cases the settings ask for; empty: all of them."""
    return name_part(config.shard, chosen=config.list_chosen(config.paths))


def build_sampling(config: TestSettings) -> Sampling:
    """Return how often cases are asked."""
    try:
        ratio = SuccessRatio.parsed(config.success_ratio) if config.success_ratio else None
    except ValueError as error:
        raise ConfigError(f"--success-ratio: {error}") from error
    return Sampling(config.samples, ratio, config.all_samples)


def build_stop_rules(config: TestSettings) -> StopRules:
    """Return when a run stops early."""
    return StopRules(config.max_calls, config.max_cost, config.max_error_rate, config.maxfail)


def run_store(config: RunSettings) -> RunStore:
    """Return where runs are kept."""
    root = Path(config.runs_dir)
    if root.exists() and not root.is_dir():
        raise InputError(Problem(str(root), 0, "--runs-dir must be a folder"))
    return RunStore(root)
