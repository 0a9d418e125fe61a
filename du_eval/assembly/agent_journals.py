"""Runs of agent cases and their folders: begin one or go on with it, and read back one that was killed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from du_eval.agents.assessor import assess
from du_eval.agents.detail import KIND, AgentExtra, Talk
from du_eval.agents.journal import restore_sample
from du_eval.agents.load import load_case
from du_eval.agents.model import AgentCase, Connection
from du_eval.agents.record import name_trial, record_agent
from du_eval.agents.results import AgentRun, AgentTrial, SampleResult
from du_eval.errors import InputError
from du_eval.runs.journal import Journal
from du_eval.runs.keeping import Opening, OpenRun, open_run
from du_eval.runs.record import Head, Key, Run
from du_eval.runs.store import RunStore, StoredRun
from du_eval.statistics.success import SuccessRatio


@dataclass(frozen=True)
class AgentKeeper:
    """Opens the folder of a run when it is needed: what cannot run at all leaves nothing behind."""

    store: RunStore
    opening: Opening
    version: str
    resume: str | None = None

    @cached_property
    def opened(self) -> OpenRun:
        """The run that is written down."""
        return open_run(self.store, self.opening, self.version, self.resume)

    def open_journal(self) -> Journal:
        """Return the journal of the run."""
        return self.opened.journal


def open_agents(
    cases: Sequence[AgentCase], settings: Mapping[str, Any], identity: Mapping[str, Any], label: str
) -> Opening:
    """Return what a run of agent cases is about."""
    trials = [AgentTrial(case, connection, ()) for case in cases for connection in case.connections]
    return Opening(
        kind=KIND.name,
        subject=", ".join(dict.fromkeys(case.agent for case in cases)),
        files=tuple(dict.fromkeys(case.file for case in cases)),
        cases=tuple(map(name_trial, trials)),
        settings=settings,
        identity=identity,
        label=label,
        samples=max(case.ratio.of for case in cases),
        steps=sum(trial.case.ratio.of for trial in trials),
    )


def restore_agents(stored: StoredRun) -> Run[Talk, AgentExtra]:
    """Return a run that was killed, as far as its journal tells."""
    found: dict[Key, list[SampleResult]] = {}
    with closing(stored.journal()) as journal:
        for record in journal.records():
            sample = restore_sample(record.answer or {})
            if sample is not None:
                found.setdefault(replace(record.key, sample=1), []).append(sample)
    trials = tuple(_restore_trial(key, samples, stored.manifest.samples) for key, samples in found.items())
    run = AgentRun(trials, sum(sample.seconds for one in trials for sample in one.samples))
    manifest = stored.manifest
    head = Head(KIND.name, manifest.subject, label=manifest.label, planned=len(manifest.cases))
    made = record_agent(run, assess(run), head)
    return replace(
        made, head=replace(made.head, id=stored.id, started=manifest.started, status=stored.status)
    )


def _restore_trial(key: Key, samples: list[SampleResult], planned: int) -> AgentTrial:
    """Return the samples under their case; where its file is gone, all of them must pass."""
    samples.sort(key=lambda sample: sample.number)
    gone = AgentCase(key.case, key.file, "", (), ratio=SuccessRatio(planned, planned))
    try:
        case = load_case(Path(key.file), key.case).case
    except (InputError, OSError):
        case = gone
    names = {one.name: one for one in case.connections}
    connection = names.get(key.variant) or (case.connections[0] if not key.variant else Connection())
    return AgentTrial(case, connection, tuple(samples))
