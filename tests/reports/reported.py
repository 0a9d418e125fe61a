"""Reports of every activity, made by the code that reports real runs, about texts that a test chooses."""

from __future__ import annotations

import json
from typing import Any

from du_eval.agents.assessor import assess as assess_agents
from du_eval.agents.model import AgentCase, Connection, Ratio
from du_eval.agents.results import (
    AgentReply,
    AgentRun,
    CaseResult,
    CheckResult,
    InteractionResult,
    Message,
    Outcome,
    SampleResult,
    ToolCall,
)
from du_eval.assembly.quality import build_assessing, build_judges
from du_eval.assistants.engine.events import BotMessage, BotUttered, FlowStarted
from du_eval.commands.flows import StartFlow
from du_eval.corpus.metric import Better, Column
from du_eval.corpus.results import CorpusReport, FileResult, MetricResult, NotComputed
from du_eval.endtoend.model import BotStep, EndToEndCase, UserStep
from du_eval.endtoend.results import CaseOutcome, EndToEndResult, Finding, TurnRecord
from du_eval.judges.similarity import TfidfSimilarity
from du_eval.quality.config import read_config
from du_eval.quality.dialogue import Dialogue, Exchange, Mark, Role
from du_eval.quality.dialogue import Outcome as Turn
from du_eval.quality.facts.model import DrawnFact
from du_eval.quality.pipeline import assess
from du_eval.reports.agents_json import render_json
from du_eval.reports.corpus_data import as_data
from du_eval.reports.endtoend_data import endtoend_data
from du_eval.reports.quality_data import quality_data
from du_eval.statistics.difference import Difference
from du_eval.statistics.intervals import Interval, Measurement


def quality_of(texts: tuple[str, ...]) -> dict[str, Any]:
    """Return a quality run in which each text is a prompt, a reply, and the right answer of a trial."""
    texts = _whole(texts)
    dialogues = [_dialogue(number, text, texts[-1 - number]) for number, text in enumerate(texts)]
    settings = read_config(None, {})
    report = assess(dialogues, build_assessing(settings, build_judges(settings)), bot=texts[0])
    return quality_data(report) | {"dialogues": [one.as_data() for one in dialogues]}


