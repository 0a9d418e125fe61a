"""Runs for a page, of every activity: report files, kept runs, folders of quality runs, agent journals."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from du_eval.assembly.loading import LoadedRun, load_run, store_of, stored_report
from du_eval.errors import InputError, Problem
from du_eval.reports.saved import activity_of, read_json

if TYPE_CHECKING:
    from du_eval.agents.journal import TrialKey
    from du_eval.agents.results import AgentRun, CaseResult, SampleResult

_REPORTS = ("results.json", "report.json")
"""The names of reports in the folders of runs."""
_OTHER_RUNS = (Path(".du-eval/quality"), Path(".du-eval/protocol"))
"""Where activities other than command tests keep their runs."""
_COMPARED = frozenset({"test", "agent"})


def load_shown(name: str, runs_dir: str | None = None) -> LoadedRun:
    """Return a run by its report file, its folder, its journal, its id, or `last`."""
    path = Path(name)
    folder = _folder(name)
    if folder is not None:
        report = next(folder / one for one in _REPORTS if (folder / one).is_file())
        return LoadedRun(folder.resolve().name, _whole(report))
    if not path.is_file():
        return load_run(name, runs_dir)
    if path.suffix == ".jsonl":
        return LoadedRun(path.stem, _journal_data(path))
    return LoadedRun(path.stem, _yaml_data(path) if path.suffix in {".yml", ".yaml"} else _whole(path))


def _folder(name: str) -> Path | None:
    """Return the folder that holds the report of a run: by its path, or by an id."""
    for folder in (Path(name), *(root / name for root in _OTHER_RUNS)):
        if any((folder / one).is_file() for one in _REPORTS):
            return folder
    return None


def _whole(path: Path) -> dict[str, Any]:
    """Return a report together with what lies beside it: conversations, or the answers of a person."""
    data = read_json(path)
    talks, answers = path.with_name("conversations.jsonl"), path.with_name("annotations.jsonl")
    activity = activity_of(data)
    if activity == "quality" and "dialogues" not in data and talks.is_file():
        return data | {"dialogues": list(_lines(talks))}
    if activity == "protocol" and "agreement" not in data and answers.is_file():
        return data | {"agreement": _agreement(data, answers)}
    return data


def _agreement(data: Mapping[str, Any], answers: Path) -> list[dict[str, Any]]:
    """Return how far the person who judged a run of the protocol by hand agrees with its judge."""
    from du_eval.quality.protocol.annotate import agreements, read_annotations
    from du_eval.quality.protocol.criteria import Judged, Ruling
    from du_eval.quality.protocol.model import Criterion

    known = {field.name for field in fields(Judged)}
    judged = [
        Judged(
            **{
                **{key: value for key, value in one.items() if key in known},
                "criterion": Criterion(one["criterion"]),
                "ruling": Ruling(one["ruling"]),
            }
        )
        for one in data["decisions"]
    ]
    return [asdict(one) for one in agreements(judged, read_annotations(answers))]


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            yield json.loads(line)
        except ValueError as error:
            raise InputError(Problem(str(path), number, f"no conversation: {error}")) from error


def _yaml_data(path: Path) -> dict[str, Any]:
    """Return the report of end-to-end tests, which is YAML unless asked otherwise."""
    import yaml

    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise InputError(Problem(str(path), 0, f"the report cannot be read: {error}")) from error
    if not isinstance(data, dict) or activity_of(data) != "e2e":
        hint = "of other activities, the JSON report has everything: --output-file x.json"
        raise InputError(Problem(str(path), 0, "this is no report of du-eval e2e", hint))
    return data


def _journal_data(path: Path) -> dict[str, Any]:
    """Return the report of the samples in a journal of agent cases."""
    from du_eval.agents.assessor import assess
    from du_eval.agents.journal import read_journal
    from du_eval.judges.similarity import similarity_judge
    from du_eval.reports.agents_json import render_json

    run = _run_of(read_journal(path))
    data: dict[str, Any] = json.loads(render_json(run, assess(run, similarity_judge("auto"))))
    return data


def _run_of(known: Mapping[TrialKey, Mapping[int, SampleResult]]) -> AgentRun:
    from du_eval.agents.results import AgentRun

    cases = tuple(_case_of(key, [kept[number] for number in sorted(kept)]) for key, kept in known.items())
    signature = next((key.signature for key in known), "")
    return AgentRun(cases, sum(case.seconds for case in cases), signature=signature)


def _case_of(key: TrialKey, samples: Sequence[SampleResult]) -> CaseResult:
    """Return the samples under their case; where its file is gone or changed, all of them must pass."""
    from du_eval.agents.load import load_case
    from du_eval.agents.model import AgentCase, Connection, ConnectionKind, Ratio
    from du_eval.agents.results import CaseResult

    path = Path(key.file)
    kind = next(
        (one for one in ConnectionKind if key.connection.startswith(one.value)), ConnectionKind.DIRECT
    )
    case = AgentCase(path.stem, key.file, "", (), ratio=Ratio(len(samples), len(samples)))
    try:
        loaded = load_case(path, f"{path.parent.name}/{path.stem}").case
    except (InputError, OSError):
        return CaseResult(case, Connection(kind), tuple(samples))
    found = next((one for one in loaded.connections if one.name == key.connection), Connection(kind))
    return CaseResult(loaded if loaded.digest == key.digest else case, found, tuple(samples))


def pairs_to_compare(loaded: Sequence[LoadedRun]) -> list[tuple[LoadedRun, LoadedRun]]:
    """Return each run with the last one of its activity, where runs of the activity can be compared."""
    found = []
    for activity in dict.fromkeys(activity_of(run.data) for run in loaded):
        *others, newest = [run for run in loaded if activity_of(run.data) == activity]
        found += [(run, newest) for run in others] if activity in _COMPARED else []
    return found


def run_before(name: str, runs_dir: str | None = None) -> LoadedRun | None:
    """Return the run that was kept before a kept one, if there is one with a report."""
    if Path(name).is_file() or (_folder(name) is not None and not (Path(name) / "manifest.json").is_file()):
        return None
    store = store_of(runs_dir)
    this = store.find(name)
    before = [run for run in store if run.id < this.id]
    try:
        return LoadedRun(before[-1].id, stored_report(before[-1], runs_dir)) if before else None
    except InputError:
        return None
