"""From the arguments of `du-eval metrics` to settings."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from du_eval.compat.dialog_eval import DIALOG_EVAL
from du_eval.corpus.bleu import SMOOTHINGS
from du_eval.corpus.config import MetricsSettings
from du_eval.corpus.reading import SPACINGS, Tokeniser
from du_eval.corpus.settings import (
    ORIGINAL_T_VALUE,
    STANDARD,
    Definitions,
    Files,
    IntervalMethod,
    MetricOptions,
    Settings,
    Uncertainty,
)
from du_eval.errors import InputError, Problem


def settings(asked: MetricsSettings, files: Files) -> Settings:
    """Return how to measure; an option that would do nothing is an error."""
    if asked.compat:
        one_of("--compat", asked.compat, [DIALOG_EVAL.name])
    mode = DIALOG_EVAL if asked.compat else STANDARD
    tokeniser = Tokeniser(one_of("--tokeniser", asked.tokeniser, list(SPACINGS)), asked.lowercase)
    smoothing = one_of("--bleu-smoothing", asked.bleu_smoothing, list(SMOOTHINGS))
    interval = one_of("--interval", asked.interval, list(IntervalMethod)) if asked.interval else None
    problems = [*_unused(asked, files, mode), *_out_of_range(asked)]
    if problems:
        raise InputError(problems)
    usual = MetricOptions()
    return Settings(
        mode=mode,
        tokeniser=tokeniser,
        options=MetricOptions(smoothing, asked.kl_added or usual.kl_added, asked.judge, asked.causal_model),
        uncertainty=Uncertainty(
            confidence=asked.confidence or 0.95,
            method=IntervalMethod(interval) if interval else IntervalMethod.STUDENT,
            t_value=asked.t_value if asked.t_value is not None else ORIGINAL_T_VALUE,
            resamples=asked.resamples,
            seed=asked.seed,
        ),
        vocabulary_minimum=asked.vocab_min_count or 1,
        cache=cache_folder(enabled=asked.cache),
        baseline=asked.baseline,
    )


def _unused(asked: MetricsSettings, files: Files, mode: Definitions) -> Iterator[Problem]:
    """Yield the options that have no meaning beside the others."""
    original = {
        "--confidence": asked.confidence,
        "--interval": asked.interval,
        "--kl-added": asked.kl_added,
        "--judge": asked.judge,
        "--causal-model": asked.causal_model,
        "--train-target": files.train_target,
    }
    unused = original if mode.has_fixed_t else {"--t-value": asked.t_value}
    hint = "intervals are set by --t-value there" if mode.has_fixed_t else "use --confidence and --interval"
    for option, value in unused.items():
        if value is not None:
            with_hint = hint if option in ("--confidence", "--interval", "--t-value") else "leave it out"
            yield Problem(option, 0, f"cannot be used in mode {mode.name}", with_hint)
    if asked.vocab_min_count is not None and files.vocabulary is not None:
        yield Problem("--vocab-min-count", 0, "cannot be combined with --vocab", "leave one of them out")


def _out_of_range(asked: MetricsSettings) -> Iterator[Problem]:
    if asked.confidence is not None and not 0 < asked.confidence < 1:
        yield Problem("--confidence", 0, "must be between 0 and 1", "0.95 is usual")
    if asked.kl_added is not None and asked.kl_added <= 0:
        yield Problem("--kl-added", 0, "must be greater than 0", "0.5 is usual")
    if asked.resamples < 1:
        yield Problem("--resamples", 0, "must be at least 1", "1000 is usual")


def one_of(option: str, value: str, known: Sequence[str]) -> str:
    """Return a value that the option knows."""
    if value not in known:
        raise InputError(Problem(option, 0, f"there is no '{value}'", f"one of {', '.join(known)}"))
    return value


def wanted(metrics: str) -> list[str]:
    """Return the names of a comma-separated list; nothing where all are meant."""
    names = [name.strip() for name in metrics.split(",") if name.strip()]
    return [] if names == ["all"] else names


def cache_folder(*, enabled: bool) -> Path | None:
    """Return where looked-up vectors are kept between runs."""
    from du_eval.llm import cache

    try:
        return cache.cache_folder(os.environ) / "vectors" if enabled else None
    except InputError:  # without a home, there is nowhere to keep them
        return None
