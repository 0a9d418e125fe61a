"""A progress bar on standard error for runs that take their time."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

from du_eval.evaluation.results import StepResult
from du_eval.runs.outcome import Outcome


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

    def advance(self, result: StepResult) -> None:
        """Count one finished step."""
        self._failed += result.outcome is Outcome.FAILED
        self._errored += result.outcome is Outcome.ERRORED
        self.step(f"{self._failed} failed, {self._errored} errored")

    def step(self, text: str, count: int = 1) -> None:
        """Go on by some steps, and say how it stands."""
        if self._bar is not None:
            self._bar.update(self._task, advance=count, description=text)
