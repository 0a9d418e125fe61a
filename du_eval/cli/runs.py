"""`du-eval runs`: which runs are kept, what they are, and removing them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from du_eval.cli.amounts import parse_duration, show_moment
from du_eval.cli.edge import out, say
from du_eval.errors import ConfigError, InputError, tell_count

if TYPE_CHECKING:
    from du_eval.runs.store import RunStore, StoredRun

app = typer.Typer()
RunsDir = Annotated[
    str | None, typer.Option("--runs-dir", help="Folder of the kept runs.", show_default=False)
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def ls(runs_dir: RunsDir = None, json_output: Json = False) -> None:
    """List the runs, the oldest first.

    Examples:
      du-eval runs ls

    """
    from du_eval.assembly.finding import find_store

    store = find_store(runs_dir)
    found = list(store.scan())
    for problem in found:
        if isinstance(problem, InputError):
            say(f"warning: {problem}")
    rows = [_summary(run) for run in found if not isinstance(run, InputError)]
    if json_output:
        out({"path": str(store.root), "runs": rows})
        return
    for row in rows:
        counts = ", ".join(f"{count} {outcome}" for outcome, count in row["outcomes"].items())
        is_whole = row["status"] == "finished"
        answers = str(row["answers"]) if is_whole else f"{row['answers']}/{row['steps']}"
        label = f"  '{row['label']}'" if row["label"] else ""
        told = f"{row['id']}  {row['kind']:8}  {row['status']:11}  {answers:>11} answers"
        out(f"{told}  {row['subject']}{label}  {counts}\n")
    if not rows:
        out(f"no runs are kept in {store.root}\n")


@app.command()
def show(
    run: Annotated[
        str, typer.Argument(help="Its id, the start of its id, its label, its folder, or last.")
    ] = "last",
    runs_dir: RunsDir = None,
    json_output: Json = False,
) -> None:
    """Show a run: settings, versions, files, and the outcomes of its cases.

    Examples:
      du-eval runs show last

    """
    from msgspec import to_builtins

    from du_eval.assembly.finding import find_store
    from du_eval.runs.keeping import find_changed

    found = find_store(runs_dir).find(run)
    manifest = found.manifest
    changed = find_changed(manifest, manifest.files)
    if json_output:
        data = {
            **to_builtins(manifest),
            **_summary(found),
            "folder": str(found.folder),
            "changed_files": changed,
        }
        out(data | {"outcomes": dict(found.outcomes())})
        return
    out("\n".join(_lines(found, changed)) + "\n")


@app.command()
def rm(
    runs: Annotated[list[str] | None, typer.Argument(help="The runs to remove.", show_default=False)] = None,
    older_than: Annotated[
        str | None,
        typer.Option("--older-than", help="All runs older than this: 30d, 12h, ...", show_default=False),
    ] = None,
    keep: Annotated[
        int | None, typer.Option("--keep", help="All but the last N runs.", show_default=False)
    ] = None,
    yes: Annotated[bool, typer.Option("-y", "--yes", help="Do not ask.")] = False,
    runs_dir: RunsDir = None,
) -> None:
    """Remove runs, with their answers.

    Examples:
      du-eval runs rm 20260131-120000

      du-eval runs rm --keep 10 --yes

    """
    from du_eval.assembly.finding import find_store

    store = find_store(runs_dir)
    if not runs and older_than is None and keep is None:
        raise ConfigError("say which runs to remove: their ids, --older-than 30d, or --keep 10")
    doomed = [store.find(name) for name in runs or ()]
    doomed += _old(store, older_than, keep)
    if (
        doomed
        and not yes
        and not typer.confirm(
            f"Remove {tell_count(len(doomed), 'run with its answers', 'runs with their answers')}?"
        )
    ):
        raise typer.Exit(1)
    for run in doomed:
        store.remove(run)
    out(f"{tell_count(len(doomed), 'run')} removed\n")


def _old(store: RunStore, older_than: str | None, keep: int | None) -> list[StoredRun]:
    known = list(store)
    found = known[: max(0, len(known) - keep)] if keep is not None else []
    if older_than is not None:
        limit = datetime.now(UTC).timestamp() - parse_duration(older_than)
        found += [
            run
            for run in known
            if run not in found
            and run.manifest.started
            and datetime.fromisoformat(run.manifest.started).timestamp() < limit
        ]
    return found


def _summary(run: StoredRun) -> dict[str, Any]:
    with closing(run.journal()) as journal:
        return {
            "id": run.id,
            "status": run.status,
            "kind": run.manifest.kind,
            "label": run.manifest.label,
            "subject": run.manifest.subject,
            "started": run.manifest.started,
            "answers": journal.count_answers(),
            "steps": run.manifest.steps,
            "outcomes": dict(Counter(run.outcomes().values())),
        }


def _lines(run: StoredRun, changed: list[str]) -> Iterator[str]:
    manifest, summary = run.manifest, _summary(run)
    rows = {
        "run": run.id,
        "folder": run.folder,
        "status": summary["status"],
        "kind": manifest.kind,
        "label": manifest.label or "-",
        "subject": manifest.subject,
        "answers": f"{summary['answers']} (at most {summary['steps']})",
        "cases": f"{len(manifest.cases)} in {tell_count(len(manifest.files), 'file')}",
        "started": show_moment(datetime.fromisoformat(manifest.started)) if manifest.started else "-",
        "ended": show_moment(datetime.fromisoformat(manifest.ended)) if manifest.ended else "-",
        "seed": manifest.seed,
        "samples": manifest.samples,
        "git commit": manifest.git_commit or "-",
        "versions": ", ".join(f"{name} {version}" for name, version in manifest.versions.items()),
        **({"merged from": ", ".join(manifest.merged)} if manifest.merged else {}),
    }
    yield from (f"{name:12} {value}" for name, value in rows.items())
    yield "settings"
    yield from (f"    {key}: {value}" for key, value in manifest.settings.items())
    for file in changed:
        yield f"changed since: {file}"
    for case, outcome in run.outcomes().items():
        if outcome != "passed":
            yield f"{outcome:8} {case}"
