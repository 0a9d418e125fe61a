"""`du-eval config`: the settings that hold, and where they come from."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from du_eval.cli.edge import out
from du_eval.cli.generated import Given, with_settings
from du_eval.settings.commands import TestSettings

app = typer.Typer()
Row = dict[str, object]


@app.command()
@with_settings(TestSettings, "paths")
def show(
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    *,
    given: Given,
) -> None:
    """Print each setting with its value and its origin: flag, environment, file or default.

    What all activities share comes first, together with the settings of `test`; then, as in du-eval.yaml, a
    section for each other activity with what it has of its own, or what differs there.

    Examples:
      du-eval config show

      du-eval config show my_tests --json

    """
    from du_eval.assembly.activities import list_settings

    shared = _list_rows(TestSettings, given)
    sections = {
        model.section: {key: row for key, row in _list_rows(model, {}).items() if shared.get(key) != row}
        for model in list_settings()
        if model is not TestSettings
    }
    if json_output:
        out({**shared, **sections})
        return
    width = max(len(key) for rows in (shared, *sections.values()) for key in rows) + 2
    _print(shared, width)
    for section, rows in sections.items():
        out(f"{section}:\n")
        _print({f"  {key}": row for key, row in rows.items()}, width)


def _list_rows(model: type[Any], given: Mapping[str, object]) -> dict[str, Row]:
    from du_eval.assembly import settle
    from du_eval.trust.effects import NOTHING

    settled = settle(model, given, os.environ, uses=NOTHING)
    values = settled.config.model_dump(mode="json")
    return {key: {"value": value, "origin": settled.origins[key]} for key, value in values.items()}


def _print(rows: Mapping[str, Row], width: int) -> None:
    for key, row in rows.items():
        out(f"{key:{width}}  {row['value']!s:40}  ({row['origin']})\n")
