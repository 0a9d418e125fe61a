"""Short runs for tests."""

from __future__ import annotations

import asyncio
from typing import Any

from du_eval.assembly.quality import build_assessing, build_chatter, build_judges
from du_eval.assembly.quality_run import plan_dialogues, talk_maker
from du_eval.quality.config import QualityConfig, read_config
from du_eval.quality.dialogue import Dialogue
from du_eval.quality.facts.load import load_facts
from du_eval.quality.pipeline import assess, hold
from du_eval.quality.record import QualityRun
from du_eval.quality.results import Assessment
from du_eval.runs.record import Head


def ran(bot: Any, **settings: Any) -> QualityRun:
    """Return the record of a run with the offline judges."""
    config, dialogues = _hold(bot, **settings)
    head = Head("quality", subject=str(config.bot))
    return assess(dialogues, build_assessing(config, build_judges(config)), head)


def held(bot: Any, **settings: Any) -> list[Dialogue]:
    """Return the conversations of a run."""
    return _hold(bot, **settings)[1]


def _hold(bot: Any, **settings: Any) -> tuple[QualityConfig, list[Dialogue]]:
    named = bot if isinstance(bot, str | dict) else "echo"
    given = {"bot": named, "conversations": 6, "judges": {"similarity": "tfidf"}, **settings}
    config = read_config(None, given)
    book = load_facts(config.facts, with_packaged=config.packaged_facts, language=config.language)
    chatter = build_chatter(config.bot, book, {}) if isinstance(bot, str | dict) else bot
    talk_of = talk_maker(config, chatter, book, {})
    return config, asyncio.run(hold(plan_dialogues(config, book), talk_of, config.concurrency))


def rates(run: QualityRun) -> dict[str, float | None]:
    """Return the rate of each test."""
    return {figure.name: figure.value for figure in run.figures if figure.is_headline}


def list_assessments(run: QualityRun) -> list[Assessment]:
    """Return every opinion about every reply."""
    return [one for result in run.results() for one in result.detail.assessments]
