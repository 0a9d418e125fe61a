"""Whether a reply answers an open question rightly: by rules and similarity, or by a reading model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Protocol

from msgspec import Struct

from du_eval.errors import InputError, MissingExtraError
from du_eval.judges.answer_rules import NAME as RULES
from du_eval.judges.answer_rules import RIGHT, AnswerTask, read_answer
from du_eval.judges.opinion import Opinion
from du_eval.judges.similarity import SimilarityJudge, TfidfSimilarity

# Above the likeness of different values of one kind; a span that is nearer names the same.
_THRESHOLD = 0.82
_SURE = 0.8
_MOST_SPANS = 60


class RatedAnswer(Struct, frozen=True):
    """How right an answer is from 0 to 1, the words that were taken as the answer, and why."""

    value: float | None
    """None where the judge cannot tell."""
    span: str
    why: str


class AnswerJudge(Protocol):
    """Scores replies to open questions."""

    @property
    def name(self) -> str:
        """How results name it."""
        ...

    @property
    def threshold(self) -> float:
        """The score from which an answer counts as right."""
        ...

    def scores(self, tasks: Sequence[AnswerTask]) -> list[RatedAnswer]:
        """Return how right each reply is."""
        ...


class SpanAnswers:
    """Decides by rules; what they are not sure of is compared span by span where embeddings are installed."""

    def __init__(self, similarity: SimilarityJudge, threshold: float | None = None) -> None:
        self._similarity = None if isinstance(similarity, TfidfSimilarity) else similarity
        self.threshold = _THRESHOLD if threshold is None else threshold
        self.name = f"{RULES}({similarity.name})" if self._similarity else RULES

    def scores(self, tasks: Sequence[AnswerTask]) -> list[RatedAnswer]:
        """Return how right each reply is; all spans of all replies are compared in one batch."""
        opinions = [read_answer(task) for task in tasks]
        found = [_scored(opinion) for opinion in opinions]
        if self._similarity is None:
            return found
        unsure = [
            place
            for place, opinion in enumerate(opinions)
            if opinion.confidence < _SURE and tasks[place].accepted and tasks[place].reply.strip()
        ]
        spans = {place: list_spans(tasks[place]) for place in unsure}
        pairs = [(gold, span) for place in unsure for span in spans[place] for gold in tasks[place].accepted]
        values = iter(self._similarity.scores(pairs))
        for place in unsure:
            rated = [(max(next(values) for _ in tasks[place].accepted), span) for span in spans[place]]
            value, span = max(rated)
            if value >= self.threshold:
                found[place] = RatedAnswer(value, span, f"the nearest words are '{span}' ({value:.2f})")
        return found


def _scored(opinion: Opinion) -> RatedAnswer:
    value = None if opinion.label is None else float(opinion.label == RIGHT)
    said = re.search(r"'([^']*)'", opinion.reason)
    return RatedAnswer(value, said[1] if said else "", opinion.reason)


class ReadingAnswers:
    """Lets an extractive model find the answer in the reply, and compares what it found."""

    def __init__(self, model: str, similarity: SimilarityJudge, threshold: float = 0.6) -> None:
        self._path = model
        self._similarity = similarity
        self.threshold = threshold
        self.name = f"reading-model:{model.rstrip('/').rsplit('/', 1)[-1]}({similarity.name})"

    def scores(self, tasks: Sequence[AnswerTask]) -> list[RatedAnswer]:
        """Return how right each reply is."""
        spans = [self._span(task) if task.reply.strip() else "" for task in tasks]
        pairs = [(gold, span) for task, span in zip(tasks, spans, strict=True) for gold in task.accepted]
        values = iter(self._similarity.scores(pairs))
        return [
            RatedAnswer(
                max((next(values) for _ in task.accepted), default=0.0), span, f"the model read '{span}'"
            )
            for task, span in zip(tasks, spans, strict=True)
        ]

    def _span(self, task: AnswerTask) -> str:
        import torch  # noqa: PLC0415 - an extra

        tokenizer, model = self._loaded
        most = min(int(model.config.max_position_embeddings), 384)
        encoded = tokenizer(
            task.question or "What is it?",
            task.reply,
            truncation="only_second",
            max_length=most,
            return_offsets_mapping=True,
            return_tensors="pt",
        )
        offsets = encoded.pop("offset_mapping")[0]
        inside = torch.tensor([side == 1 for side in encoded.sequence_ids(0)])
        if not bool(inside.any()):
            return ""
        with torch.no_grad():
            read = model(**encoded)
        start, end = read.start_logits[0].log_softmax(-1), read.end_logits[0].log_softmax(-1)
        table = start[:, None] + end[None]
        ones = torch.ones_like(table, dtype=torch.bool)
        allowed = ones.triu() & ~ones.triu(30) & inside[:, None] & inside[None]
        first, last = divmod(int(table.masked_fill(~allowed, -1e9).argmax()), table.shape[1])
        return task.reply[int(offsets[first, 0]) : int(offsets[last, 1])]

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        try:
            import transformers  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise MissingExtraError("transformers", "models") from error
        try:
            return (
                transformers.AutoTokenizer.from_pretrained(self._path),
                transformers.AutoModelForQuestionAnswering.from_pretrained(self._path).eval(),
            )
        except (OSError, ValueError) as error:
            raise InputError(f"{self._path} holds no question answering model: {error}") from error


def list_spans(task: AnswerTask) -> list[str]:
    """Return runs of words of a reply that may be its answer: about as long as the accepted answers."""
    words = [word.strip(".,!?;:\"'()") for word in task.reply.split()]
    words = [word for word in words if word]
    longest = max((len(answer.split()) for answer in task.accepted), default=1) + 1
    runs = [
        " ".join(words[start : start + size])
        for size in range(1, longest + 1)
        for start in range(len(words) - size + 1)
    ]
    return list(dict.fromkeys(runs))[:_MOST_SPANS] or [task.reply]


def answer_judge(
    choice: str, similarity: SimilarityJudge, threshold: float | None = None
) -> SpanAnswers | ReadingAnswers:
    """Return a judge by name: `spans`, or the folder or name of an extractive question answering model."""
    if choice == "spans":
        return SpanAnswers(similarity, threshold)
    return (
        ReadingAnswers(choice, similarity)
        if threshold is None
        else ReadingAnswers(choice, similarity, threshold)
    )
