"""All activities by name: what their runs consist of, and how one is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from msgspec import Struct

from du_eval.errors import PluginError
from du_eval.plugins import PlugIns, load_own
from du_eval.reports.sections import View
from du_eval.reports.views.generic import view_any
from du_eval.runs.activity import rejudge_items
from du_eval.runs.keeping import OpenRun
from du_eval.runs.record import AnyRun
from du_eval.runs.report import AnyKind, Kind
from du_eval.settings.shared import ActivitySettings, KeptSettings, QuietSettings

Rejudge = Callable[[Any, OpenRun], AnyRun]
"""Judges the recorded answers of a run by settings; nobody is asked but judges."""


class OwnActivity(Struct, frozen=True):
    """One of our own activities, by the places of its parts, which are loaded when they are used."""

    kind_path: str
    view_path: str
    settings_path: str
    rejudge_path: str

    @property
    def kind(self) -> AnyKind:
        """What its runs consist of."""
        found: AnyKind = load_own(f"du_eval.{self.kind_path}")
        return found

    @property
    def view(self) -> Callable[[AnyRun], View]:
        """How a run is shown."""
        found: Callable[[AnyRun], View] = load_own(f"du_eval.reports.views.{self.view_path}")
        return found

    @property
    def settings(self) -> type[KeptSettings]:
        """What can be set."""
        found: type[KeptSettings] = load_own(f"du_eval.{self.settings_path}")
        return found

    @property
    def rejudge(self) -> Rejudge:
        """How a run is judged again."""
        found: Rejudge = load_own(f"du_eval.assembly.{self.rejudge_path}")
        return found


ACTIVITIES = PlugIns(
    "activities",
    {
        "test": OwnActivity(
            "evaluation.record:KIND",
            "test:view_test",
            "settings.commands:TestSettings",
            "rescoring:rejudge_tests",
        ),
        "e2e": OwnActivity(
            "endtoend.detail:KIND",
            "endtoend:view_endtoend",
            "settings.commands:EndToEndSettings",
            "endtoend:rejudge_endtoend",
        ),
        "agent": OwnActivity(
            "agents.record:KIND",
            "agent:view_agent",
            "agents.settings:AgentSettings",
            "agents:rejudge_agents",
        ),
        "quality": OwnActivity(
            "quality.record:KIND",
            "quality:view_quality",
            "quality.config:QualityConfig",
            "quality_run:rejudge_quality",
        ),
        "protocol": OwnActivity(
            "protocol.record:KIND",
            "protocol:view_protocol",
            "protocol.settings:ProtocolSettings",
            "protocol:rejudge_protocol",
        ),
        "metrics": OwnActivity(
            "corpus.record:KIND",
            "metrics:view_metrics",
            "corpus.config:MetricsSettings",
            "metrics:rejudge_metrics",
        ),
    },
)
"""All activities: ours, and those of installed packages."""


class ShownActivity(Struct, frozen=True):
    """An activity as readers of its runs need it."""

    kind: AnyKind
    rejudge: Rejudge
    view: Callable[[AnyRun], View] = view_any


class Kinds(Mapping[str, AnyKind]):
    """The kinds of runs of all activities, each loaded when it is looked up."""

    def __getitem__(self, name: str) -> AnyKind:
        """Return the kind of an activity's runs."""
        return find_shown(name).kind

    def __iter__(self) -> Iterator[str]:
        """Yield the names of all activities."""
        yield from ACTIVITIES

    def __len__(self) -> int:
        return len(ACTIVITIES)


def find_shown(name: str) -> ShownActivity:
    """Return an activity by its name; raise KeyError where there is none."""
    activity = ACTIVITIES[name]
    kind = getattr(activity, "kind", None)
    if not isinstance(kind, Kind):
        raise PluginError(f"the activity '{name}' of an installed package has no `kind` of runs")
    rejudge = getattr(activity, "rejudge", None) or partial(rejudge_items, activity)
    return ShownActivity(kind, rejudge, getattr(activity, "view", view_any))


def find_settings(name: str) -> type[KeptSettings]:
    """Return what can be set for an activity: of one of a package, also what every activity has."""
    found: type[Any] = ACTIVITIES[name].settings
    if name in ACTIVITIES.own or issubclass(found, ActivitySettings):
        return found
    return type("PluggedSettings", (found, QuietSettings, ActivitySettings), {"section": name})


def list_settings() -> list[type[KeptSettings]]:
    """Return what can be set for each of our own activities."""
    return [found.settings for found in ACTIVITIES.own.values()]


def view_run(run: AnyRun) -> View:
    """Return the view of a run of any activity."""
    return find_shown(run.head.kind).view(run)
