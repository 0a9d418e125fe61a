"""Settings of a protocol run into bots, judges and a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from du_eval.assembly.quality import build_chatter
from du_eval.judges.chat import EndpointChat
from du_eval.judges.gist import ModelGist
from du_eval.judges.similarity import similarity_judge
from du_eval.judges.yes_no import RuleYesNo
from du_eval.llm.client import ChatClient
from du_eval.llm.endpoints import endpoint_of
from du_eval.quality.chatters.base import Chatter
from du_eval.quality.facts.load import packaged_facts
from du_eval.quality.protocol.bots import PersonaBot
from du_eval.quality.protocol.criteria import Judged, Reading
from du_eval.quality.protocol.model import Protocol, load_protocol
from du_eval.quality.protocol.plan import ORDER, plan_protocol, read_order
from du_eval.quality.protocol.run import (
    ProtocolReport,
    hold_protocol,
    judge_all,
    report_protocol,
    with_gist,
)


@dataclass(frozen=True)
class ProtocolSettings:
    """What can be set."""

    bot: str = "persona"
    language: str = "en"
    dialogues: int = 3
    seed: int = 0
    plan: str | None = None
    judge_model: str | None = None
    base_url: str = ""
    similarity: str = "auto"


async def run_protocol(settings: ProtocolSettings, environment: Mapping[str, str]) -> ProtocolReport:
    """Hold the dialogues, judge them, and return the report."""
    protocol = load_protocol(settings.language)
    order = read_order(settings.plan) if settings.plan else ORDER
    plans = [plan_protocol(protocol, number, settings.seed, order) for number in range(settings.dialogues)]
    bot = _bot(settings.bot, protocol, environment)
    dialogues = await hold_protocol(plans, bot, protocol)
    reading = Reading(protocol, similarity_judge(settings.similarity), RuleYesNo())
    judged = judge_all(dialogues, reading)
    names = f"protocol-rules/1, {reading.yes_no.name}, {reading.similarity.name}"
    if settings.judge_model:
        judged = await _by_model(judged, settings, environment)
        names = f"{settings.judge_model}, {names}"
    return report_protocol(dialogues, judged, protocol, settings.bot, names)


def _bot(name: str, protocol: Protocol, environment: Mapping[str, str]) -> Chatter:
    if name == "persona":
        return PersonaBot(protocol)
    return build_chatter(name, packaged_facts(), environment)


async def _by_model(
    judged: list[Judged], settings: ProtocolSettings, environment: Mapping[str, str]
) -> list[Judged]:
    endpoint = endpoint_of(settings.judge_model or "", settings.base_url, environment)
    client = ChatClient(endpoint)
    try:
        gist = ModelGist(EndpointChat(client, endpoint.model, {"temperature": 0}), name=endpoint.model)
        return await with_gist(judged, gist)
    finally:
        await client.close()
