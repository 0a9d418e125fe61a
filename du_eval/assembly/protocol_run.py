"""A protocol run that is kept: begun or gone on with, written down reply by reply, reported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from du_eval import __version__
from du_eval.assembly.keeping import kept_settings
from du_eval.assembly.protocol import build_bot, check_judges
from du_eval.assembly.selection import run_store
from du_eval.chatters.base import Chatter
from du_eval.protocol.detail import KIND
from du_eval.protocol.model import LANGUAGES, load_protocol
from du_eval.protocol.settings import ProtocolSettings
from du_eval.runs.keeping import Opening, OpenRun, open_run
from du_eval.runs.store import StoredRun
from du_eval.settings.sources import settle_values

_IDENTITY = ("bot", "language", "seed", "plan", "blocks")
"""Settings that decide about what is said: a run that goes on must keep them."""


@dataclass(frozen=True)
class ProtocolSession:
    """The settings of a run, its bot, and the run that is being written down."""

    settings: ProtocolSettings
    bot: Chatter
    opened: OpenRun

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know about a run that goes on."""
        kept = len(self.opened.journal)
        return (*([f"{kept} replies are kept from before"] if kept else []), *self.opened.notes)


def begin_protocol(settings: ProtocolSettings, environment: Mapping[str, str]) -> ProtocolSession:
    """Return a new run, or the one to go on with."""
    protocol = load_protocol(settings.language)
    steps = sum(len(plan.utterances) for plan in settings.plans(protocol))
    check_judges(settings, environment)
    bot = build_bot(settings.bot, protocol, environment)
    opening = _make_opening(settings, steps)
    opened = open_run(run_store(settings), opening, __version__, settings.resume)
    if settings.resume:
        stored = opened.stored.updated(settings=opening.settings, cases=opening.cases, steps=steps)
        opened = replace(opened, stored=stored.seal(environment))
    return ProtocolSession(settings, bot, opened)


def _make_opening(settings: ProtocolSettings, steps: int) -> Opening:
    read = [settings.language, settings.plan or "", settings.bot]
    return Opening(
        kind=KIND.name,
        subject=settings.bot,
        files=tuple(name for name in read if name not in LANGUAGES and Path(name).is_file()),
        cases=tuple(f"dialogue {number}" for number in range(settings.dialogues)),
        settings=kept_settings(settings),
        identity=settings.model_dump(mode="json", include=set(_IDENTITY)),
        label=settings.label or "",
        seed=settings.seed,
        steps=steps,
    )


def read_settings(stored: StoredRun) -> ProtocolSettings:
    """Return the settings of a kept run."""
    known = ProtocolSettings.model_fields
    found = {key: value for key, value in stored.manifest.settings.items() if key in known}
    return settle_values(ProtocolSettings, f"run {stored.id}", found)
