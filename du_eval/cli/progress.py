"""A progress bar on standard error for runs that take their time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Self

from du_eval.runs.outcome import Outcome

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import ProgressColumn

    from du_eval.corpus.catalogue import MetricSelection
    from du_eval.corpus.pipeline import Watchers
    from du_eval.corpus.settings import Files
    from du_eval.evaluation.step import JudgedStep


def _start(*columns: ProgressColumn) -> Bars:
    from rich.console import Console
    from rich.progress import Progress as Bars

    bars = Bars(*columns, console=Console(stderr=True), transient=True)
    bars.start()
    return bars


class Progress:
    """Counts finished steps; silent where nobody watches."""

    def __init__(self, total: int, *, enabled: bool) -> None:
        self._total, self._enabled = total, enabled
        self._bars: Bars | None = None
        self._failed = self._errored = 0

    def __enter__(self) -> Self:
        if self._enabled:
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

            told = TextColumn("{task.description}")
            self._bars = _start(BarColumn(), MofNCompleteColumn(), told, TimeRemainingColumn())
            self._bars.add_task("", total=self._total)
        return self

    def __exit__(self, *_: object) -> None:
        if self._bars is not None:
            self._bars.stop()

    def advance(self, result: JudgedStep) -> None:
        """Count one finished step."""
        self._failed += result.outcome is Outcome.FAILED
        self._errored += result.outcome is Outcome.ERRORED
        self.step(f"{self._failed} failed, {self._errored} errored")

    def step(self, text: str, count: int = 1) -> None:
        """Go on by some steps, and say how it stands."""
        if self._bars is not None:
            self._bars.update(self._bars.task_ids[0], advance=count, description=text)


class MetricsBar:
    """Shows how much is read and how many metrics are computed; silent where nobody watches."""

    def __init__(self, files: Files, selection: MetricSelection, *, enabled: bool) -> None:
        names = [name for name in files.named if Path(name).is_file()]
        self._bytes = sum(Path(name).stat().st_size for name in names)
        self._metrics = len(files.responses) * len(selection.metrics)
        self._enabled = enabled
        self._bars: Bars | None = None

    def __enter__(self) -> Watchers:
        from du_eval.corpus.pipeline import Watchers

        if not self._enabled:
            return Watchers()
        self._bars = _start()
        self._bars.add_task("reading", total=self._bytes or None)
        self._bars.add_task("computing", total=self._metrics)
        return Watchers(self._read, self._compute)

    def __exit__(self, *_: object) -> None:
        if self._bars is not None:
            self._bars.stop()

    def _read(self, name: str, size: int) -> None:
        if self._bars is not None:
            self._bars.update(self._bars.task_ids[0], advance=size, description=f"reading {Path(name).name}")

    def _compute(self, file: str, metric: str) -> None:
        if self._bars is not None:
            self._bars.update(self._bars.task_ids[1], advance=1, description=f"{Path(file).name}: {metric}")
