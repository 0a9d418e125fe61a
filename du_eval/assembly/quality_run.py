"""A quality run from beginning to report: its folder, its settings, its journal."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from du_eval.assembly.keeping import NOT_KEPT, public_settings
from du_eval.assembly.quality import (
    build_assessing,
    build_chatter,
    build_judges,
    build_scripts,
    name_chatter,
    plan_settings,
)
from du_eval.chatters.base import Chatter, Silent, TalkOverError, most_at_once, open_conversation, running
from du_eval.chatters.replies import KeptReplies, ReplyStatus
from du_eval.compat.emely import MANNERS
from du_eval.errors import ConfigError, tell_count
from du_eval.quality.config import QualityConfig
from du_eval.quality.dialogue import Dialogue, MarkedExchange
from du_eval.quality.facts.load import load_facts
from du_eval.quality.facts.model import FactBook
from du_eval.quality.inputs import Piece, hold_dialogues
from du_eval.quality.pipeline import ROWS, Assessing, Merging, PieceResult, assess_piece, hold
from du_eval.quality.plan import DialoguePlan, plan_all
from du_eval.quality.record import KIND, QualityRun
from du_eval.quality.sources import is_small_input, load_dialogues, open_source
from du_eval.quality.talk import Talk, draw_first_prompt
from du_eval.runs.engine import EngineSettings, EngineTask, InProcess, WorkEngine
from du_eval.runs.engine_local import open_engine
from du_eval.runs.journal import Journal
from du_eval.runs.keeping import Opening, OpenRun
from du_eval.runs.parts import FOLDER, PartWriter
from du_eval.runs.record import Head, Status

OpenWith = Callable[[Opening], AbstractContextManager[OpenRun]]
"""Opens the run that something is about."""
_IDENTITY = ("bot", "tester", "language", "seed", "prompts", "compat")
"""Settings that decide about the replies: a run that is continued must keep them."""


class QualitySession(Struct, frozen=True):
    """The settings of a run, and the run that is being written down."""

    config: QualityConfig
    opened: OpenRun

    @property
    def folder(self) -> Path:
        """Where the run is kept."""
        return self.opened.stored.folder


def describe_quality(config: QualityConfig, paths: Sequence[str] = (), files: Sequence[str] = ()) -> Opening:
    """Return what a quality run is about: conversations with a bot, or those that files hold."""
    settings = public_settings(config.model_dump(mode="json", exclude=set(NOT_KEPT)))
    planned = 0 if paths else config.conversations
    return Opening(
        kind=KIND.name,
        subject=", ".join(paths) or config.load or name_chatter(config.bot),
        files=tuple(files or config.facts),
        cases=tuple(f"dialogue {number}" for number in range(planned)),
        settings={**settings, "paths": [*paths]} if paths else settings,
        identity={key: settings[key] for key in _IDENTITY},
        label=config.name,
        steps=planned * config.prompts,
    )


class Watching(Struct, frozen=True):
    """Who is told how a run goes on: about each reply, and about each finished conversation."""

    on_exchange: Callable[[MarkedExchange], None] = lambda _: None
    on_dialogue: Callable[[Dialogue], None] = lambda _: None


async def hold_all(
    session: QualitySession, environment: Mapping[str, str], watching: Watching | None = None
) -> list[Dialogue]:
    """Hold what is missing of a session's dialogues and return all of them."""
    config, watching = session.config, watching or Watching()
    if config.load:
        return load_dialogues([config.load])
    book = load_facts(config.facts, with_packaged=config.packaged_facts, language=config.language)
    bot = build_chatter(config.bot, book, environment)
    typed = any(name_chatter(side) == "user" for side in (config.bot, config.tester))
    journal = session.opened.journal
    make = talk_maker(config, bot, book, environment)
    replies = KeptReplies(journal, "quality")

    def talk_of(one: DialoguePlan) -> Talk:
        return replace(make(one), on_exchange=watching.on_exchange, kept=replies)

    most = most_at_once(bot, 1 if typed else config.concurrency)
    async with running(bot):
        return await hold(plan_dialogues(config, book), talk_of, most, watching.on_dialogue)


async def recall_dialogues(session: QualitySession) -> list[Dialogue]:
    """Return the dialogues of a session as far as its journal holds them; nobody is asked."""
    config = session.config
    if config.load:
        return load_dialogues([config.load])
    book = load_facts(config.facts, with_packaged=config.packaged_facts, language=config.language)
    found = []
    for one in plan_dialogues(config, book):
        kept = KeptReplies(session.opened.journal, "quality", with_errors=True)
        talk = Talk(Silent(), Silent(), start=config.start, kept=kept)
        try:
            found.append(await talk.hold(one))
        except TalkOverError:
            continue  # it had not begun
    return found


def plan_dialogues(config: QualityConfig, book: FactBook) -> list[DialoguePlan]:
    """Return what is said where in each dialogue of a run."""
    scripts, settings = build_scripts(config), plan_settings(config)
    if manner := MANNERS.get(config.compat):
        longest = config.longest_memory
        return [manner.plan(number, settings, longest, book) for number in range(config.conversations)]
    return plan_all(config.conversations, settings, scripts, book)


