"""Whether a reply answers an open question rightly: by rules and similarity, or by a reading model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from du_eval.errors import InputError, MissingExtraError
from du_eval.judges.abstentions import is_abstention
from du_eval.judges.numerals import tokens_of
from du_eval.judges.similarity import SimilarityJudge, TfidfSimilarity

_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
_CYRILLIC = re.compile(r"[а-я]+")
_PAST = frozenset(
    [
        "was",
        "were",
        "used",
        "formerly",
        "before",
        "previously",
        "once",
        "earlier",
        "old",
        "был",
        "была",
        "раньше",
    ]
)
_NEGATION = frozenset(
    ["not", "isn't", "wasn't", "never", "no", "doesn't", "don't", "instead", "longer", "aren't", "не", "нет"]
)
_BEFORE = 4
# From the labelled answers that come with du-eval; `du-eval quality calibrate` shows how good they are.
_EMBEDDING_THRESHOLD, _TFIDF_THRESHOLD = 0.82, 0.3
_MOST_SPANS = 60


@dataclass(frozen=True, slots=True)
class AnswerTask:
    """A reply, what it must say, and what it must not say instead."""

    reply: str
    accepted: tuple[str, ...]
    rejected: tuple[str, ...] = ()
    """Values of the same kind that would be wrong: of competing entities, or outdated."""
    question: str = ""
    """What a reading model looks for in the reply."""


@dataclass(frozen=True, slots=True)
class Answer:
    """How right an answer is from 0 to 1, the words that were taken as the answer, and why."""

    value: float
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

    def scores(self, tasks: Sequence[AnswerTask]) -> list[Answer]:
        """Return how right each reply is."""
        ...


class SpanAnswers:
    """Looks for an accepted answer that the reply asserts; otherwise compares its best span."""

    def __init__(self, similarity: SimilarityJudge, threshold: float | None = None) -> None:
        self._similarity = similarity
        usual = _TFIDF_THRESHOLD if isinstance(similarity, TfidfSimilarity) else _EMBEDDING_THRESHOLD
        self.threshold = usual if threshold is None else threshold
        self.name = f"span-answers/1({similarity.name})"

    def scores(self, tasks: Sequence[AnswerTask]) -> list[Answer]:
        """Return how right each reply is; all spans of all replies are compared in one batch."""
        found = [by_rules(task) for task in tasks]
        open_tasks = [place for place, answer in enumerate(found) if answer is None]
        spans = {place: spans_of(tasks[place]) for place in open_tasks}
        pairs = [
            (gold, span) for place in open_tasks for span in spans[place] for gold in tasks[place].accepted
        ]
        values = iter(self._similarity.scores(pairs))
        for place in open_tasks:
            rated = [(max(next(values) for _ in tasks[place].accepted), span) for span in spans[place]]
            found[place] = _best(rated)
        return [answer for answer in found if answer is not None]


class ReadingAnswers:
    """Lets an extractive model find the answer in the reply, and compares what it found."""

    def __init__(self, model: str, similarity: SimilarityJudge, threshold: float = 0.6) -> None:
        self._path = model
        self._similarity = similarity
        self.threshold = threshold
        self.name = f"reading-model:{model.rstrip('/').rsplit('/', 1)[-1]}({similarity.name})"

    def scores(self, tasks: Sequence[AnswerTask]) -> list[Answer]:
        """Return how right each reply is."""
        spans = [self._span(task) if task.reply.strip() else "" for task in tasks]
        pairs = [(gold, span) for task, span in zip(tasks, spans, strict=True) for gold in task.accepted]
        values = iter(self._similarity.scores(pairs))
        return [
            Answer(max((next(values) for _ in task.accepted), default=0.0), span, f"the model read '{span}'")
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


def by_rules(task: AnswerTask) -> Answer | None:
    """Return the answer where a rule decides; None where only a comparison can."""
    if not task.reply.strip():
        return Answer(0.0, "", "nothing is said")
    asserted = _asserted(task.reply)
    if not asserted:
        return Answer(0.0, "", "asks instead of answering")
    words = tokens_of(asserted)
    wrong = _first_asserted(words, task.rejected, _PAST | _NEGATION)
    right = _first_asserted(words, task.accepted, _NEGATION)
    if right and wrong and wrong != right:
        return Answer(0.0, f"{right} / {wrong}", f"names both '{right}' and '{wrong}'")
    if right:
        return Answer(1.0, right, f"says '{right}'")
    if wrong:
        return Answer(0.0, wrong, f"says '{wrong}', which is wrong")
    if denied := _first_asserted(words, task.accepted, frozenset()):
        return Answer(0.0, denied, f"denies '{denied}'")
    if task.accepted and all(answer[:1].isdecimal() for answer in task.accepted):
        return Answer(0.0, "", "does not name the number, and numbers are never similar")
    return Answer(0.0, "", "says that it is not known") if is_abstention(asserted) else None


def spans_of(task: AnswerTask) -> list[str]:
    """Return runs of words of a reply that may be its answer: about as long as the accepted answers."""
    words = [word.strip(".,!?;:\"'()") for word in _asserted(task.reply).split()]
    words = [word for word in words if word]
    longest = max((len(answer.split()) for answer in task.accepted), default=1) + 1
    runs = [
        " ".join(words[start : start + size])
        for size in range(1, longest + 1)
        for start in range(len(words) - size + 1)
    ]
    return list(dict.fromkeys(runs))[:_MOST_SPANS] or [task.reply]


def _best(rated: Sequence[tuple[float, str]]) -> Answer:
    value, span = max(rated)
    return Answer(value, span, f"the nearest words are '{span}' ({value:.2f})")


def _asserted(reply: str) -> str:
    """Return the sentences of a reply that are no questions."""
    sentences = [found.strip() for found in _SENTENCE.findall(reply)]
    return " ".join(sentence for sentence in sentences if not sentence.rstrip().endswith("?"))


def _first_asserted(words: Sequence[str], values: Sequence[str], unless_after: frozenset[str]) -> str:
    """Return the first of the values that is said, unless certain words come shortly before it."""
    for value in values:
        wanted = tokens_of(value)
        for start in range(len(words) - len(wanted) + 1):
            if wanted and _same(words[start : start + len(wanted)], wanted):
                before = set(words[max(0, start - _BEFORE) : start])
                if not before & unless_after:
                    return value
    return ""


def _same(words: Sequence[str], wanted: Sequence[str]) -> bool:
    return all(
        one in {other, f"{other}'s"} or is_inflected(one, other)
        for one, other in zip(words, wanted, strict=True)
    )


def is_inflected(one: str, other: str) -> bool:
    """Return whether two Russian words differ in their ending only, as far as their letters tell."""
    if not (_CYRILLIC.fullmatch(one) and _CYRILLIC.fullmatch(other)):
        return False
    shortest, longest = sorted((len(one), len(other)))
    same = next((n for n in range(shortest) if one[n] != other[n]), shortest)
    return same >= max(3, shortest - (2 if shortest >= 6 else 1)) and longest - same <= 3


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
