"""Options that comparisons share."""

from __future__ import annotations

from typing import Annotated

import typer

Alpha = Annotated[
    float,
    typer.Option("--alpha", min=0.0001, max=0.5, help="The chance of calling an equal run different."),
]
Margin = Annotated[
    float,
    typer.Option(
        "--margin",
        min=0.0,
        max=1.0,
        help="A difference that does not matter; of metrics, a share of the value.",
    ),
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="The seed of resampled numbers.")]
RunsDir = Annotated[str | None, typer.Option("--runs-dir", help="Where runs are kept.", show_default=False)]
Html = Annotated[
    str | None,
    typer.Option("--html", metavar="FILE", help="Write the result as an HTML page.", show_default=False),
]