def _whole(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return texts without half characters, which the judges of replies do not take."""
    return tuple(text.replace("\ud800", "") for text in texts)


def _dialogue(number: int, text: str, other: str) -> Dialogue:
    fact = DrawnFact(7, "QA", closed=False, answer=text, accepted=(text,), questions=(text,))
    exchanges = (
        Exchange(text, other, seconds=0.1, mark=Mark("ML-U3", 0, Role.INFORMATION)),
        Exchange(
            text, other, seconds=0.2, mark=Mark("ML-U3", 0, Role.QUESTION, 2, 2, "edits", text, distance=1)
        ),
        Exchange(text, text, seconds=0.2, mark=Mark("ML-U3", 0, Role.CONTROL, distance=2)),
        Exchange(other, text, mark=Mark("ML-I1", 1, Role.QUESTION, distance=3)),
        Exchange(text, "", Turn.ERROR, detail=other),
    )
    return Dialogue(number, exchanges, {0: fact, 1: fact}, text)


def protocol_of(texts: tuple[str, ...]) -> dict[str, Any]:
    """Return a run of the protocol, as its report says it, with a bot that says the texts in turn."""
    blocks = ("greeting", "open", "topic", "farewell")
    turns = [
        {"user": text, "bot": text, "block": blocks[number % 4], "topic": text, "outcome": "answered"}
        for number, text in enumerate((*texts, *texts))
    ]
    decisions = [
        {"dialogue": number, "turn": turn, "criterion": criterion, "utterance": one["user"], "reply": one["bot"],
         "ruling": ("passed", "failed", "unclear")[turn % 3], "reason": texts[0], "judge": texts[-1],
         "score": 0.25, "threshold": None}
        for number in range(2) for turn, one in enumerate(turns) for criterion in ("open_ended", "repeating")
    ]  # fmt: skip
    rate = {"value": 0.5, "n": 8, "interval": [0.2, 0.8], "unclear": 2}
    return {
        "language": texts[0],
        "bot": texts[0],
        "judges": texts[-1],
        "criteria": {"open_ended": rate, "repeating": {**rate, "extra": texts[0]}},
        "topic_switch_trying": {"mean": 1.5, "switches": [1, 2, None]},
        "decisions": decisions,
        "dialogues": [{"number": number, "name": texts[0], "turns": turns} for number in range(2)],
        "agreement": [{"name": texts[0], "n": 4, "same": 3, "kappa": 0.5}],
    }


def agents_of(texts: tuple[str, ...]) -> dict[str, Any]:
    """Return a run of agent cases in which each text is a message, an answer, and part of a failed check."""
    results = []
    for text in texts:
        agent_case = AgentCase(text, f"{text}.hocon", text, (), ratio=Ratio(1, 2))
        samples = tuple(_sample(number, text) for number in (1, 2))
        results.append(CaseResult(agent_case, Connection(), samples))
    run = AgentRun(tuple(results), 1.5, signature=texts[0])
    return dict(json.loads(render_json(run, assess_agents(run, TfidfSimilarity()))))


def _sample(number: int, text: str) -> SampleResult:
    outcome = Outcome.PASSED if number == 1 else Outcome.FAILED
    check = CheckResult("text", text, outcome, f"not {text}", text, text, text, f"{text}.hocon", 3)
    message = Message(text, text, text)
    reply = AgentReply(
        text, {text: text}, {"secret": text}, tools=(ToolCall(text, {}),), messages=(message, message)
    )
    failed = InteractionResult(text, error=text) if number == 2 else InteractionResult(text, reply)
    return SampleResult(
        number, (InteractionResult(text, reply, checks=(check,), seconds=0.3), failed), "", 0.4
    )


def end_to_end_of(texts: tuple[str, ...]) -> dict[str, Any]:
    """Return end-to-end tests in which each text is said by both sides, expected and not found."""
    outcomes = []
    for number, text in enumerate(texts):
        said = UserStep(text, 2)
        steps = (said, BotStep(3, text="fine"), BotStep(4, response=text))
        events = (FlowStarted(text), BotUttered(BotMessage("fine")), BotUttered(BotMessage(text, text)))
        turn = TurnRecord(said, (StartFlow(text),), events)
        findings = (Finding(4, f"the bot says {text}", text, text),) if number % 2 else ()
        outcomes.append(CaseOutcome(EndToEndCase(text, f"{text}.yml", 1, steps), (turn,), findings))
    return endtoend_data(EndToEndResult(tuple(outcomes), texts[0], texts), str)


def metrics_of(texts: tuple[str, ...]) -> dict[str, Any]:
    """Return corpus metrics of files with the texts as names; the first is the baseline."""
    column, other = Column("bleu-1"), Column(texts[0], Better.NEITHER)
    files = []
    for number, text in enumerate(texts):
        found = Measurement(0.1 * number, 9, Interval(0.0, 0.1 * number + 0.1), text)
        apart = (
            Difference(0.1 * number, 9, 0.01, Interval(0.05, 0.2), Interval(0.06, 0.19), 9, 9)
            if number
            else None
        )
        results = tuple(MetricResult(one, found, 0.1, 0.05, apart) for one in (column, other))
        files.append(FileResult(text, 9, results, (NotComputed("mauve", text),)))
    return as_data(CorpusReport(tuple(files), (column, other), texts[0], baseline=texts[0], notes=texts))


REPORTS = {
    "quality": quality_of,
    "protocol": protocol_of,
    "agent": agents_of,
    "e2e": end_to_end_of,
    "metrics": metrics_of,
}
"""Activity -> the function that makes a report about some texts."""

HOSTILE = (
    "</script><script>window.PWNED = 1</script>",
    '<img src=x onerror="window.PWNED = 1">',
    '<a href="javascript:window.PWNED = 1">click</a>',
    "<!--<script>",
    "{{7*7}} ${7*7} %DATA% %SCRIPTS%",
    "\u2028\u2029\u202e reversed \x00 \ud800",
    "<svg/onload=window.PWNED=1>",
    "<style>*{display:none}</style><iframe src='https://example.com'></iframe>",
    "__proto__",
    "a" * 600,
)
"""Texts that must stay texts."""
