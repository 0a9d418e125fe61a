"""Every number that the original tool gave on two corpora comes out of its mode, value for value and line by line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from du_eval.compat.dialog_eval import DIALOG_EVAL, render_original
from du_eval.corpus.catalogue import available, select_metrics
from du_eval.corpus.pipeline import evaluate, prepare_corpora
from du_eval.corpus.record import MetricsRun
from du_eval.corpus.settings import Files, MetricOptions, Settings

pytestmark = pytest.mark.parity
TOLERANCE = 1e-9
CORPORA = ("small", "large")
SMOOTHINGS = tuple(f"method{number}" for number in range(8))


@pytest.fixture(scope="session")
def oracle(parity_data: Path) -> Path:
    return parity_data / "oracles" / "dialog_eval"


@pytest.fixture(scope="session")
def expected(oracle: Path) -> Any:
    return json.loads((oracle / "EXPECTED.json").read_text())["corpora"]


def files(oracle: Path, corpus: str, **changes: Any) -> Files:
    folder = oracle / corpus
    given: dict[str, Any] = {
        "responses": (str(folder / "responses" / "test_responses.txt"),),
        "source": str(folder / "test_source.txt"),
        "target": str(folder / "test_target.txt"),
        "train_source": str(folder / "train_source.txt"),
        "vocabulary": str(folder / "vocab.txt") if corpus == "large" else None,
        "vectors": str(folder / "embeddings.txt"),
    }
    return Files(**given | changes)


def report(named: Files, smoothing: str = "4", metrics: tuple[str, ...] = ()) -> MetricsRun:
    settings = Settings(mode=DIALOG_EVAL, options=MetricOptions(bleu_smoothing=smoothing))
    return evaluate(named, select_metrics(available(settings.mode, settings.options), metrics), settings)


def assert_equal(found: MetricsRun, wanted: dict[str, dict[str, float]]) -> None:
    results = {one.name: one for one in found.extra.files[0].metrics}
    assert results.keys() == wanted.keys()
    for name, values in wanted.items():
        measurement = results[name].measured
        assert measurement.value == pytest.approx(values["mean"], abs=TOLERANCE), name
        assert results[name].deviation == pytest.approx(values["std"], abs=TOLERANCE), name
        assert results[name].half_width == pytest.approx(values["ci"], abs=TOLERANCE), name
        assert measurement.n == values["n"], name


@pytest.mark.parametrize("corpus", CORPORA)
def test_all_seventeen_metrics_equal_the_recorded_ones(oracle: Path, expected: Any, corpus: str) -> None:
    wanted = expected[corpus]["metrics"]
    assert len(wanted) == 17
    assert_equal(report(files(oracle, corpus)), wanted)


@pytest.mark.parametrize("corpus", CORPORA)
def test_without_embeddings_the_vocabulary_shrinks_and_numbers_change_as_recorded(
    oracle: Path, expected: Any, corpus: str
) -> None:
    assert_equal(report(files(oracle, corpus, vectors=None)), expected[corpus]["variants"]["no_embeddings"])


def test_a_vocabulary_generated_from_the_training_source_gives_the_recorded_numbers(
    oracle: Path, expected: Any
) -> None:
    variants = expected["large"]["variants"]
    wanted = variants["auto_vocab (text_vocab missing, built from train_source)"]
    assert_equal(report(files(oracle, "large", vocabulary=None)), wanted)


@pytest.mark.parametrize("corpus", CORPORA)
def test_the_targets_as_responses_give_the_recorded_numbers(oracle: Path, expected: Any, corpus: str) -> None:
    wanted = expected[corpus]["variants"]["gt_as_response (test_target used as the responses)"]
    named = files(oracle, corpus, responses=(str(oracle / corpus / "test_target.txt"),))
    assert_equal(report(named), wanted)


@pytest.mark.parametrize("corpus", CORPORA)
@pytest.mark.parametrize("method", SMOOTHINGS)
def test_every_smoothing_method_gives_the_recorded_bleu(
    oracle: Path, expected: Any, corpus: str, method: str
) -> None:
    wanted = expected[corpus]["variants"]["bleu_smoothing"][method]
    found = report(files(oracle, corpus), method.removeprefix("method"), ("bleu-*",))
    if "error" in wanted:
        assert not found.extra.files[0].metrics
        assert "undefined" in found.extra.files[0].not_computed[0][1]
    else:
        assert_equal(found, wanted)


@pytest.mark.parametrize("corpus", CORPORA)
def test_the_smoothing_of_2019_gives_the_recorded_bleu(oracle: Path, expected: Any, corpus: str) -> None:
    wanted = expected[corpus]["variants"][
        "nltk_3.4.1_method4_bleu (version of the paper date; same in 3.4.5)"
    ]
    found = report(files(oracle, corpus), "nltk-2019", ("bleu-*",))
    assert_equal(found, {name: values for name, values in wanted.items() if name.startswith("bleu-")})


@pytest.mark.parametrize("corpus", CORPORA)
@pytest.mark.parametrize(
    ("recorded", "smoothing"), [("per_line", "4"), ("per_line_bleu_nltk341", "nltk-2019")]
)
def test_every_line_has_its_recorded_value(oracle: Path, corpus: str, recorded: str, smoothing: str) -> None:
    settings = Settings(mode=DIALOG_EVAL, options=MetricOptions(bleu_smoothing=smoothing))
    selection = select_metrics(available(settings.mode, settings.options), [])
    (prepared_corpus,) = prepare_corpora(files(oracle, corpus), selection, settings).values()
    scored = {
        name: s.lines for metric in selection.metrics for name, s in metric.score(prepared_corpus).items()
    }
    with gzip.open(oracle / f"{corpus}_{recorded}.json.gz") as file:
        wanted = json.load(file)
    for name, values in wanted.items():
        np.testing.assert_allclose(
            scored[name], np.array(values, float), rtol=0, atol=TOLERANCE, err_msg=name
        )


@pytest.mark.parametrize("corpus", CORPORA)
def test_metrics_txt_has_the_original_form_to_the_byte_but_for_last_digits(oracle: Path, corpus: str) -> None:
    found = render_original(report(files(oracle, corpus)))
    wanted = (oracle / f"{corpus}_metrics.txt").read_text()
    assert _shape(found) == _shape(wanted)
    for mine, theirs in zip(_numbers(found), _numbers(wanted), strict=True):
        assert mine == pytest.approx(theirs, abs=TOLERANCE)


def _numbers(text: str) -> list[float]:
    return [float(part) for cell in text.split("\n")[1].split()[1:] for part in cell.split(",")]


def _shape(text: str) -> str:
    """Return the text with every float replaced, so that blanks, commas, names and integers remain."""
    head, row, end = text.split("\n")
    cells = [
        ",".join("x" if "." in part else part for part in cell.split(",")) for cell in row.split(" ")[1:]
    ]
    return "\n".join([head, row.split(" ")[0] + " " + " ".join(cells), end])
