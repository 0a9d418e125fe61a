"""Small runs and views, made by hand, that the tests of views and renderers share."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec.structs import replace

from du_eval.reports.sections import (
    Bars,
    Column,
    Curve,
    Diff,
    Entries,
    Entry,
    Facts,
    Figures,
    Look,
    Matrix,
    Note,
    Point,
    Table,
    Text,
    Tone,
    Transcript,
    TranscriptLine,
    View,
)
from du_eval.runs.figures import Direction, Figure
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Case, Check, Head, Key, Result, Run, Spent, Status
from du_eval.statistics.clusters import proportion
from du_eval.statistics.intervals import Interval, Measurement
from du_eval.statistics.success import SuccessRatio


@dataclass(frozen=True, slots=True)
class Said:
    """What a bot said, as an activity of somebody else would keep it."""

    reply: str = ""
    mood: str = ""


def make_result(
    case: str, step: int, outcome: Outcome | None, *, sample: int = 1, error: str = ""
) -> Result[Said]:
    """Return the result of a step, with two opinions about it."""
    return Result(
        key=Key("suite.yml", case, step, sample),
        outcome=outcome,
        detail=Said("fine", "calm"),
        asked=f"message {step} of {case}",
        checks=(Check("polite", Outcome.PASSED), Check("true", outcome, 0.25, "it is not so", "judge/1")),
        error=error,
        line=10 + step,
        seconds=0.5,
    )


def make_run(status: Status = Status.FINISHED) -> Run[Said, None]:
    """Return a run with a case of each outcome, and one that passes although a sample of it failed."""
    outcomes = {
        "good": Outcome.PASSED, "bad": Outcome.FAILED, "open": Outcome.UNDECIDED, "down": Outcome.ERRORED,
    }  # fmt: skip
    cases = [
        Case("suite.yml", name, (make_result(name, 1, Outcome.PASSED), make_result(name, 2, outcome)), line=9)
        for name, outcome in outcomes.items()
    ]
    samples = tuple(
        make_result("moody", 1, outcome, sample=number)
        for number, outcome in enumerate((Outcome.PASSED, Outcome.FAILED, Outcome.PASSED), 1)
    )
    cases.append(Case("suite.yml", "moody", samples, line=20, ratio=SuccessRatio(2, 3)))
    head = Head(
        "talk", "a bot", unit="replies", id="20260101-000000-000-abcd", label="first", started="2026-01-01T10:11:12",
        seconds=4.5, status=status, planned=5 if status is Status.FINISHED else 7, signature="judge:1|seed:0",
        settings={"model": "m-1"}, spent=Spent(calls=12, cost=0.5),
    )  # fmt: skip
    figures = (
        Figure("accuracy", proportion(6, 8), is_headline=True),
        Figure("latency.p50", Measurement(0.25, 11), "median time", Direction.LOWER, "seconds"),
    )
    return Run(head, tuple(cases), figures, ("one reply was empty",))


def make_step(number: int, outcome: Outcome = Outcome.FAILED, **changes: object) -> Entry:
    """Return an entry of a command test."""
    expected, actual = (
        ("SetSlot(name, Ada)", "StartFlow(add_contact)"),
        ("SetSlot(name, ada)", "StartFlow(add_contact)"),
    )
    lines = (
        TranscriptLine("user", "please add a friend"),
        TranscriptLine("bot", "What is the name?"),
        TranscriptLine("user", "her name is Ada"),
    )
    entry = Entry(
        id=f"suite/contacts.yml::a contact::{number}",
        outcome=outcome,
        place=f"suite/contacts.yml:{number}",
        case="suite/contacts.yml::a contact",
        title="her name is Ada",
        verb="predicted",
        expected="\n".join(expected),
        actual="\n".join(expected if outcome is Outcome.PASSED else actual),
        facets=(("kind", "right slot, wrong value"), ("flow", "add_contact"), ("pair", "Ada → ada")),
        detail=(
            Facts((("", "RecordedGenerator"),), "command generator(s)"),
            Transcript(lines),
            Diff(expected, actual),
            Text("unparsed", "I think so"),
            Text("prompt", "You are a bot.\nAnswer.", is_minor=True),
        ),
    )
    return replace(entry, **changes)  # type: ignore[arg-type]


def make_view(*entries: Entry, **changes: object) -> View:
    """Return a view with a section of each kind around some entries."""
    share = Measurement(0.75, 8, Interval(0.41, 0.93))
    points = tuple(Point(x / 10, Measurement(1 - x / 10, 8, Interval(0.1, 0.9))) for x in range(4))
    view = View(
        title="new prompt",
        kind="test",
        headline=Note("1 of 2 test cases passed, 1 failed", Tone.BAD),
        about=(("model", "gpt_4|mini"), ("started", "2026-01-01 10:11")),
        sections=(
            Figures((Figure("accuracy", share, "step accuracy"), Figure("f1.macro", Measurement(None, 0)))),
            Table(
                "Commands",
                (Column("command", facet="flow"), Column("expected", Look.NUMBER), Column("F1", Look.SHARE)),
                (("add_contact", 4, share), ("set_slot | x", 1200, Measurement(None, 0))),
            ),
            Table("Rarely read", (Column("secret"),), (("only for those who look",),), is_minor=True),
            Matrix(
                "Confusion", "expected", "predicted", ("Ada", "Bob"), ("ada", "Bob"), ((3, 0), (0, 7)), "pair"
            ),
            Curve("Robustness", "level", "accuracy", (("typos", points), ("swaps", points[:2]))),
            Bars("Latency", ("0–1 s", "1–2 s"), (5, 2), "time", "p50 1 s"),
            Entries("Steps", "user steps", entries),
        ),
        signature="match:exact|seed:0",
        notes=("1 step has output that is no command",),
    )
    return replace(view, **changes)  # type: ignore[arg-type]


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
