"""Replay and exposure gap as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from du_eval.evaluation.gap import exposure_gap
from du_eval.evaluation.replay import BotDifference
from du_eval.evaluation.results import CaseResult, RunResult
from du_eval.reports.text import measured, number, one_line, side_by_side

_PLACES_SHOWN = 3
_HINT = "stub it under stub_custom_actions, or run it with --actions or --action-endpoint"


def bot_differences(run: RunResult, width: int) -> Iterator[Text]:
    """Yield the turns in which the bot says something else than the files, and what could not be replayed."""
    differing = [case for case in run.cases if case.replay and case.replay.differences]
    if differing:
        yield Text()
        yield Text(" BOT STEPS: THE REPLAY SAYS SOMETHING ELSE ".center(width, "="), style="bold")
    for case in differing:
        yield from _case(case, width)
    yield from _stops(run, width)


def _stops(run: RunResult, width: int) -> Iterator[Text]:
    """Yield why cases could not be replayed to their end, the most frequent reason first."""
    by_reason: dict[str, list[CaseResult]] = {}
    for case in run.cases:
        if case.replay is not None and case.replay.stopped:
            by_reason.setdefault(case.replay.stopped, []).append(case)
    if not by_reason:
        return
    yield Text()
    yield Text(" NOT REPLAYED TO THE END ".center(width, "="), style="bold")
    for reason, cases in sorted(by_reason.items(), key=lambda item: -len(item[1])):
        yield Text()
        hint = f" ({_HINT})" if "custom action" in reason else ""
        yield Text(f"{len(cases)} x {one_line(reason)}{hint}", style="yellow")
        for case in cases[:_PLACES_SHOWN]:
            assert case.replay is not None
            place = f"{case.file}:{case.replay.stopped_line}"
            yield Text(f"   {place} from user step {case.replay.stopped_at} on", style="dim")
        if len(cases) > _PLACES_SHOWN:
            yield Text(f"   ... and {len(cases) - _PLACES_SHOWN} more", style="dim")


def _case(case: CaseResult, width: int) -> Iterator[Text]:
    yield Text()
    yield Text(f"test_case: {one_line(case.id)}", style="bold")
    for difference in case.replay.differences if case.replay else ():
        yield Text(f"after user message '{one_line(difference.user)}'")
        yield Text(f"   {case.file}:{difference.line}", style="dim")
        yield from _table(difference, width)


def _table(difference: BotDifference, width: int) -> Iterator[Text]:
    rows = list(_rows(difference)) or [("  (nothing)", "  (nothing)")]
    lines = side_by_side([("-- IN THE FILE --", "-- REPLAY --"), *rows], width)
    yield Text(lines[0][0], style="bold")
    for (left, right), row in zip(rows, lines[1:], strict=True):
        is_same = left.startswith(" ") and right.startswith(" ")
        for line in row:
            yield Text(line, style="" if is_same else "red")


def _rows(difference: BotDifference) -> Iterator[tuple[str, str]]:
    """Yield what the file has beside what the replay says; a minus is not said, a plus not in the file."""
    expected, said = iter(enumerate(difference.expected)), iter(enumerate(difference.said))
    left, right = next(expected, None), next(said, None)
    while left is not None or right is not None:
        if left is not None and left[0] in difference.missing:
            yield f"- {one_line(left[1])}", ""
            left = next(expected, None)
        elif right is not None and (left is None or right[0] in difference.surplus):
            mark = "+" if right[0] in difference.surplus else " "
            yield "", f"{mark} {one_line(right[1])}"
            right = next(said, None)
        elif left is not None and right is not None:
            yield f"  {one_line(left[1])}", f"  {one_line(right[1])}"
            left, right = next(expected, None), next(said, None)
        else:
            break


def replay_summary(run: RunResult) -> Iterator[str]:
    """Yield one line about the bot's side, if anything was replayed."""
    replays = [case.replay for case in run.cases if case.replay is not None]
    if not replays:
        return
    checked = sum(replay.checked for replay in replays)
    differing = sum(replay.differing for replay in replays)
    surplus = sum(len(found.surplus) for replay in replays for found in replay.differences)
    unchecked = sum(replay.unchecked for replay in replays)
    more = f"; the bot says {surplus} messages more" if surplus else ""
    rest = f"; {unchecked} not checked" if unchecked else ""
    yield f"bot steps: {differing} of {checked} differ{more}{rest}"
    idle = sum(len(replay.without_effect) for replay in replays)
    if idle:
        yield f"{idle} expected commands change nothing in the replay (--json says which and why)"


def gap_lines(run: RunResult, width: int) -> Iterator[Text]:
    """Yield the exposure gap of a run that was made with both histories."""
    gap = exposure_gap(run)
    if gap is None:
        return
    yield Text()
    yield Text(" EXPOSURE GAP: GOLD HISTORY AGAINST THE GENERATOR'S OWN ".center(width, "="), style="bold")
    yield Text("turn   accuracy gold            own                      F1 gold  own")
    for turn in gap.turns:
        cells = f"{measured(turn.gold.accuracy):24} {measured(turn.predicted.accuracy):24}"
        yield Text(f"{turn.turn:4}   {cells} {number(turn.gold.f1):7}  {number(turn.predicted.f1)}".rstrip())
    yield Text(f"all    gold {measured(gap.gold.accuracy)}, F1 {number(gap.gold.f1)}")
    yield Text(f"       own  {measured(gap.predicted.accuracy)}, F1 {number(gap.predicted.f1)}")
    yield Text(f"gap (loss of accuracy): {number(gap.value)}")
    first = ", ".join(f"step {step}: {count}" for step, count in gap.first_divergences)
    yield Text(
        f"cases that leave the gold path: {measured(gap.diverged)}{f'; first after {first}' if first else ''}"
    )
    yield Text(f"of those with steps left, back on it later: {measured(gap.recovery)}")
    yield Text(f"steps asked again: {gap.asked}; {gap.reused} had the gold history and were not")
