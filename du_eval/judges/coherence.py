"""How well a reply fits what was said before: by similarity and kind of reply, or by a model."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from du_eval.errors import InputError, MissingExtraError
from du_eval.judges.abstentions import is_abstention
from du_eval.judges.coherence_rules import COHERENT, Exchanged, read_coherence
from du_eval.judges.coherence_rules import NAME as RULES
from du_eval.judges.reply_signs import signs_of
from du_eval.judges.similarity import EmbeddingSimilarity, SimilarityJudge, TfidfSimilarity
from du_eval.judges.yes_no import Polarity, RuleYesNo

_TOKEN = re.compile(r"\w+|[^\w\s]")
_CLOSED = re.compile(
    r"(?:^|[.!?,] )(?:do|does|did|is|are|was|were|am|have|has|had|can|could|will|would|should|"
    r"may)\b[^?]*\?\s*$|"
    r"(?:ты|вы|тебе|любишь|хочешь|есть|можешь)\b[^?]*\?\s*$",
    re.IGNORECASE,
)
_GREETING = re.compile(
    r"^\W*(?:hi|hello|hey|good (?:morning|evening|afternoon|day)|greetings|привет\w*|здравствуй\w*|добрый|"
    r"bye|goodbye|see "
    r"you|пока|до свидания)\b",
    re.IGNORECASE,
)
_PLEASANTRY = re.compile(
    r"^\W*(?:ok(?:ay)?|i see|got it|nice|great|cool|good|thanks?|thank you|understood|noted|interesting|"
    r"sounds good|really|"
    r"that(?:'s| is) (?:nice|great|good|interesting|cool)|ясно|понятно|хорошо|здорово|интересно|круто|"
    r"отлично)\b",
    re.IGNORECASE,
)
_SHORT = re.compile(
    r"^\W*(?:(?:it's|it is|it was|this is|это)\s+)?\w+(?:\s+\w+){0,2}\W*(?<!\?)$", re.IGNORECASE
)
_CYRILLIC = re.compile(r"[а-яё]", re.IGNORECASE)
# From our labelled replies; `du-eval quality calibrate coherence` shows how good they are.
_EMBEDDINGS, _SIGNS = 0.22, 0.115


@dataclass(frozen=True, slots=True)
class Coherence:
    """A score, higher is better, and why."""

    value: float | None
    """None where the judge cannot tell."""
    why: str


class CoherenceJudge(Protocol):
    """Scores replies by what was said before."""

    @property
    def name(self) -> str:
        """How results name it."""
        ...

    @property
    def threshold(self) -> float:
        """The score from which a reply counts as coherent."""
        ...

    def scores(self, items: Sequence[Exchanged]) -> list[Coherence]:
        """Return the coherence of each reply."""
        ...


def trimmed(
    utterances: Sequence[str], most: int, count: Callable[[str], int] | None = None
) -> tuple[str, ...]:
    """Return the last whole utterances that have at most so many tokens together."""
    count = count or (lambda text: len(_TOKEN.findall(text)))
    kept: list[str] = []
    left = most
    for utterance in reversed(utterances):
        left -= count(utterance)
        if left < 0:
            break
        kept.append(utterance)
    return tuple(reversed(kept))


class RuleCoherence:
    """Decides by the few signs that rules can be sure of, and leaves the rest undecided."""

    name = RULES
    threshold = 0.5

    def scores(self, items: Sequence[Exchanged]) -> list[Coherence]:
        """Return 1 for what fits, 0 for what does not, nothing where no sign is sure."""
        found = [read_coherence(item) for item in items]
        return [
            Coherence(None if one.label is None else float(one.label == COHERENT), one.reason)
            for one in found
        ]


class SimilarityCoherence:
    """Similar to what was said, or of a kind that fits the last utterance: without a model of coherence.

    Sentence embeddings of English are compared as they are. Where there are none, and for Russian, which the
    packaged embeddings do not know, signs of a reply are counted besides words: it speaks to the partner,
    opens like an answer, points back. Such signs tell a reply from a text, not from one to another prompt.
    """

    _tokens = 64

    def __init__(self, similarity: SimilarityJudge) -> None:
        self._similarity = similarity
        self._has_embeddings = not isinstance(similarity, TfidfSimilarity)
        self.threshold = _EMBEDDINGS if self._has_embeddings else _SIGNS
        self.name = f"similarity-coherence/3({similarity.name})"

    def scores(self, items: Sequence[Exchanged]) -> list[Coherence]:
        """Return the coherence of each reply; those that embeddings know are compared in one batch."""
        contexts = [trimmed(item.context, self._tokens) for item in items]
        known = [
            self._has_embeddings and not _CYRILLIC.search(" ".join((*context, item.reply)))
            for context, item in zip(contexts, items, strict=True)
        ]
        talks = [(context, item.reply) for context, item in zip(contexts, items, strict=True)]
        by_embeddings = iter(
            self._by_embeddings([talk for talk, yes in zip(talks, known, strict=True) if yes])
        )
        others = [(" ".join(said), text) for (said, text), yes in zip(talks, known, strict=True) if not yes]
        by_words = iter(TfidfSimilarity().scores(others))
        return [
            self._scored(item, next(by_embeddings)) if is_known else self._counted(item, next(by_words))
            for item, is_known in zip(items, known, strict=True)
        ]

    def _by_embeddings(self, talks: Sequence[tuple[Sequence[str], str]]) -> list[float]:
        """Return the similarity of replies to the mean of what was said before; each text is read once."""
        if not isinstance(self._similarity, EmbeddingSimilarity):
            return self._similarity.scores([(" ".join(context), reply) for context, reply in talks])
        before = self._similarity.pooled([context for context, _ in talks])
        after = self._similarity.pooled([(reply,) for _, reply in talks])
        return [min(1.0, max(0.0, float(one @ other))) for one, other in zip(before, after, strict=True)]

    def _scored(self, item: Exchanged, similarity: float) -> Coherence:
        kind = _fitting_kind(item.context[-1] if item.context else "", item.reply)
        if kind and similarity < 0.5:
            return Coherence(0.5, kind)
        return Coherence(similarity, f"the similarity to what was said is {similarity:.2f}")

    def _counted(self, item: Exchanged, similarity: float) -> Coherence:
        """Return the sum of signs and shared words, on the scale of this judge's threshold."""
        kind = _fitting_kind(item.context[-1] if item.context else "", item.reply)
        if kind:
            return Coherence(0.5, kind)
        signs = signs_of(item.reply)
        shown = f"; {', '.join(signs)}" if signs else ""
        value = min(1.0, (similarity + sum(signs.values())) * self.threshold / _SIGNS)
        return Coherence(value, f"the similarity to what was said is {similarity:.2f}{shown}")


