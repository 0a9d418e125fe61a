"""All activities by name: what their runs consist of, and how one is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from du_eval.errors import PluginError
from du_eval.reports.sections import View
from du_eval.reports.views.generic import view_any
from du_eval.runs.record import Run
from du_eval.runs.report import Kind
from du_eval.settings.declare import SettingsModel

GROUP = "du_eval.activities"
"""The entry points through which other packages add activities."""
_OUR_OWN: Mapping[str, tuple[str, str]] = {
    "test": ("du_eval.evaluation.detail:KIND", "du_eval.reports.views.test:view_test"),
    "e2e": ("du_eval.endtoend.detail:KIND", "du_eval.reports.views.endtoend:view_endtoend"),
    "quality": ("du_eval.quality.detail:KIND", "du_eval.reports.views.quality:view_quality"),
    "agent": ("du_eval.agents.detail:KIND", "du_eval.reports.views.agent:view_agent"),
    "protocol": ("du_eval.protocol.detail:KIND", "du_eval.reports.views.protocol:view_protocol"),
    "metrics": ("du_eval.corpus.detail:KIND", "du_eval.reports.views.metrics:view_metrics"),
}
"""Name -> where the kind of its runs and the view of a run are; loaded when they are used."""


@dataclass(frozen=True)
class Shown:
    """An activity as readers of its runs need it."""

    kind: Kind[Any, Any]
    view: Callable[[Run[Any, Any]], View] = view_any


class Kinds(Mapping[str, Kind[Any, Any]]):
    """The kinds of runs of all activities, each loaded when it is looked up."""

    def __getitem__(self, name: str) -> Kind[Any, Any]:
        """Return the kind of an activity's runs."""
        return find_shown(name).kind

    def __iter__(self) -> Iterator[str]:
        """Yield the names of all activities."""
        yield from dict.fromkeys([*_OUR_OWN, *(point.name for point in entry_points(group=GROUP))])

    def __len__(self) -> int:
        return sum(1 for _ in self)


@cache
def find_shown(name: str) -> Shown:
    """Return an activity by its name; raise KeyError where there is none."""
    if name in _OUR_OWN:
        kind, view = (_load(path) for path in _OUR_OWN[name])
        return Shown(kind, view)
    points = entry_points(group=GROUP, name=name)
    if not points:
        raise KeyError(name)
    activity = next(iter(points)).load()
    kind = getattr(activity, "kind", None)
    if not isinstance(kind, Kind):
        raise PluginError(f"the activity '{name}' of an installed package has no `kind` of runs")
    return Shown(kind, getattr(activity, "view", view_any))


_SETTINGS: Mapping[str, str] = {
    "test": "du_eval.settings.commands:TestSettings",
    "e2e": "du_eval.settings.commands:EndToEndSettings",
    "agent": "du_eval.agents.settings:AgentSettings",
}


def find_settings(name: str) -> type[SettingsModel]:
    """Return what can be set for one of our own activities."""
    found: type[SettingsModel] = _load(_SETTINGS[name])
    return found


def list_settings() -> list[type[SettingsModel]]:
    """Return what can be set for each of our own activities."""
    return [find_settings(name) for name in _SETTINGS]


def view_run(run: Run[Any, Any]) -> View:
    """Return the view of a run of any activity."""
    return find_shown(run.head.kind).view(run)


def _load(path: str) -> Any:
    module, _, attribute = path.partition(":")
    return getattr(import_module(module), attribute)
