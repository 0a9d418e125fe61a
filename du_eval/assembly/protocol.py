"""Settings of a protocol run into bots, judges and a judged run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from du_eval.assembly.judges import JudgeOptions, build_panel, list_spent
from du_eval.assembly.quality import build_chatter
from du_eval.chatters.base import Chatter, most_at_once, running
from du_eval.errors import InputError, Problem
from du_eval.judges.judge import Judge
from du_eval.judges.similarity import similarity_judge
from du_eval.judges.tasks import Role
from du_eval.parsers.text_files import read_text_file
from du_eval.parsers.yaml_parser import parse_yaml
from du_eval.protocol.bots import BOTS
from du_eval.protocol.criteria import RULES, ProtocolDialogue, Reading, judge_all
from du_eval.protocol.detail import KIND
from du_eval.protocol.model import Protocol, load_protocol
from du_eval.protocol.record import ProtocolRun, record_protocol
from du_eval.protocol.settings import ProtocolSettings
from du_eval.protocol.talk import ProtocolTalk, hold_protocol
from du_eval.quality.facts.load import packaged_facts
from du_eval.runs.journal import Journal
from du_eval.runs.record import Head, Status

_BOT_FILES = (".yml", ".yaml")


async def held_protocol(
    settings: ProtocolSettings,
    bot: Chatter,
    journal: Journal | None = None,
    on_reply: Callable[[], None] = lambda: None,
) -> list[ProtocolDialogue]:
    """Hold what is missing of the dialogues, and return all of them."""
    protocol = load_protocol(settings.language)
    talk = ProtocolTalk(protocol, bot, journal, settings.timeout, on_reply=on_reply)
    async with running(bot):
        return await hold_protocol(
            settings.plans(protocol),
            talk,
            most_at_once(bot, 1 if settings.bot == "user" else settings.concurrency),
        )


async def kept_protocol(settings: ProtocolSettings, journal: Journal) -> list[ProtocolDialogue]:
    """Return the dialogues as far as a journal holds them; nobody is asked."""
    protocol = load_protocol(settings.language)
    held = await hold_protocol(settings.plans(protocol), ProtocolTalk(protocol, None, journal))
    return [one for one in held if one.spoken]


def judge_protocol(
    settings: ProtocolSettings,
    dialogues: Sequence[ProtocolDialogue],
    environment: Mapping[str, str],
    status: Status = Status.FINISHED,
) -> ProtocolRun:
    """Return the record of dialogues, every reply judged."""
    protocol = load_protocol(settings.language)
    judge = build_protocol_judge(settings, environment)
    reading = Reading(protocol, similarity_judge(settings.similarity), judge)
    names = f"{RULES}, {judge.name}, {reading.similarity.name}"
    head = Head(KIND.name, subject=settings.bot, status=status, planned=settings.dialogues)
    run = record_protocol(dialogues, judge_all(dialogues, reading), protocol, names, head)
    return replace(run, notes=tuple(list_spent([judge])))


def build_protocol_judge(settings: ProtocolSettings, environment: Mapping[str, str]) -> Judge:
    """Return who decides the criteria of single replies."""
    options = JudgeOptions(
        settings.judges,
        settings.judge_model,
        settings.judge_base_url or "",
        settings.judge_votes,
        environment,
    )
    return build_panel([Role.PROTOCOL], options)[Role.PROTOCOL]


def build_bot(name: str, protocol: Protocol, environment: Mapping[str, str]) -> Chatter:
    """Return the bot of a name, or of a YAML file with what `bot:` of a quality run may hold."""
    if name in BOTS:
        return BOTS[name](protocol)
    choice: Any = name
    if name.endswith(_BOT_FILES):
        choice = read_bot(Path(name))
    return build_chatter(choice, packaged_facts(), environment)


def read_bot(path: Path) -> Mapping[str, Any]:
    """Return the settings of a bot from its file."""
    root = parse_yaml(read_text_file(path), str(path), typed=True).root
    found = root.get("bot", root) if isinstance(root, dict) else None
    if not isinstance(found, dict) or "type" not in found:
        raise InputError(Problem(str(path), 1, "a bot has a type", "e.g. `type: http` and `url: ...`"))
    return found


def check_judges(settings: ProtocolSettings, environment: Mapping[str, str]) -> None:
    """Raise before any dialogue is held where its judges could not be had."""
    similarity_judge(settings.similarity)
    build_protocol_judge(settings, environment)
