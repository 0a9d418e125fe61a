"""Options of who judges texts, for every command whose run judges any."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import typer


class PanelOptions:
    """Options of the judges of a run."""

    panel_name: ClassVar[str] = "Judges"

    judges: Annotated[
        str | None,
        typer.Option(
            "--judges",
            help="offline (default), models, llm, a chain such as rules>llm, or by role: coherence=models.",
            show_default=False,
        ),
    ] = None
    judge_model: Annotated[
        str | None,
        typer.Option(
            "--judge-model", help="The chat model of the judge llm: openai/gpt-4o-mini.", show_default=False
        ),
    ] = None
    judge_base_url: Annotated[
        str | None, typer.Option("--judge-base-url", help="The endpoint of that model.", show_default=False)
    ] = None
    judge_votes: Annotated[
        int | None,
        typer.Option(
            "--judge-votes", min=1, help="How often it is asked about a text (default 1).", show_default=False
        ),
    ] = None


_NAMES = {"judges": "judges", "judge_model": "model", "judge_base_url": "base_url", "judge_votes": "votes"}


def read_judge_flags(more: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was given; a chat model that is named plays what rules leave open."""
    given = {name: more[flag] for flag, name in _NAMES.items() if more[flag] is not None}
    return {"judges": "llm", **given} if "model" in given else given
