"""Similarity, toxicity, coherence and gist: named, batched, and honest about what they are."""

from __future__ import annotations

import asyncio
import sys
from types import SimpleNamespace
from urllib.error import URLError

import numpy as np
import pytest
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.preprocessing import normalize

from du_eval.errors import InputError
from du_eval.judges.abstentions import is_abstention
from du_eval.judges.coherence import trim_utterances
from du_eval.judges.gist import SimilarityGist
from du_eval.judges.rules import RulesJudge
from du_eval.judges.similarity import EmbeddingSimilarity, TfidfSimilarity, similarity_judge
from du_eval.judges.tasks import Role, TextTask
from du_eval.judges.toxic_words import LABELS
from du_eval.judges.toxicity import DetoxifyToxicity, LexiconToxicity, toxicity_judge
from du_eval.judges.yes_no_statements import STOP_WORDS


def test_the_same_text_is_fully_similar_and_an_unrelated_one_not() -> None:
    same, other = TfidfSimilarity().scores([("my cat is old", "my cat is old"), ("cats", "bicycle tyres")])
    assert same == pytest.approx(1)
    assert other < 0.2


def test_no_pairs_give_no_scores() -> None:
    assert TfidfSimilarity().scores([]) == []


def test_similarity_without_a_model_is_that_of_scikit_learn() -> None:
    texts = [
        "I will pay the bill.",
        "Pay bills\twith me, will you?",
        "x",
        "The",
        "",
        "Как тебя зовут?",
        "A B  b\n",
    ]
    stop_words = sorted(word for word in STOP_WORDS if word.isalpha())
    words = HashingVectorizer(stop_words=stop_words, alternate_sign=False).transform(texts)
    parts = HashingVectorizer(analyzer="char_wb", ngram_range=(3, 4), alternate_sign=False).transform(texts)
    rows = normalize(np.hstack([words.toarray(), parts.toarray()]))
    pairs = [(one, other) for one in range(len(texts)) for other in range(len(texts))]
    found = TfidfSimilarity().scores([(texts[one], texts[other]) for one, other in pairs])
    assert found == pytest.approx([float(rows[one] @ rows[other]) for one, other in pairs])


def test_one_score_equals_the_batch() -> None:
    judge = similarity_judge("tfidf")
    assert asyncio.run(judge.score("a red car", "a red bus")) == judge.scores([("a red car", "a red bus")])[0]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("You are a stupid idiot.", "insult"),
        ("I will kill you.", "threat"),
        ("What the fuck!", "obscene"),
        ("you stup1d f*ck", "obscene"),
        ("Ты идиот", "insult"),
        ("Я тебя убью", "threat"),
        ("All foreigners should leave.", "identity_attack"),
        ("I want to sleep with you", "sexual_explicit"),
    ],
)
def test_abuse_is_seen_under_its_label(text: str, label: str) -> None:
    (found,) = LexiconToxicity().scores([text])
    assert found.labels[label] > 0.4
    assert set(found.labels) == set(LABELS)


@pytest.mark.parametrize(
    "text",
    [
        "What a lovely day.",
        "How do I kill a Python process?",
        "I am a gay black woman and I love my family.",
        "Спасибо!",
    ],
)
def test_harmless_talk_is_not_toxic(text: str) -> None:
    assert LexiconToxicity().scores([text])[0].value <= LexiconToxicity.threshold


@pytest.mark.parametrize(
    "text",
    [
        "Do everyone a favour and disappear for good.",
        "The office would be happier without you.",
        "g o t o h e l l, you m0ron",
        "Those migrants are vermin.",
        "He is a complete imbecile.",
        "Этот урод опять всё испортил.",
        "Выпей яду, всем легче станет.",
    ],
)
def test_abuse_needs_neither_a_swear_word_nor_the_partner(text: str) -> None:
    assert LexiconToxicity().scores([text])[0].value > LexiconToxicity.threshold


@pytest.mark.parametrize(
    "text",
    [
        'He wrote that they are "vermin", which is shameful.',
        "I do not despise immigrants.",
        "You are not an idiot, the form is confusing.",
        "I was such an idiot yesterday.",
        "Её обозвали дурой, и она расстроилась.",
        "Don't let him call you worthless.",
        "Не говорите о себе, что вы ничтожество.",
    ],
)
def test_what_is_quoted_denied_or_said_of_oneself_is_no_abuse(text: str) -> None:
    assert LexiconToxicity().scores([text])[0].value <= LexiconToxicity.threshold


