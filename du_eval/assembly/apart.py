"""Generators, agents and judges in other processes: each worker builds them once from the settings."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from math import ceil
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from du_eval.agents.connect import Connector
from du_eval.agents.connections.base import AgentConnection
from du_eval.agents.converse import SampleSetting, run_sample
from du_eval.agents.results import SampleResult, Trial
from du_eval.agents.settings import AgentSettings
from du_eval.assembly import Session, build_generator, build_parser
from du_eval.assembly.agents import prepare_cases
from du_eval.assembly.judges import JudgeOptions, build_judge
from du_eval.assembly.networked import Shared
from du_eval.assistants.model import Assistant
from du_eval.errors import BudgetSpentError, ConfigError, DuEvalError, GeneratorError
from du_eval.generators.base import CommandGenerator, Prediction, Request
from du_eval.judges.judge import Judge
from du_eval.judges.opinion import Opinion
from du_eval.judges.tasks import Role, Task
from du_eval.runs.budget import Budget
from du_eval.runs.engine import EngineAsking, EngineSettings, EngineTask, Loop, choose_engine
from du_eval.runs.engine_local import open_engine
from du_eval.runs.record import Key
from du_eval.settings.commands import TestSettings

_TASKS = 500
"""How many texts a judge gets at once."""


class GeneratorPlan(Struct, frozen=True):
    """What a worker makes generators of: one, or one for each arm of an experiment."""

    configs: tuple[TestSettings, ...]
    assistants: Mapping[str, Assistant]
    """By folder: they travel once, and not with each question."""
    path: tuple[str, ...]
    """Where modules of the user are found."""


class LoadedGenerators(Struct, frozen=True):
    """The generators of a worker, by the places of their settings."""

    generators: tuple[CommandGenerator, ...]
    assistants: Mapping[str, Assistant]
    loop: Loop


PlacedRequest = tuple[int, Request]
"""A question, and the place of the generator that is asked."""


def load_generators(plan: GeneratorPlan) -> LoadedGenerators:
    """Build the generators of a worker; those that ask the same endpoint keep to its limits together."""
    sys.path += [folder for folder in plan.path if folder not in sys.path]
    budget = Budget()
    shared = Shared(budget)
    found = tuple(build_generator(one, build_parser(one), budget, shared) for one in plan.configs)
    return LoadedGenerators(found, plan.assistants, Loop())


def answer_requests(
    state: LoadedGenerators, requests: tuple[PlacedRequest, ...]
) -> list[Prediction | DuEvalError]:
    """Return the answer to each request, or why there is none."""
    return state.loop.gather([partial(_answer, state, *request) for request in requests])


async def _answer(state: LoadedGenerators, place: int, request: Request) -> Prediction | DuEvalError:
    assistant = state.assistants.get(request.assistant.path, request.assistant)
    try:
        found: object = await state.generators[place].generate(replace(request, assistant=assistant))
    except DuEvalError as error:
        return error
    if isinstance(found, Prediction):
        return found
    return GeneratorError(f"the generator returned {type(found).__name__} instead of a Prediction")


class GeneratorApart(Struct, frozen=True):
    """Stands for generators of other processes; counts what they sent, so that a budget is that of all."""

    asking: EngineAsking[Any, Any, PlacedRequest, Prediction | DuEvalError]
    place: int
    budget: Budget
    name: str

    async def generate(self, request: Request) -> Prediction:
        """Return the answer of one of them."""
        light = replace(request, assistant=Assistant(path=request.assistant.path))
        found = await self.asking.ask((self.place, light))
        if isinstance(found, BudgetSpentError):
            raise GeneratorError(str(found))
        if isinstance(found, DuEvalError):
            self.budget.add_calls(getattr(found, "retries", 0))
            raise found
        if found.prompts:
            sent = [prompt for prompt in found.prompts if not prompt.is_cached]
            self.budget.add_calls(sum(1 + prompt.retries for prompt in sent) - 1)
            self.budget.add_cost(sum(prompt.cost or 0.0 for prompt in sent))
        return found

    async def close(self) -> None:
        """Ask nothing more."""
        await self.asking.aclose()


@contextmanager
def generate_apart(
    asked: Sequence[tuple[Session, CommandGenerator]], engine: EngineSettings
) -> Iterator[list[CommandGenerator]]:
    """Yield a generator for each that is given, standing for one in each worker; all share the workers."""
    with open_engine(engine) as workers:
        shares = [_share_limits(session.config, workers.workers) for session, _ in asked]
        configs = tuple(
            session.config.model_copy(update=share) for (session, _), share in zip(asked, shares, strict=True)
        )
        first = asked[0][0]
        assistants = {one.path: one for one in filter(None, map(first.assistants.of, first.suite))}
        plan = GeneratorPlan(configs, assistants, tuple(sys.path))
        task = EngineTask(load_generators, plan, answer_requests)
        asking = EngineAsking(workers, task, max(int(share["concurrency"]) for share in shares))
        yield [
            GeneratorApart(
                asking, place, session.evaluator.budget, getattr(given, "name", type(given).__name__)
            )
            for place, (session, given) in enumerate(asked)
        ]


def _share_limits(config: TestSettings, workers: int) -> dict[str, float]:
    """Return the share that each worker has of what the endpoint allows."""
    rates = {
        name: value / workers
        for name in ("requests_per_minute", "tokens_per_minute")
        if (value := getattr(config, name)) is not None
    }
    return {**rates, "concurrency": max(1, ceil(config.concurrency / workers))}


class LoadedAgents(Struct, frozen=True):
    """The cases of a worker, connected when they are first needed."""

    trials: Mapping[Key, Trial]
    connector: Connector
    setting: SampleSetting
    loop: Loop = field(default_factory=Loop)
    live: dict[Key, AgentConnection] = field(default_factory=dict)


def load_agents(config: AgentSettings) -> LoadedAgents:
    """Load the cases of a worker."""
    prepared = prepare_cases(config)
    trials = [Trial.of(case, connection) for case in prepared.cases for connection in case.connections]
    connector = Connector(prepared.setting.connecting)
    return LoadedAgents({trial.key: trial for trial in trials}, connector, prepared.setting.sample)


def take_samples(state: LoadedAgents, wanted: tuple[Key, ...]) -> list[SampleResult]:
    """Return what came of each sample."""
    return state.loop.gather([partial(_take_sample, state, key) for key in wanted])


async def _take_sample(state: LoadedAgents, key: Key) -> SampleResult:
    trial = state.trials[key]
    if key not in state.live:
        state.live[key] = state.connector.connect(trial.case, trial.connection)
    return await run_sample(trial.case, state.live[key], state.setting)


@contextmanager
def sample_apart(config: AgentSettings) -> Iterator[EngineAsking[Any, Any, Key, SampleResult] | None]:
    """Yield who takes samples of agent cases; None where this process does."""
    engine = choose_engine(config)
    if not engine.is_wanted:
        yield None
        return
    with open_engine(engine) as workers:
        share = max(1, ceil(config.concurrency / workers.workers))
        plan = config.model_copy(update={"concurrency": share})
        yield EngineAsking(workers, EngineTask(load_agents, plan, take_samples), share)


class JudgePlan(Struct, frozen=True):
    """What a worker makes a judge of."""

    role: Role
    choice: str
    options: JudgeOptions


def load_judge(plan: JudgePlan) -> Judge:
    """Build the judge of a worker."""
    return build_judge(plan.role, plan.choice, plan.options)


def judge_tasks(judge: Judge, tasks: Sequence[Task]) -> list[Opinion]:
    """Return an opinion about each text."""
    return list(judge.judge(tasks))


class JudgeApart(Struct, frozen=True):
    """A judge that works in other processes."""

    name: str
    work: Callable[[Sequence[Sequence[Task]]], Iterator[list[Opinion]]]

    def judge(self, tasks: Sequence[Task]) -> list[Opinion]:
        """Return an opinion about each task, in their order."""
        pieces = [tasks[place : place + _TASKS] for place in range(0, len(tasks), _TASKS)]
        return [opinion for found in self.work(pieces) for opinion in found]


@contextmanager
def judge_apart(plan: JudgePlan, engine: EngineSettings) -> Iterator[Judge]:
    """Yield a judge that works where the engine says."""
    if engine.is_wanted and "llm" in plan.choice:
        raise ConfigError(
            "a judge that asks a chat model runs in this process: leave out --workers and --engine"
        )
    here = load_judge(plan)
    if not engine.is_wanted:
        yield here
        return
    with open_engine(engine) as workers:
        task = EngineTask(load_judge, plan, judge_tasks)
        yield JudgeApart(here.name, lambda pieces: workers.map(task, pieces))
