"""What end-to-end runs store about a case and about a whole run, in their own words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct, field

from du_eval.endtoend.results import Fault, Finding
from du_eval.runs.annotation import JudgedText
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Run
from du_eval.runs.report import Kind

_QUESTIONS = {
    "generative_response_is_relevant": "Does the answer help with what the user said?",
    "generative_response_is_grounded": "Do the facts support everything that the answer says?",
}


class BotLine(Struct, frozen=True, omit_defaults=True):
    """Something that the bot said."""

    text: str = ""
    response: str = ""
    """The name of the response, where it has one."""
    is_generated: bool = False


class TurnExpectation(Struct, frozen=True, omit_defaults=True):
    """Something that must happen in a turn, in words."""

    line: int
    text: str


class DialogueTurn(Struct, frozen=True, omit_defaults=True):
    """What the user said, how it was understood, what happened then and what should have."""

    user: str
    line: int
    commands: tuple[str, ...] = ()
    flows: tuple[str, ...] = ()
    """The flows that were started, in order."""
    bot: tuple[BotLine, ...] = ()
    expected: tuple[TurnExpectation, ...] = ()
    is_judged: bool = True
    """False where the dialogue stopped in this turn: then nobody knows whether it is as expected."""


class BlameDetail(Struct, frozen=True, omit_defaults=True):
    """Whose fault a failed turn is."""

    line: int
    user: str
    fault: Fault
    reason: str
    """The whole sentence, for people."""
    got: tuple[str, ...] = ()
    needs: tuple[str, ...] | None = None
    """The commands with which the turn passes; None where none were found."""
    tried: int = 0


class DialogueDetail(Struct, frozen=True, omit_defaults=True):
    """A case turn by turn, what was wrong with it, and whose fault that is."""

    turns: tuple[DialogueTurn, ...] = ()
    findings: tuple[Finding, ...] = ()
    blames: tuple[BlameDetail, ...] = ()
    stopped: str = ""
    """Why the case could not be run to its end."""
    trace: str = ""
    """Where the action failed that ended the case."""


class EndToEndExtra(Struct, frozen=True, omit_defaults=True):
    """What concerns a whole run of end-to-end tests."""

    faults: Mapping[Fault, int] = field(default_factory=dict)
    """How many failed cases are whose fault."""
    judge: str = ""
    """Who judged generated answers, where an assertion asks for that."""


def _list_judged(run: Run[DialogueDetail, EndToEndExtra]) -> Iterator[JudgedText]:
    """Yield every generated answer that was judged, as a question for a person."""
    for result in run.results():
        before: list[str] = []
        for turn in result.detail.turns:
            answer = " ".join(line.text for line in turn.bot if line.text)
            for wanted in turn.expected:
                found = [one for one in result.detail.findings if one.line == wanted.line]
                name, _, more = wanted.text.partition(": ")
                is_open = any(one.is_error for one in found) or not turn.is_judged or not answer
                if name in _QUESTIONS and not is_open:
                    outcome = Outcome.FAILED if found else Outcome.PASSED
                    yield JudgedText(
                        result.key, name, _QUESTIONS[name], answer, outcome, turn.user, tuple(before), more,
                        run.extra.judge if run.extra else "",
                    )  # fmt: skip
            before += [f"user: {turn.user}", f"bot:  {answer or '(no answer)'}"]


KIND = Kind("e2e", DialogueDetail, EndToEndExtra, _list_judged)
