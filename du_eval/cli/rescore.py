"""`du-eval rescore` and `du-eval merge`: reports of answers that are already there."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Annotated

import typer

from du_eval.assembly.activities import find_settings, list_settings
from du_eval.cli.edge import say
from du_eval.cli.generated import GivenWords, Offered, with_settings_of
from du_eval.errors import ExitCode
from du_eval.settings.commands import TestSettings
from du_eval.settings.declare import JUDGES, REPORTS, SettingsModel

_PANELS = (JUDGES, REPORTS)
_READING = {
    "test": ("assistant", "syntax", "match", "additional_commands", "remove_default_commands", "check_flows",
             "success_ratio", "output", "output_prompt"),
    "e2e": (
        "assistant", "syntax", "additional_commands", "remove_default_commands", "output", "output_prompt",
    ),
    "agent": ("base_url", "cache", "neuro_san_compat"),
    "metrics": ("metrics", "baseline", "confidence", "interval"),
}  # fmt: skip
"""How answers are read and judged, beside judges and reports."""
_NOT_AGAIN = frozenset({"folder", "transcripts", "verbose", "save_vocab", "form"})
"""What is only done while a run is made."""


def list_rejudging(model: type[SettingsModel]) -> tuple[str, ...]:
    """Return the settings of an activity that matter when its runs are judged again."""
    chosen = ("runs_dir", *_READING.get(model.section, ()))
    shown = (name for name in model.model_fields if model.find_panel(name) in _PANELS)
    return tuple(dict.fromkeys(name for name in (*chosen, *shown) if name not in _NOT_AGAIN))


_OFFERED: Offered = {
    model: list_rejudging(model)
    for model in sorted(list_settings(), key=lambda model: model.section not in {"test", "quality"})
}
_RUN = "The run: its id, the start of its id, its label, its folder, or last."
ChangedSuite = Annotated[
    bool,
    typer.Option(
        "--changed-suite", help="Judge by the files as they are now, even if they changed since the run."
    ),
]


@with_settings_of(_OFFERED)
def rescore(
    run: Annotated[str, typer.Argument(help=_RUN)] = "last",
    changed_suite: ChangedSuite = False,
    *,
    given: GivenWords,
) -> ExitCode:
    """Judge the kept answers of a run again, without asking for new ones.

    For when you changed commands, expectations, judges or thresholds. The result is kept as a run of its
    own, so you can compare the two. Only judges that are chat models are asked, for what the run does not
    hold.

    Examples:
      du-eval rescore last --match rasa

      du-eval rescore 20260131-120000 --changed-suite --output-prompt

      du-eval rescore my_quality_run --judges llm --judge-model openai/gpt-4o-mini

    """
    return _rescore([run], given, allows_changes=changed_suite, merges=False)


@with_settings_of(_OFFERED)
def merge(
    runs: Annotated[list[str], typer.Argument(help="The runs: ids, the starts of ids, or folders.")],
    changed_suite: ChangedSuite = False,
    *,
    given: GivenWords,
) -> ExitCode:
    """Merge runs, such as shards, into one report.

    The runs must cover different cases of the same suite (test, e2e or agent), with the same settings. The
    result is kept as a run.

    Examples:
      du-eval merge 20260131-120000 20260131-120500

      du-eval merge downloaded/shard-*/.du-eval/runs/* --json

    """
    return _rescore(runs, given, allows_changes=changed_suite, merges=True)


def _rescore(names: Sequence[str], words: GivenWords, *, allows_changes: bool, merges: bool) -> ExitCode:
    from du_eval.assembly.deciding import check_fail_under
    from du_eval.assembly.finding import find_store
    from du_eval.assembly.keeping import settle_stored
    from du_eval.assembly.rescoring import merge_remarks, rescore_runs
    from du_eval.cli.ending import Showing, end_run
    from du_eval.trust.effects import JUDGING

    store = find_store(words.by_spelling.get("--runs-dir"))
    runs = [store.find(name) for name in names]
    model = find_settings(runs[0].manifest.kind)
    given = words.collect(model, list_rejudging(model))
    if model is TestSettings:
        check_fail_under(settle_stored(TestSettings, runs[0], given, os.environ, JUDGING))
    for remark in merge_remarks(runs) if merges else ():
        say(f"warning: {remark}")
    record, config = rescore_runs(runs, given, allows_changes=allows_changes, merges=merges)
    say(f"run {record.head.id} kept in {store.root / record.head.id}")
    is_quiet = getattr(config, "quiet", False) or not getattr(config, "details", True)
    showing = Showing(is_quiet=is_quiet, shows_prompts=getattr(config, "output_prompt", False))
    return end_run(record, config, showing)
