"""Replay and exposure gap as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from du_eval.evaluation.gap import exposure_gap
from du_eval.evaluation.replay import BotDifference
from du_eval.evaluation.results import CaseResult, RunResult
from du_eval.reports.text import measured, number, one_line, side_by_side


def bot_differences(run: RunResult, width: int) -> Iterator[Text]:
    """Yield the turns in which the bot says something else than the files, and what could not be replayed."""
    differing = [case for case in run.cases if case.replay and case.replay.differences]
    stopped = [case for case in run.cases if case.replay and case.replay.stopped]
    if not differing and not stopped:
        return
    yield Text()
    yield Text(" BOT STEPS: THE REPLAY SAYS SOMETHING ELSE ".center(width, "="), style="bold")
    for case in differing:
        yield from _case(case, width)
    if stopped:
        yield Text()
        yield Text("-- NOT REPLAYED TO THE END --", style="bold")
    for case in stopped:
        assert case.replay is not None
        yield Text(f"{case.file}:{case.replay.stopped_line}: {one_line(case.replay.stopped)}", style="yellow")
        yield Text(f"   {one_line(case.id)}, from user step {case.replay.stopped_at} on", style="dim")


def _case(case: CaseResult, width: int) -> Iterator[Text]:
    yield Text()
    yield Text(f"test_case: {one_line(case.id)}", style="bold")
    for difference in case.replay.differences if case.replay else ():
        yield Text(f"after user message '{one_line(difference.user)}'")
        yield Text(f"   {case.file}:{difference.line}", style="dim")
        yield from _table(difference, width)


def _table(difference: BotDifference, width: int) -> Iterator[Text]:
    left = [
        f"{'-' if index in difference.missing else ' '} {one_line(text)}"
        for index, text in enumerate(difference.expected)
    ]
    right = [
        f"{'+' if index in difference.surplus else ' '} {one_line(text)}"
        for index, text in enumerate(difference.said)
    ]
    nothing = ["  (nothing)"]
    rows = side_by_side(
        ["-- IN THE FILE --", *(left or nothing)], ["-- REPLAY --", *(right or nothing)], width
    )
    yield Text(rows[0], style="bold")
    for row in rows[1:]:
        yield Text(row)


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
