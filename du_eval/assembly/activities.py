"""All activities by name: what their runs consist of, and how one is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from du_eval.errors import PluginError
from du_eval.plugins import PlugIns, load_own
from du_eval.reports.sections import View
from du_eval.reports.views.generic import view_any
from du_eval.runs.record import AnyRun
from du_eval.runs.report import AnyKind, Kind
from du_eval.settings.declare import SettingsModel


class OwnActivity(Struct, frozen=True):
    """One of our own activities, by the places of its parts, which are loaded when they are used."""

    kind_path: str
    view_path: str
    settings_path: str

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
    def settings(self) -> type[SettingsModel]:
        """What can be set."""
        found: type[SettingsModel] = load_own(f"du_eval.{self.settings_path}")
        return found


ACTIVITIES = PlugIns(
    "activities",
    {
        "test": OwnActivity("evaluation.record:KIND", "test:view_test", "settings.commands:TestSettings"),
        "e2e": OwnActivity(
            "endtoend.detail:KIND", "endtoend:view_endtoend", "settings.commands:EndToEndSettings"
        ),
        "agent": OwnActivity("agents.record:KIND", "agent:view_agent", "agents.settings:AgentSettings"),
        "quality": OwnActivity("quality.record:KIND", "quality:view_quality", "quality.config:QualityConfig"),
        "protocol": OwnActivity(
            "protocol.record:KIND", "protocol:view_protocol", "protocol.settings:ProtocolSettings"
        ),
        "metrics": OwnActivity("corpus.record:KIND", "metrics:view_metrics", "corpus.config:MetricsSettings"),
    },
)
"""All activities: ours, and those of installed packages."""


class ShownActivity(Struct, frozen=True):
    """An activity as readers of its runs need it."""

    kind: AnyKind
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
    return ShownActivity(kind, getattr(activity, "view", view_any))


def find_settings(name: str) -> type[SettingsModel]:
    """Return what can be set for an activity."""
    found: type[SettingsModel] = ACTIVITIES[name].settings
    return found


def list_settings() -> list[type[SettingsModel]]:
    """Return what can be set for each of our own activities."""
    return [found.settings for found in ACTIVITIES.own.values()]


def view_run(run: AnyRun) -> View:
    """Return the view of a run of any activity."""
    return find_shown(run.head.kind).view(run)
