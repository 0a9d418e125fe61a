"""Settings of corpus metrics into files, definitions and what is computed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from msgspec import Struct

from du_eval.compat.dialog_eval import DIALOG_EVAL
from du_eval.corpus.catalogue import MetricSelection, available, select_metrics
from du_eval.corpus.config import MetricsSettings
from du_eval.corpus.load import find_responses, generate_vocabulary
from du_eval.corpus.pipeline import Watchers, evaluate
from du_eval.corpus.reading import Tokeniser
from du_eval.corpus.record import MetricsRun
from du_eval.corpus.settings import (
    ORIGINAL_T_VALUE,
    STANDARD,
    Definitions,
    Files,
    MetricOptions,
    Settings,
    Uncertainty,
)
from du_eval.errors import InputError, Problem
from du_eval.llm.cache import find_cache_folder
from du_eval.runs.engine import choose_engine
from du_eval.runs.engine_local import open_engine
from du_eval.runs.keeping import OpenRun, require_unchanged
from du_eval.settings.words import split_commas

_SMALL_BYTES = 20_000_000
"""Less text is done before a second process has started."""
Watch = Callable[[Files, MetricSelection], AbstractContextManager[Watchers]]
"""Tells somebody how far the work is."""


class MeasuredFiles(Struct, frozen=True):
    """What was computed of which files."""

    files: Files
    run: MetricsRun
    selection: MetricSelection
    passed_over: tuple[str, ...]


def measure_files(
    config: MetricsSettings, watch: Watch = lambda _files, _selection: nullcontext(Watchers())
) -> MeasuredFiles:
    """Compute the metrics that the settings name."""
    engine = choose_engine(config)
    found = find_responses(config.responses)
    files = Files(
        found.files, config.source, config.target, config.train_source, config.train_target, config.vocab,
        config.vectors,
    )  # fmt: skip
    settings = _make_settings(config, files)
    wanted = split_commas(config.metrics)
    selection = select_metrics(
        available(settings.mode, settings.options), [] if wanted == ["all"] else wanted
    )
    if config.save_vocab is not None:
        generate_vocabulary(files, settings, config.save_vocab)
    is_small = _count_bytes(found.files) < _SMALL_BYTES
    with open_engine(engine, is_small=is_small) as workers, watch(files, selection) as watchers:
        run = evaluate(files, selection, settings, watchers, workers)
    return MeasuredFiles(files, run, selection, found.passed_over)


def rejudge_metrics(config: MetricsSettings, opened: OpenRun) -> MetricsRun:
    """Compute the metrics of a kept run again, from the files that it names."""
    require_unchanged(opened)
    return measure_files(config).run


def _count_bytes(names: Sequence[str]) -> int:
    return sum(Path(name).stat().st_size for name in names if Path(name).is_file())


def _make_settings(asked: MetricsSettings, files: Files) -> Settings:
    """Return how to measure; an option that would do nothing is an error."""
    mode = DIALOG_EVAL if asked.compat else STANDARD
    if problems := list(_list_unused(asked, files, mode)):
        raise InputError(problems)
    usual = MetricOptions()
    return Settings(
        mode=mode,
        tokeniser=Tokeniser(asked.tokeniser, asked.lowercase),
        options=MetricOptions(
            asked.bleu_smoothing, asked.kl_added or usual.kl_added, asked.judge, asked.causal_model
        ),
        uncertainty=Uncertainty(
            confidence=asked.confidence or 0.95,
            t_value=asked.t_value if asked.t_value is not None else ORIGINAL_T_VALUE,
            seed=asked.seed,
        ),
        vocabulary_minimum=asked.vocab_min_count or 1,
        cache=_find_cache() if asked.cache else None,
        baseline=asked.baseline,
    )


def _list_unused(asked: MetricsSettings, files: Files, mode: Definitions) -> Iterator[Problem]:
    """Yield the options that have no meaning beside the others."""
    original = {
        "--confidence": asked.confidence,
        "--kl-added": asked.kl_added,
        "--judge": asked.judge,
        "--causal-model": asked.causal_model,
        "--train-target": files.train_target,
    }
    unused = original if mode.has_fixed_t else {"--t-value": asked.t_value}
    hint = "intervals are set by --t-value there" if mode.has_fixed_t else "use --confidence"
    for option, value in unused.items():
        if value is not None:
            with_hint = hint if option in ("--confidence", "--t-value") else "leave it out"
            yield Problem(option, 0, f"cannot be used in mode {mode.name}", with_hint)
    if asked.vocab_min_count is not None and files.vocabulary is not None:
        yield Problem("--vocab-min-count", 0, "cannot be combined with --vocab", "leave one of them out")


def _find_cache() -> Path | None:
    """Return where looked-up vectors are kept between runs."""
    try:
        return find_cache_folder(os.environ) / "vectors"
    except InputError:  # without a home, there is nowhere to keep them
        return None
