"""A progress bar for corpus metrics: bytes that are read, then metrics that are computed."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from du_eval.corpus.pipeline import Watchers
from du_eval.corpus.reading import STANDARD_INPUT

if TYPE_CHECKING:
    from du_eval.corpus.catalogue import MetricSelection
    from du_eval.corpus.settings import Files


class MetricsBar:
    """Shows progress on standard error; silent where nobody watches."""

    def __init__(self, files: Files, selection: MetricSelection, *, enabled: bool) -> None:
        self._enabled = enabled
        names = [name for name in files.named if name != STANDARD_INPUT and Path(name).is_file()]
        self._bytes = sum(Path(name).stat().st_size for name in names)
        self._metrics = len(files.responses) * len(selection.metrics)
        self._bar: Any = None
        self._tasks: tuple[Any, Any] = (None, None)

    def __enter__(self) -> Watchers:
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
