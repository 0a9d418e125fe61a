"""Which activity a report is of, and its headline: the figures by which runs are followed over time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import Any

from du_eval.reports.saved import is_report

Data = Mapping[str, Any]


class Kind(StrEnum):
    """The activities that write reports."""

    TEST = "test"
    ENDTOEND = "e2e"
    QUALITY = "quality"
    PROTOCOL = "protocol"
    CORPUS = "metrics"
    AGENT = "agent"
    OTHER = "other"


def kind_of(data: Data) -> Kind:
    """Return the activity that a report is of."""
    if is_report(data):
        return Kind.TEST
    if _all_have(data.get("test_cases"), "turns"):
        return Kind.ENDTOEND
    if isinstance(data.get("tests"), dict) and "assessments" in data:
        return Kind.QUALITY
    return Kind.CORPUS if _all_have(data.get("files"), "metrics") else Kind.OTHER


def _all_have(items: object, key: str) -> bool:
    return isinstance(items, list) and all(isinstance(item, dict) and key in item for item in items)


def figures_of(data: Data) -> dict[str, float]:
    """Return the numbers of a report by name."""
    reader = _FIGURES.get(kind_of(data))
    found = reader(data) if reader is not None else ()
    return {name: float(value) for name, value in found if isinstance(value, int | float)}


def _test(data: Data) -> Iterator[tuple[str, Any]]:
    yield from data.get("figures", {}).items()


def _quality(data: Data) -> Iterator[tuple[str, Any]]:
    yield from ((test, values.get("rate")) for test, values in data["tests"].items())


def _corpus(data: Data) -> Iterator[tuple[str, Any]]:
    several = len(data["files"]) > 1
    for file in data["files"]:
        for name, values in file["metrics"].items():
            yield f"{name}@{file['file']}" if several else name, values.get("value")


_FIGURES: Mapping[Kind, Callable[[Data], Iterator[tuple[str, Any]]]] = {
    Kind.TEST: _test,
    Kind.QUALITY: _quality,
    Kind.CORPUS: _corpus,
}
