"""Parts of the view of command tests: what concerns the whole run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from du_eval.errors import tell_count
from du_eval.evaluation.aggregate import CommandScore
from du_eval.evaluation.confusion import NOTHING
from du_eval.evaluation.exposure import ExposureGap
from du_eval.evaluation.goals import GoalFigure
from du_eval.evaluation.record import BotSide, TestExtra
from du_eval.evaluation.robustness import LevelResult, Robustness
from du_eval.evaluation.sampling import Repeats
from du_eval.evaluation.step import StepDetail
from du_eval.reports.columns import Code, Number, Share, make_columns
from du_eval.reports.numbers import show_measurement
from du_eval.reports.sections import Cell, Column, Curve, Matrix, Note, Point, Section, Table, Tone
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Result
from du_eval.statistics.counts import Counts

_MOST_IN_MATRIX = 25
_MOST_FLAKY = 20


def list_commands(extra: TestExtra) -> Iterator[Table]:
    """Yield how well each command is predicted, and each flow and slot."""
    if extra.commands:
        rows = tuple(
            (name, score.counts.total, score.counts.tp, score.counts.fp, score.counts.fn,
             score.precision, score.recall, score.f1)
            for name, score in extra.commands.items()
        )  # fmt: skip
        columns = make_columns(
            Column("command", facet="command"), Number("expected"), Number("tp"), Number("fp"),
            Number("fn"), Share("precision"), Share("recall"), Share("F1"),
        )  # fmt: skip
        remark = (
            f"{tell_count(extra.skipped, 'command has', 'commands have')} no F1 to average"
            if extra.skipped
            else ""
        )
        yield Table("Commands", columns, rows, remark, tuple(_list_scores(extra.commands)))
    yield from _list_names("Flows", "flow", extra.flows)
    yield from _list_names("Slots", "slot", extra.slots)


def _list_scores(commands: Mapping[str, CommandScore]) -> Iterator[str]:
    """Yield the scores of commands in the layout of the official tool."""
    for name, score in commands.items():
        counts = score.counts
        yield f"{name} (total count: {counts.total}):"
        yield f"  tp: {counts.tp} fp: {counts.fp} fn: {counts.fn}"
        yield f"  precision: {show_measurement(score.precision)}"
        yield f"  recall   : {show_measurement(score.recall)}"
        yield f"  f1       : {show_measurement(score.f1)}"


def _list_names(title: str, facet: str, found: Mapping[str, Counts]) -> Iterator[Table]:
    columns = make_columns(
        Code(facet, facet=facet), Number("tp"), Number("fp"), Number("fn"), Share("precision"),
        Share("recall"), Share("F1"),
    )  # fmt: skip
    rows = tuple(
        (name, one.tp, one.fp, one.fn, one.precision, one.recall, one.f1) for name, one in found.items()
    )
    if rows:
        yield Table(title, columns, rows, is_minor=True)


def list_mistakes(extra: TestExtra) -> Iterator[Section]:
    """Yield the kinds of mistakes, and what is taken for what."""
    found = extra.confusion
    if found.kinds:
        columns = make_columns(Column("mistake", facet="kind"), Number("count"), Number("steps"))
        yield Table("Mistakes", columns, found.kinds)
    wrong = tuple((flow, other, count) for flow, other, count in found.flows if flow != other)
    if wrong:
        columns = make_columns(Code("flow", facet="flow"), Code("became", facet="flow"), Number("count"))
        yield Table("Flows taken for others", columns, wrong)
    yield from _list_matrix(found.commands)
    if found.values:
        heads = make_columns(Code("slot", facet="slot"), "expected", "predicted", Number("count"))
        rows = tuple((one.slot, one.expected, one.predicted, one.count) for one in found.values)
        yield Table("Wrong values", heads, rows, is_minor=True)


def _list_matrix(pairs: Sequence[tuple[str, str, int]]) -> Iterator[Matrix]:
    counts = {(expected, predicted): count for expected, predicted, count in pairs}
    rows = tuple(sorted({expected for expected, _ in counts}, key=lambda name: (name == NOTHING, name)))
    columns = tuple(sorted({other for _, other in counts}, key=lambda name: (name == NOTHING, name)))
    if counts and max(len(rows), len(columns)) <= _MOST_IN_MATRIX:
        table = tuple(tuple(counts.get((row, column), 0) for column in columns) for row in rows)
        yield Matrix("Wrong commands", "expected", "predicted", rows, columns, table)


def list_causes(results: Sequence[Result[StepDetail]]) -> Iterator[Section]:
    """Yield where the steps that did not pass come from, and what can be seen in the answers."""
    causes = Counter(
        str(one.detail.explanation.provenance)
        for one in results
        if one.outcome is not Outcome.PASSED and one.detail.explanation.provenance
    )
    if causes:
        columns = make_columns(Column("cause", facet="cause"), Number("steps"))
        yield Table("Where failures come from", columns, tuple(causes.most_common()))
    gained = sum(
        one.outcome is Outcome.FAILED and one.detail.explanation.passes_in_perfect_form for one in results
    )
    if gained:
        text = f"{tell_count(gained, 'failed step')} would pass if the format were perfect"
        yield Note(text, Tone.OPEN)
    signs = Counter(str(sign) for one in results for sign in one.detail.explanation.signs)
    if signs:
        yield Table("Answers with", (Column("what"), Number("answers")), tuple(signs.most_common()))


def list_robustness(found: Robustness | None) -> Iterator[Section]:
    """Yield accuracy by level of each perturbation, and where it breaks the understanding."""
    if found is None:
        return
    series = tuple(
        (kind, tuple(_make_point(one) for one in found.levels if one.kind == kind and one.difference))
        for kind in found.breaking
    )
    yield Curve("Robustness", "share of changed words", "accuracy", series)
    columns = make_columns(
        "perturbation", Number("level"), Number("realised"), Number("steps"), Share("accuracy"),
        Share("unchanged"), "difference", "verdict",
    )  # fmt: skip
    methods = dict.fromkeys(one.difference.method for one in found.levels if one.difference)
    remark = f"difference: {', '.join(methods)}; all levels share one correction" if methods else ""
    yield Table("Robustness by level", columns, tuple(map(_make_level, found.levels)), remark)
    for kind, level in found.breaking.items():
        n = max((one.n for one in found.levels if one.kind == kind), default=0)
        told = f"a loss is not proven (n={n})"
        if level is not None:
            told = f"accuracy is lower from level {level:g} on"
        if found.is_proven_harmless(kind):
            told = f"no level changes accuracy by more than the margin (n={n})"
        yield Note(f"{kind}: {told}")
    for one in found.levels:
        if one.reversal:
            yield Note(f"{one.kind} {one.level:g}: {one.reversal}", Tone.OPEN)
    names = sorted({name for one in found.levels for name in one.f1})
    shown = [one for one in found.levels if one.difference]
    if names and shown:
        heads = make_columns("F1", Share("unchanged"), *(Share(f"{one.kind} {one.level:g}") for one in shown))
        yield Table("F1 by level", heads, tuple(_make_f1_row(name, shown) for name in names), is_minor=True)


def _make_point(one: LevelResult) -> Point:
    return Point(one.level, one.measured, f"{one.kind} {one.level:g}")


def _make_level(one: LevelResult) -> tuple[Cell, ...]:
    if one.difference is None:
        return one.kind, one.level, None, 0, None, None, "no step could be changed", ""
    found = one.difference
    spread = f"{found.value:+.3f} ({found.interval.low:+.3f} to {found.interval.high:+.3f})"
    return one.kind, one.level, one.realised, one.n, one.accuracy, one.unchanged, spread, str(one.verdict)


def _make_f1_row(name: str, levels: Sequence[LevelResult]) -> tuple[Cell, ...]:
    known = [one.f1.get(name) for one in levels]
    before = next((found.unchanged for found in known if found), None)
    return (name, before, *(found.measured if found else None for found in known))


def list_gap(gap: ExposureGap | None) -> Iterator[Section]:
    """Yield what changes with the generator's own history."""
    if gap is None:
        return
    value = "–" if gap.value is None else f"{100 * gap.value:.1f} points"
    if (found := gap.difference) is not None:
        value += f" ({-100 * found.interval.high:+.1f} to {-100 * found.interval.low:+.1f}, {found.method})"
    yield Note(f"Exposure gap: {value} of accuracy are lost with the generator's own history", Tone.PLAIN)
    columns = make_columns(
        "turn", Share("gold history"), Share("own history"), Share("F1 gold"), Share("F1 own"),
    )  # fmt: skip
    rows: list[tuple[Cell, ...]] = [
        (str(one.turn), one.gold.accuracy, one.predicted.accuracy, one.gold.f1, one.predicted.f1)
        for one in gap.turns
    ]
    rows.append(("all", gap.gold.accuracy, gap.predicted.accuracy, gap.gold.f1, gap.predicted.f1))
    yield Table("Exposure gap by turn", columns, tuple(rows))
    first = ", ".join(f"turn {turn}: {count}" for turn, count in gap.first_divergences)
    facts: tuple[tuple[Cell, ...], ...] = (
        ("cases that leave the gold path", gap.diverged),
        ("of these, cases that come back", gap.recovery),
        ("first left after", first),
        ("steps asked again", gap.asked),
        ("steps not asked again", gap.reused),
    )
    yield Table("Own history", (Column("what"), Column("value")), facts, is_minor=True)


