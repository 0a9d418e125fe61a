"""`du-eval cache`: what the cache of answers holds, and how to get rid of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from du_eval.cli.amounts import parse_duration, parse_size, show_moment, show_size
from du_eval.cli.edge import out
from du_eval.errors import ConfigError, tell_count

if TYPE_CHECKING:
    from du_eval.llm.cache import AnswerCache

app = typer.Typer()


@contextmanager
def _opened() -> Iterator[AnswerCache]:
    from du_eval.llm.cache import AnswerCache, find_cache_folder

    cache = AnswerCache(find_cache_folder(os.environ))
    try:
        yield cache
    finally:
        cache.close()


@app.command()
def ls(json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List what is kept, by model.

    Examples:
      du-eval cache ls

    """
    with _opened() as cache:
        entries = cache.entries()
        if json_output:
            from msgspec.structs import asdict

            out({"path": str(cache.path), "models": [asdict(entry) for entry in entries]})
            return
        out(f"{cache.path}\n")
        for entry in entries:
            dates = f"{show_moment(entry.oldest)} to {show_moment(entry.newest)}"
            answers = tell_count(entry.answers, "answer")
            out(f"{answers:>16}  {show_size(entry.size):>10}  {dates}  {entry.model}\n")
        if not entries:
            out("   no answers are kept\n")


@app.command()
def prune(
    unused_for: Annotated[
        str | None,
        typer.Option(
            "--unused-for",
            help="Remove answers that were not used for this long: 30d, 12h, ...",
            show_default=False,
        ),
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(
            "--size",
            help="Keep the cache below this size: 500MB, 2GB, ...; the least recently used answers go first.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Remove old answers.

    Examples:
      du-eval cache prune --unused-for 30d

      du-eval cache prune --size 500MB

    """
    with _opened() as cache:
        if unused_for is None and size is None:
            raise ConfigError("say what to remove: --unused-for 30d, or --size 500MB")
        count = cache.prune(
            unused_seconds=parse_duration(unused_for) if unused_for else None,
            size=parse_size(size) if size else None,
        )
        out(f"{tell_count(count, 'answer')} removed\n")


@app.command()
def clear(
    model: Annotated[str, typer.Option("--model", help="Only the answers of this model.")] = "",
    yes: Annotated[bool, typer.Option("-y", "--yes", help="Do not ask.")] = False,
) -> None:
    """Remove all answers.

    Examples:
      du-eval cache clear --yes

    """
    with _opened() as cache:
        count = sum(entry.answers for entry in cache.entries() if model in {"", entry.model})
        if count and not yes and not typer.confirm(f"Remove {tell_count(count, 'answer')}?"):
            raise typer.Exit(1)
        out(f"{tell_count(cache.clear(model), 'answer')} removed\n")
