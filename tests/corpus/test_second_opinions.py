"""Other implementations, and plain loops, agree with the array code."""

from __future__ import annotations

import random
from collections import Counter
from math import log2

import numpy as np
import pytest

from du_eval.corpus import bleu as bleu_smoothing
from du_eval.corpus.bleu import OriginalBleu, SentenceBleu
from du_eval.corpus.divergence import JensenShannon, KullbackLeibler
from du_eval.corpus.diversity import (
    Distinct,
    ExpectationAdjustedDistinct,
    Repetition,
    SelfBleu,
    UniqueResponses,
    UnknownWords,
)
from du_eval.corpus.embedding import EmbeddingAverage, EmbeddingExtrema, EmbeddingGreedy
from du_eval.corpus.entropy import Entropy
from du_eval.corpus.lexicon import Texts
from du_eval.corpus.metric import Corpus
from du_eval.corpus.ngrams import count_clipped_matches
from du_eval.corpus.overlap import RougeL, TokenF1
from du_eval.text.words import common_length
from tests.corpus.conftest import build


@pytest.fixture(scope="module")
def lines() -> tuple[list[str], list[str]]:
    draw = random.Random(5)
    target = [" ".join(draw.choices("abcdefghij", k=draw.randrange(0, 12))) for _ in range(300)]
    responses = [
        " ".join(word if draw.random() < 0.7 else draw.choice("abcxyz") for word in line.split())
        for line in target
    ]
    return responses, target


@pytest.fixture(scope="module")
def pair(lines: tuple[list[str], list[str]]) -> Corpus:
    return build(*lines, training=lines[1])


def split(lines: list[str]) -> list[list[str]]:
    return [line.split() for line in lines]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("method", range(8))
def test_bleu_equals_nltk_for_each_smoothing_method(
    pair: Corpus, lines: tuple[list[str], list[str]], method: int
) -> None:
    nltk = pytest.importorskip("nltk.translate.bleu_score")
    smoothing = getattr(nltk.SmoothingFunction(), f"method{method}")
    keep = [n for n, r in enumerate(split(lines[0])) if method != 6 or _has_trigram(r, lines[1][n].split())]
    corpus = build([lines[0][n] for n in keep], [lines[1][n] for n in keep])
    found = OriginalBleu(str(method)).score(corpus)
    weights = {1: (1, 0, 0, 0), 2: (0.5, 0.5, 0, 0), 3: (0.33, 0.33, 0.33, 0), 4: (0.25,) * 4}
    for order, weight in weights.items():
        wanted = [
            nltk.sentence_bleu([lines[1][n].split()], lines[0][n].split(), weight, smoothing)
            if lines[0][n]
            else 0
            for n in keep
        ]
        np.testing.assert_allclose(found[f"bleu-{order}"].lines, np.array(wanted, float), atol=1e-9)


def _has_trigram(left: list[str], right: list[str]) -> bool:
    grams = [set(zip(words, words[1:], words[2:], strict=False)) for words in (left, right)]
    return bool(grams[0] & grams[1]) or not set(left) & set(right)


def test_bleu_with_halving_and_effective_order_equals_sacrebleu(
    pair: Corpus, lines: tuple[list[str], list[str]]
) -> None:
    sacrebleu = pytest.importorskip("sacrebleu.metrics.bleu")
    metric = sacrebleu.BLEU(tokenize="none", effective_order=True)
    found = SentenceBleu("3").score(pair)["bleu-4"].lines
    for response, target, value in zip(*lines, found, strict=True):
        if target:
            assert value * 100 == pytest.approx(metric.sentence_score(response, [target]).score, abs=1e-9)
        else:
            assert np.isnan(value)


def test_rouge_l_equals_the_rouge_score_package(pair: Corpus, lines: tuple[list[str], list[str]]) -> None:
    rouge = pytest.importorskip("rouge_score.rouge_scorer")

    class Blanks:
        def tokenize(self, text: str) -> list[str]:
            return text.split()

    scorer = rouge.RougeScorer(["rougeL"], tokenizer=Blanks())
    found = RougeL().score(pair)["rouge-l"].lines
    for response, target, value in zip(*lines, found, strict=True):
        if target:
            assert value == pytest.approx(scorer.score(target, response)["rougeL"].fmeasure, abs=1e-9)


