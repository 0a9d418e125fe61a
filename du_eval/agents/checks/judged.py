"""Checks that need an opinion."""

from __future__ import annotations

from dataclasses import dataclass

from du_eval.agents.checks.base import Check, Finding, Subject, number, shown, text


@dataclass(frozen=True, slots=True)
class Likeness:
    """A text, and how similar the value must be; None leaves that to the judge."""

    to: str
    at_least: float | None = None

    def __str__(self) -> str:
        return shown(self.to)


async def _gist(subject: Subject, expected: str) -> Finding:
    value = subject.value if isinstance(subject.value, str) else shown(subject.value)
    opinion = await subject.judges.gist.decide(value, expected)
    return Finding(opinion.met, opinion.reason, opinion.judge)


async def _similar(subject: Subject, expected: Likeness) -> Finding:
    judge = subject.judges.similarity
    threshold = judge.threshold if expected.at_least is None else expected.at_least
    score = await judge.score(subject.text, expected.to)
    detail = f"the similarity is {score:.2f}, the threshold {threshold:.2f}"
    return Finding(score >= threshold, detail, judge.name)


def _likeness(raw: object) -> Likeness:
    if not isinstance(raw, dict):
        return Likeness(text(raw))
    share = raw.get("at_least")
    return Likeness(text(raw.get("to")), None if share is None else _share(share))


def _share(raw: object) -> float:
    share = number(raw)
    if not 0 < share <= 1:
        raise ValueError("needs a number above 0 and at most 1")
    return share


async def _polite(subject: Subject, expected: float) -> Finding:
    judge = subject.judges.toxicity
    score = await judge.score(subject.text)
    return Finding(score.value < expected, f"the toxicity is {score.value:.2f}{score.why}", judge.name)


JUDGED_CHECKS = (
    Check("gist", lambda e: f"to meet the criteria {shown(e)}", _gist, prepare=text),
    Check(
        "similar",
        lambda e: f"to be similar to {e}",
        _similar,
        prepare=_likeness,
        options=frozenset({"to", "at_least"}),
    ),
    Check("toxicity_below", lambda e: f"to have a toxicity below {e:g}", _polite, prepare=_share),
)
