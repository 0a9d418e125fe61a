"""Which flow a message is about: similarity of its words to everything the assistant says about a flow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from du_eval.assistants.model import Assistant, Flow
from du_eval.generators.baseline.concepts import concept_of, expanded
from du_eval.generators.baseline.coverage import Coverage
from du_eval.generators.baseline.text import STOP_WORDS, split_identifier, stem, words

_BY_WORDS, _BY_LETTERS = 0.75, 0.25
_HEAD_WORDS = 6
_TELLING = {0: 0.3, 1: 0.5, 2: 0.8}
"""How much an example tells that holds fewer than three words of content."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Something that is said about a flow, and how much it tells: as a whole, and by single words of it."""

    flow: str
    text: str
    likeness: float
    prominence: float


@dataclass(frozen=True, slots=True)
class RankedFlow:
    """How well a flow fits a message."""

    flow: str
    score: float
    key: float
    """Share of the flow's own name that the message mentions."""


def terms(text: str) -> list[str]:
    """Return stems and concepts of the content words."""
    found: list[str] = []
    for word in words(expanded(text)):
        if word in STOP_WORDS or word[0].isdigit():
            continue
        stemmed = stem(word)
        found.append(stemmed)
        concept = concept_of(stemmed)
        if concept != stemmed:
            found.append(concept)
    return found


def passages_of(assistant: Assistant, flow: Flow) -> Iterator[Passage]:
    """Yield everything that the assistant says about a flow."""
    key = f"{split_identifier(flow.id)} {flow.name}"
    head = " ".join(flow.description.split(",")[0].split()[:_HEAD_WORDS])
    collects = assistant.collects_of(flow.id)
    asked = " ".join(
        f"{split_identifier(item.slot)} {item.description} {_values(assistant, item.slot)}"
        for item in collects
    )
    yield Passage(flow.id, key, 1.0, 1.0)
    yield Passage(flow.id, flow.description, 1.0, 0.9)
    yield Passage(flow.id, head, 0.95, 0.76)
    yield Passage(flow.id, f"{key} {flow.description} {asked}", 0.9, 0.7)
    for example in (text for intent in flow.intents for text in assistant.examples.get(intent, ())):
        telling = _TELLING.get(len(set(terms(example))), 1.0)
        yield Passage(flow.id, example, telling, 0.8 * telling)
    names = [item.question for item in collects] + [
        name for name in flow.actions if name.startswith("utter_")
    ]
    texts = [assistant.responses[name].text for name in names if name in assistant.responses]
    yield Passage(flow.id, " ".join(texts), 0.55, 0.4)


def _values(assistant: Assistant, slot: str) -> str:
    return split_identifier(" ".join(assistant.slots[slot].values)) if slot in assistant.slots else ""


class FlowRanker:
    """Ranks the flows that a user may start; built once for an assistant."""

    def __init__(self, assistant: Assistant) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415 - heavy, and only needed here

        flows = [flow for flow in assistant.user_flows if flow.is_startable]
        self._passages = [item for flow in flows for item in passages_of(assistant, flow) if terms(item.text)]
        self._keys = {flow.id: frozenset(terms(f"{split_identifier(flow.id)} {flow.name}")) for flow in flows}
        self._coverage = Coverage(
            [(item.flow, item.text, item.prominence) for item in self._passages], tuple(self._keys)
        )
        texts = [item.text for item in self._passages] or ["nothing"]
        self._by_words: Any = TfidfVectorizer(analyzer=terms, sublinear_tf=True)
        self._by_letters: Any = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
        self._word_rows = self._by_words.fit_transform(texts)
        self._letter_rows = self._by_letters.fit_transform([" ".join(terms(text)) for text in texts])

    @property
    def keys(self) -> Mapping[str, frozenset[str]]:
        """The words of the flows' own names."""
        return self._keys

    def ranked(self, text: str) -> tuple[RankedFlow, ...]:
        """Return all flows, the best one first; ties keep the order of the files."""
        said = terms(text)
        if not said or not self._passages:
            return ()
        alike = self._likeness(text, said)
        found = [
            RankedFlow(
                flow, (alike[flow] + self._coverage.share(text, flow)) / 2, self._key_share(flow, said)
            )
            for flow in self._keys
        ]
        return tuple(sorted(found, key=lambda item: -item.score))

    def _likeness(self, text: str, said: list[str]) -> dict[str, float]:
        """Return how alike a text and the closest passage of each flow are."""
        by_words = (self._by_words.transform([text]) @ self._word_rows.T).toarray()[0]
        by_letters = (self._by_letters.transform([" ".join(said)]) @ self._letter_rows.T).toarray()[0]
        best = dict.fromkeys(self._keys, 0.0)
        for passage, word_score, letter_score in zip(self._passages, by_words, by_letters, strict=True):
            score = passage.likeness * (_BY_WORDS * float(word_score) + _BY_LETTERS * float(letter_score))
            best[passage.flow] = max(best[passage.flow], score)
        return best

    def _key_share(self, flow: str, said: list[str]) -> float:
        key = self._keys[flow]
        return len(key & set(said)) / len(key) if key else 0.0
