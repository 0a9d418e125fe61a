"""Steps by arms: who answered what, for experiments and for any runs that are looked at side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from du_eval.conversation import Speaker
from du_eval.evaluation.step import StepDetail
from du_eval.reports.arm_sections import ArmMatrix, ArmReply, ArmRow
from du_eval.reports.sections import Detail, Transcript, TranscriptLine, make_entry_id
from du_eval.reports.views.generic import make_place
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import AnyRun, Case, Result

AnyResult = Result[object]
NamedRun = tuple[str, AnyRun]
_NO_COMMAND = "(no command)"


def make_arm_matrix(runs: Sequence[NamedRun], title: str = "Steps by arm") -> ArmMatrix:
    """Return what each of several named runs of one kind answered to each step, in the order of the first."""
    places: dict[tuple[str, str], Case[object]] = {}
    found: dict[tuple[str, str], list[list[AnyResult]]] = {}
    for at, (_, run) in enumerate(runs):
        for case in run.cases:
            for result in case.results:
                key = make_entry_id(replace(result.key, sample=1)), result.question
                places.setdefault(key, case)
                found.setdefault(key, [[] for _ in runs])[at].append(result)
    ids = Counter(name for name, _ in found)
    unit = runs[0][1].head.unit if runs else "items"
    rows = tuple(
        _make_row(name if ids[name] == 1 else f"{name}~{question[:6]}", places[name, question], cells)
        for (name, question), cells in found.items()
    )
    return ArmMatrix(title, unit, tuple(name for name, _ in runs), rows)


def _make_row(name: str, case: Case[object], cells: Sequence[Sequence[AnyResult]]) -> ArmRow:
    every = [result for cell in cells for result in cell]
    first = every[0]
    kinds = dict.fromkeys(kind for result in every for kind in result.mistakes)
    facets = [("case", case.id), *(("kind", kind) for kind in kinds), *_list_names(every)]
    return ArmRow(
        id=name,
        place=make_place(case, first),
        case=case.id,
        title=first.asked or case.name,
        expected="\n".join(first.expected) or _NO_COMMAND,
        cells=tuple(tuple(_list_replies(cell)) for cell in cells),
        facets=tuple(facets),
        detail=tuple(_list_details(every)),
    )


def _list_names(results: Iterable[AnyResult]) -> list[tuple[str, str]]:
    """Return the flows and slots of a step, rightly or wrongly predicted, each once."""
    own = [result.detail for result in results if isinstance(result.detail, StepDetail)]
    flows = [("flow", flow) for detail in own for flow in detail.flows]
    slots = [("slot", slot) for detail in own for slot in detail.slots]
    return list(dict.fromkeys([*flows, *slots]))


def _list_replies(results: Iterable[AnyResult]) -> Iterator[ArmReply]:
    """Yield the different answers of an arm, the most frequent first."""
    found = Counter(
        (_tell(result), result.outcome, tuple(dict.fromkeys(result.mistakes))) for result in results
    )
    for (text, outcome, kinds), count in found.most_common():
        yield ArmReply(text, outcome, kinds, count)


def _tell(result: AnyResult) -> str:
    if result.outcome is Outcome.ERRORED:
        return result.error
    return "\n".join(result.actual) or _NO_COMMAND


def _list_details(results: Iterable[AnyResult]) -> Iterator[Detail]:
    """Yield the conversation before the message, as far as a step that did not pass knows it."""
    for result in results:
        if isinstance(result.detail, StepDetail) and result.detail.conversation:
            lines = list_talk(result.detail)
            yield Transcript((*lines, TranscriptLine("user", result.asked)), "Conversation")
            return


def list_talk(detail: StepDetail) -> tuple[TranscriptLine, ...]:
    """Return what was said before a step."""
    return tuple(
        TranscriptLine("user", turn.text)
        if turn.speaker is Speaker.USER
        else TranscriptLine("bot", turn.text or turn.response or "")
        for turn in detail.conversation
    )