def list_repeats(repeats: Repeats | None) -> Iterator[Section]:
    """Yield what repeated samples tell: pass@k, pass^k, and what is flaky."""
    if repeats is None:
        return
    columns = make_columns("of", Number("k"), Share("pass@k"), Share("pass^k"), Number("n"))
    named = (("steps", repeats.step_chances), ("test cases", repeats.case_chances))
    rows = tuple(
        (what, one.k, one.at_least_one, one.all_of_them, one.n)
        for what, chances in named
        for one in chances.by_k
    )
    omitted = "; ".join(f"{what}: {chances.omitted}" for what, chances in named if chances.omitted)
    yield Table("Repeated samples", columns, rows, omitted)
    flaky, chances = repeats.flaky_steps, repeats.step_chances
    text = (
        f"{chances.mixed} of {tell_count(len(repeats.steps), 'step')} are flaky: "
        f"they passed in some of their {tell_count(chances.asked, 'sample')} and failed in others"
    )
    yield Note(text, Tone.OPEN if flaky else Tone.PLAIN)
    if flaky:
        columns = make_columns("step", "place", Number("passed"), Number("judged"), Share("pass rate"))
        found = tuple((one.name, str(one.place), one.passed, one.judged, one.rate) for one in flaky)
        yield Table("Flaky steps", columns, found[:_MOST_FLAKY], f"{len(flaky)} in all")
    mixed = tuple(
        (one.name, one.passed, one.judged, str(one.ratio or "")) for one in repeats.cases if one.is_flaky
    )
    if mixed:
        columns = make_columns(Code("test case", facet="case"), Number("passed"), Number("judged"), "needs")
        yield Table("Test cases that pass in some samples only", columns, mixed)


