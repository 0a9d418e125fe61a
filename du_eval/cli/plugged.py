"""Commands of activities that other packages add, with options made from the fields of their settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from du_eval.cli.edge import reporting_errors
from du_eval.cli.generated import Given, with_settings
from du_eval.errors import ExitCode, InputError

if TYPE_CHECKING:
    from du_eval.runs.record import AnyRun


def find_plugged(name: str) -> Callable[..., None] | None:
    """Return the command of an activity that an installed package adds, if there is one of this name."""
    from du_eval.assembly.activities import ACTIVITIES

    if name not in ACTIVITIES:
        return None
    with reporting_errors():
        return make_command(name, ACTIVITIES[name])


def make_command(name: str, activity: Any) -> Callable[..., None]:
    """Return the command of an activity: its own settings, and those that every activity has."""
    from du_eval.assembly.activities import find_settings

    model: type[Any] = find_settings(name)

    @with_settings(model)
    def command(given: Given) -> ExitCode:
        return _run(activity, model, given)

    command.__doc__ = getattr(activity, "help", "") or f"Run {name}."
    return command


def _run(activity: Any, model: type[Any], given: Given) -> ExitCode:
    from du_eval.cli.ending import Showing, end_run, settle_activity

    config = settle_activity(model, given).config
    run = run_plugged(activity, config)
    return end_run(run, config, Showing(is_quiet=getattr(config, "quiet", False)))


def run_plugged(activity: Any, config: Any) -> AnyRun:
    """Ask, judge and keep what the settings name."""
    from du_eval.cli.ending import finish, open_activity
    from du_eval.runs.activity import ActivityRunner
    from du_eval.runs.keeping import Opening
    from du_eval.runs.record import Head

    items = activity.load(config)
    if not items:
        raise InputError("there are no items to run")
    name = activity.kind.name
    identity = config.model_dump(mode="json", include=set(activity.settings.model_fields))
    opening = Opening(name, name, settings=identity, identity=identity, steps=len(items))
    with open_activity(config, opening) as opened:
        runner: ActivityRunner[Any, Any, Any] = ActivityRunner(activity, opened.journal, config.concurrency)
        run = runner.run(items, Head(name, subject=name))
    return finish(opened, run, config)
