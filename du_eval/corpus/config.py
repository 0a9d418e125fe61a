"""Everything that can be set for `du-eval metrics`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from du_eval.settings.declare import OWN, REPORTS, RUN, Flag, FlagSwitch, setting, switch
from du_eval.settings.shared import NO_CASES, KeptSettings, QuietSettings, SeedSettings, WorkSettings
from du_eval.settings.words import Words

_TEXT = "One per line; .gz, .jsonl and - (standard input) work too."
_PATH = Flag(is_path=True)
_NOBODY = "metrics sends no requests"
_ONE_METHOD = "intervals and tests of metrics have one method, which the signature names; leave this out"


class MetricsSettings(SeedSettings, WorkSettings, QuietSettings, KeptSettings, panel=OWN):
    """Which files are measured, by which metrics, and how sure they are."""

    section: ClassVar[str] = "metrics"
    refused: ClassVar[Mapping[str, str]] = {
        **NO_CASES,
        "--resume": f"{_NOBODY}, so there is nothing to continue: run it again",
        **dict.fromkeys(("-n", "--concurrency"), f"{_NOBODY}; --workers sets the number of processes"),
        **dict.fromkeys(("--interval", "--resamples"), _ONE_METHOD),
    }

    responses: Words = setting(
        [],
        "Files of responses, or folders of such files.",
        flag=Flag(is_argument=True, is_path=True, metavar="RESPONSES..."),
    )
    source: str | None = setting(None, f"The messages that are answered. {_TEXT}", flag=_PATH)
    target: str | None = setting(None, f"The expected responses. {_TEXT}", flag=_PATH)
    train_source: str | None = setting(
        None, "Messages of the training data, for frequencies and vocabulary.", flag=_PATH
    )
    train_target: str | None = setting(None, "Responses of the training data.", flag=_PATH)
    vocab: str | None = setting(
        None, "Known words, one per line (default: all words of the training data).", flag=_PATH
    )
    vocab_min_count: int | None = setting(
        None, "Minimum count in the training data; rarer words are unknown (default: 1)."
    )
    save_vocab: str | None = setting(
        None,
        "Write the vocabulary of the training data to this file.",
        flag=Flag(is_path=True, panel=REPORTS),
    )
    vectors: str | None = setting(
        None, "Word vectors: text (fastText, word2vec, GloVe), .gz, or .npy beside words.", flag=_PATH
    )
    metrics: str = setting(
        "all", "Metrics to compute: names, patterns (bleu-*), groups (dialog-eval), my_module:MyMetric."
    )
    compat: Literal["dialog-eval"] | None = setting(
        None, "Reproduce the original tool's numbers, quirks included."
    )
    bleu_smoothing: Literal["0", "1", "2", "3", "4", "5", "6", "7", "nltk-2019"] = setting(
        "4", "Smoothing method; nltk-2019 is method 4 as it was in 2019."
    )
    kl_added: float | None = setting(None, "Count added to each type for KL divergence (default: 0.5).", gt=0)
    tokeniser: Literal["whitespace", "punctuation", "unicode"] = setting(
        "whitespace", "How text is split into words."
    )
    lowercase: bool = switch("Convert text to lower case first.")
    confidence: float | None = setting(None, "Confidence level of the intervals (default: 0.95).", gt=0, lt=1)
    t_value: float | None = setting(None, "Factor of the original's intervals (default: 1.97).")
    baseline: str | None = setting(None, "Response file that all others are compared with.", flag=_PATH)
    judge: str | None = setting(None, "Local sentence model, for token-similarity and mauve.")
    causal_model: str | None = setting(None, "Local causal language model, for perplexity.")
    cache: bool = setting(
        default=True,
        description="Cache the word vectors for the next run.",
        flag=Flag(
            switches=(
                FlagSwitch("--cache", value=True),
                FlagSwitch("--no-cache", value=False, help="Do not cache them."),
            ),
            panel=RUN,
        ),
    )
    form: Literal["table", "markdown", "latex", "csv", "json", "original"] = setting(
        "table", "Format of the console output.", flag=Flag(("--format",), panel=REPORTS)
    )
