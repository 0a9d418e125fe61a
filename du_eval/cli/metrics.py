"""`du-eval metrics`: from files of responses to a table of corpus metrics."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from du_eval.cli.edge import say
from du_eval.cli.generated import Given, with_settings
from du_eval.corpus.config import MetricsSettings
from du_eval.errors import ExitCode

if TYPE_CHECKING:
    from du_eval.assembly.metrics import MeasuredFiles
    from du_eval.corpus.catalogue import MetricSelection
    from du_eval.corpus.record import MetricsRun

_FORMS = {"table": "", "markdown": "md", "latex": "tex", "csv": "csv", "json": "json", "original": "txt"}
"""What --format prints, and the ending of files in that form."""


@with_settings(MetricsSettings)
def metrics(given: Given) -> ExitCode:
    """Compute dialogue metrics for response files.

    Examples:
      du-eval metrics responses.txt --target target.txt

      du-eval metrics runs/ --target target.txt --baseline seq2seq.txt -o table.tex -o plot.svg

      du-eval metrics responses/ --target target.txt --compat dialog-eval -o metrics.txt

    """
    with _without_collector():
        from du_eval.cli.ending import Showing, end_run, settle_activity

        config = settle_activity(MetricsSettings, given).config
        found = _measure(config)
        computed = _exit_code(found.run, found.selection)
        showing = Showing(_FORMS[config.form], is_quiet=config.quiet)
        code = end_run(_keep(found, config), config, showing, computed)
        if found.passed_over:
            say(f"skipped, not response files: {', '.join(found.passed_over)}")
        return code


def run_metrics(config: MetricsSettings) -> MetricsRun:
    """Compute and keep the metrics that the settings name."""
    return _keep(_measure(config), config)


def _measure(config: MetricsSettings) -> MeasuredFiles:
    from du_eval.assembly.metrics import measure_files
    from du_eval.assembly.selection import run_store
    from du_eval.cli.progress import MetricsBar

    run_store(config)  # where runs cannot be kept, that is said before anything is computed
    is_watched = not config.quiet and sys.stderr.isatty()
    return measure_files(config, partial(MetricsBar, enabled=is_watched))


def _keep(found: MeasuredFiles, config: MetricsSettings) -> MetricsRun:
    """Return the record of the metrics, kept as a run."""
    from du_eval.assembly.keeping import NOT_KEPT
    from du_eval.cli.ending import finish, open_activity
    from du_eval.runs.keeping import Opening

    names = tuple(name for name in found.files.named if Path(name).is_file())
    settings = config.model_dump(mode="json", exclude=set(NOT_KEPT))
    head = found.run.head
    with open_activity(config, Opening(head.kind, head.subject, names, settings=settings)) as opened:
        return finish(opened, found.run, config)


@contextmanager
def _without_collector() -> Iterator[None]:
    """Switch off the search for cycles: arrays have none, and a run spends a tenth of its time on it."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _exit_code(run: MetricsRun, selection: MetricSelection) -> ExitCode:
    """Return whether everything that was asked for by name could be computed."""
    extra = run.extra
    missing = {name for names in extra.not_computed.values() for name in names} if extra else set()
    if missing & selection.named or extra is None or not extra.computed:
        return ExitCode.ERRORED
    return ExitCode.PASSED
