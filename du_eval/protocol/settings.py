"""Everything that can be set for `du-eval protocol run`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import model_validator

from du_eval.protocol.model import Protocol
from du_eval.protocol.plan import ProtocolPlan, choose_order, plan_protocol
from du_eval.settings.declare import JUDGES, OWN, REPORTS, RUN, Flag, setting, switch
from du_eval.settings.shared import (
    NO_CASES,
    NO_ENGINE,
    ActivitySettings,
    JudgeModelSettings,
    SeedSettings,
)
from du_eval.settings.words import Words, split_commas


class ProtocolSettings(JudgeModelSettings, SeedSettings, ActivitySettings, panel=OWN):
    """Which dialogues are held with whom, and who judges them."""

    section: ClassVar[str] = "protocol"
    refused: ClassVar[Mapping[str, str]] = {**NO_CASES, **NO_ENGINE}

    bot: str = setting(
        "persona",
        "The bot under test: persona, echo, local-model, http:URL, any other chatter, or a YAML file.",
        "-b",
        "--bot",
    )
    language: str = setting("ru", "ru, en, or a YAML file of your own.", "-l", "--language")
    dialogues: int = setting(3, "Number of dialogues.", ge=1)
    blocks: Words = setting(
        [],
        "Only these blocks, such as open,closed; greeting and farewell are always kept.",
        flag=Flag(parse=split_commas),
    )
    plan: str | None = setting(None, "YAML file with the order of the blocks.", flag=Flag(is_path=True))
    concurrency: int = setting(4, "Number of dialogues held at once.", "-n", "--concurrency", ge=1, le=1024)
    timeout: float = setting(60.0, "Time limit in seconds for a reply.", panel=RUN, ge=0.001)
    judges: str = setting(
        "offline",
        "Who judges: offline, models, llm, a chain such as rules>llm, or by role: protocol=models.",
        panel=JUDGES,
    )
    judge_votes: int = setting(1, "Number of votes of --judge-model per text.", panel=JUDGES, ge=1)
    details: bool = switch("Print each reply that did not pass.", panel=REPORTS)

    @model_validator(mode="before")
    @classmethod
    def _choose_judge(cls, data: Any) -> Any:
        """Let a chat model that is named play what rules leave open."""
        is_named = isinstance(data, Mapping) and data.get("judge_model") and "judges" not in data
        return {**data, "judges": "llm"} if is_named else data

    def plans(self, protocol: Protocol) -> list[ProtocolPlan]:
        """Return what is said in each dialogue."""
        order = choose_order(self.plan, self.blocks)
        return [plan_protocol(protocol, number, self.seed, order) for number in range(self.dialogues)]
