"""What runs of the persona protocol store about a reply and a whole run, and what people may label in one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct, field

from du_eval.protocol.criteria import CriterionRuling
from du_eval.protocol.model import Criterion
from du_eval.runs.annotation import JudgedText
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Case, Check, Result, Run
from du_eval.runs.report import Kind

_QUESTIONS = {
    Criterion.NAME: "Does the bot call the user by name after the greeting?",
    Criterion.HELLO_BYE: "Is the greeting answered by a greeting, and the farewell by a farewell?",
    Criterion.REPEATING: "Does the bot say something else than before?",
    Criterion.OPEN: "Does the bot answer the question as its persona would?",
    Criterion.CLOSED: "Does the bot say yes or no, or explain why neither, as its persona would?",
    Criterion.DIALOG: "Does the bot keep the conversation going?",
    Criterion.EMOTION: "Does the bot react fittingly to the feeling?",
    Criterion.TOPIC: "Is the bot on the new topic?",
}
_WHOLE = (Criterion.NAME, Criterion.HELLO_BYE)
"""What is decided once for a dialogue."""


class TurnDetail(Struct, frozen=True, omit_defaults=True):
    """An utterance of the tester and the bot's reply, with every decision; or those on a whole dialogue."""

    said: str = ""
    reply: str = ""
    became: str = "answered"
    """answered, empty, error or timeout."""
    remark: str = ""
    block: str = ""
    topic: str = ""
    decisions: tuple[CriterionRuling, ...] = ()


class ProtocolExtra(Struct, frozen=True, omit_defaults=True):
    """What concerns a whole run of the protocol."""

    language: str
    judges: str
    switches: tuple[int | None, ...] = ()
    """Utterances that each topic switch took; None for one that never came about."""
    limit: int = 0
    """So many utterances try to bring about a switch."""
    unjudged_switches: int = 0
    replies: Mapping[str, int] = field(default_factory=dict)
    """How many replies were answered, empty, errors or timeouts."""
    cut: int = 0
    """How many dialogues were not held to the end."""


def _list_judged(run: Run[TurnDetail, ProtocolExtra]) -> Iterator[JudgedText]:
    """Yield every decision, as a question for a person."""
    for case in run.cases:
        said: list[str] = []
        for result in case.results:
            if result.key.step:
                yield from _ask_reply(result, tuple(said))
                said.append(f"bot: {result.detail.reply}")
            elif not result.key.variant:
                yield from _ask_whole(case, result)


def _ask_reply(result: Result[TurnDetail], before: tuple[str, ...]) -> Iterator[JudgedText]:
    for one in result.detail.decisions if result.detail.reply else ():
        if one.criterion in _WHOLE:
            continue
        is_repeating = one.criterion is Criterion.REPEATING
        yield JudgedText(
            result.key, str(one.criterion), _QUESTIONS[one.criterion], one.reply, one.outcome,
            one.utterance, before if is_repeating else (), "" if is_repeating else one.saw, one.judge,
            one.confidence, Outcome.FAILED if is_repeating else Outcome.PASSED,
        )  # fmt: skip


def _ask_whole(case: Case[TurnDetail], result: Result[TurnDetail]) -> Iterator[JudgedText]:
    replies = [one.detail for one in case.results if one.key.step]
    ends = [f"user: {one.said}\n  bot:  {one.reply}" for one in (*replies[:1], *replies[-1:])]
    texts = {
        Criterion.NAME: "\n  bot:  ".join(one.reply for one in replies[1:] if one.reply),
        Criterion.HELLO_BYE: "\n  ".join(ends),
    }
    for check in result.checks:
        criterion = Criterion(check.name)
        if _is_open_to_people(check) and texts[criterion]:
            yield JudgedText(
                result.key, check.name, _QUESTIONS[criterion], texts[criterion],
                check.outcome or Outcome.UNDECIDED, replies[0].said, judge=check.judge,
            )  # fmt: skip


def _is_open_to_people(check: Check) -> bool:
    return check.outcome is not None and check.outcome is not Outcome.ERRORED


KIND = Kind("protocol", TurnDetail, ProtocolExtra, _list_judged)
