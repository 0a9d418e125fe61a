"""Commands of activities that other packages add, with options made from the fields of their settings."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Annotated, Any

import typer

from du_eval.cli.edge import ending_politely, reporting_errors, say
from du_eval.cli.option_groups import with_options
from du_eval.cli.options_report import EndOptions, ReportOptions
from du_eval.errors import ConfigError, InputError

GROUP = "du_eval.activities"


def find_plugged(name: str) -> Callable[..., None] | None:
    """Return the command of an activity that an installed package adds, if there is one of this name."""
    points = entry_points(group=GROUP, name=name)
    return make_command(next(iter(points))) if points else None


def make_command(point: EntryPoint) -> Callable[..., None]:
    """Return the command of an activity."""
    activity = point.load()
    fields = activity.settings.model_fields

    def command(**given: Any) -> None:
        more = given.pop("more")
        with reporting_errors():
            code = _run(activity, {name: given[name] for name in fields}, given, more)
        raise typer.Exit(code)

    resume = typer.Option("--resume", metavar="[RUN]", help="Continue a run (default: the last one).")
    concurrency = typer.Option("-n", "--concurrency", help="Items asked at once.")
    parameters = [
        *(_make_parameter(name, field) for name, field in fields.items()),
        _keyword("resume", Annotated[str | None, resume], None),
        _keyword("concurrency", Annotated[int, concurrency], 8),
        inspect.Parameter("more", inspect.Parameter.KEYWORD_ONLY, annotation=dict[str, Any]),
    ]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__doc__ = getattr(activity, "help", "") or f"Run {point.name}."
    return with_options(ReportOptions, EndOptions)(command)


def _keyword(name: str, annotation: Any, default: object) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _make_parameter(name: str, field: Any) -> inspect.Parameter:
    """Return the option of a setting; one without a default is an argument."""
    if field.is_required():
        annotation = Annotated[field.annotation, typer.Argument(help=field.description)]
        return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation)
    option = typer.Option(f"--{name.replace('_', '-')}", help=field.description)
    return _keyword(name, Annotated[field.annotation, option], field.default)


def _run(activity: Any, values: dict[str, Any], given: dict[str, Any], more: dict[str, Any]) -> int:
    from pydantic import ValidationError

    from du_eval import __version__
    from du_eval.assembly.activities import find_shown
    from du_eval.cli.ending import end_run, want
    from du_eval.runs.activity import ActivityRunner
    from du_eval.runs.keeping import Opening, open_run
    from du_eval.runs.record import Head
    from du_eval.runs.store import RunStore

    try:
        settings = activity.settings.model_validate(values)
    except ValidationError as error:
        told = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
        raise ConfigError("\n".join(told)) from error
    items = activity.load(settings)
    if not items:
        raise InputError("there is nothing to ask")
    name = activity.kind.name
    identity = settings.model_dump(mode="json")
    opening = Opening(name, name, settings=identity, identity=identity, steps=len(items))
    opening = replace(opening, label=more["label"] or "")
    store = RunStore(Path(more["runs_dir"] or ".du-eval/runs"))
    opened = open_run(store, opening, __version__, given["resume"])
    for note in opened.notes:
        say(f"note: {note}")
    runner: ActivityRunner[Any, Any, Any] = ActivityRunner(activity, opened.journal, given["concurrency"])
    with ending_politely():
        run = runner.run(items, Head(name, subject=name))
    kept = opened.end(run, activity.kind)
    say(f"run {kept.head.id} kept in {opened.stored.folder}")
    return end_run(kept, activity.kind, find_shown(name).view(kept), want(more))
