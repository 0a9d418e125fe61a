"""`du-eval metrics`: from files of responses to a table of corpus metrics."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from du_eval.cli.edge import say
from du_eval.cli.generated import Given, with_settings
from du_eval.corpus.config import MetricsSettings
from du_eval.errors import ExitCode

if TYPE_CHECKING:
    from du_eval.corpus.catalogue import MetricSelection
    from du_eval.corpus.record import MetricsRun
    from du_eval.corpus.settings import Files
    from du_eval.runs.store import StoredRun

_SMALL_BYTES = 20_000_000
"""Less text is done before a second process has started."""
_FORMS = {"table": "", "markdown": "md", "latex": "tex", "csv": "csv", "json": "json", "original": "txt"}
"""What --format prints, and the ending of files in that form."""


@with_settings(MetricsSettings)
def metrics(given: Given) -> ExitCode:
    """Compute dialogue metrics for response files.

    For example:

      du-eval metrics responses.txt --target target.txt

      du-eval metrics runs/ --target target.txt --baseline seq2seq.txt -o table.tex -o plot.svg

      du-eval metrics responses/ --target target.txt --compat dialog-eval -o metrics.txt
    """
    with _without_collector():
        from du_eval.cli import metrics_inputs as inputs
        from du_eval.cli.ending import Showing, end_run, settle_activity

        config = settle_activity(MetricsSettings, given).config
        form = _FORMS[inputs.one_of("--format", config.form, list(_FORMS))]
        found = _measure(config)
        code = end_run(_keep(found, config), config, Showing(form, is_quiet=config.quiet))
        if found.passed_over:
            say(f"skipped, not response files: {', '.join(found.passed_over)}")
        computed = _exit_code(found.run, found.selection)
        return code if code is not ExitCode.PASSED else computed


def run_metrics(config: MetricsSettings) -> MetricsRun:
    """Compute and keep the metrics that the settings name."""
    return _keep(_measure(config), config)


def rejudge_metrics(stored: StoredRun) -> MetricsRun:
    """Compute the metrics of a kept run again, from the files that it names."""
    from du_eval.errors import InputError
    from du_eval.runs.keeping import find_changed

    if find_changed(stored.manifest, stored.manifest.files):
        raise InputError("the files have changed since")
    return _measure(MetricsSettings.model_validate(stored.manifest.settings)).run


class _Measured(Struct, frozen=True):
    """What was computed, and what only its own tables need."""

    files: Files
    run: MetricsRun
    selection: MetricSelection
    passed_over: tuple[str, ...]


def _measure(config: MetricsSettings) -> _Measured:
    from du_eval.cli import metrics_inputs as inputs
    from du_eval.cli.progress import MetricsBar
    from du_eval.corpus.catalogue import available, selected
    from du_eval.corpus.load import find_responses, generate_vocabulary
    from du_eval.corpus.pipeline import evaluate
    from du_eval.corpus.settings import Files
    from du_eval.runs.engine import choose_engine
    from du_eval.runs.engine_local import open_engine

    engine = choose_engine(config)
    found = find_responses(config.responses)
    files = Files(
        found.files, config.source, config.target, config.train_source, config.train_target, config.vocab,
        config.vectors,
    )  # fmt: skip
    settings = inputs.settings(config, files)
    selection = selected(available(settings.mode, settings.options), inputs.wanted(config.metrics))
    if config.save_vocab is not None:
        generate_vocabulary(files, settings, config.save_vocab)
    bar = MetricsBar(files, selection, enabled=not config.quiet and sys.stderr.isatty())
    with open_engine(engine, is_small=_size(found.files) < _SMALL_BYTES) as workers, bar as watchers:
        run = evaluate(files, selection, settings, watchers, workers)
    return _Measured(files, run, selection, found.passed_over)


def _size(names: Sequence[str]) -> int:
    return sum(Path(name).stat().st_size for name in names if Path(name).is_file())


def _keep(found: _Measured, config: MetricsSettings) -> MetricsRun:
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
