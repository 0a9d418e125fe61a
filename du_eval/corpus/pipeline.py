"""From files to a record: load, number, look up, score every file, aggregate."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path, PurePath

import numpy as np
from msgspec import Struct

import du_eval
from du_eval.corpus.aggregate import KEPT_LINES, measure_columns, name_difference, name_interval
from du_eval.corpus.catalogue import MetricSelection
from du_eval.corpus.lexicon import UNKNOWN, Flags, Lexicon, Texts, join_texts
from du_eval.corpus.load import (
    CorpusReader,
    LoadedCorpus,
    list_frequent_words,
    load,
    membership,
    read_vocabulary,
)
from du_eval.corpus.metric import Corpus, CorpusMetric, Grouping, Need, Scores
from du_eval.corpus.ngrams import count_training
from du_eval.corpus.record import (
    FileNumbers,
    LineDetail,
    MetricsExtra,
    MetricsRun,
    list_cases,
    record_metrics,
)
from du_eval.corpus.settings import Files, Settings
from du_eval.corpus.vector_files import Lookup, VectorCache, Vectors
from du_eval.errors import DuEvalError, InputError, Problem, did_you_mean
from du_eval.parsers.inputs import Progress, no_progress
from du_eval.runs.engine import EngineTask, InProcess, WorkEngine, keep_one
from du_eval.runs.record import Case
from du_eval.trust.reading import open_file

Watch = Callable[[str, str], None]
"""Called with the name of a response file and the metric that is about to be computed on it."""


def watch_nothing(_file: str, _metric: str) -> None:
    """Tell nobody."""


class Watchers(Struct, frozen=True):
    """Who is told about progress: of reading, and of computing."""

    reading: Progress = no_progress
    computing: Watch = watch_nothing


class ScoringPlan(Struct, frozen=True, eq=False):
    """What every worker is told once: all corpora, and the metrics by their place."""

    corpora: Mapping[str, Corpus]
    metrics: tuple[CorpusMetric, ...]
    settings: Settings


Scored = tuple[Mapping[str, Scores], str]
"""The scores of a metric by column, or the reason there are none."""


def score_one(plan: ScoringPlan, item: tuple[str, int]) -> Scored:
    """Return what one metric gives for one file."""
    name, place = item
    corpus = plan.corpora[name]
    return score_metric(plan.metrics[place], corpus, _given(corpus, plan.settings))


def evaluate(
    files: Files,
    selection: MetricSelection,
    settings: Settings,
    watchers: Watchers | None = None,
    engine: WorkEngine | None = None,
) -> MetricsRun:
    """Compute the selected metrics for every response file."""
    watchers = watchers or Watchers()
    corpora = prepare_corpora(files, selection, settings, watchers.reading)
    baseline = _baseline(files, settings.baseline)
    scored: dict[str, Mapping[str, Scores]] = {}
    numbers: dict[str, FileNumbers] = {}
    cases: dict[str, tuple[Case[LineDetail], ...]] = {}
    references = _references(files)
    names = sorted(corpora, key=lambda name: name != baseline)
    metrics = sort_metrics(selection)
    items = [(name, place) for name in names for place in range(len(metrics))]
    task = EngineTask(keep_one, ScoringPlan(corpora, metrics, settings), score_one)
    outcomes = (engine or InProcess()).map(task, items)
    for name in names:
        corpus = corpora[name]
        found, missing = collect_scores(selection, outcomes, partial(watchers.computing, name))
        if name == baseline:
            scored[name] = found
        other = scored[baseline] if baseline is not None and name != baseline else None
        is_kept = len(corpus.responses) <= KEPT_LINES
        grouping = corpus.dialogues.grouping if is_kept else Grouping()
        pairs = measure_columns(selection.columns, found, other, settings, grouping.sizes)
        numbers[name] = FileNumbers(name, len(corpus.responses), tuple(one for one, _ in pairs), missing)
        kept = [(one.name, lines.tolist()) for one, lines in pairs if lines is not None]
        shown = PurePath(name).name if len(corpora) > 1 else "responses"
        cases[name] = tuple(list_cases(shown, kept, grouping, references))
    extra = MetricsExtra(
        tuple(numbers[name] for name in corpora),
        settings.mode.name,
        settings.uncertainty.confidence,
        baseline or "",
    )
    return record_metrics(extra, tuple(case for name in corpora for case in cases[name]), signature(settings))


def _references(files: Files) -> str:
    """Return a fingerprint of the messages and expected responses, where they are files."""
    named = [name for name in (files.source, files.target) if name is not None and Path(name).is_file()]
    found = hashlib.sha256()
    for name in named:
        with open_file(name) as file:
            found.update(hashlib.file_digest(file, "sha256").digest())
    return found.hexdigest()[:16] if named else ""


def prepare_corpora(
    files: Files, selection: MetricSelection, settings: Settings, progress: Progress = no_progress
) -> dict[str, Corpus]:
    """Read everything that the run names, and return a corpus for each response file."""
    keep_lines = any(Need.TEXT in metric.needs for metric in selection.metrics)
    reader = CorpusReader(
        Lexicon([UNKNOWN]), settings.tokeniser, keep_lines, settings.mode.keeps_mark, progress
    )
    loaded = load(files, reader, settings.mode)
    corpus = _shared(files, loaded, settings, progress)
    if settings.mode.cuts_to_shortest:
        return {file.name: corpus(file.dialogues.shortest(), whole=file.dialogues) for file in loaded.files}
    return {file.name: corpus(file.dialogues) for file in loaded.files}


def _shared(
    files: Files, loaded: LoadedCorpus, settings: Settings, progress: Progress
) -> Callable[..., Corpus]:
    """Return what makes corpora, with everything that all response files have in common."""
    lexicon = loaded.lexicon
    target = loaded.train_target if settings.mode.trains_on_targets else None
    texts = [part for part in (loaded.train_source, target) if part is not None]
    training = join_texts(texts) if texts else None
    found, in_file = _vectors(files, loaded, settings, progress) if files.vectors else (None, None)
    vocabulary, size = _vocabulary(files, training, lexicon, settings)
    if settings.mode.knows_words_of_vectors and in_file is not None and vocabulary is not None:
        vocabulary = vocabulary | in_file
    unknown = lexicon.number(UNKNOWN)
    counts = None
    if training is not None and vocabulary is not None:
        numbers = np.where(vocabulary, np.arange(len(lexicon), dtype=np.int32), np.int32(unknown))
        counts = count_training(training.map_words(numbers), len(lexicon))
    return partial(
        Corpus,
        words=len(lexicon),
        training=counts,
        vocabulary=vocabulary,
        vectors=found,
        vocabulary_size=size,
        unknown=unknown,
    )


def _vocabulary(
    files: Files, training: Texts | None, lexicon: Lexicon, settings: Settings
) -> tuple[Flags | None, int | None]:
    """Return which words are known, and how many such words there are, or None for both."""
    if files.vocabulary is not None:
        words = read_vocabulary(files.vocabulary)
    elif training is not None:
        words = frozenset(list_frequent_words(training, lexicon, settings.vocabulary_minimum))
    else:
        return None, None
    return membership(lexicon, words), len(words)


def _vectors(
    files: Files, loaded: LoadedCorpus, settings: Settings, progress: Progress
) -> tuple[Vectors, Flags]:
    """Look up the words that can be compared, and (for the original) which words the file has at all."""
    assert files.vectors is not None
    lexicon = loaded.lexicon
    used = _used(loaded, len(lexicon)).tolist()
    wanted = [word for word, is_used in zip(lexicon.words, used, strict=True) if is_used]
    others = [word for word, is_used in zip(lexicon.words, used, strict=True) if not is_used]
    lookup = Lookup(wanted, others if settings.mode.knows_words_of_vectors else ())
    found = VectorCache(settings.cache).read(files.vectors, lookup, progress)
    row_of = np.full(len(lexicon), -1, np.int32)
    for row, word in enumerate(found.words):
        number = lexicon.find(word)
        if number is not None:
            row_of[number] = row
    vectors = Vectors(found.matrix, row_of, Path(files.vectors).name)
    return vectors, membership(lexicon, found.present.union(found.words))


def _used(loaded: LoadedCorpus, words: int) -> Flags:
    """Return by word number whether a response, source or target has the word."""
    used = np.zeros(words, np.bool_)
    for file in loaded.files:
        for texts in (file.dialogues.responses, file.dialogues.source, file.dialogues.target):
            if texts is not None:
                used[texts.ids] = True
    return used


def _baseline(files: Files, wanted: str | None) -> str | None:
    """Return the response file that the user means by its path or its name."""
    if wanted is None:
        return None
    matching = [name for name in files.responses if wanted in (name, Path(name).name, Path(name).stem)]
    if not matching:
        names = [Path(name).name for name in files.responses]
        hint = did_you_mean(wanted, names) or f"the response files are {', '.join(names)}"
        raise InputError(Problem("--baseline", 0, f"'{wanted}' is not one of the response files", hint))
    return matching[0]


def _given(corpus: Corpus, settings: Settings) -> frozenset[Need]:
    """Return the needs that this corpus and these settings satisfy."""
    answers = {
        Need.SOURCE: corpus.dialogues.source is not None,
        Need.TARGET: corpus.dialogues.target is not None,
        Need.TRAINING: corpus.training is not None,
        Need.TRAIN_SOURCE: corpus.training is not None,
        Need.VOCABULARY: corpus.vocabulary is not None,
        Need.VECTORS: corpus.vectors is not None,
        Need.JUDGE: settings.options.judge is not None,
        Need.CAUSAL_MODEL: settings.options.causal_model is not None,
        Need.TEXT: True,
    }
    return frozenset(need for need, given in answers.items() if given)


def sort_metrics(selection: MetricSelection) -> tuple[CorpusMetric, ...]:
    """Return metrics of whole texts first, which take longest: no worker waits for one at the end."""
    return tuple(sorted(selection.metrics, key=lambda metric: Need.TEXT not in metric.needs))


def collect_scores(
    selection: MetricSelection, outcomes: Iterator[Scored], watch: Callable[[str], None]
) -> tuple[dict[str, Scores], tuple[tuple[str, str], ...]]:
    """Take the outcome of every selected metric; what cannot be computed becomes a reason."""
    shown = {column.name for column in selection.columns}
    scored: dict[str, Scores] = {}
    missing: dict[str, str] = {}
    for metric in sort_metrics(selection):
        names = [column.name for column in metric.columns if column.name in shown]
        watch(names[0])
        found, reason = next(outcomes)
        scored.update({name: found[name] for name in names if name in found})
        missing |= {name: reason or "no value" for name in names if name not in found}
    return scored, tuple((one.name, missing[one.name]) for one in selection.columns if one.name in missing)


def score_metric(metric: CorpusMetric, corpus: Corpus, given: frozenset[Need]) -> Scored:
    """Return what a metric gives; whatever it raises is the reason why it gives nothing."""
    lacking = [need for need in Need if need in metric.needs and need not in given]
    if lacking:
        return {}, "needs " + " and ".join(lacking)
    try:
        found = metric.score(corpus)
    except DuEvalError as error:
        return {}, str(error)
    except (Exception, SystemExit) as error:  # of a plug-in; its failure is a result, the others run on
        return {}, f"the metric failed: {type(error).__name__}: {error}"
    if all(scores.value is None for scores in found.values()):
        return {}, "no line has a value"
    return found, ""


def signature(settings: Settings) -> str:
    """Return what makes the numbers of a run reproducible."""
    version = getattr(du_eval, "__version__", "0.1.0")
    how = (f"mode:{settings.mode.name}", settings.tokeniser.signature, name_interval(settings))
    return "|".join(filter(None, (f"du-eval:{version}", *how, name_difference(settings))))
