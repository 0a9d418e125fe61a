"""A progress bar on standard error for runs that take their time."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from du_eval.runs.outcome import Outcome

if TYPE_CHECKING:
    from du_eval.corpus.catalogue import MetricSelection
    from du_eval.corpus.pipeline import Watchers
    from du_eval.corpus.settings import Files
    from du_eval.evaluation.step import JudgedStep


class Progress:
    """Counts finished steps; silent where nobody watches."""

    def __init__(self, total: int, *, enabled: bool) -> None:
        self._total = total
        self._enabled = enabled
        self._bar: Any = None
        self._task: Any = None
        self._failed = 0
        self._errored = 0

    def __enter__(self) -> Self:
        if self._enabled:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            columns = (
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.description}"),
                TimeRemainingColumn(),
            )
            self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task("", total=self._total)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def advance(self, result: JudgedStep) -> None:
        """Count one finished step."""
        self._failed += result.outcome is Outcome.FAILED
        self._errored += result.outcome is Outcome.ERRORED
        self.step(f"{self._failed} failed, {self._errored} errored")

    def step(self, text: str, count: int = 1) -> None:
        """Go on by some steps, and say how it stands."""
        if self._bar is not None:
            self._bar.update(self._task, advance=count, description=text)


class MetricsBar:
    """Shows progress on standard error; silent where nobody watches."""

    def __init__(self, files: Files, selection: MetricSelection, *, enabled: bool) -> None:
        self._enabled = enabled
        names = [name for name in files.named if Path(name).is_file()]
        self._bytes = sum(Path(name).stat().st_size for name in names)
        self._metrics = len(files.responses) * len(selection.metrics)
        self._bar: Any = None
        self._tasks: tuple[Any, Any] = (None, None)

    def __enter__(self) -> Watchers:
        from du_eval.corpus.pipeline import Watchers

        if not self._enabled:
            return Watchers()
        from rich.console import Console
        from rich.progress import Progress

        self._bar = Progress(console=Console(stderr=True), transient=True)
        self._bar.start()
        self._tasks = (
            self._bar.add_task("reading", total=self._bytes or None),
            self._bar.add_task("computing", total=self._metrics),
        )
        return Watchers(self._read, self._computing)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def _read(self, name: str, size: int) -> None:
        self._bar.update(self._tasks[0], advance=size, description=f"reading {Path(name).name}")

    def _computing(self, file: str, metric: str) -> None:
        self._bar.update(self._tasks[1], advance=1, description=f"{Path(file).name}: {metric}")
