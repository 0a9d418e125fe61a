"""Local models as players of roles; each abstains where its model is not sure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from du_eval.judges.coherence_rules import COHERENT, INCOHERENT, Exchanged, read_coherence
from du_eval.judges.nli import Inference
from du_eval.judges.opinion import Opinion, abstain
from du_eval.judges.protocol_rules import CriterionTask
from du_eval.judges.repeated import (
    NEW,
    REPEATED,
    AskedQuestion,
    compare_topics,
    is_contrast,
    is_same_question,
    read_questions,
)
from du_eval.judges.similarity import SimilarityJudge
from du_eval.judges.tasks import ClosedTask, GistTask, Task, TurnTask

_CYRILLIC = re.compile(r"[а-я]")
"""Russian is left to the rules: the packaged embeddings know English only."""
_SURE, _MARGIN = 0.7, 0.3
_ALIKE = 0.45
_FAR, _NEAR, _LINES = 0.1, 0.4, 2


class InferenceModel(Protocol):
    """Says whether texts entail or contradict others."""

    @property
    def name(self) -> str:
        """How results name it."""
        ...

    def infer(self, pairs: Sequence[tuple[str, str]]) -> list[Inference]:
        """Return what each first text says about the second."""
        ...


class NliClosed(Struct, frozen=True):
    """Reads closed answers: whether question and reply entail that the answer is yes, or no."""

    model: InferenceModel

    @property
    def name(self) -> str:
        """How results name it."""
        return f"{self.model.name}/1"

    def judge(self, tasks: Sequence[Task]) -> list[Opinion]:
        """Return yes or no where one is clearly more likely."""
        closed = [task for task in tasks if isinstance(task, ClosedTask)]
        said = [f"{task.question} - {task.reply}" for task in closed]
        yes = self.model.infer([(one, "The answer is yes.") for one in said])
        no = self.model.infer([(one, "The answer is no.") for one in said])
        return [self._decide(one.entailment, other.entailment) for one, other in zip(yes, no, strict=True)]

    def _decide(self, yes: float, no: float) -> Opinion:
        reason = f"yes {yes:.2f}, no {no:.2f}"
        if max(yes, no) < _SURE or abs(yes - no) < _MARGIN:
            return abstain(reason, self.name)
        return Opinion("yes" if yes > no else "no", reason, self.name, max(yes, no))


class NliGist(Struct, frozen=True):
    """Decides whether a response entails or contradicts a criterion."""

    model: InferenceModel

    @property
    def name(self) -> str:
        """How results name it."""
        return f"{self.model.name}/1"

    def judge(self, tasks: Sequence[Task]) -> list[Opinion]:
        """Return whether criteria are met, where the model is sure."""
        pairs = [(task.response, task.criterion) for task in tasks if isinstance(task, GistTask)]
        return [_decide(one, ("meets", "does not meet"), self.name) for one in self.model.infer(pairs)]


class NliPersona(Struct, frozen=True):
    """Decides whether a reply agrees with the persona; criteria without one stay undecided."""

    model: InferenceModel

    @property
    def name(self) -> str:
        """How results name it."""
        return f"{self.model.name}/1"

    def judge(self, tasks: Sequence[Task]) -> list[Opinion]:
        """Return whether replies to questions agree with the persona, where the model is sure."""
        asked = [task for task in tasks if isinstance(task, CriterionTask)]
        pairs = [(task.persona, f"{task.utterance} {task.reply}") for task in asked]
        found = []
        for task, one in zip(asked, self.model.infer(pairs), strict=True):
            if task.persona and task.criterion.endswith("_question"):
                found.append(_decide(one, ("ok", "bad"), self.name))
            else:
                found.append(abstain("there is no persona to compare with", self.name))
        return found


class NliCoherence(Struct, frozen=True):
    """Compares a reply with each earlier line of its speaker: a contradiction is incoherent."""

    model: InferenceModel

    @property
    def name(self) -> str:
        """How results name it."""
        return f"{self.model.name}/1"

    def judge(self, tasks: Sequence[Task]) -> list[Opinion]:
        """Return what contradicts itself; that nothing does so decides nothing."""
        items = [task for task in tasks if isinstance(task, Exchanged)]
        pairs = [(line, item.reply) for item in items for line in item.context[-2::-2]]
        inferred = iter(self.model.infer(pairs))
        found = []
        for item in items:
            rated = [(next(inferred).contradiction, line) for line in item.context[-2::-2]]
            worst, line = max(rated, default=(0.0, ""))
            if worst >= _SURE:
                found.append(Opinion("incoherent", f"contradicts '{line}' ({worst:.2f})", self.name, worst))
            else:
                found.append(abstain("contradicts none of its earlier lines", self.name))
        return found


def _decide(inferred: Inference, labels: tuple[str, str], name: str) -> Opinion:
    """Return the first label for what is entailed, the second for what is contradicted."""
    reason = f"entailed {inferred.entailment:.2f}, contradicted {inferred.contradiction:.2f}"
    if inferred.entailment >= _SURE:
        return Opinion(labels[0], reason, name, inferred.entailment)
    if inferred.contradiction >= _SURE:
        return Opinion(labels[1], reason, name, inferred.contradiction)
    return abstain(reason, name)


class AlikeCoherence(Struct, frozen=True):
    """Adds sentence embeddings to the rules: a reply far from the last lines of the partner does not fit."""

    similarity: SimilarityJudge

    @property
    def name(self) -> str:
        """How results name it."""
        return f"coherence({self.similarity.name})/2"

    def judge(self, tasks: Sequence[Task]) -> list[Opinion]:
        """Return what the rules say, else what is clearly near or far; Russian is left to the rules."""
        items = [task for task in tasks if isinstance(task, Exchanged)]
        found = [replace(read_coherence(item), judge=self.name) for item in items]
        places = [
            place
            for place, item in enumerate(items)
            if not found[place].is_decided and item.context and not _CYRILLIC.search(item.reply.casefold())
        ]
        pairs = [(" ".join(items[place].partner_lines[-_LINES:]), items[place].reply) for place in places]
        for place, score in zip(places, self.similarity.scores(pairs), strict=True):
            reason = f"the similarity to what was said to it is {score:.2f}"
            if _FAR <= score <= _NEAR:
                found[place] = abstain(reason, self.name)
            else:
                found[place] = Opinion(INCOHERENT if score < _FAR else COHERENT, reason, self.name, 0.8)
        return found


class AlikeQuestions(Struct, frozen=True):
    """Adds sentence embeddings to the rules on repeated questions."""

    similarity: SimilarityJudge

    @property
    def name(self) -> str:
        """How results name it."""
        return f"repeated-questions({self.similarity.name})/2"

    def judge(self, tasks: Sequence[Task]) -> list[Opinion]:
        """Return whether each turn asks again; all pairs of questions are compared in one batch."""
        turns = [task for task in tasks if isinstance(task, TurnTask)]
        pairs = [
            [(new, old) for old in map_questions(task.earlier) for new in read_questions(task.turn)]
            for task in turns
        ]
        scores = iter(self.similarity.scores([(new.text, old.text) for some in pairs for new, old in some]))
        return [self._decide([(next(scores), new, old) for new, old in some]) for some in pairs]

    def _decide(self, rated: Sequence[tuple[float, AskedQuestion, AskedQuestion]]) -> Opinion:
        for score, new, old in rated:
            if _is_asked_again(score, new, old):
                reason = f"'{new.text}' was asked before as '{old.text}' ({score:.2f})"
                return Opinion(REPEATED, reason, self.name, 0.85)
        return Opinion(NEW, "asks nothing that was asked before", self.name, 0.7)


def _is_asked_again(score: float, new: AskedQuestion, old: AskedQuestion) -> bool:
    if _CYRILLIC.search(new.text):
        return is_same_question(new, old)
    is_same = compare_topics(new, old)
    return score >= _ALIKE and not is_contrast(new, old) if is_same is None else is_same


def map_questions(turns: Sequence[str]) -> list[AskedQuestion]:
    """Return all questions of some turns."""
    return [asked for turn in turns for asked in read_questions(turn)]
