"""Runs of any activity by name: report files, kept runs, folders of quality runs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from du_eval.assembly.loading import OTHER_RUNS, REPORTS, LoadedRun
from du_eval.errors import InputError, Problem
from du_eval.parsers.text_files import read_text_file
from du_eval.reports.kinds import Kind, kind_of
from du_eval.reports.saved import read_json
from du_eval.runs.store import LAST

_REFUSED = (
    "a YAML report of du-eval e2e, or a report of version 0.1, is not the whole run",
    "name the run itself (last, or its id), or write it with --output-file x.json",
)


def load_reported(name: str, runs_dir: str | None = None) -> LoadedRun:
    """Return a run by its report file, its folder, its journal, its id, the start of its id, or `last`."""
    path = Path(name)
    if path.is_file():
        run = LoadedRun(_title(path), _file_data(path))
        if run.kind is Kind.ENDTOEND:
            raise InputError(Problem(name, 0, *_REFUSED))
        return run
    report = _kept_report(name, runs_dir)
    if report is not None:
        return LoadedRun(report.parent.resolve().name, _whole(report))
    raise InputError(f"there is no run or report '{name}'")


def load_page(name: str, runs_dir: str | None = None) -> LoadedRun:
    """Return a run for the page, which needs more than the YAML report of command tests has."""
    run = load_reported(name, runs_dir)
    if run.kind is Kind.OTHER and Path(name).suffix in {".yml", ".yaml"}:
        hint = "the JSON report has everything: --output-file x.json"
        raise InputError(Problem(name, 0, "this is not the whole run", hint))
    return run


def _title(path: Path) -> str:
    """Return the name of a report: of its folder, where the file is called like all others."""
    return path.resolve().parent.name if path.name in REPORTS else path.stem


def _file_data(path: Path) -> dict[str, Any]:
    if path.suffix == ".jsonl":
        raise InputError(f"{path} is a journal: name the folder of its run, or its id")
    return _whole(path)


def _kept_report(name: str, runs_dir: str | None) -> Path | None:
    """Return the report in a folder, or of a kept run of an activity other than command tests."""
    for folder in (Path(name), *_other_runs(name, runs_dir)):
        for file in REPORTS:
            if (folder / file).is_file():
                return folder / file
    return None


def _other_runs(name: str, runs_dir: str | None) -> list[Path]:
    """Return the folder that an id or its start means; `last` is a command test, if no folder says."""
    roots = [Path(runs_dir)] if runs_dir else list(OTHER_RUNS)
    folders = [one for root in roots if root.is_dir() for one in sorted(root.iterdir()) if one.is_dir()]
    if name == LAST:
        return folders[-1:] if runs_dir else []
    found = [one for one in folders if one.name == name] or [
        one for one in folders if one.name.startswith(name)
    ]
    if len(found) > 1:
        raise InputError(f"'{name}' may be any of the runs {', '.join(one.name for one in found)}")
    return found


def _whole(path: Path) -> dict[str, Any]:
    """Return a report together with the conversations that lie beside it."""
    data = read_json(path)
    talks = path.with_name("conversations.jsonl")
    if kind_of(data) is Kind.QUALITY and "dialogues" not in data and talks.is_file():
        return data | {"dialogues": list(_lines(talks))}
    return data


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(read_text_file(path).split("\n"), 1):
        try:
            if line.strip():
                yield json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(Problem(str(path), number, f"no conversation: {error}")) from error


def pairs_to_compare(loaded: Sequence[LoadedRun]) -> list[tuple[LoadedRun, LoadedRun]]:
    """Return each run with the last one of its activity."""
    found = []
    for kind in dict.fromkeys(run.kind for run in loaded):
        *others, newest = [run for run in loaded if run.kind is kind]
        found += [(run, newest) for run in others] if kind is not Kind.OTHER else []
    return found


def run_before(name: str, runs_dir: str | None = None) -> LoadedRun | None:
    """Return the run that was kept before a kept one, if there is one with a report."""
    if Path(name).is_file():
        return None
    report = _kept_report(name, runs_dir)
    if report is not None and report.resolve().parents[1] in [root.resolve() for root in OTHER_RUNS]:
        return _sibling_before(report.parent)
    return None


def _sibling_before(folder: Path) -> LoadedRun | None:
    """Return the last run beside this one that is older and has a report; names begin with the time."""
    for other in sorted(folder.parent.iterdir(), reverse=True):
        report = next((other / file for file in REPORTS if (other / file).is_file()), None)
        if other.name < folder.name and report is not None:
            return LoadedRun(other.name, _whole(report))
    return None