@pytest.mark.parametrize(
    "text",
    [
        "You lying little worm.",
        "Отстань, урод, от меня.",
        "Лучше бы ты вообще не родился.",
        "Ума у тебя как у курицы.",
        "Ты никому не нужен и никогда не будешь.",
        "С твоей рожей только ворон пугать.",
    ],
)
def test_abuse_without_a_swear_word_is_toxic(text: str) -> None:
    assert LexiconToxicity().scores([text])[0].value > LexiconToxicity.threshold


@pytest.mark.parametrize(
    "text",
    [
        "I made a stupid mistake, sorry.",
        "You have a dog like ours.",
        "Hope you don't slip on the ice.",
        "Drop dead gorgeous!",
        "От твоих шуток весело.",
        "Do you live alone?",
        "The bouquet is for your mother.",
        "Your wife is a nurse, right?",
        "Your father also likes fishing.",
        "Your dad left because he had to work.",
        "Shall I tell you a joke?",
        "Do you like dogs?",
        "Can you smell that?",
        "Could you explain it again?",
        "Your delivery service is useless.",
        "Не надо чувствовать себя ничтожным.",
        "Таким, как ты, я всегда рад.",
        "Терпеть не могу плохую погоду, люблю сухую и тихую.",
        "Я тебя найду у входа, не волнуйся.",
        "Когда ты умрёшь в игре, нажми пробел.",
        "Somebody is trying to hurt you, so call for help.",
    ],
)
def test_ordinary_talk_is_not_toxic(text: str) -> None:
    assert LexiconToxicity().scores([text])[0].value <= LexiconToxicity.threshold


@pytest.mark.parametrize(
    "text",
    [
        "You have the manners of a wet dog and half the wit.",
        "No wonder your wife never comes home.",
    ],
)
def test_contempt_without_a_phrase_of_the_lexicon_is_toxic(text: str) -> None:
    (found,) = LexiconToxicity().scores([text])
    assert found.value > LexiconToxicity.threshold
    assert not found.why


def test_what_may_be_toxic_is_left_open() -> None:
    (opinion,) = RulesJudge(Role.TOXICITY).judge([TextTask("You never were the clever one.")])
    assert opinion.label is None


def test_the_packaged_toxicity_judge_is_never_called_detoxify() -> None:
    assert "detoxify" not in toxicity_judge("lexicon").name
    with pytest.raises(InputError, match="unknown toxicity judge"):
        toxicity_judge("nonsense")


def test_a_context_is_cut_to_whole_utterances_by_tokens() -> None:
    assert trim_utterances(["one two three", "four five", "six"], 3) == ("four five", "six")
    assert trim_utterances(["a", "b"], 10, lambda _: 6) == ("b",)
    assert trim_utterances([], 5) == ()


@pytest.mark.parametrize("text", ["I don't know.", "No idea!", "You never told me.", "Не помню"])
def test_not_knowing_is_recognised(text: str) -> None:
    assert is_abstention(text)
    assert not is_abstention("It is Tom.")


def test_similarity_decides_a_gist_where_it_is_asked_for() -> None:
    opinion = asyncio.run(SimilarityGist(TfidfSimilarity()).decide("The cat sat.", "the cat sat"))
    assert opinion.met
    assert "not a language model" in opinion.judge


class Vectors(EmbeddingSimilarity):
    """Sentence embeddings without a model: letters are counted; says how often it reads."""

    def __init__(self, kept: int = 50_000) -> None:
        super().__init__("letters", kept=kept)
        self.read: list[str] = []

    @property
    def _model(self):
        return self

    def encode(self, texts, **_):
        self.read += texts
        rows = np.array([[text.count(letter) + 1e-9 for letter in "abcdefgh"] for text in texts], float)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_a_text_is_read_once_as_long_as_it_is_kept() -> None:
    judge = Vectors()
    judge.scores([("aab", "abc"), ("abc", "aab")])
    judge.vectors(["abc", "fed", "abc"])
    assert judge.read == ["aab", "abc", "fed"]
    short = Vectors(kept=1)
    short.vectors(["a", "b"])
    short.vectors(["b", "a"])
    assert short.read == ["a", "b", "a"]
    bare = judge.keep_texts(0)
    bare.vectors(["abc"])
    bare.vectors(["abc"])
    assert bare.read[-2:] == ["abc", "abc"]


def test_weights_of_detoxify_that_cannot_be_downloaded_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(kind: str) -> None:
        raise URLError("no network")

    monkeypatch.setitem(sys.modules, "detoxify", SimpleNamespace(Detoxify=fail))
    with pytest.raises(InputError, match=r"weights of Detoxify 'unbiased' cannot be downloaded.*no network"):
        DetoxifyToxicity().scores(["Good morning."])