def list_goals(goals: Sequence[GoalFigure]) -> Iterator[Table]:
    """Yield the figures of the dialogue state, with what is had for nothing."""
    if goals:
        columns = make_columns(
            "figure", Share("value"), Share("predicting nothing"), Share("state unchanged"),
        )  # fmt: skip
        rows = tuple((one.name, one.measurement, one.nothing, one.unchanged) for one in goals)
        yield Table("Dialogue state", columns, rows)


def list_bot_side(bot: BotSide | None) -> Iterator[Section]:
    """Yield what replaying the cases against their assistants found."""
    if bot is None:
        return
    rest = f"; {bot.unchecked} could not be replayed" if bot.unchecked else ""
    tone = Tone.BAD if bot.differing else Tone.PLAIN
    yield Note(f"bot steps: {bot.differing} of {bot.checked} differ{rest}", tone)
    if bot.differences:
        columns = make_columns(Code("place"), "after", "in the file, not said", "said, not in the file")
        rows = tuple(
            (f"{one.file}:{one.difference.line}", one.difference.user,
             "\n".join(one.difference.expected[index] for index in one.difference.missing),
             "\n".join(one.difference.said[index] for index in one.difference.surplus))
            for one in bot.differences
        )  # fmt: skip
        yield Table("Bot steps that differ from the replay", columns, rows)
    if bot.stops:
        columns = make_columns(Code("place"), Number("from user step"), "reason")
        stops = tuple((f"{one.file}:{one.line}", one.step, one.reason) for one in bot.stops)
        hint = (
            "stub custom actions under stub_custom_actions, or run them with --actions or --action-endpoint"
        )
        is_action = any("custom action" in one.reason for one in bot.stops)
        yield Table("Cases not replayed to the end", columns, stops, hint if is_action else "")
    if bot.idle:
        columns = make_columns(Code("place"), Code("command"), "reason")
        idle = tuple((f"{one.file}:{one.line}", one.command, one.reason) for one in bot.idle)
        yield Table("Expected commands without effect", columns, idle, is_minor=True)


def list_quantities(quantities: Mapping[str, Mapping[str, Mapping[str, float]]]) -> Iterator[Table]:
    """Yield percentiles of latency and tokens by component."""
    for name, table in quantities.items():
        if not table:
            continue
        heads = tuple(dict.fromkeys(key for values in table.values() for key in values))
        is_time = name == "latency"
        rows = tuple(
            (part, *(_to_milliseconds(key, values.get(key)) if is_time else values.get(key) for key in heads))
            for part, values in table.items()
        )
        title = f"{name[:1].upper()}{name[1:]}{' (ms)' if is_time else ''}"
        yield Table(title, (Column("component"), *map(Number, heads)), rows)


def _to_milliseconds(key: str, value: float | None) -> float | None:
    return value if value is None or key == "n" else value * 1000
