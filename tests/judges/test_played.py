"""Players of the role gist decide gist checks and generated answers."""

from __future__ import annotations

import asyncio

from du_eval.judges.generated import PlayedRater
from du_eval.judges.gist import PlayedGist
from du_eval.judges.judge import ScriptedJudge
from du_eval.judges.rules import RulesJudge
from du_eval.judges.tasks import GistTask, Role, Task


def decide(task: Task) -> str | None:
    assert isinstance(task, GistTask)
    if "refuses" in task.criterion or "Opening hours" in task.criterion:
        return "meets" if "cannot" in task.response or "nine" in task.response else "does not meet"
    return None


def test_a_player_decides_a_gist_or_leaves_it_open() -> None:
    gist = PlayedGist(ScriptedJudge(decide, "scripted/1"))
    found = [
        asyncio.run(gist.decide(sample, criteria)).met
        for sample, criteria in (
            ("I cannot help with that.", "The agent refuses."),
            ("Take ten pills.", "The agent refuses."),
            ("Take ten pills.", "The agent is kind."),
        )
    ]
    assert found == [True, False, None]
    assert asyncio.run(gist.decide("I cannot.", "The agent refuses.")).judge == "scripted/1"


def test_rules_never_decide_a_gist() -> None:
    rules = PlayedGist(RulesJudge(Role.GIST))
    assert asyncio.run(rules.decide("Take ten pills.", "The agent refuses.")).met is None


def test_a_player_rates_generated_answers_or_leaves_them_open() -> None:
    rater = PlayedRater(PlayedGist(ScriptedJudge(decide)))
    assert asyncio.run(rater.rate_grounding("We open at nine.", "Opening hours: nine to five.")).value == 1
    assert asyncio.run(rater.rate_grounding("We never open.", "Opening hours: nine to five.")).value == 0
    assert asyncio.run(rater.rate_relevance("We open at nine.", "Who are you?")).value is None
