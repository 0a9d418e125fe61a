"""A quality run from beginning to report: its folder, its settings, its journal."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from du_eval.assembly.quality import (
    build_assessing,
    build_chatter,
    build_judges,
    build_scripts,
    chatter_name,
    plan_settings,
)
from du_eval.errors import ConfigError, InputError
from du_eval.quality.chatters.base import Chatter, Silent, TalkOverError, most_at_once, running
from du_eval.quality.config import QualityConfig, read_config
from du_eval.quality.dialogue import Dialogue, Exchange
from du_eval.quality.emely_plan import original_plan
from du_eval.quality.facts.load import load_facts
from du_eval.quality.facts.model import FactBook
from du_eval.quality.kept_replies import KeptReplies
from du_eval.quality.openings import first_prompt
from du_eval.quality.pipeline import Assessing, assess, hold
from du_eval.quality.plan import Plan, plan
from du_eval.quality.results import QualityReport
from du_eval.quality.store import load_dialogues
from du_eval.quality.talk import Talk
from du_eval.reports.files import write, yaml_text
from du_eval.runs.journal import Journal
from du_eval.runs.store import LAST

_CONFIG, _JOURNAL = "config.yaml", "journal.jsonl"
_IDENTITY = ("bot", "tester", "language", "seed", "prompts", "compat")
"""Settings that decide about the replies: a run that goes on must keep them."""


@dataclass(frozen=True)
class Session:
    """The settings and the folder of a run."""

    config: QualityConfig
    folder: Path


def resumed(run: str, overrides: dict[str, Any], root: Path) -> Session:
    """Return the session of a run by its folder, its id, the start of its id, or `last`."""
    folder = Path(run) if (Path(run) / _CONFIG).is_file() else _kept_run(run, root)
    before, now = (read_config(str(folder / _CONFIG), given) for given in ({}, overrides))
    for key in _IDENTITY:
        if getattr(before, key) != getattr(now, key):
            told = f"{key}: {getattr(before, key)!r} then, {getattr(now, key)!r} now"
            raise ConfigError(f"the run {folder} cannot go on with other settings ({told}); start a new run")
    return Session(now, folder)


def _kept_run(run: str, root: Path) -> Path:
    runs = sorted(one.parent for one in root.glob(f"*/{_CONFIG}"))
    found = runs[-1:] if run == LAST else [one for one in runs if one.name.startswith(run)]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(f"'{run}' may be any of the runs {', '.join(one.name for one in found)}")
    raise InputError(
        f"there is no run '{run}' to continue: no {_CONFIG} in it, and none in {root} is called so"
    )


def begin(path: str | None, overrides: dict[str, Any], folder: Path | None, root: Path) -> Session:
    """Return a new session."""
    config = read_config(path, overrides)
    name = re.sub(r"[^\w-]+", "-", chatter_name(config.bot))[:40].strip("-")
    folder = folder or _fresh(root / (config.name or f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{name}"), config)
    if (folder / _JOURNAL).exists():
        raise InputError(f"{folder} holds a run already (--resume goes on with it, or name another folder)")
    write(folder / _CONFIG, yaml_text(config.model_dump()))
    return Session(config, folder)


def _fresh(folder: Path, config: QualityConfig) -> Path:
    """Return a folder that no run has yet, unless the settings name it."""
    found, number = folder, 2
    while not config.name and (found / _CONFIG).exists():
        found, number = folder.with_name(f"{folder.name}-{number}"), number + 1
    return found


@dataclass(frozen=True)
class Watching:
    """Who is told how a run goes on: about each reply, and about each finished conversation."""

    tell: Callable[[str], None] = lambda _: None
    on_exchange: Callable[[Exchange], None] = lambda _: None
    on_dialogue: Callable[[Dialogue], None] = lambda _: None


async def hold_all(
    session: Session, environment: Mapping[str, str], watching: Watching | None = None
) -> list[Dialogue]:
    """Hold what is missing of a session's dialogues and return all of them."""
    config, watching = session.config, watching or Watching()
    if config.load:
        return load_dialogues([config.load])
    book = load_facts(config.facts, with_packaged=config.packaged_facts, language=config.language)
    bot = build_chatter(config.bot, book, environment)
    typed = any(chatter_name(side) == "user" for side in (config.bot, config.tester))
    journal = Journal.opened(session.folder / _JOURNAL, writing=True)
    if len(journal):
        watching.tell(f"{len(journal)} replies are kept from before")
    make = talk_maker(config, bot, book, environment)
    kept = KeptReplies(journal, "quality")

    def talk_of(one: Plan) -> Talk:
        return replace(make(one), on_exchange=watching.on_exchange, kept=kept)

    most = most_at_once(bot, 1 if typed else config.concurrency)
    with closing(journal):
        async with running(bot):
            return await hold(plans_of(config, book), talk_of, most, watching.on_dialogue)


async def kept_dialogues(session: Session) -> list[Dialogue]:
    """Return the dialogues of a session as far as its journal holds them; nobody is asked."""
    config = session.config
    book = load_facts(config.facts, with_packaged=config.packaged_facts, language=config.language)
    found = []
    with closing(Journal.opened(session.folder / _JOURNAL, writing=False)) as journal:
        for one in plans_of(config, book):
            talk = Talk(Silent(), Silent(), start=config.start, kept=KeptReplies(journal, "quality"))
            try:
                found.append(await talk.held(one))
            except TalkOverError:
                continue  # it had not begun
    return found


def plans_of(config: QualityConfig, book: FactBook) -> list[Plan]:
    """Return what is said where in each dialogue of a run."""
    scripts, settings = build_scripts(config), plan_settings(config)
    if config.compat == "emely":
        longest = config.longest_memory
        return [original_plan(number, settings, longest, book) for number in range(config.conversations)]
    return [plan(number, settings, scripts, book) for number in range(config.conversations)]


def talk_maker(
    config: QualityConfig, bot: Chatter, book: FactBook, environment: Mapping[str, str]
) -> Callable[[Plan], Talk]:
    """Return who holds the dialogue of a plan: a fresh tester and the one bot."""
    scripted = chatter_name(config.tester).partition(":")[0] in {"predefined", "user"}
    begins = config.opening.is_set and not scripted  # as in the document: they have words of their own

    def talk_of(one: Plan) -> Talk:
        seed = f"{config.seed}/{one.number}"
        return Talk(
            tester=build_chatter(config.tester, book, environment, seed),
            bot=bot,
            start=config.start,
            opening=first_prompt(config.opening, config.language, seed) if begins else "",
            timeout_seconds=config.timeout_seconds,
            tester_memory=config.tester_memory,
            bot_memory=config.bot_memory,
        )

    return talk_of


def prepared(session: Session) -> Assessing:
    """Return what assesses the dialogues of a session: what is missing is found before anybody talks."""
    return build_assessing(session.config, build_judges(session.config))


def report_of(session: Session, assessing: Assessing, dialogues: Sequence[Dialogue]) -> QualityReport:
    """Return the report on the dialogues of a session."""
    config = session.config
    return assess(dialogues, assessing, chatter_name(config.bot), chatter_name(config.tester))