def test_token_f1_counts_each_shared_word_once(pair: Corpus, lines: tuple[list[str], list[str]]) -> None:
    found = TokenF1().score(pair)["token-f1"].lines
    for response, target, value in zip(*map(split, lines), found, strict=True):
        if target:
            shared = (Counter(response) & Counter(target)).total()
            assert value == pytest.approx(2 * shared / (len(response) + len(target)))


def test_self_bleu_equals_bleu_against_all_other_lines(lines: tuple[list[str], list[str]]) -> None:
    nltk = pytest.importorskip("nltk.translate.bleu_score")
    responses = [line for line in split(lines[0]) if len(line) >= 4][:40]
    found = SelfBleu("3").score(build([" ".join(line) for line in responses]))["self-bleu"].lines
    for place, value in enumerate(found):
        others = responses[:place] + responses[place + 1 :]
        wanted = nltk.sentence_bleu(
            others, responses[place], smoothing_function=nltk.SmoothingFunction().method3
        )
        assert value == pytest.approx(wanted, abs=1e-9)


def test_long_lines_match_as_short_ones_do() -> None:
    draw = random.Random(1)
    left, right = (" ".join(str(draw.randrange(3000)) for _ in range(4000)) for _ in range(2))
    corpus = build([left, "a b"], [right, "a b"])
    found = count_clipped_matches(corpus.responses, corpus.target, 4)
    for order in range(1, 5):
        grams = [
            Counter(zip(*[side.split()[n:] for n in range(order)], strict=False)) for side in (left, right)
        ]
        assert found[0, order - 1] == (grams[0] & grams[1]).total()
    assert found[1].tolist() == [2, 1, 0, 0]


@pytest.mark.parametrize(
    ("left", "right", "length"), [("abcbdab", "bdcaba", 4), ("", "ab", 0), ("aaa", "aa", 2)]
)
def test_the_longest_common_run_may_have_gaps(left: str, right: str, length: int) -> None:
    assert common_length(list(map(ord, left)), list(map(ord, right))) == length


def test_embedding_metrics_equal_plain_loops(pair: Corpus) -> None:
    assert pair.vectors is not None
    matrix = pair.vectors.matrix
    rows = [matrix[pair.responses.ids[a:b]] for a, b in _ends(pair.responses)]
    others = [matrix[pair.target.ids[a:b]] for a, b in _ends(pair.target)]
    for metric, summary in ((EmbeddingAverage(), _mean), (EmbeddingExtrema(), _extreme)):
        (scores,) = metric.score(pair).values()
        for value, left, right in zip(scores.lines, rows, others, strict=True):
            if len(left) and len(right):
                assert value == pytest.approx(_cosine(summary(left), summary(right)))
            else:
                assert np.isnan(value)
    greedy = EmbeddingGreedy().score(pair)["embedding-greedy"].lines
    for value, left, right in zip(greedy, rows, others, strict=True):
        if len(left) and len(right):
            table = np.array([[_cosine(a, b) for b in right] for a in left])
            assert value == pytest.approx((table.max(0).mean() + table.max(1).mean()) / 2)


def _ends(texts: Texts) -> list[tuple[int, int]]:
    return list(zip(texts.starts[:-1], texts.starts[1:], strict=True))


def _mean(rows: np.ndarray) -> np.ndarray:
    return rows.mean(0)


def _extreme(rows: np.ndarray) -> np.ndarray:
    return rows[np.abs(rows).argmax(0), np.arange(rows.shape[1])]


def _cosine(left: np.ndarray, right: np.ndarray) -> float:
    return float(left @ right / np.linalg.norm(left) / np.linalg.norm(right))


def test_of_equal_magnitudes_the_first_is_the_extreme() -> None:
    from du_eval.corpus.embedding import extremes
    from du_eval.corpus.lexicon import find_starts
    from du_eval.corpus.vector_files import Vectors

    vectors = Vectors(np.array([[1.0, -2.0], [-1.0, 2.0]]), np.array([0, 1], np.int32))
    texts = Texts(np.array([0, 1, 1, 0], np.int32), find_starts(np.array([2, 2])))
    assert extremes(texts, vectors).tolist() == [[1.0, -2.0], [-1.0, 2.0]]


