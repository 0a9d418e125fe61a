"""`du-eval metrics`: from files of responses to a table of corpus metrics."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from du_eval.cli.edge import out, reporting_errors, say
from du_eval.cli.option_groups import with_options
from du_eval.cli.options_report import EndOptions, EngineOptions, ReportOptions, choose_engine
from du_eval.errors import ConfigError, ExitCode

if TYPE_CHECKING:
    from du_eval.corpus.catalogue import MetricSelection
    from du_eval.corpus.record import CorpusReport, MetricsRun
    from du_eval.corpus.settings import Files

_SMALL_BYTES = 20_000_000
"""Less text is done before a second process has started."""
_TEXT = "One a line; .gz, .jsonl and - (standard input) work too."


def _option(name: str, help_text: str) -> typer.models.OptionInfo:
    """Return an option that shows no default, because its help says what holds without it."""
    found: typer.models.OptionInfo = typer.Option(name, help=help_text, show_default=False)
    return found


@with_options(ReportOptions, EndOptions, EngineOptions)
def metrics(
    responses: Annotated[
        list[str], typer.Argument(help="Files of responses, or folders of such files.", show_default=False)
    ],
    source: Annotated[str | None, _option("--source", f"The messages that are answered. {_TEXT}")] = None,
    target: Annotated[str | None, _option("--target", f"The expected responses. {_TEXT}")] = None,
    train_source: Annotated[
        str | None,
        _option("--train-source", "Messages of the training data, for frequencies and vocabulary."),
    ] = None,
    train_target: Annotated[str | None, _option("--train-target", "Responses of the training data.")] = None,
    vocab: Annotated[
        str | None, _option("--vocab", "Known words, one a line. Default: all words of the training data.")
    ] = None,
    vocab_min_count: Annotated[
        int | None, _option("--vocab-min-count", "Rarer words of the training data are unknown (1).")
    ] = None,
    save_vocab: Annotated[
        str | None, _option("--save-vocab", "Write the vocabulary that the training data gives.")
    ] = None,
    vectors: Annotated[
        str | None,
        _option("--vectors", "Word vectors: text (fastText, word2vec, GloVe), .gz, or .npy beside words."),
    ] = None,
    metrics_: Annotated[
        str,
        typer.Option("--metrics", help="Names, patterns (bleu-*), groups (dialog-eval), my_module:MyMetric."),
    ] = "all",
    compat: Annotated[
        str | None, _option("--compat", "dialog-eval: the original tool's numbers, quirks included.")
    ] = None,
    bleu_smoothing: Annotated[
        str, typer.Option("--bleu-smoothing", help="0 to 7, or nltk-2019 (method 4 of that time).")
    ] = "4",
    kl_added: Annotated[
        float | None, _option("--kl-added", "Count added to each type for KL divergence (0.5).")
    ] = None,
    tokeniser: Annotated[
        str, typer.Option("--tokeniser", help="whitespace, punctuation or unicode.")
    ] = "whitespace",
    lowercase: Annotated[bool, typer.Option("--lowercase", help="Lower-case before splitting.")] = False,
    confidence: Annotated[float | None, _option("--confidence", "Level of the intervals (0.95).")] = None,
    interval: Annotated[str | None, _option("--interval", "student (default) or bootstrap.")] = None,
    t_value: Annotated[
        float | None, _option("--t-value", "Factor of the original's intervals (1.97).")
    ] = None,
    baseline: Annotated[
        str | None, _option("--baseline", "The response file that all others are compared with.")
    ] = None,
    resamples: Annotated[int, typer.Option("--resamples", help="Draws of the bootstrap.")] = 1000,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the bootstrap.")] = 0,
    judge: Annotated[
        str | None, _option("--judge", "A local sentence model, for token-similarity and mauve.")
    ] = None,
    causal_model: Annotated[
        str | None, _option("--causal-model", "A local causal language model, for perplexity.")
    ] = None,
    output: Annotated[
        list[str] | None,
        typer.Option(
            "-o", "--output", help="A report file: .txt .json .csv .xlsx .tex .md .svg .png; repeatable."
        ),
    ] = None,
    form: Annotated[
        str, typer.Option("--format", help="On the console: table, markdown, latex, csv, json or original.")
    ] = "table",
    cache: Annotated[
        bool, typer.Option("--cache/--no-cache", help="Keep looked-up vectors for the next run.")
    ] = True,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="No progress bar.")] = False,
    resume: Annotated[str | None, typer.Option("--resume", hidden=True)] = None,
    *,
    more: dict[str, Any],
) -> None:
    """Compute dialogue metrics of response files.

    For example:

      du-eval metrics responses.txt --target target.txt

      du-eval metrics runs/ --target target.txt --baseline seq2seq.txt -o table.tex -o plot.svg

      du-eval metrics responses/ --target target.txt --compat dialog-eval -o metrics.txt
    """
    with reporting_errors(), _without_collector():
        from du_eval.cli import metrics_inputs as given
        from du_eval.cli.progress import MetricsBar
        from du_eval.corpus.catalogue import available, selected
        from du_eval.corpus.pipeline import evaluate, generate_vocabulary
        from du_eval.corpus.settings import Files
        from du_eval.reports.corpus_files import CONSOLE_FORMS, check_names, console_text, write_report
        from du_eval.runs.engine_local import open_engine

        if resume is not None:
            raise ConfigError("metrics asks nobody, so there is nothing to continue: run it again")
        check_names(output or [])
        engine = choose_engine(more)
        found = given.response_files(responses)
        files = Files(found.files, source, target, train_source, train_target, vocab, vectors)
        asked = given.Asked(
            compat, tokeniser, lowercase, bleu_smoothing, kl_added, judge, causal_model, confidence, interval,
            t_value, resamples, seed, vocab_min_count, cache, baseline,
        )  # fmt: skip
        settings = given.settings(asked, files)
        shown = given.one_of("--format", form, list(CONSOLE_FORMS))
        selection = selected(available(settings.mode, settings.options), given.wanted(metrics_))
        if save_vocab is not None:
            generate_vocabulary(files, settings, save_vocab)
        bar = MetricsBar(files, selection, enabled=not quiet and sys.stderr.isatty())
        with open_engine(engine, is_small=_size(found.files) < _SMALL_BYTES) as workers, bar as watchers:
            report = evaluate(files, selection, settings, watchers, workers)
        run = _keep(report, files, more)
        if not more["json_output"]:
            out(console_text(shown, report))
        for path in output or []:
            write_report(path, report)
        code = _end(run, more)
        _say_passed_over(found.passed_over)
        computed = _exit_code(report, selection)
        raise typer.Exit(code if code is not ExitCode.PASSED else computed)


def _size(names: Sequence[str]) -> int:
    return sum(Path(name).stat().st_size for name in names if Path(name).is_file())


def _keep(report: CorpusReport, files: Files, more: dict[str, Any]) -> MetricsRun:
    """Return the record of the metrics, kept as a run."""
    from du_eval import __version__
    from du_eval.corpus.record import KIND, record_metrics
    from du_eval.runs.keeping import Opening, open_run
    from du_eval.runs.store import RunStore

    record = record_metrics(report)
    names = tuple(name for name in files.named if name != "-")
    opening = Opening(KIND.name, record.head.subject, files=names, label=more["label"] or "")
    opened = open_run(RunStore(Path(more["runs_dir"] or ".du-eval/runs")), opening, __version__)
    kept = opened.end(record, KIND)
    say(f"run {kept.head.id} kept in {opened.stored.folder}")
    return kept


def _end(run: MetricsRun, more: dict[str, Any]) -> ExitCode:
    """Write what was asked for besides the table; JSON is the whole run."""
    from du_eval.cli.ending import end_run, want
    from du_eval.corpus.record import KIND
    from du_eval.reports.views.metrics import view_metrics

    return end_run(run, KIND, view_metrics(run), want({**more, "is_printed": more["json_output"]}))


@contextmanager
def _without_collector() -> Iterator[None]:
    """Switch off the search for cycles: arrays have none, and a run spends a tenth of its time on it."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _say_passed_over(names: tuple[str, ...]) -> None:
    if names:
        say(f"passed over, as no response files: {', '.join(names)}")


def _exit_code(report: CorpusReport, selection: MetricSelection) -> ExitCode:
    """Return whether everything that was asked for by name could be computed."""
    missing = {name for names in report.not_computed.values() for name in names}
    if missing & selection.named or not report.computed:
        return ExitCode.ERRORED
    return ExitCode.PASSED