def talk_maker(
    config: QualityConfig, bot: Chatter, book: FactBook, environment: Mapping[str, str]
) -> Callable[[DialoguePlan], Talk]:
    """Return who holds the dialogue of a plan: a fresh tester, and the bot for one conversation."""
    scripted = name_chatter(config.tester).partition(":")[0] in {"predefined", "user"}
    begins = config.opening.is_set and not scripted  # as in the document: they have words of their own

    def talk_of(one: DialoguePlan) -> Talk:
        seed = f"{config.seed}/{one.number}"
        return Talk(
            tester=build_chatter(config.tester, book, environment, seed),
            bot=open_conversation(bot),
            start=config.start,
            opening=draw_first_prompt(config.opening, config.language, seed) if begins else "",
            timeout_seconds=config.timeout_seconds,
            tester_memory=config.tester_memory,
            bot_memory=config.bot_memory,
        )

    return talk_of


class Assessed(Struct, frozen=True):
    """Conversations to assess: pieces of them, how many replies there are, and where all results go."""

    pieces: Iterable[Piece]
    replies: int | None
    """None: nobody knows before they are read."""
    folder: Path | None = None


def assess_session(
    session: QualitySession,
    assessing: Assessing,
    dialogues: Sequence[Dialogue],
    engine: EngineSettings | None = None,
    status: Status = Status.FINISHED,
) -> QualityRun:
    """Return the record of a session's dialogues, every reply assessed."""
    config = session.config
    head = Head(KIND.name, subject=config.load, status=status)
    if not config.load:  # whoever talked in a file, it was not the bot of these settings
        settings = {"tester": name_chatter(config.tester)}
        subject, planned = session.opened.stored.manifest.subject, config.conversations
        stopped = _tell_cut(config, dialogues, status)
        head = replace(head, subject=subject, planned=planned, settings=settings, stopped=stopped)
    replies = sum(len(one.exchanges) for one in dialogues)
    folder = session.folder if session.opened.journal.is_writing else None
    held = Assessed(hold_dialogues(dialogues), replies, folder)
    engine = engine or EngineSettings(workers=1)
    check_engine(config, engine)
    with open_engine(engine, is_small=replies <= ROWS) as workers:
        return assess_apart(config, assessing, held, workers).end(head)


def _tell_cut(config: QualityConfig, dialogues: Sequence[Dialogue], status: Status) -> str:
    """Return how far a run came whose conversations do not all have their end; empty if they do."""
    if status is not Status.FINISHED:
        asked, planned = sum(len(one.exchanges) for one in dialogues), config.conversations * config.prompts
        return f"{'interrupted ' * (status is Status.INTERRUPTED)}after {asked} of {planned} replies"
    short = [one.exchanges[-1] for one in dialogues if 0 < len(one.exchanges) < config.prompts]
    count = sum(last.outcome is not ReplyStatus.ANSWERED for last in short)
    what = tell_count(count, "conversation was", "conversations were")
    return f"{what} given up, because the bot stopped replying" if count else ""


def assess_apart(
    config: QualityConfig, assessing: Assessing, given: Assessed, engine: WorkEngine | None = None
) -> Merging:
    """Return what workers say about conversations, put together."""
    is_large = given.replies is None or given.replies > ROWS
    parts = PartWriter(given.folder / FOLDER) if is_large and given.folder else None
    merging = Merging(assessing, is_large=is_large, parts=parts)
    work = merging.ask(given.pieces)
    if engine is None or isinstance(engine, InProcess) or has_chat_judge(config):
        found: Iterable[PieceResult] = (assess_piece(assessing, one) for one in work)
    else:
        found = engine.map(EngineTask(build_worker, config, assess_piece), work)
    for one in found:
        merging.add(one)
    return merging


def check_engine(config: QualityConfig, engine: EngineSettings) -> None:
    """Refuse other processes where a chat model judges: what is done again would be paid for twice."""
    if engine.is_wanted and has_chat_judge(config):
        raise ConfigError(
            "a judge that asks a chat model runs in this process: leave out --workers and --engine"
        )


def has_chat_judge(config: QualityConfig) -> bool:
    """Tell whether a chat model judges, which costs money and may say something else the next time."""
    return any("llm" in str(choice) for choice in config.judges.model_dump(exclude={"model"}).values())


def build_worker(config: QualityConfig, journal: Journal | None = None) -> Assessing:
    """Return the checks of the settings, with judges that are loaded once in each worker."""
    return build_assessing(config, build_judges(config, os.environ, journal))


def rejudge_quality(config: QualityConfig, opened: OpenRun) -> QualityRun:
    """Return a run as its recorded replies, or the files that it read, give it; the bot is not asked."""
    assessing = build_worker(config, opened.journal)
    paths = opened.stored.manifest.settings.get("paths")
    if isinstance(paths, list) and paths:
        source = open_source(paths)
        folder = opened.stored.folder if opened.journal.is_writing else None
        merging = assess_apart(config, assessing, Assessed(source.divide(), source.replies, folder))
        return merging.end(Head(KIND.name, subject=", ".join(paths)))
    session = QualitySession(config, opened)
    dialogues = asyncio.run(recall_dialogues(session))
    return assess_session(session, assessing, dialogues, status=opened.stored.rejudged_status)


def assess_files(
    config: QualityConfig, paths: Sequence[str], engine: EngineSettings, opening: OpenWith
) -> tuple[OpenRun, QualityRun]:
    """Return the record of the conversations of files, and the run that keeps it once it is ended."""
    check_engine(config, engine)
    with open_engine(engine, is_small=has_chat_judge(config) or is_small_input(paths)) as workers:
        source = open_source(paths, workers)
        with opening(describe_quality(config, paths, source.files)) as opened:
            assessing = build_worker(config, opened.journal)
            given = Assessed(source.divide(), source.replies, opened.stored.folder)
            head = Head(KIND.name, subject=", ".join(paths))
            return opened, assess_apart(config, assessing, given, workers).end(head)
