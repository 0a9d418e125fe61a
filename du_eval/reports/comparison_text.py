"""A comparison for people: at a terminal, and as Markdown for a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from du_eval.reports.comparison_measures import measure_rows, measures_reason, p_text, place_of
from du_eval.reports.text import UNDEFINED, number, one_line
from du_eval.runs.comparison import Change, Comparison
from du_eval.statistics.intervals import Interval
from du_eval.statistics.verdict import Verdict

_SHOWN = 20
SIGNS = {
    Verdict.IMPROVED: "▲",
    Verdict.REGRESSED: "▼",
    Verdict.EQUIVALENT: "=",
    Verdict.UNDECIDED: "?",
}
_CLUSTERS = {
    "quality": "dialogues",
    "protocol": "dialogues",
    "metrics": "lines or conversations",
    "agent": "cases",
    "e2e": "cases",
}
_HINTS = {
    "quality": "runs of the same --seed and number of prompts have dialogues in common",
    "protocol": "runs of the same --seed, --language and --plan have dialogues in common",
    "metrics": "runs over the same --source and --target have lines in common",
}


def comparison_text(comparison: Comparison) -> str:
    """Return a comparison as text."""
    before, after = comparison.before, comparison.after
    lines = [
        f"before: {before.name}  {before.generator}",
        f"after : {after.name}  {after.generator}",
        *remarks(comparison),
        "",
        f"{SIGNS[comparison.verdict]} {comparison.verdict.value.upper()}: {reason(comparison)}",
        "",
        *_table(command_rows(comparison)),
        *_table(measure_rows(comparison)),
        *_list("NEWLY FAILING", comparison.worse),
        *_list("NEWLY PASSING", comparison.better),
        *_kinds(comparison),
        f"method: {method(comparison)}",
    ]
    return "\n".join(lines) + "\n"


def comparison_markdown(comparison: Comparison) -> str:
    """Return a comparison as Markdown."""
    lines = [
        f"## {SIGNS[comparison.verdict]} {comparison.verdict.value.capitalize()}",
        "",
        f"`{comparison.before.name}` → `{comparison.after.name}`: {reason(comparison)}",
        "",
        *(f"> {remark}\n" for remark in remarks(comparison)),
        *_markdown_table(command_rows(comparison)),
        *_markdown_table(measure_rows(comparison)),
        *_markdown_list("newly failing", comparison.worse),
        *_markdown_list("newly passing", comparison.better),
        f"<sub>{escaped(method(comparison))}</sub>",
    ]
    return "\n".join(lines) + "\n"


def _markdown_table(table: Sequence[tuple[str, ...]]) -> Iterator[str]:
    header, *rows = table
    if not rows:
        return
    yield "| " + " | ".join(header) + " |"
    yield "|---|" + "---:|" * (len(header) - 2) + "---|"
    yield from ("| " + " | ".join(map(escaped, row)) + " |" for row in rows)
    yield ""


def escaped(text: str) -> str:
    """Return user text so that Markdown shows it and does not act on it."""
    shown = one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for mark in "\\|`*_[]#@!":
        shown = shown.replace(mark, f"&#{ord(mark)};")
    return shown.replace("://", "&#58;//")


def reason(comparison: Comparison) -> str:
    """Return the verdict in a sentence, with its figures."""
    found, unit = comparison.accuracy, comparison.after.unit
    if comparison.is_unchanged:
        return f"no change: both runs answered all {comparison.overlap.common} {unit} alike"
    if not comparison.decides:
        return measures_reason(comparison)
    if found is None or comparison.rates is None:
        return f"the runs have no judged {unit} in common"
    before, after = comparison.rates
    p = found.p if comparison.adjusted_p is None else comparison.adjusted_p
    text = (
        f"accuracy {before:.3f} → {after:.3f}, difference {found.value:+.3f} "
        f"({_signed(found.interval)}), p={p_text(p)}; "
        f"{len(comparison.worse)} {unit} got worse and {len(comparison.better)} better, of {found.n}"
    )
    margin = comparison.criteria.margin
    if comparison.verdict is Verdict.EQUIVALENT:
        text += f"; the difference is proven to be smaller than {margin:g}"
    if comparison.verdict is Verdict.UNDECIDED and comparison.more_needed:
        samples = comparison.samples_needed
        repeated = f", or {samples:,} samples of each," if samples else ""
        text += (
            f". The data fit both a difference and none: about {comparison.more_needed:,} more {unit}"
            f"{repeated} would decide, if the rates stay like this"
        )
    return text


def remarks(comparison: Comparison) -> list[str]:
    """Return what a reader should know before trusting a comparison."""
    overlap, unit = comparison.overlap, comparison.after.unit
    things = "suites" if comparison.after.activity == "test" else "runs"
    found = []
    if overlap.moved:
        found.append(
            f"note: the files of '{overlap.moved[0]}' are matched with those of '{overlap.moved[1]}'"
        )
    if not overlap.common and comparison.after.activity in _HINTS:
        found.append(f"note: {_HINTS[comparison.after.activity]}")
    if not overlap.is_complete:
        found.append(
            f"warning: the {things} differ: {overlap.only_before} {unit} are only in the first run, "
            f"{overlap.only_after} only in the second, {overlap.asked_otherwise} have another message or "
            f"expectation; the {overlap.common} common ones are compared"
        )
    if overlap.not_judged:
        found.append(f"warning: {overlap.not_judged} {unit} errored in one of the runs and are not compared")
    found.extend(_judged_otherwise(comparison))
    return found


def _judged_otherwise(comparison: Comparison) -> Iterator[str]:
    before, after = comparison.before.policy, comparison.after.policy
    if comparison.measured_otherwise:
        names = ", ".join(comparison.measured_otherwise)
        yield f"warning: not compared, because they were measured in other ways: {names}"
    if before == after:
        return
    if comparison.after.activity == "test":
        yield (
            f"warning: the runs were matched by other policies ({before}, {after}): "
            "judge one again with du-eval rescore --match"
        )
    else:
        yield f"warning: the runs were judged otherwise ({before}; {after})"


def command_rows(comparison: Comparison) -> list[tuple[str, ...]]:
    """Return the table of F1 by command, its header first."""
    rows: list[tuple[str, ...]] = [("F1", "n", "before", "after", "difference", "p", "verdict")]
    for change in comparison.commands:
        f1 = change.f1
        rows.append(
            (f1.name, str(f1.n), number(f1.before, 3), number(f1.after, 3), _delta(f1.value, f1.interval),
             p_text(f1.adjusted_p), change.verdict.value)
        )  # fmt: skip
    for name, f1 in comparison.averages.items():
        rows.append(
            (f"({name})", str(f1.n), number(f1.before, 3), number(f1.after, 3), _delta(f1.value, f1.interval),
             p_text(f1.p), "")
        )  # fmt: skip
    return rows


def method(comparison: Comparison) -> str:
    """Return how the numbers came about."""
    criteria, found = comparison.criteria, comparison.accuracy
    cluster = _CLUSTERS.get(comparison.after.activity, "conversations")
    effect = f", design effect {found.design_effect:.2f}" if found else ""
    size = f", Cohen's g {found.effect:+.2f}" if found and found.effect is not None else ""
    mcnemar = "" if comparison.mcnemar_p is None else f", McNemar p={p_text(comparison.mcnemar_p)}"
    shares = [one.figure.is_share for one in comparison.measures]
    interval = "score interval" if comparison.decides or all(shares) else "Student interval"
    parts = [f"sign-flip over {cluster}{effect}{size}{mcnemar}, {interval}"]
    if comparison.commands:
        parts.append(
            f"F1: paired cluster bootstrap and permutation, 2000 draws, seed {criteria.seed}, "
            "step-down maximum test over commands"
        )
    if comparison.measures:
        parts.append(f"step-down maximum test over {'checks' if comparison.decides else 'figures'}")
    if comparison.adjusted_p is not None:
        parts.append("step-down maximum test over runs")
    parts.append(f"alpha {criteria.alpha:g}, margin {_margin(comparison)}")
    return "; ".join(parts)


def _margin(comparison: Comparison) -> str:
    is_relative = any(not one.figure.is_share for one in comparison.measures)
    return f"{comparison.criteria.margin:g}" + (" of the value where it is no share" if is_relative else "")


def _signed(interval: Interval) -> str:
    return f"{interval.low:+.3f} to {interval.high:+.3f}"


def _delta(value: float | None, interval: Interval | None) -> str:
    if value is None:
        return UNDEFINED
    return f"{value:+.3f}" + (f" ({_signed(interval)})" if interval else "")


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    if len(rows) < 2:
        return
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
    yield ""


def _list(title: str, changes: Sequence[Change]) -> Iterator[str]:
    if not changes:
        return
    yield f"{title} ({len(changes)})"
    for change in changes[:_SHOWN]:
        step = change.after
        yield f"  {place_of(step)} '{one_line(step.message)}'"
        if step.counts or step.expected or change.before.expected:
            yield f"      expected {_commands(step.expected or change.before.expected)}"
        yield f"      before   {_commands(change.before.predicted)}"
        yield f"      after    {_commands(step.predicted)}"
    if len(changes) > _SHOWN:
        yield f"  ... and {len(changes) - _SHOWN} more (--json has all of them)"
    yield ""


def _commands(texts: Sequence[str]) -> str:
    return one_line(", ".join(texts)) or "(no command)"


def _kinds(comparison: Comparison) -> Iterator[str]:
    if comparison.mistakes:
        yield "MISTAKES (before → after)"
        for kind, (before, after) in comparison.mistakes.items():
            yield f"  {before:5} → {after:<5} {kind}"
        yield ""


def _markdown_list(title: str, changes: Sequence[Change]) -> Iterator[str]:
    if not changes:
        return
    yield f"<details><summary>{len(changes)} {title}</summary>\n"
    yield "| where | message | expected | before | after |"
    yield "|---|---|---|---|---|"
    for change in changes[:_SHOWN]:
        step = change.after
        cells = (
            place_of(step),
            step.message,
            _commands(step.expected or change.before.expected),
            _commands(change.before.predicted),
            _commands(step.predicted),
        )
        yield "| " + " | ".join(map(escaped, cells)) + " |"
    if len(changes) > _SHOWN:
        yield f"\n… and {len(changes) - _SHOWN} more"
    yield "\n</details>\n"
