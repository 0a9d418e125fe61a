"""Short runs for tests."""

from __future__ import annotations

import asyncio
from typing import Any

from du_eval.assembly.quality import build_assessing, build_chatter, build_judges
from du_eval.assembly.quality_run import plans_of, talk_maker
from du_eval.quality.config import read_config
from du_eval.quality.facts.load import load_facts
from du_eval.quality.pipeline import assess, hold
from du_eval.quality.results import QualityReport


def ran(bot: Any, **settings: Any) -> QualityReport:
    """Return the report of a run with the offline judges."""
    named = bot if isinstance(bot, str | dict) else "echo"
    given = {"bot": named, "conversations": 6, "judges": {"similarity": "tfidf"}, **settings}
    config = read_config(None, given)
    book = load_facts(config.facts, with_packaged=config.packaged_facts, language=config.language)
    chatter = build_chatter(config.bot, book, {}) if isinstance(bot, str | dict) else bot
    talk_of = talk_maker(config, chatter, book, {})
    dialogues = asyncio.run(hold(plans_of(config, book), talk_of, config.concurrency))
    return assess(dialogues, build_assessing(config, build_judges(config)), bot=str(config.bot))


def rates(report: QualityReport) -> dict[str, float | None]:
    """Return the rate of each test."""
    return {result.test: result.total.rate.value for result in report.tests}
