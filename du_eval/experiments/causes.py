"""What changed steps have in common: kinds of mistakes, flows and slots, the most telling first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from du_eval.conversation import Speaker
from du_eval.evaluation.step import StepDetail
from du_eval.experiments.decision import Cause, ChangedStep
from du_eval.runs.comparison import Change
from du_eval.runs.record import AnyRun, Result
from du_eval.runs.records import StepRecord

_MOST = 3
_EXAMPLES = 3
_SPECIFIC = 1.15
"""How much a pair of a kind and a name is preferred to either alone."""
_FEW = 3
"""Up to so many changed steps, a single one is a cause."""

Feature = tuple[str, ...]
Place = tuple[str, str, str, int, int]


def list_changed(changes: Sequence[Change], before: AnyRun | None, after: AnyRun | None) -> list[ChangedStep]:
    """Return changed steps with the mistakes and the conversation of whichever run was wrong."""
    known = (_index(before), _index(after))
    return [_make_step(change, *known) for change in changes]


def _make_step(
    change: Change, before: Mapping[Place, Result[Any]], after: Mapping[Place, Result[Any]]
) -> ChangedStep:
    is_worse = change.difference < 0
    wrong, found = (change.after, after) if is_worse else (change.before, before)
    result = found.get(_place(wrong))
    detail = result.detail if result is not None and isinstance(result.detail, StepDetail) else StepDetail()
    talk = tuple(
        ("user" if turn.speaker is Speaker.USER else "bot", turn.text or turn.response or "")
        for turn in detail.conversation
    )
    return ChangedStep(
        id="::".join((wrong.file, wrong.case, *filter(None, [wrong.variant]), str(wrong.step))),
        place=f"{wrong.file}:{wrong.line}" if wrong.line else _name_place(wrong),
        case=wrong.case,
        message=wrong.message,
        expected=wrong.expected or change.before.expected,
        before=change.before.predicted,
        after=change.after.predicted,
        difference=change.difference,
        kinds=tuple(dict.fromkeys(wrong.mistakes)),
        names=tuple(_list_names(detail)),
        conversation=talk,
    )


def _name_place(step: StepRecord) -> str:
    """Return where something is that stands in no line of a file."""
    return f"{step.case}, reply {step.step}" if step.step else step.case


def _list_names(detail: StepDetail) -> Iterator[tuple[str, str]]:
    """Yield the flows and slots that the wrong commands are about."""
    wrong = "\n".join((*detail.missing, *detail.unexpected))
    for what, names in (("flow", detail.flows), ("slot", detail.slots)):
        for name in names:
            if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", wrong):
                yield what, name


def _index(run: AnyRun | None) -> dict[Place, Result[Any]]:
    if run is None:
        return {}
    return {
        (case.file, case.name, case.variant, result.key.step, result.key.sample): result
        for case in run.cases
        for result in case.results
    }


def _place(step: StepRecord) -> Place:
    return step.file, step.case, step.variant, step.step, step.sample


def find_causes(steps: Sequence[ChangedStep]) -> tuple[Cause, ...]:
    """Return at most three groups of changed steps, each by what most of the rest has in common."""
    left = list(steps)
    found: list[Cause] = []
    while left and len(found) < _MOST:
        best = max(_rank(left), default=None)
        if best is None:
            break
        score, feature = best
        own = [step for step in left if feature in _list_features(step)]
        worse = [step for step in own if step.difference < 0]
        better = [step for step in own if step.difference > 0]
        if score <= 0 or (len(own) < 2 and len(steps) > _FEW):
            break
        is_loss = len(worse) > len(better)
        examples = tuple((worse if is_loss else better)[:_EXAMPLES])
        found.append(Cause(_tell(feature), is_loss, len(worse), len(better), examples))
        left = [step for step in left if step not in own]
    return tuple(found)


def _rank(steps: Sequence[ChangedStep]) -> Iterator[tuple[float, Feature]]:
    """Yield how telling each feature is: many changes, nearly all of them in one direction."""
    counts: dict[Feature, list[int]] = {}
    for step in steps:
        for feature in _list_features(step):
            counts.setdefault(feature, [0, 0])[step.difference > 0] += 1
    for feature, (worse, better) in counts.items():
        specific = _SPECIFIC if len(feature) > 2 else 1.0
        yield specific * (worse - better) ** 2 / (worse + better), feature


def _list_features(step: ChangedStep) -> Iterator[Feature]:
    for kind in step.kinds:
        yield "kind", kind
    for name in step.names:
        yield name
        if len(step.kinds) == 1:
            yield ("kind", step.kinds[0], *name)


def _tell(feature: Feature) -> str:
    if feature[0] == "kind":
        return feature[1] if len(feature) == 2 else f"{feature[1]}: {feature[2]} {feature[3]}"
    return f"{feature[0]} {feature[1]}"
