"""The 17 metrics line by line, in the manner of the original tool: dictionaries, loops, nltk for BLEU.

It serves the benchmark as the thing to compare with, and as a second opinion on the values.
"""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

UNKNOWN = "<unk>"
WEIGHTS = ((1, 0, 0, 0), (0.5, 0.5, 0, 0), (0.33, 0.33, 0.33, 0), (0.25, 0.25, 0.25, 0.25))


def read_vectors(path: Path) -> dict[str, np.ndarray]:
    vectors = {}
    with path.open(encoding="utf-8") as file:
        for line in file:
            parts = line.split()
            vectors[parts[0]] = np.array([float(part) for part in parts[1:]])
    return vectors


class Plain:
    """All that the metrics look up, and one method for each family."""

    def __init__(self, folder: Path) -> None:
        self.vectors = read_vectors(folder / "embeddings.txt")
        self.dimensions = len(next(iter(self.vectors.values())))
        for word in (folder / "vocab.txt").read_text(encoding="utf-8").split("\n"):
            if word.strip() and word.strip() not in self.vectors:
                self.vectors[word.strip()] = np.zeros(self.dimensions)
        self.words, self.pairs = self.counted(folder / "train_source.txt")
        self.total, self.total_pairs = sum(self.words.values()), sum(self.pairs.values())
        self.responses = folder / "responses" / "test_responses.txt"
        self.target = folder / "test_target.txt"
        self.source = folder / "test_source.txt"
        self.smoothing = SmoothingFunction()

    def known(self, word: str) -> str:
        return word if word in self.vectors else UNKNOWN

    def counted(self, path: Path) -> tuple[Counter, Counter]:
        words, pairs = Counter(), Counter()
        with path.open(encoding="utf-8") as file:
            for line in file:
                mapped = [self.known(word) for word in line.split()]
                for place, word in enumerate(mapped):
                    words[word] += 1
                    if place + 1 < len(mapped):
                        pairs[word, mapped[place + 1]] += 1
        return words, pairs

    def entropy(self, response: list[str]) -> tuple[float | None, ...]:
        mapped = [self.known(word) for word in response]
        found = []
        for items, counts, total in (
            (mapped, self.words, self.total),
            (list(pairwise(mapped)), self.pairs, self.total_pairs),
        ):
            bits = [-math.log2(counts[item] / total) for item in items if counts.get(item)]
            found += [sum(bits) / len(bits) if bits else None, sum(bits) if bits else None]
        return found[0], found[2], found[1], found[3]

    def distributions(self) -> list[dict]:
        (model_words, model_pairs), (words, pairs) = self.counted(self.responses), self.counted(self.target)
        found = []
        for model, truth in ((model_words, words), (model_pairs, pairs)):
            shared = [item for item in truth if item in model]
            left, right = sum(truth[item] for item in shared), sum(model[item] for item in shared)
            found.append({item: math.log2((truth[item] / left) / (model[item] / right)) for item in shared})
        return found

    def divergence(self, target: list[str], ratios: list[dict]) -> tuple[float | None, float | None]:
        singles = [
            ratios[0][word]
            for word in target
            if (word in self.vectors or word == UNKNOWN) and word in ratios[0]
        ]
        pairs = []
        for first, second in pairwise(target):
            if first in self.vectors or first == UNKNOWN:
                pair = (first, self.known(second))
                if pair in ratios[1]:
                    pairs.append(ratios[1][pair])
        return (sum(singles) / len(singles) if singles else None), (
            sum(pairs) / len(pairs) if pairs else None
        )

    def average(self, words: list[str]) -> np.ndarray:
        total, count = np.zeros(self.dimensions), 0
        for word in words:
            if word in self.vectors:
                total = total + self.vectors[word] * (0.001 / (0.001 + self.words.get(word, 0) / self.total))
                count += 1
        return total / count if count else total

    def extrema(self, words: list[str]) -> np.ndarray:
        found = np.zeros(self.dimensions)
        for word in words:
            if word in self.vectors:
                vector = self.vectors[word]
                for place in range(self.dimensions):
                    if abs(vector[place]) > abs(found[place]):
                        found[place] = vector[place]
        return found

    def cosine(self, left: np.ndarray, right: np.ndarray) -> float | None:
        lengths = np.linalg.norm(left) * np.linalg.norm(right)
        return float(np.dot(left, right) / lengths) if np.any(left) and np.any(right) else None

    def greedy(self, left: list[str], right: list[str]) -> float | None:
        sides = []
        for one, other in ((left, right), (right, left)):
            columns = np.zeros((self.dimensions, 1))
            for word in other:
                if word in self.vectors:
                    vector = self.vectors[word]
                    length = np.linalg.norm(vector)
                    columns = np.hstack((columns, (vector / length if length else vector).reshape(-1, 1)))
            total, count = 0.0, 0
            for word in one:
                if word in self.vectors and np.any(self.vectors[word]):
                    vector = self.vectors[word]
                    total += np.max((vector / np.linalg.norm(vector)).reshape(1, -1).dot(columns))
                    count += 1
            sides.append(total / count if count else 0.0)
        return (sides[0] + sides[1]) / 2 if all(sides) else None

    def bleu(self, response: list[str], target: list[str]) -> list[float]:
        return [
            float(
                sentence_bleu([target], response, smoothing_function=self.smoothing.method4, weights=weights)
            )
            for weights in WEIGHTS
        ]

    def distinct(self) -> list[float]:
        return [len(counts) / sum(counts.values()) for counts in self.counted(self.responses)]

    def lines(self) -> Iterator[list[list[str]]]:
        with self.source.open() as source, self.responses.open() as responses, self.target.open() as target:
            for row in zip(source, responses, target, strict=False):
                yield [line.split() for line in row]

    def run(self) -> list[float]:
        rows = []
        ratios = self.distributions()
        for source, response, target in self.lines():
            averages = self.average(response), self.average(target)
            rows.append(
                [
                    len(response),
                    *self.entropy(response),
                    *self.divergence(target, ratios),
                    self.cosine(*averages),
                    self.cosine(self.extrema(response), self.extrema(target)),
                    self.greedy(response, target),
                    self.cosine(self.average(source), self.average(response)),
                    *self.bleu(response, target),
                ]
            )
        means = []
        for column in zip(*rows, strict=True):
            values = [value for value in column if value is not None]
            means.append(sum(values) / len(values))
        return means[:11] + self.distinct() + means[11:]


if __name__ == "__main__":
    print(json.dumps(Plain(Path(sys.argv[1])).run()))
