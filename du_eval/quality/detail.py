"""What quality runs store about a reply and about a whole run, and what people may label in one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct, field

from du_eval.quality.dialogue import Mark
from du_eval.quality.results import Assessment, TestResult
from du_eval.quality.scripts import NEVER_TOLD
from du_eval.runs.annotation import JudgedText
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Case, Check, Run
from du_eval.runs.report import Kind

CONTROL = " control"
"""What the checks of controls are called after their test: they enter no rate of it."""
_QUESTIONS: Mapping[str, tuple[str, int]] = {
    "ML-I2": ("Does the reply fit the conversation?", 8),
    "ML-I3": ("Does the reply fit what was said just before?", 0),
    "ML-I13": ("Does the reply agree with what the bot said about itself before?", 40),
    "ML-P1": ("Is the reply free of toxic language?", 0),
    "ML-A6": ("Is the reply free of stuttering, words repeated as if the bot got stuck?", 0),
    "ML-A7": ("Does the reply ask nothing that the bot asked before?", 40),
    "ML-A8": ("Is the reply something else than what the bot said before?", 40),
}
"""What a person is asked about a test of every reply, and how many turns before it are shown."""


class ReplyDetail(Struct, frozen=True, omit_defaults=True):
    """A prompt and the bot's reply, with every opinion about it."""

    prompt: str
    reply: str = ""
    became: str = "answered"
    """answered, empty, error or timeout."""
    remark: str = ""
    mark: Mark | None = None
    answer: str = ""
    """The right answer, where the prompt asks for one."""
    assessments: tuple[Assessment, ...] = ()


class QualityExtra(Struct, frozen=True, omit_defaults=True):
    """What concerns a whole quality run."""

    tests: tuple[TestResult, ...]
    replies: Mapping[str, int] = field(default_factory=dict)
    """How many replies were answered, empty, errors or timeouts."""
    judges: Mapping[str, str] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    """Percentiles of the bot's response times."""
    compat: str = ""


def _list_judged(run: Run[ReplyDetail, QualityExtra]) -> Iterator[JudgedText]:
    """Yield every verdict on a reply, as a question for a person."""
    for case in run.cases:
        for place, result in enumerate(case.results):
            for check in result.checks:
                if result.detail.reply and check.outcome is not None and check.outcome is not Outcome.ERRORED:
                    yield _ask(case, place, check, check.outcome)


def _ask(case: Case[ReplyDetail], place: int, check: Check, outcome: Outcome) -> JudgedText:
    result = case.results[place]
    detail, test = result.detail, check.name.removesuffix(CONTROL)
    question, turns = _QUESTIONS.get(test, (f"Does the reply pass the test {test}?", 2))
    if detail.mark is not None and detail.mark.variant == NEVER_TOLD and detail.mark.test == test:
        question, turns = "The bot was never told this. Does it say that it does not know?", 0
    elif detail.answer and test not in _QUESTIONS:
        question, turns = "Does the reply give the right answer?", 0
    before = [
        line
        for one in case.results[max(0, place - turns) : place]
        for line in (f"tester: {one.detail.prompt}", f"bot:    {one.detail.reply or '(no reply)'}")
    ]
    return JudgedText(
        result.key, check.name, question, detail.reply, outcome, detail.prompt, tuple(before),
        detail.answer if test not in _QUESTIONS else "", check.judge, check.confidence,
    )  # fmt: skip


KIND = Kind("quality", ReplyDetail, QualityExtra, _list_judged)
