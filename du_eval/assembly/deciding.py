"""What settings of command tests ask for beyond the answers: goals, thresholds, an early end."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import TYPE_CHECKING

from du_eval.assembly import build_parser
from du_eval.errors import ConfigError
from du_eval.runs.figures import check_thresholds, parse_thresholds
from du_eval.settings.commands import TestSettings
from du_eval.settings.sources import Settled

if TYPE_CHECKING:
    from du_eval.evaluation.sequential_run import UntilDecided

_MEASURES = ("f1", "precision", "recall")


def plan_until_decided(config: TestSettings) -> UntilDecided | None:
    """Return the plan of a run against another one, if the settings ask for it."""
    if config.against is None:
        return None
    from du_eval.assembly.finding import find_run
    from du_eval.evaluation.sequential_run import UntilDecided
    from du_eval.runs.records import reduce_run
    from du_eval.statistics.verdict import Criteria

    baseline = reduce_run(find_run(config.against, config.runs_dir), PurePath(config.against).stem)
    criteria = Criteria(config.alpha, config.margin, config.seed)
    return UntilDecided(baseline, criteria, config.batch, config.max_errors)


def check_fail_under(settled: Settled[TestSettings]) -> None:
    """Raise where `fail_under` names an unknown measure or command, wherever it was set."""
    text = settled.config.fail_under
    if text is None:
        return
    origin = settled.origins["fail_under"]
    shown = "--fail-under" if origin == "flag" else f"{origin}: fail_under"
    commands = [command.name for command in build_parser(settled.config).registry]
    thresholds = parse_thresholds(text, shown)
    check_thresholds(thresholds, list_figures(commands), shown)
    beyond = [one for one in thresholds if not 0 <= one.value <= 1]
    if beyond:
        told = (f"{shown}: {one.name} is a share from 0 to 1, not {one.value:g}" for one in beyond)
        raise ConfigError("\n".join(told))


def list_figures(commands: Iterable[str]) -> list[str]:
    """Return the names of all figures that a run over these commands can have."""
    from du_eval.evaluation.goals import GOAL_FIGURES
    from du_eval.evaluation.record import FIGURES

    keys = [name.replace(" ", "_") for name in commands]
    return [*FIGURES, *GOAL_FIGURES, *(f"{measure}.{key}" for measure in _MEASURES for key in keys)]
