"""Settings of a protocol run into bots and judges; the run that is kept, and judged."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from du_eval.assembly.judges import JudgeOptions, build_panel, list_spent
from du_eval.assembly.keeping import pick_settings
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
from du_eval.protocol.model import LANGUAGES, Protocol, load_protocol
from du_eval.protocol.record import KIND, ProtocolRun, record_protocol
from du_eval.protocol.settings import ProtocolSettings
from du_eval.protocol.talk import ProtocolTalk, hold_protocol
from du_eval.quality.facts.load import load_packaged_facts
from du_eval.runs.journal import Journal
from du_eval.runs.keeping import Opening, OpenRun
from du_eval.runs.record import Head, Status

_BOT_FILES = (".yml", ".yaml")
_IDENTITY = ("bot", "language", "seed", "plan", "blocks")
"""Settings that decide about what is said: a run that is continued must keep them."""


async def complete_protocol(
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


async def recall_protocol(settings: ProtocolSettings, journal: Journal) -> list[ProtocolDialogue]:
    """Return the dialogues as far as a journal holds them; nobody is asked."""
    protocol = load_protocol(settings.language)
    held = await hold_protocol(settings.plans(protocol), ProtocolTalk(protocol, None, journal))
    return [one for one in held if one.spoken]


def judge_protocol(
    settings: ProtocolSettings,
    dialogues: Sequence[ProtocolDialogue],
    environment: Mapping[str, str],
    status: Status = Status.FINISHED,
    journal: Journal | None = None,
) -> ProtocolRun:
    """Return the record of dialogues, every reply judged."""
    protocol = load_protocol(settings.language)
    judge = build_protocol_judge(settings, environment, journal)
    reading = Reading(protocol, similarity_judge(settings.similarity), judge)
    names = f"{RULES}, {judge.name}, {reading.similarity.name}"
    head = Head(KIND.name, subject=settings.bot, status=status, planned=settings.dialogues)
    run = record_protocol(dialogues, judge_all(dialogues, reading), protocol, names, head)
    return replace(run, notes=tuple(list_spent([judge])))


def build_protocol_judge(
    settings: ProtocolSettings, environment: Mapping[str, str], journal: Journal | None = None
) -> Judge:
    """Return who decides the criteria of single replies."""
    options = JudgeOptions(
        settings.judges,
        settings.judge_model,
        settings.judge_base_url or "",
        settings.judge_votes,
        environment,
        journal=journal,
    )
    return build_panel([Role.PROTOCOL], options)[Role.PROTOCOL]


def build_bot(name: str, protocol: Protocol, environment: Mapping[str, str]) -> Chatter:
    """Return the bot of a name, or of a YAML file with what `bot:` of a quality run may hold."""
    if name in BOTS:
        return BOTS[name](protocol)
    choice: str | Mapping[str, object] = name
    if name.endswith(_BOT_FILES):
        choice = read_bot(Path(name))
    return build_chatter(choice, load_packaged_facts(), environment)


def read_bot(path: Path) -> Mapping[str, object]:
    """Return the settings of a bot from its file."""
    root = parse_yaml(read_text_file(path), str(path), typed=True).root
    found = root.get("bot", root) if isinstance(root, dict) else None
    if not isinstance(found, dict) or "type" not in found:
        raise InputError(Problem(str(path), 1, "a bot needs a type", "e.g. `type: http` and `url: ...`"))
    return found


def check_judges(settings: ProtocolSettings, environment: Mapping[str, str]) -> None:
    """Raise before any dialogue is held where its judges could not be had."""
    similarity_judge(settings.similarity)
    build_protocol_judge(settings, environment)


def describe_protocol(settings: ProtocolSettings) -> Opening:
    """Return what a run of the protocol is about."""
    plans = settings.plans(load_protocol(settings.language))
    read = [settings.language, settings.plan or "", settings.bot]
    return Opening(
        kind=KIND.name,
        subject=settings.bot,
        files=tuple(name for name in read if name not in LANGUAGES and Path(name).is_file()),
        cases=tuple(f"dialogue {number}" for number in range(settings.dialogues)),
        identity=settings.model_dump(mode="json", include=set(_IDENTITY)),
        steps=sum(len(plan.utterances) for plan in plans),
    )


def extend(opened: OpenRun, opening: Opening, settings: ProtocolSettings) -> OpenRun:
    """Return a run that goes on, perhaps with more dialogues than it began with."""
    manifest = replace(
        opened.stored.manifest, settings=pick_settings(settings), cases=opening.cases, steps=opening.steps
    )
    return replace(opened, stored=opened.stored.write_manifest(manifest).seal(os.environ))


def rejudge_protocol(config: ProtocolSettings, opened: OpenRun) -> ProtocolRun:
    """Return a run of the protocol as its recorded replies give it; the bot is not asked."""
    dialogues = asyncio.run(recall_protocol(config, opened.journal))
    return judge_protocol(config, dialogues, os.environ, opened.stored.rejudged_status, opened.journal)
