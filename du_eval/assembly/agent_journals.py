"""The journal of a run of agent cases as a report."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from du_eval.errors import InputError

if TYPE_CHECKING:
    from du_eval.agents.journal import TrialKey
    from du_eval.agents.results import AgentRun, CaseResult, SampleResult


def journal_data(path: Path) -> dict[str, Any]:
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
    from du_eval.agents.model import AgentCase, Connection, Ratio
    from du_eval.agents.results import CaseResult

    path = Path(key.file)
    kind = key.connection.partition(" ")[0].partition("://")[0]
    case = AgentCase(path.stem, key.file, "", (), ratio=Ratio(len(samples), len(samples)))
    try:
        loaded = load_case(path, f"{path.parent.name}/{path.stem}").case
    except (InputError, OSError):
        return CaseResult(case, Connection(kind), tuple(samples))
    found = next((one for one in loaded.connections if one.name == key.connection), Connection(kind))
    return CaseResult(loaded if loaded.digest == key.digest else case, found, tuple(samples))