@pytest.mark.parametrize("order", [1, 2])
def test_divergences_equal_their_formulas(
    pair: Corpus, lines: tuple[list[str], list[str]], order: int
) -> None:
    model, truth = (
        Counter(gram for line in split(side) for gram in zip(*[line[n:] for n in range(order)], strict=False))
        for side in lines
    )
    types = set(model) | set(truth)
    p = {t: (truth[t] + 0.5) / (truth.total() + 0.5 * len(types)) for t in types}
    q = {t: (model[t] + 0.5) / (model.total() + 0.5 * len(types)) for t in types}
    (kl,) = KullbackLeibler(order).score(pair).values()
    assert kl.value == pytest.approx(sum(p[t] * log2(p[t] / q[t]) for t in types))
    p, q = ({t: side[t] / side.total() for t in types} for side in (truth, model))
    middle = {t: (p[t] + q[t]) / 2 for t in types}
    (js,) = JensenShannon(order).score(pair).values()
    wanted = sum(0.5 * side[t] * log2(side[t] / middle[t]) for side in (p, q) for t in types if side[t])
    assert js.value == pytest.approx(wanted)


def test_pseudo_values_of_divergences_follow_leaving_out_a_line(lines: tuple[list[str], list[str]]) -> None:
    for metric in (KullbackLeibler(1), JensenShannon(1)):
        (scores,) = metric.score(build(*lines)).values()
        for place in (3, 50, 200):
            (without,) = metric.score(build(*[side[:place] + side[place + 1 :] for side in lines])).values()
            assert scores.value is not None
            assert without.value is not None
            change = (scores.value - without.value) * (len(lines[0]) - 1)
            assert scores.lines[place] - scores.value == pytest.approx(change, abs=0.15 * abs(change) + 0.02)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_distinct_and_its_pseudo_values_equal_counting_without_each_line(
    lines: tuple[list[str], list[str]], order: int
) -> None:
    def share(rows: list[list[str]]) -> float:
        grams = [gram for row in rows for gram in zip(*[row[n:] for n in range(order)], strict=False)]
        return len(set(grams)) / len(grams)

    (scores,) = Distinct(order).score(build(lines[0])).values()
    rows = split(lines[0])
    assert scores.value == pytest.approx(share(rows))
    long_enough = [n for n, row in enumerate(rows) if len(row) >= order]
    for place in long_enough[:20]:
        without = share(rows[:place] + rows[place + 1 :])
        wanted = len(long_enough) * share(rows) - (len(long_enough) - 1) * without
        assert scores.lines[place] == pytest.approx(wanted)


def test_expectation_adjusted_distinct_equals_its_formula(
    pair: Corpus, lines: tuple[list[str], list[str]]
) -> None:
    tokens = [word for line in split(lines[0]) for word in line]
    size = pair.vocabulary_size
    assert size is not None
    wanted = len(set(tokens)) / (size * (1 - ((size - 1) / size) ** len(tokens)))
    assert ExpectationAdjustedDistinct(1).score(pair)["ead-1"].value == pytest.approx(wanted)


def test_unique_responses_unknown_words_and_repetition_count_what_they_say() -> None:
    corpus = build(["a b", "a b", "a b a b a b", "x y"], training=["a b"])
    assert UniqueResponses().score(corpus)["unique-responses"].value == 0.75
    assert UnknownWords().score(corpus)["unknown-word-rate"].value == pytest.approx(2 / 12)
    assert Repetition(2).score(corpus)["repetition-2"].lines.tolist() == [0, 0, pytest.approx(3 / 5), 0]


def test_entropy_is_a_proper_distribution_even_over_unseen_words() -> None:
    from du_eval.corpus.entropy import pair_probabilities, word_probabilities

    corpus = build(["a b", "zzz a"], training=["a b a c", "b a"])
    assert corpus.training is not None
    single = word_probabilities(corpus.training)
    seen = corpus.training.counts > 0
    unseen = single[~seen][0]
    assert single[seen].sum() + unseen == pytest.approx(1)
    words = corpus.words
    known = [*np.flatnonzero(seen), int(np.flatnonzero(~seen)[0])]
    for first in known:
        codes = np.array([first * words + second for second in known])
        assert pair_probabilities(corpus.training, single, codes).sum() == pytest.approx(1)
    assert Entropy(1).score(corpus)["per-unigram-entropy"].n == 2


def test_every_smoothing_method_says_what_it_does() -> None:
    assert all(method.__doc__ for method in bleu_smoothing.SMOOTHINGS.values())
