"""Texts of a run that a judge decided about, and what people say about them."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import asdict

from du_eval.errors import InputError, Problem, ReportError
from du_eval.parsers.text_files import read_text_file
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Key
from du_eval.statistics.counts import cohen_kappa

FILE = "annotations.jsonl"
"""Where the answers of people are, in the folder of a run."""
_UNKNOWN_DOUBT = 0.5


class JudgedText(Struct, frozen=True):
    """A text with a verdict on it, and all that a person needs to decide the same question."""

    key: Key
    check: str
    """What was checked; its rate is what gets corrected."""
    question: str
    """What a person is asked; yes means that the check passes."""
    reply: str
    outcome: Outcome
    asked: str = ""
    before: tuple[str, ...] = ()
    """What was said before, line by line."""
    expected: str = ""
    judge: str = ""
    confidence: float | None = None
    counted: Outcome = Outcome.PASSED
    """What the rate counts: failures where less is better."""

    @property
    def id(self) -> str:
        """Which text is meant: a label holds for this reply to this question only."""
        place = [*asdict(self.key).values(), self.check, self.question, self.asked, self.expected, self.reply]
        return hashlib.sha256(json.dumps(place).encode()).hexdigest()[:16]

    @property
    def doubt(self) -> float:
        """How unsure the judge is, from 0 to 1."""
        if self.outcome is Outcome.UNDECIDED:
            return 1.0
        return _UNKNOWN_DOUBT if self.confidence is None else 1 - self.confidence

    @property
    def group(self) -> str:
        """The conversation."""
        return f"{self.key.file}::{self.key.case}"

    def counts(self, outcome: Outcome) -> bool | None:
        """Return whether an outcome is one that the rate counts; None where it is open."""
        return outcome is self.counted if outcome.is_judged else None


class Annotation(Struct, frozen=True):
    """What a person says about a text; undecided where nobody could tell."""

    text: str
    check: str
    label: Outcome
    by: str = ""


def read_annotations(path: Path) -> list[Annotation]:
    """Return what people said so far, the last word of each on each text; all damaged lines are reported."""
    if not path.exists():
        return []
    found: dict[tuple[str, str], Annotation] = {}
    problems = []
    for number, line in enumerate(read_text_file(path).splitlines(), 1):
        try:
            data = json.loads(line)
            one = Annotation(data["text"], data["check"], Outcome(data["label"]), data.get("by", ""))
            found[one.text, one.by] = one
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            problems.append(
                Problem(str(path), number, f"not an annotation: {error}", "remove or repair the line")
            )
    if problems:
        raise InputError(problems)
    return list(found.values())


def append_annotation(path: Path, annotation: Annotation) -> None:
    """Write an answer down at once."""
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(annotation), ensure_ascii=False) + "\n")
    except OSError as error:
        raise ReportError(f"the answers cannot be kept in {path}: {error}") from error


def settle_labels(annotations: Iterable[Annotation]) -> dict[str, Outcome]:
    """Return the label of each text: that of the majority, undecided where people disagree."""
    said: dict[str, list[Outcome]] = defaultdict(list)
    for one in annotations:
        said[one.text].append(one.label)
    found = {}
    for text, labels in said.items():
        ranked = Counter(label for label in labels if label.is_judged).most_common(2)
        is_clear = len(ranked) == 1 or (len(ranked) == 2 and ranked[0][1] > ranked[1][1])
        found[text] = ranked[0][0] if is_clear else Outcome.UNDECIDED
    return found


def measure_annotators(annotations: Iterable[Annotation]) -> tuple[int, float | None]:
    """Return on how many texts two people decided, and Cohen's kappa of them."""
    said: dict[str, list[Outcome]] = defaultdict(list)
    for one in sorted(annotations, key=lambda one: one.by):
        said[one.text].append(one.label)
    pairs = [labels[:2] for labels in said.values() if len(labels) > 1]
    return len(pairs), cohen_kappa([one for one, _ in pairs], [other for _, other in pairs])


def group_by_check(texts: Iterable[JudgedText]) -> dict[str, list[JudgedText]]:
    """Return texts by what was checked."""
    found: dict[str, list[JudgedText]] = {}
    for one in texts:
        found.setdefault(one.check, []).append(one)
    return found
