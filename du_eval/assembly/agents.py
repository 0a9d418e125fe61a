"""Settings of agent cases into cases that can run: connections, judges, the selection."""

from __future__ import annotations

import asyncio
import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from du_eval.agents.checks.base import Judges
from du_eval.agents.connect import Connecting, parse_server_options
from du_eval.agents.connections.base import find_kinds
from du_eval.agents.converse import SampleSetting, judge_sample
from du_eval.agents.load import load_case
from du_eval.agents.model import AgentCase, Connection
from du_eval.agents.pipeline import RunSetting, sign_samples
from du_eval.agents.record import KIND, AgentRun, record_agent, record_sample, record_trial, set_sample_count
from du_eval.agents.results import AgentTalk, Trial, restore_sample
from du_eval.agents.select import Selection, list_unknown_connections, require_case_consent, select_cases
from du_eval.agents.settings import AgentSettings
from du_eval.assembly.judges import JudgeOptions, build_panel
from du_eval.assembly.networked import build_chat_model
from du_eval.assembly.selection import name_selected
from du_eval.compat.neuro_san import NEURO_SAN
from du_eval.errors import InputError, did_you_mean
from du_eval.judges.chat import EndpointChat
from du_eval.judges.gist import GistJudge, PlayedGist, SimilarityGist, UndecidedGist
from du_eval.judges.similarity import similarity_judge
from du_eval.judges.tasks import Role
from du_eval.judges.toxicity import toxicity_judge
from du_eval.runs.keeping import Opening, OpenRun
from du_eval.runs.record import Head, Key, Result
from du_eval.statistics.success import SuccessRatio
from du_eval.suites.select import take_shard


class PreparedCases(Struct, frozen=True):
    """The cases that are to run, and how."""

    cases: tuple[AgentCase, ...]
    setting: RunSetting
    warnings: tuple[str, ...] = ()


def prepare_cases(config: AgentSettings) -> PreparedCases:
    """Load the selected cases, with the judges and connections that the settings name."""
    connecting, judges = _build_connecting(config), _build_judges(config)
    selection = Selection(tuple(config.paths), config.select, tuple(config.deselect))
    selected = select_cases(selection, os.environ if config.allow_env else None)
    chosen = take_shard(selected.cases, config.shard) if config.shard else selected.cases
    cases = tuple(set_sample_count(_adapt(case, config), config.samples) for case in chosen)
    require_case_consent(cases, selection.targets, os.environ)
    setting = RunSetting(
        SampleSetting(judges, config.timeout),
        connecting,
        config.concurrency,
    )
    warnings = (*selected.warnings, *list_unknown_connections(cases))
    return PreparedCases(cases, setting, tuple(map(str, warnings)))


def build_agent_chat(config: AgentSettings, model: str = "") -> EndpointChat:
    """Return the client of a chat model: the one that is named, or that of the settings."""
    values = {
        "model": model or config.model,
        "base_url": config.base_url,
        "cache": config.cache,
        "concurrency": config.concurrency,
    }
    return build_chat_model(values, os.environ)


def _build_connecting(config: AgentSettings) -> Connecting:
    files = {"ca_file": config.ca, "certificate": config.certificate, "private_key": config.private_key}
    return Connecting(
        parse_server_options(config.server),
        {key: path for key, path in files.items() if path},
        config.agents,
        config.model,
        chat_of=partial(build_agent_chat, config),
    )


def _build_judges(config: AgentSettings) -> Judges:
    similarity, threshold = similarity_judge(config.similarity), config.gist_threshold
    gist: GistJudge = UndecidedGist() if threshold is None else SimilarityGist(similarity, threshold)
    if chosen := config.judges or ("gist=llm" if config.model else ""):
        options = JudgeOptions(
            chosen,
            config.model,
            config.base_url or "",
            config.gist_votes,
            os.environ,
            similarity,
            config.cache,
        )
        gist = PlayedGist(build_panel([Role.GIST], options)[Role.GIST])
    return Judges(gist, similarity, toxicity_judge(config.toxicity))


def _adapt(case: AgentCase, config: AgentSettings) -> AgentCase:
    if config.connection:
        case = replace(case, connections=tuple(_find_connection(name, case) for name in config.connection))
    return replace(case, manner=NEURO_SAN) if config.neuro_san_compat else case


def _find_connection(name: str, case: AgentCase) -> Connection:
    """Return the case's own connection of that kind, or a plain one."""
    kinds = list(find_kinds())
    if name not in kinds:
        hint = did_you_mean(name, kinds) or f"known: {', '.join(kinds)}"
        raise InputError(f"--connection: unknown connection '{name}' ({hint})")
    own = [connection for connection in case.connections if connection.kind == name]
    return own[0] if own else Connection(name)


def describe_agents(cases: Sequence[AgentCase], identity: Mapping[str, object]) -> Opening:
    """Return what a run of agent cases is about."""
    trials = [Trial.of(case, connection) for case in cases for connection in case.connections]
    return Opening(
        kind=KIND.name,
        subject=", ".join(dict.fromkeys(case.agent for case in cases)),
        files=tuple(dict.fromkeys(case.file for case in cases)),
        cases=tuple(record_trial(trial).id for trial in trials),
        identity=identity,
        samples=max(case.ratio.of for case in cases),
        steps=sum(trial.case.ratio.of for trial in trials),
    )


def rejudge_agents(config: AgentSettings, opened: OpenRun) -> AgentRun:
    """Return a run as its recorded samples give it; opinions are asked for anew where a case changed."""
    manifest, trials = opened.stored.manifest, dict[Key, Trial]()
    setting = SampleSetting(_build_judges(config))
    found: dict[Key, list[Result[AgentTalk]]] = defaultdict(list)
    for record in list(opened.journal.records()):
        sample = restore_sample(record.answer or {})
        if sample is None:
            continue
        first = replace(record.key, sample=1)
        if first not in trials:
            trials[first] = _restore_trial(first, manifest.samples, config, setting.judges.signature)
        trial = trials[first]
        is_same = trial.request == record.request
        if is_same or opened.journal.is_writing:  # a run that is only read has been judged by another case
            sample = asyncio.run(judge_sample(trial.case, sample, setting, keeps_opinions=is_same))
        found[first].append(record_sample(trial.at_sample(record.key.sample), sample))
    order = {name: number for number, name in enumerate(manifest.cases)}
    recorded = [record_trial(trial, found[key]) for key, trial in trials.items()]
    cases = tuple(sorted(recorded, key=lambda case: order.get(case.id, len(order))))
    seconds = sum(one.seconds or 0.0 for case in cases for one in case.results)
    signature = sign_samples(setting.judges, takes_all=config.all_samples)
    head = Head(
        KIND.name,
        manifest.subject,
        signature=signature,
        seconds=seconds,
        status=opened.stored.rejudged_status,
        part=name_selected(config),
        planned=len(manifest.cases),
    )
    return record_agent(cases, head)


def _restore_trial(key: Key, planned: int, config: AgentSettings, signature: str) -> Trial:
    """Return the case of a sample; where its file is gone, all its samples must pass."""
    gone = AgentCase(key.case, key.file, "", (), ratio=SuccessRatio(planned, planned))
    try:
        case = _adapt(load_case(Path(key.file), key.case).case, config)
    except (InputError, OSError):
        case = gone
    names = {one.name: one for one in case.connections}
    connection = names.get(key.variant) or (case.connections[0] if not key.variant else Connection())
    return replace(Trial.of(case, connection, signature), key=key)
