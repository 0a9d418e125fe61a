"""Which flow a message is about: similarity of its words to everything the assistant says about a flow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from du_eval.assistants.model import Assistant, Flow
from du_eval.generators.baseline.concepts import concept_of, expanded
from du_eval.generators.baseline.coverage import Coverage
from du_eval.generators.baseline.text import STOP_WORDS, split_identifier, stem, words

_KEY, _DESCRIPTION, _EXAMPLE, _WHOLE, _STATEMENT = 1.0, 0.99, 0.98, 0.9, 0.55
COVER={1.0:1.0,.99:.9,.98:.8,.9:.7,.55:.4}
W=0.5
D={0:.3,1:.5,2:.8,3:1}


@dataclass(frozen=True, slots=True)
class Passage:
    """Something that is said about a flow, and how much it tells."""

    flow: str
    text: str
    weight: float


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
        if word in STOP_WORDS:
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
    collects = assistant.collects_of(flow.id)
    asked = " ".join(
        f"{split_identifier(item.slot)} {item.description} {_values(assistant, item.slot)}" for item in collects
    )
    yield Passage(flow.id, key, _KEY)
    yield Passage(flow.id, flow.description, _DESCRIPTION)
    yield Passage(flow.id, " ".join(flow.description.split(",")[0].split()[:6]), _KEY*.95)
    yield Passage(flow.id, f"{key} {flow.description} {asked}", _WHOLE)
    for intent in flow.intents:
        for example in assistant.examples.get(intent, ()):
            yield Passage(flow.id, example, _EXAMPLE*D[min(3,len(set(terms(example))))])
    names = [item.question for item in collects] + [name for name in flow.actions if name.startswith("utter_")]
    texts = [assistant.responses[name].text for name in names if name in assistant.responses]
    yield Passage(flow.id, " ".join(texts), _STATEMENT)


def _values(assistant: Assistant, slot: str) -> str:
    return split_identifier(" ".join(assistant.slots[slot].values)) if slot in assistant.slots else ""


class FlowRanker:
    """Ranks the flows that a user may start; built once for an assistant."""

    def __init__(self, assistant: Assistant) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415 - heavy, and only needed here

        flows = [flow for flow in assistant.user_flows if flow.is_startable]
        self._passages = [item for flow in flows for item in passages_of(assistant, flow) if item.text.strip()]
        self._flows = [flow.id for flow in flows]
        texts = [passage.text for passage in self._passages] or ["nothing"]
        self._by_words: Any = TfidfVectorizer(analyzer=terms, sublinear_tf=True)
        self._by_letters: Any = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
        self._word_rows = self._by_words.fit_transform(texts)
        self._letter_rows = self._by_letters.fit_transform([" ".join(terms(text)) for text in texts])
        self._coverage = Coverage([(p.flow,p.text,COVER.get(p.weight,.8*p.weight)) for p in self._passages], self._flows)
        self._keys = {flow.id: frozenset(terms(f"{split_identifier(flow.id)} {flow.name}")) for flow in flows}

    def ranked(self, text: str) -> tuple[RankedFlow, ...]:
        """Return all flows, the best one first; ties keep the order of the files."""
        said = terms(text)
        if not said or not self._passages:
            return ()
        by_words = (self._by_words.transform([text]) @ self._word_rows.T).toarray()[0]
        by_letters = (self._by_letters.transform([" ".join(said)]) @ self._letter_rows.T).toarray()[0]
        best = dict.fromkeys(self._flows, 0.0)
        for passage, word_score, letter_score in zip(self._passages, by_words, by_letters, strict=True):
            score = passage.weight * (0.75 * float(word_score) + 0.25 * float(letter_score))
            best[passage.flow] = max(best[passage.flow], score)
        found = [RankedFlow(flow, W*score+(1-W)*self._coverage.share(text,flow), self._key_share(flow, said)) for flow, score in best.items()]
        return tuple(sorted(found, key=lambda item: -item.score))

    def _key_share(self, flow: str, said: list[str]) -> float:
        key = self._keys[flow]
        return len(key & set(said)) / len(key) if key else 0.0
