"""From the arguments of `du-eval metrics` to files and settings."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from du_eval.corpus.bleu_smoothing import SMOOTHINGS
from du_eval.corpus.reading import STANDARD_INPUT
from du_eval.corpus.settings import ORIGINAL_T_VALUE, IntervalMethod, Mode, Uncertainty
from du_eval.errors import InputError, NothingSelectedError, Problem

_RESPONSES = (".txt", ".jsonl", ".ndjson", ".gz", ".tok", ".out", ".hyp", ".pred", "")
_NOT_RESPONSES = frozenset({"metrics.txt", "vocab.txt"})
_DIGITS = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True)
class Found:
    """The response files of the arguments, and what was passed over in folders."""

    files: tuple[str, ...]
    passed_over: tuple[str, ...]


def response_files(arguments: Sequence[str]) -> Found:
    """Return the files that the arguments name; of a folder those that can hold responses, in order."""
    files: list[str] = []
    passed_over: list[str] = []
    for argument in arguments:
        if argument == STANDARD_INPUT or not Path(argument).is_dir():
            files.append(argument)
            continue
        for path in sorted(Path(argument).iterdir(), key=_natural):
            holds_responses = path.is_file() and path.suffix in _RESPONSES
            if holds_responses and path.name not in _NOT_RESPONSES and not path.name.startswith("."):
                files.append(str(path))
            else:
                passed_over.append(path.name)
    if not files:
        raise NothingSelectedError(Problem(" ".join(arguments), 0, "no response file is here"))
    return Found(tuple(dict.fromkeys(files)), tuple(passed_over))


def _natural(path: Path) -> list[tuple[int, str]]:
    """Return a key that puts `step-9` before `step-10`."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in _DIGITS.split(path.name)]


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user said about intervals; None where nothing was said."""

    confidence: float | None = None
    method: IntervalMethod | None = None
    t_value: float | None = None
    resamples: int = 1000
    seed: int = 0


def uncertainty(asked: Asked, mode: Mode) -> Uncertainty:
    """Return how intervals are computed; an option that a mode would ignore is an error."""
    problems = []
    if mode is Mode.ORIGINAL:
        unused = {"--confidence": asked.confidence, "--interval": asked.method}
        hint = "its intervals are set by --t-value"
    else:
        unused = {"--t-value": asked.t_value}
        hint = "intervals are set by --confidence and --interval"
    for option, value in unused.items():
        if value is not None:
            problems.append(Problem(option, 0, f"has no meaning in mode {mode}", hint))
    if asked.confidence is not None and not 0 < asked.confidence < 1:
        problems.append(Problem("--confidence", 0, "lies between 0 and 1", "0.95 is usual"))
    if asked.resamples < 1:
        problems.append(Problem("--resamples", 0, "must be at least 1"))
    if problems:
        raise InputError(problems)
    return Uncertainty(
        confidence=asked.confidence or 0.95,
        method=asked.method or IntervalMethod.STUDENT,
        t_value=asked.t_value if asked.t_value is not None else ORIGINAL_T_VALUE,
        resamples=asked.resamples,
        seed=asked.seed,
    )


def one_of(option: str, value: str, known: Sequence[str]) -> str:
    """Return a value that the option knows."""
    if value not in known:
        raise InputError(Problem(option, 0, f"there is no '{value}'", f"one of {', '.join(known)}"))
    return value


def check_smoothing(name: str) -> str:
    """Return the name of a smoothing method that exists."""
    return one_of("--bleu-smoothing", name, list(SMOOTHINGS))


def wanted(metrics: str) -> list[str]:
    """Return the names of a comma-separated list; nothing where all are meant."""
    names = [name.strip() for name in metrics.split(",") if name.strip()]
    return [] if names == ["all"] else names


def cache_folder(*, enabled: bool) -> Path | None:
    """Return where looked-up vectors are kept between runs."""
    if not enabled:
        return None
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "du-eval" / "vectors"
