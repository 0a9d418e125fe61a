"""One sample: the interactions of a case in their order, each asked, timed and checked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from itertools import zip_longest

from msgspec import Struct, field
from msgspec.structs import replace

from du_eval.agents.checks.base import Judges
from du_eval.agents.checks.evaluate import ANY_OF, JUDGED, Answer, evaluate
from du_eval.agents.connections.base import AgentConnection, AgentRequest
from du_eval.agents.model import AgentCase, Expectation, Interaction, JsonObject
from du_eval.agents.results import AgentReply, CheckResult, InteractionResult, SampleResult
from du_eval.errors import AgentError


class SampleSetting(Struct, frozen=True):
    """What all samples of a run share."""

    judges: Judges
    timeout_seconds: float = 120.0
    clock: Callable[[], float] = time.perf_counter


class _Memory(Struct, frozen=True):
    """What goes from one interaction to the next."""

    chat_context: JsonObject = field(default_factory=dict)
    sly_data: JsonObject = field(default_factory=dict)


async def run_sample(case: AgentCase, connection: AgentConnection, setting: SampleSetting) -> SampleResult:
    """Run all interactions of a case once; the first that gets no answer ends the sample."""
    start = setting.clock()
    memory = _Memory()
    results: list[InteractionResult] = []
    for interaction in case.interactions:
        if not interaction.continues and not case.manner.cuts_after:
            memory = _Memory()
        request = _request(case, interaction, memory)
        result = await _interact(case, interaction, request, connection, setting)
        results.append(replace(result, reply=result.reply and replace(result.reply, chat_context=None)))
        if result.reply is None:
            break
        memory = _remembered(case, interaction, request, result.reply)
    return SampleResult(tuple(results), "", setting.clock() - start)


async def judge_sample(
    case: AgentCase, sample: SampleResult, setting: SampleSetting, *, keeps_opinions: bool
) -> SampleResult:
    """Return a recorded sample as its case judges it now; opinions may be kept, as they may cost money."""
    judged = list(sample.interactions)
    for number, (interaction, known) in enumerate(zip(case.interactions, judged, strict=False)):
        if known.reply is None or known.text != interaction.text:
            continue
        answer = Answer(known.reply, known.seconds, setting.judges, case.manner)
        checks = [
            check if keeps_opinions and check and _takes_opinion(one) else await evaluate(one, answer)
            for one, check in zip_longest(
                interaction.expectations, known.checks[: len(interaction.expectations)]
            )
        ]
        judged[number] = replace(known, checks=tuple(checks))
    return replace(sample, interactions=tuple(judged))


def _takes_opinion(expectation: Expectation) -> bool:
    """Tell whether a judge decides about an expectation, or about a part of it."""
    if expectation.check != ANY_OF:
        return expectation.check in JUDGED
    return any(_takes_opinion(one) for group in expectation.expected for one in group)  # type: ignore[attr-defined]


def _request(case: AgentCase, interaction: Interaction, memory: _Memory) -> AgentRequest:
    sly_data = memory.sly_data if interaction.sly_data is None else interaction.sly_data
    return AgentRequest(
        interaction.text, sly_data, memory.chat_context, interaction.chat_filter, case.metadata
    )


async def _interact(
    case: AgentCase,
    interaction: Interaction,
    request: AgentRequest,
    connection: AgentConnection,
    setting: SampleSetting,
) -> InteractionResult:
    limit = interaction.timeout_seconds or setting.timeout_seconds
    start = setting.clock()
    try:
        async with asyncio.timeout(limit):
            reply = await connection.ask(request)
    except (TimeoutError, AgentError) as error:
        told = str(error) if isinstance(error, AgentError) else f"no answer came within {limit:g} s"
        return InteractionResult(interaction.text, error=told, seconds=setting.clock() - start)
    seconds = setting.clock() - start
    checks = await _checked(interaction.expectations, Answer(reply, seconds, setting.judges, case.manner))
    return InteractionResult(interaction.text, reply, "", checks, seconds)


async def _checked(expectations: tuple[Expectation, ...], answer: Answer) -> tuple[CheckResult, ...]:
    """Hold all expectations against an answer; several opinions are asked for at once."""
    if sum(one.check in JUDGED for one in expectations) > 1:
        return tuple(await asyncio.gather(*(evaluate(one, answer) for one in expectations)))
    return tuple([await evaluate(one, answer) for one in expectations])


def _remembered(
    case: AgentCase, interaction: Interaction, request: AgentRequest, reply: AgentReply
) -> _Memory:
    """Return what the next interaction is told: the context, and the sly data sent and received."""
    if case.manner.cuts_after and not interaction.continues:
        return _Memory({}, request.sly_data)
    return _Memory(reply.chat_context or {}, {**request.sly_data, **(reply.sly_data or {})})