def _fitting_kind(prompt: str, reply: str) -> str:
    if not prompt:
        return "opens the conversation"
    if prompt.rstrip().endswith("?"):
        if is_abstention(reply):
            return "declines to answer a question"
        if _CLOSED.search(prompt) and RuleYesNo().decide(reply, prompt).polarity is not Polarity.UNCLEAR:
            return "says yes or no to a closed question"
        if _SHORT.match(reply):
            return "answers a question shortly"
    elif _PLEASANTRY.search(reply):
        return "acknowledges a statement"
    return "answers a greeting" if _GREETING.search(prompt) and _GREETING.search(reply) else ""


class ModelCoherence:
    """A next-sentence head or a cross-encoder from a folder; scores are logits or their difference."""

    def __init__(self, model: str, threshold: float = 0.0) -> None:
        self._path = model
        self.threshold = threshold
        self.name = f"coherence-model:{model.rstrip('/').rsplit('/', 1)[-1]}"

    def scores(self, items: Sequence[Exchanged]) -> list[Coherence]:
        """Return the coherence of each reply, read in batches."""
        found: list[Coherence] = []
        for start in range(0, len(items), 32):
            found.extend(self._batch(items[start : start + 32]))
        return found

    def _batch(self, items: Sequence[Exchanged]) -> list[Coherence]:
        import torch  # noqa: PLC0415 - an extra

        tokenizer, model, is_next_sentence = self._loaded
        most = min(int(getattr(model.config, "max_position_embeddings", 512)), 512) - 8
        contexts = [
            " ".join(trimmed(item.context, most // 2, lambda text: len(tokenizer.tokenize(text))))
            for item in items
        ]
        encoded = tokenizer(
            contexts,
            [item.reply for item in items],
            truncation=True,
            max_length=most,
            padding=True,
            return_tensors="pt",
        )
        with torch.no_grad():
            logits = model(**encoded).logits
        values = logits[:, 0] - logits[:, 1] if is_next_sentence else logits[:, -1]
        return [Coherence(float(value), f"the model says {float(value):.2f}") for value in values]

    @cached_property
    def _loaded(self) -> tuple[Any, Any, bool]:
        try:
            import transformers  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise MissingExtraError("transformers", "models") from error
        try:
            config = transformers.AutoConfig.from_pretrained(self._path)
            is_next = any("NextSentence" in name for name in config.architectures or ())
            kind = (
                transformers.AutoModelForNextSentencePrediction
                if is_next
                else transformers.AutoModelForSequenceClassification
            )
            tokenizer = transformers.AutoTokenizer.from_pretrained(self._path)
            return tokenizer, kind.from_pretrained(self._path).eval(), is_next
        except (OSError, ValueError) as error:
            raise InputError(
                f"{self._path} holds no next-sentence or cross-encoder model: {error}"
            ) from error


def coherence_judge(
    choice: str, similarity: SimilarityJudge
) -> RuleCoherence | SimilarityCoherence | ModelCoherence:
    """Return a judge by name: `rules`, `similarity`, or the folder or name of a model."""
    if choice == "rules":
        return RuleCoherence()
    return SimilarityCoherence(similarity) if choice == "similarity" else ModelCoherence(choice)
