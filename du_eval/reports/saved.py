"""Report files read back: a run as it was reported."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from du_eval.errors import InputError, Problem
from du_eval.reports.saved_checks import BotSide
from du_eval.runs.records import RunRecord, StepRecord
from du_eval.statistics.counts import Counts

Data = Mapping[str, Any]
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_json(path: Path) -> dict[str, Any]:
    """Return the data of a report of any activity; a report may be YAML, too."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        data = yaml.load(text, _LOADER) if path.suffix in {".yml", ".yaml"} else json.loads(text)  # noqa: S506
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise InputError(Problem(str(path), 0, f"the report cannot be read: {error}")) from error
    if not isinstance(data, dict):
        raise InputError(Problem(str(path), 0, "a report is a mapping"))
    return data


def is_report(data: Data) -> bool:
    """Tell whether data have what a comparison needs."""
    cases = data.get("test_cases")
    return isinstance(cases, list) and all(isinstance(case, dict) and "steps" in case for case in cases)


def record_of(data: Data, name: str) -> RunRecord:
    """Return a reported run for comparison."""
    return RunRecord(
        name=str(data.get("label") or name),
        steps=tuple(_all_steps(data["test_cases"], BotSide.of(data))),
        signature=str(data.get("signature", "")),
        generator=" ".join(str(data[key]) for key in ("generator", "model") if data.get(key)),
        policy=str(data.get("match", "")),
    )


def _all_steps(cases: Iterable[Data], bot: BotSide) -> Iterator[StepRecord]:
    twins: Counter[tuple[str, str]] = Counter()
    for case in cases:
        name = case.get("file", ""), case["test_case"]
        yield from _steps(case, twins[name], bot)
        twins[name] += 1


def _steps(case: Data, twin: int, bot: BotSide) -> Iterator[StepRecord]:
    file, name = case.get("file", ""), case["test_case"]
    for number, step in enumerate(case["steps"], 1):
        yield StepRecord(
            file=file,
            case=name,
            step=step.get("step", number),
            message=step.get("user", ""),
            outcome=step["outcome"],
            question=step.get("question", ""),
            sample=step.get("sample", 1),
            variant=str(twin or ""),
            line=step.get("line", 0),
            counts={key: Counts(tp, fp, fn, tp + fn) for key, (tp, fp, fn) in step.get("counts", {}).items()},
            expected=tuple(step.get("expected", ())),
            predicted=tuple(step.get("predicted", ())),
            mistakes=tuple(mistake["kind"] for mistake in step.get("mistakes", ())),
            scores=bot.checks(case, step),
        )
