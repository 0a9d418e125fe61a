"""A protocol run that is kept: begun or gone on with, written down reply by reply, reported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from du_eval import __version__
from du_eval.assembly.protocol import ProtocolSettings, build_bot, check_judges
from du_eval.chatters.base import Chatter
from du_eval.llm.secrets import public_url
from du_eval.protocol.detail import KIND
from du_eval.protocol.model import LANGUAGES, load_protocol
from du_eval.protocol.record import ProtocolRun, record_protocol
from du_eval.protocol.run import ProtocolReport
from du_eval.runs.keeping import Opening, OpenRun, open_run
from du_eval.runs.record import Head, Status
from du_eval.runs.store import RunStore, StoredRun, require_own

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

    def end(self, report: ProtocolReport, *, is_interrupted: bool) -> ProtocolRun:
        """Write the whole run down and return it."""
        status = Status.INTERRUPTED if is_interrupted else Status.FINISHED
        head = Head(KIND.name, status=status, planned=self.settings.dialogues)
        return self.opened.end(record_protocol(report, head), KIND)


@dataclass(frozen=True)
class ProtocolPlace:
    """Where a run is kept, how it is called, and which one goes on."""

    root: Path
    label: str = ""
    resume: str | None = None


def begin_protocol(
    given: Mapping[str, Any], place: ProtocolPlace, environment: Mapping[str, str]
) -> ProtocolSession:
    """Return a new run, or the one to go on with; what is given holds before what was kept."""
    chosen = {key: value for key, value in given.items() if value is not None}
    store = RunStore(place.root)
    before = store.find(place.resume, KIND.name) if place.resume is not None else None
    if before is not None:
        require_own(before, environment)
    settings = replace(read_settings(before), **chosen) if before else ProtocolSettings(**chosen)
    protocol = load_protocol(settings.language)
    steps = sum(len(plan.utterances) for plan in settings.plans(protocol))
    check_judges(settings, environment)
    bot = build_bot(settings.bot, protocol, environment)
    opening = _make_opening(settings, place.label, steps)
    opened = open_run(store, opening, __version__, str(before.folder) if before else None)
    if before:
        stored = opened.stored.updated(settings=opening.settings, cases=opening.cases, steps=steps)
        stored = stored.seal(environment)
        opened = replace(opened, stored=stored)
    return ProtocolSession(settings, bot, opened)


def _make_opening(settings: ProtocolSettings, label: str, steps: int) -> Opening:
    read = [settings.language, settings.plan or "", settings.bot]
    # Nothing secret is kept.
    told = {
        **asdict(settings),
        "judge_base_url": public_url(settings.judge_base_url),
        "blocks": [*settings.blocks],
    }
    return Opening(
        kind=KIND.name,
        subject=settings.bot,
        files=tuple(name for name in read if name not in LANGUAGES and Path(name).is_file()),
        cases=tuple(f"dialogue {number}" for number in range(settings.dialogues)),
        settings=told,
        identity={key: told[key] for key in _IDENTITY},
        label=label,
        seed=settings.seed,
        steps=steps,
    )


def read_settings(stored: StoredRun) -> ProtocolSettings:
    """Return the settings of a kept run."""
    known = {field.name for field in fields(ProtocolSettings)}
    found = {key: value for key, value in stored.manifest.settings.items() if key in known}
    return ProtocolSettings(**{**found, "blocks": tuple(found.get("blocks", ()))})
