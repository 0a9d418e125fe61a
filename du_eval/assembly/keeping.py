"""A run and its folder: begin it or go on with it, judge it again, and end it."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from du_eval.assembly import Session, settle
from du_eval.assembly.activities import Kinds
from du_eval.assembly.selection import run_store
from du_eval.assembly.settings import check_source
from du_eval.evaluation.predict import JournalStore
from du_eval.evaluation.record import KIND, TestRun
from du_eval.reports.files import write, yaml_text
from du_eval.reports.official import make_official_report
from du_eval.runs.keeping import Opening, OpenRun, open_run
from du_eval.runs.manifest import hash_file
from du_eval.runs.record import D, E, Run, Status
from du_eval.runs.ruling import VERDICT
from du_eval.runs.store import StoredRun
from du_eval.settings.commands import CommandSettings
from du_eval.settings.declare import SettingsModel
from du_eval.settings.shared import FILE_ENDINGS, KeptSettings, RunSettings
from du_eval.settings.sources import Settled, Source
from du_eval.trust.effects import FoundSettings
from du_eval.trust.secrets import HIDDEN, public_headers, public_url

if TYPE_CHECKING:
    from du_eval.evaluation.robustness import Robustness

NOT_KEPT = frozenset(
    {
        "resume", "retry_errors", "last_failed", "failed_first", "output_file", "output", "runs_dir",
        "journal", "html", "junitxml", "markdown", "against", "batch", "json_output", "quiet", "verbose",
        "transcripts", "details", "folder", "engine", "workers", "ray_address", "watch",
    }
)  # fmt: skip
_IDENTITY = (
    "generator", "model", "base_url", "system_prompt", "output_mode", "temperature", "max_tokens",
    "parameters", "url", "answer_path", "syntax",
)  # fmt: skip
"""Settings that decide about the answers: a run that is continued must keep them."""


R = TypeVar("R", bound=RunSettings)


def settle_run(
    model: type[R],
    flags: Mapping[str, object],
    environment: Mapping[str, str],
    uses: Container[str] | None = None,
    named: Sequence[Source] = (),
) -> Settled[R]:
    """Return the settings of a run; one that goes on keeps the settings that it began with."""
    found = settle(model, flags, environment, named, uses)
    config = found.config
    if getattr(config, "retry_errors", False) and getattr(config, "resume", None) is None:
        flags = {**flags, "resume": "last"}
    resume = flags.get("resume") or getattr(config, "resume", None)
    if not resume:
        return found
    run = run_store(config).find(str(resume), model.section)
    hidden = {key for key, value in run.manifest.settings.items() if HIDDEN in str(value)}
    lacking = {key: value for one in named for key, value in one.values.items() if key in hidden}
    return settle_stored(model, run, {**lacking, **flags}, environment, uses)


def settle_stored(
    model: type[R],
    run: StoredRun,
    flags: Mapping[str, object],
    environment: Mapping[str, str],
    uses: Container[str] | None = None,
) -> Settled[R]:
    """Return the settings of a kept run, with flags on top."""
    known = {key: value for key, value in run.manifest.settings.items() if HIDDEN not in str(value)}
    mine = {key: value for key, value in known.items() if key in model.model_fields}
    source = Source(f"run {run.id}", mine, {})
    goes_on = {"resume": str(run.folder)} if "resume" in model.model_fields else {}
    found = settle(model, {**flags, **goes_on}, environment, [source], uses)
    if not run.is_sealed(environment):
        check_source(found, source, FoundSettings(run.manifest_file, known), environment, uses)
    return found


def open_kept(config: KeptSettings, opening: Opening, place: Path | None = None) -> OpenRun:
    """Return a new run, in a folder of its own if one is named, or the run that is to be continued."""
    filled = replace(
        opening,
        settings=opening.settings or pick_settings(config),
        label=config.label or opening.label,
        seed=getattr(config, "seed", 0),
    )
    return open_run(run_store(config), filled, getattr(config, "resume", None), place)


def keep_into(opened: OpenRun, session: Session) -> Session:
    """Return a session that writes its answers into a run, and asks nothing that the run has."""
    store = JournalStore(opened.journal, session.evaluator.parser, session.config.retry_errors)
    return replace(session, evaluator=replace(session.evaluator, store=store))


def complete_record(run: TestRun, session: Session, robustness: Robustness | None = None) -> TestRun:
    """Return the record of a run with what only its session knows."""
    config = session.config
    named = {key: value for key, value in (("model", config.model), ("prompt", config.prompt)) if value}
    is_decided = VERDICT in run.head.settings and run.head.status is Status.FINISHED
    head = replace(
        run.head,
        label=config.label or "",
        part=session.part,
        planned=0 if is_decided else session.evaluator.rules.count_judged(session.suite),
        settings={**named, **run.head.settings},
    )
    return replace(run, head=head, extra=run.extra and replace(run.extra, robustness=robustness))


def keep_run(opened: OpenRun, run: Run[D, E], config: KeptSettings) -> Run[D, E]:
    """Write a run down, where it has one also in the form of the official tool; return it as it is kept."""
    kept = opened.end(run, Kinds()[run.head.kind])
    if getattr(config, "output", False):
        report = make_official_report(kept, shows_prompts=getattr(config, "output_prompt", False))
        write(opened.stored.folder / "report.yml", yaml_text(report))
        opened.stored.take_in(["report.yml"])
    return kept


def identify_run(config: CommandSettings) -> dict[str, object]:
    """Return what decides about the answers of a run."""
    data = public_settings(config.model_dump(mode="json", include=set(_IDENTITY)))
    if "seed" in config.model_fields_set:
        data["seed"] = config.seed
    for key in ("prompt", "body"):
        value = getattr(config, key)
        is_file = value is not None and (key == "prompt" or value.endswith(FILE_ENDINGS[key]))
        data[key] = hash_file(Path(value)) if is_file else value
    return data


def pick_settings(config: SettingsModel) -> dict[str, object]:
    """Return the settings that a run goes on with: what was set, and what it is about."""
    about = {"paths": getattr(config, "paths")} if "paths" in type(config).model_fields else {}  # noqa: B009
    settings = config.model_dump(mode="json", exclude_unset=True, exclude=set(NOT_KEPT))
    return public_settings({**settings, **about})


def public_settings(settings: Mapping[str, object]) -> dict[str, object]:
    """Return settings, and those in them, without anything secret."""
    found = {
        key: public_settings(value) if isinstance(value, Mapping) else value
        for key, value in settings.items()
    }
    for key in ("base_url", "judge_base_url", "url", "action_endpoint", "generator"):
        if isinstance(address := found.get(key), str) and "://" in address:
            found[key] = _hide(address)
    if isinstance(servers := found.get("server"), list):
        found["server"] = [_hide(one) for one in servers]
    if isinstance(headers := found.get("headers"), Mapping):
        found["headers"] = public_headers(headers)
    return found


def _hide(url: str) -> str:
    """Return an address; one with a secret in it is marked, so that nobody goes on with a part of it."""
    shown = public_url(url)
    return url if shown.rstrip("/") == url.rstrip("/") else f"{shown} {HIDDEN}"


def describe_test(session: Session, generator: str) -> Opening:
    """Return what a run of command tests is about."""
    config, suite = session.config, session.suite
    return Opening(
        kind=KIND.name,
        subject=generator,
        files=tuple(suite.files),
        cases=tuple(case.id for case in suite),
        identity=identify_run(config),
        samples=config.samples or 1,
        steps=session.questions,
    )
