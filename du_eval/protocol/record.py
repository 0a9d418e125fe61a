"""A judged run of the persona protocol as the record that is stored, shown and compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from du_eval.chatters.replies import Exchange
from du_eval.errors import tell_count
from du_eval.protocol.criteria import CriterionRuling, ProtocolDialogue
from du_eval.protocol.figures import (
    SWITCHED,
    Switch,
    decide_greetings,
    list_criteria,
    list_switch_figures,
    list_switches,
)
from du_eval.protocol.model import Criterion, Protocol
from du_eval.protocol.plan import TRIES
from du_eval.runs.annotation import JudgedText
from du_eval.runs.outcome import Outcome, combine
from du_eval.runs.record import Case, Check, Head, Key, Result, Run, Status
from du_eval.runs.report import Kind

_QUESTIONS = {
    Criterion.NAME: "Does the bot call the user by name after the greeting?",
    Criterion.HELLO_BYE: "Is the greeting answered by a greeting, and the farewell by a farewell?",
    Criterion.REPEATING: "Does the bot say something different from before?",
    Criterion.OPEN: "Does the bot answer the question as its persona would?",
    Criterion.CLOSED: "Does the bot say yes or no, or explain why neither, as its persona would?",
    Criterion.DIALOG: "Does the bot keep the conversation going?",
    Criterion.EMOTION: "Does the bot react appropriately to the feeling?",
    Criterion.TOPIC: "Is the bot on the new topic?",
}
_OF_DIALOGUE = (Criterion.NAME, Criterion.HELLO_BYE)
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
        if one.criterion in _OF_DIALOGUE:
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
        if check.outcome not in {None, Outcome.ERRORED} and texts[criterion]:
            yield JudgedText(
                result.key, check.name, _QUESTIONS[criterion], texts[criterion],
                check.outcome or Outcome.UNDECIDED, replies[0].said, judge=check.judge,
            )  # fmt: skip


KIND = Kind("protocol", TurnDetail, ProtocolExtra, _list_judged)


_ANSWERED, _EMPTY = "answered", "empty"
_WHOLE = frozenset({Criterion.NAME, Criterion.HELLO_BYE, Criterion.TOPIC})
"""Criteria of which a dialogue or a switch has one value: single replies enter no rate of them."""
ProtocolRun = Run[TurnDetail, ProtocolExtra]


def record_protocol(
    dialogues: Sequence[ProtocolDialogue],
    judged: Sequence[CriterionRuling],
    protocol: Protocol,
    judges: str = "",
    head: Head | None = None,
) -> ProtocolRun:
    """Return the record of judged dialogues; `head` brings what only the caller knows."""
    switched = list_switches(dialogues, judged)
    limit = min(TRIES, len(protocol.blocks["topic"]))
    tried = {(one.number, said.utterance.switch) for one in dialogues for said in one.spoken}
    *criteria, of_all = list_criteria(judged, dialogues)
    head, cut = head or Head(KIND.name), sum(not one.is_whole for one in dialogues)
    if cut and head.status is Status.FINISHED:
        was = tell_count(cut, "dialogue was", "dialogues were")
        head = replace(head, stopped=f"{was} given up, because the bot stopped replying")
    return Run(
        head=replace(
            head,
            unit="replies",
            decides=False,
            signature=f"language:{protocol.language}",
            settings={"language": protocol.language, "judges": judges},
        ),
        cases=tuple(_case(one, judged, switched) for one in dialogues),
        figures=(*criteria, *list_switch_figures(switched, limit), of_all),
        extra=ProtocolExtra(
            language=protocol.language,
            judges=judges,
            switches=tuple(one.length for one in switched),
            limit=limit,
            unjudged_switches=sum(switch > 0 for _, switch in tried) - len(switched),
            replies=Counter(str(exchange.outcome) for one in dialogues for exchange in one.spoken),
            cut=cut,
        ),
    )


def _case(
    dialogue: ProtocolDialogue, judged: Sequence[CriterionRuling], switched: Sequence[Switch]
) -> Case[TurnDetail]:
    name = f"dialogue {dialogue.number}"
    mine = [one for one in judged if one.dialogue == dialogue.number]
    whole = [one for one in mine if one.criterion is Criterion.NAME]
    replies = [
        _reply(
            Key(case=name, step=turn + 1),
            dialogue,
            [one for one in mine if one.turn == turn and one not in whole],
        )
        for turn in range(len(dialogue.spoken))
    ]
    switches = [_switch(name, one) for one in switched if one.dialogue == dialogue.number]
    return Case("", name, (*replies, _dialogue(dialogue, mine), *switches))


def _reply(key: Key, dialogue: ProtocolDialogue, found: Sequence[CriterionRuling]) -> Result[TurnDetail]:
    exchange = dialogue.spoken[key.step - 1]
    utterance = exchange.utterance
    told = f"{exchange.outcome}: {exchange.detail}" if exchange.detail else str(exchange.outcome)
    detail = TurnDetail(
        exchange.prompt, exchange.reply, str(exchange.outcome), exchange.detail, utterance.block,
        utterance.topic, tuple(found),
    )  # fmt: skip
    return Result(
        key,
        _become(exchange, found),
        detail,
        asked=exchange.prompt,
        expected=tuple(str(one.criterion) for one in found),
        actual=(exchange.reply,) if exchange.reply else (),
        mistakes=_list_mistakes(found),
        checks=tuple(_check(one) for one in found if one.criterion not in _WHOLE),
        error="" if exchange.outcome in {_ANSWERED, _EMPTY} else told,
        question=f"{utterance.block}|{exchange.prompt}",
        seconds=exchange.seconds,
    )


def _list_mistakes(found: Sequence[CriterionRuling]) -> tuple[str, ...]:
    return tuple(str(one.criterion) for one in found if one.outcome is Outcome.FAILED)


def _become(exchange: Exchange, found: Sequence[CriterionRuling]) -> Outcome | None:
    """Return what became of a reply: an empty one cannot be judged, none at all is an error."""
    if exchange.outcome != _ANSWERED:
        return Outcome.UNDECIDED if exchange.outcome == _EMPTY else Outcome.ERRORED
    return combine([one.outcome for one in found]) if found else None


def _check(one: CriterionRuling) -> Check:
    """Return a decision with its score: 1 where it is satisfactory, or where a reply is a repetition."""
    outcome = one.outcome
    counted = Outcome.FAILED if one.criterion is Criterion.REPEATING else Outcome.PASSED
    score = float(outcome is counted) if outcome.is_judged else None
    return Check(str(one.criterion), outcome, score, one.reason, one.judge, one.confidence)


def _dialogue(dialogue: ProtocolDialogue, mine: Sequence[CriterionRuling]) -> Result[TurnDetail]:
    """Return what is decided once for a dialogue: whether the name is kept, and both ends are polite."""
    named = [one for one in mine if one.criterion is Criterion.NAME]
    found = [*named, *decide_greetings([one for one in mine if one.criterion is Criterion.HELLO_BYE])]
    return Result(
        Key(case=f"dialogue {dialogue.number}"),
        combine([one.outcome for one in found]) if found else None,
        TurnDetail(decisions=tuple(named)),
        asked=f"the whole dialogue, with {dialogue.name}",
        expected=tuple(str(one.criterion) for one in found),
        actual=tuple(f"{one.criterion}: {one.reason}" for one in found),
        mistakes=_list_mistakes(named),
        checks=tuple(map(_check, found)),
        question="dialogue",
    )


def _switch(case: str, one: Switch) -> Result[TurnDetail]:
    """Return whether a switch of topic came about, and after how many utterances."""
    is_done = one.length is not None
    outcome = Outcome.PASSED if is_done else Outcome.FAILED
    checks = [Check(SWITCHED, outcome, float(is_done))]
    if one.length is not None:
        checks.append(Check(str(Criterion.TOPIC), None, float(one.length)))
    return Result(
        Key(case=case, variant=f"switch {one.number}"),
        None,
        TurnDetail(topic=one.topic),
        asked=f"topic switch {one.number}, to {one.topic}",
        actual=(f"after {one.length} utterances" if is_done else "never",),
        checks=tuple(checks),
        question=f"{Criterion.TOPIC} {one.number}",
    )
