"""Metrics that ask a local model: similarity word by word, MAUVE, and perplexity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import exp, inf
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct

from du_eval.corpus.lexicon import Floats
from du_eval.corpus.metric import Better, Corpus, MetricColumn, MetricError, Need, Scores, require
from du_eval.errors import InputError, MissingExtraError, Problem
from du_eval.judges.word_matching import EmbeddingJudge
from du_eval.statistics.jackknife import from_sums

if TYPE_CHECKING:
    import torch

_BATCH = 16
_LEAST_FOR_MAUVE = 20


class TokenSimilarity(Struct, frozen=True):
    """F1 of the best matches between the word pieces of response and target, in context (as BERTScore)."""

    judge: str | None

    columns = (MetricColumn("token-similarity", low=-1.0),)
    needs = frozenset({Need.TARGET, Need.TEXT, Need.JUDGE})

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Score each line with text on both sides."""
        responses, targets = corpus.responses.lines, corpus.target.lines
        values = np.full(len(responses), np.nan)
        both = [
            line
            for line, (a, b) in enumerate(zip(responses, targets, strict=True))
            if a.strip() and b.strip()
        ]
        judge = EmbeddingJudge(require(self.judge, Need.JUDGE))
        found = judge.agreements([responses[line] for line in both], [targets[line] for line in both])
        values[both] = [agreement.f1 for agreement in found]
        return {"token-similarity": Scores(values, signature=f"judge:{judge.model}|rescaled:no")}


class Mauve(Struct, frozen=True):
    """How much the distributions of responses and targets overlap in the space of a sentence model."""

    judge: str | None
    seed: int = 25

    columns = (MetricColumn("mauve"),)
    needs = frozenset({Need.TARGET, Need.TEXT, Need.JUDGE})

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Score the corpus as a whole; it has no interval, because it is not a sum over lines."""
        responses = [line for line in corpus.responses.lines if line.strip()]
        targets = [line for line in corpus.target.lines if line.strip()]
        if min(len(responses), len(targets)) < _LEAST_FOR_MAUVE:
            raise MetricError(f"needs at least {_LEAST_FOR_MAUVE} responses and targets that are not empty")
        judge = EmbeddingJudge(require(self.judge, Need.JUDGE))
        try:
            import mauve  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise MissingExtraError("mauve-text", "mauve") from error
        result = mauve.compute_mauve(
            p_features=judge.vectors(targets),
            q_features=judge.vectors(responses),
            seed=self.seed,
            verbose=False,
        )
        value = float(result.mauve)
        signature = f"features:{judge.model}|buckets:{result.num_buckets}|seed:{self.seed}"
        return {"mauve": Scores(np.full(len(corpus.responses), np.nan), value, signature)}


class Perplexity(Struct, frozen=True):
    """How surprising the responses are to a local causal language model, as a mean over its word pieces."""

    model: str | None

    columns = (MetricColumn("perplexity", Better.LOWER, low=1.0, high=inf),)
    needs = frozenset({Need.TEXT, Need.CAUSAL_MODEL})

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Score the corpus as a whole; each response is read from its start, without its source."""
        name = require(self.model, Need.CAUSAL_MODEL)
        lines = corpus.responses.lines
        filled = [number for number, line in enumerate(lines) if line.strip()]
        rows = np.array(list(_surprises(name, [lines[number] for number in filled]))).reshape(len(filled), 2)
        pseudo = np.full(len(lines), np.nan)
        scored = np.array(filled, np.int64)[rows[:, 1] > 0] if len(rows) else np.zeros(0, np.int64)
        signature = f"model:{name}"
        if not len(scored):
            return {"perplexity": Scores(pseudo, signature=signature)}
        value, pseudo[scored] = from_sums(rows[rows[:, 1] > 0], _perplexity)
        return {"perplexity": Scores(pseudo, value, signature)}


def _perplexity(sums: Floats) -> float:
    return exp(sums[0] / sums[1])


def _surprises(name: str, texts: Sequence[str]) -> Iterator[tuple[float, float]]:
    """Yield for each text the sum of the surprises (in nats) of its pieces, and their number."""
    if not texts:
        return
    tokeniser, model = _causal_model(name)
    import torch  # noqa: PLC0415 - an extra

    for first in range(0, len(texts), _BATCH):
        rows = [_with_start(tokeniser, text) for text in texts[first : first + _BATCH]]
        width = max(2, *map(len, rows))
        ids = torch.tensor([row + [0] * (width - len(row)) for row in rows])
        mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows])
        with torch.no_grad():
            logits = model(input_ids=ids, attention_mask=mask).logits
        yield from _sums(logits, ids, mask)


def _sums(logits: torch.Tensor, ids: torch.Tensor, mask: torch.Tensor) -> Iterator[tuple[float, float]]:
    logs = logits[:, :-1].log_softmax(-1).gather(2, ids[:, 1:, None])[..., 0]
    counted = mask[:, 1:]
    for surprise, many in zip((-logs * counted).sum(1).tolist(), counted.sum(1).tolist(), strict=True):
        yield float(surprise), float(many)


def _with_start(tokeniser: Any, text: str) -> list[int]:
    """Return the pieces of a text after the mark of a beginning, so that the first piece is judged too."""
    ids = list(tokeniser(text, add_special_tokens=False)["input_ids"])
    start = tokeniser.bos_token_id if tokeniser.bos_token_id is not None else tokeniser.eos_token_id
    longest = min(tokeniser.model_max_length, 1024) - 1
    return ([start] if start is not None else []) + ids[:longest]


def _causal_model(name: str) -> tuple[Any, Any]:
    try:
        import transformers  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtraError("transformers", "models") from error
    try:
        tokeniser: Any = transformers.AutoTokenizer.from_pretrained(name, local_files_only=True)
        model: Any = transformers.AutoModelForCausalLM.from_pretrained(name, local_files_only=True)
    except (OSError, ValueError) as error:
        hint = "give a folder with a causal language model"
        raise InputError(Problem(name, 0, "holds no causal language model", hint)) from error
    return tokeniser, model.eval()
