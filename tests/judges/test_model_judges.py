"""The real libraries, on tiny models that are made on the fly and on the weights that a package carries."""

from __future__ import annotations

from pathlib import Path

import pytest

from du_eval.assembly.judges import build_judge
from du_eval.errors import InputError
from du_eval.judges.answers import AnswerTask, ReadingAnswers
from du_eval.judges.coherence import Exchanged, ModelCoherence
from du_eval.judges.nli import NliModel
from du_eval.judges.protocol_rules import CriterionTask
from du_eval.judges.similarity import (
    EmbeddingSimilarity,
    TfidfSimilarity,
    find_packaged_model,
    similarity_judge,
)
from du_eval.judges.tasks import ClosedTask, GistTask, Role, Task, TextTask
from du_eval.judges.toxic_words import LABELS
from du_eval.judges.toxicity import toxicity_judge

pytestmark = pytest.mark.filterwarnings("ignore")
WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "who",
    "wrote",
    "the",
    "book",
    "?",
    "alice",
    "it",
    "in",
    "paris",
    ".",
    "a",
    "is",
    "name",
    "my",
    "cat",
]


@pytest.fixture(scope="module")
def transformers():
    pytest.importorskip("torch", reason="the extra `models` is not installed")
    return pytest.importorskip("transformers", reason="the extra `models` is not installed")


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def tiny_bert(transformers, folder: Path, kind: str, **config) -> str:
    (folder / "vocab.txt").write_text("\n".join(WORDS))
    tokenizer = transformers.BertTokenizerFast(vocab=str(folder / "vocab.txt"))
    settings = transformers.BertConfig(
        vocab_size=len(WORDS), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
        max_position_embeddings=64, **config,
    )  # fmt: skip
    getattr(transformers, kind)(settings).save_pretrained(folder / "model")
    tokenizer.save_pretrained(folder / "model")
    return str(folder / "model")


def test_a_reading_model_finds_a_span_of_the_reply(transformers, tmp_path: Path) -> None:
    judge = ReadingAnswers(tiny_bert(transformers, tmp_path, "BertForQuestionAnswering"), TfidfSimilarity())
    reply = "Alice wrote the book in Paris."
    one, nothing = judge.scores(
        [AnswerTask(reply, ("Alice",), (), "who wrote the book?"), AnswerTask("", ("Alice",))]
    )
    assert one.span in reply
    assert one.span
    assert nothing.span == ""
    assert nothing.value == 0


@pytest.mark.parametrize("kind", ["BertForNextSentencePrediction", "BertForSequenceClassification"])
def test_a_next_sentence_head_and_a_cross_encoder_score_replies(
    transformers, tmp_path: Path, kind: str
) -> None:
    more = {"num_labels": 1} if "Sequence" in kind else {}
    judge = ModelCoherence(tiny_bert(transformers, tmp_path, kind, **more))
    items = [Exchanged(("who wrote the book ?",) * 20, "alice ."), Exchanged((), "it is a cat .")]
    found = judge.scores(items * 20)
    assert len(found) == 40
    assert found[0].value == pytest.approx(judge.scores(items)[0].value, abs=1e-4)


NLI_LABELS = {0: "contradiction", 1: "entailment", 2: "neutral"}


@pytest.mark.parametrize("role", [Role.YES_NO, Role.GIST, Role.COHERENCE, Role.PROTOCOL])
def test_a_model_of_inference_plays_its_roles_from_a_folder(transformers, tmp_path: Path, role: Role) -> None:
    labels = {"id2label": NLI_LABELS, "label2id": {name: place for place, name in NLI_LABELS.items()}}
    folder = tiny_bert(transformers, tmp_path, "BertForSequenceClassification", num_labels=3, **labels)
    judge = build_judge(role, f"rules>models:{folder}")
    tasks: dict[Role, Task] = {
        Role.YES_NO: ClosedTask("is it a cat?", "the book is in paris ."),
        Role.GIST: GistTask("the book is in paris .", "it is a cat ."),
        Role.COHERENCE: Exchanged(("my name is alice .", "a cat .", "who wrote the book ?"), "it is alice ."),
        Role.PROTOCOL: CriterionTask("open_question", "who wrote the book ?", "paris .", "alice wrote it ."),
    }
    found = judge.judge([tasks[role]] * 40)
    assert len(found) == 40
    assert all(one == found[0] for one in found)
    inferred = NliModel(folder).infer([("my cat is in paris .", "it is a cat .")] * 33)
    assert len(inferred) == 33
    assert 0 < inferred[0].entailment < 1


def test_a_model_without_the_labels_of_inference_is_refused(transformers, tmp_path: Path) -> None:
    folder = tiny_bert(transformers, tmp_path, "BertForSequenceClassification", num_labels=2)
    with pytest.raises(InputError, match="entailment and contradiction are needed"):
        NliModel(folder).infer([("a", "b")])
    with pytest.raises(InputError, match="holds no model of inference"):
        NliModel(str(tmp_path / "nowhere")).infer([("a", "b")])


def test_a_reading_model_and_detoxify_play_their_roles_from_files(transformers, tmp_path: Path) -> None:
    pytest.importorskip("detoxify", reason="the extra `models` is not installed")
    if find_packaged_model() is None:
        pytest.skip("the package with the MiniLM weights is not installed")
    (tmp_path / "tox").mkdir()
    reading = build_judge(
        Role.ANSWERS, f"models:{tiny_bert(transformers, tmp_path, 'BertForQuestionAnswering')}"
    )
    task = AnswerTask("Alice wrote the book.", ("Alice",), (), "who wrote the book?")
    assert reading.judge([task])[0].label in {"right", "wrong"}
    toxicity = build_judge(Role.TOXICITY, f"models:detoxify:{tiny_detoxify(transformers, tmp_path / 'tox')}")
    assert toxicity.judge([TextTask("hello there")])[0].label in {"toxic", "fine"}


def test_a_folder_without_a_model_is_named(transformers, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no"):
        ModelCoherence(str(tmp_path)).scores([Exchanged(("a",), "b")])
    with pytest.raises(InputError, match="holds no"):
        ReadingAnswers(str(tmp_path), TfidfSimilarity()).scores([AnswerTask("a", ("b",))])


def tiny_detoxify(transformers, folder: Path) -> str:
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    tokenizer.train_from_iterator(["hello there", "you are bad"], trainer)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    fast = transformers.RobertaTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", sep_token="</s>", cls_token="<s>",
        unk_token="<unk>", pad_token="<pad>", mask_token="<mask>", model_max_length=64,
    )  # fmt: skip
    fast.save_pretrained(folder)
    config = transformers.RobertaConfig(
        vocab_size=len(fast), hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=37,
        max_position_embeddings=70, type_vocab_size=1, pad_token_id=1, bos_token_id=0, eos_token_id=2, num_labels=7,
    )  # fmt: skip
    config.save_pretrained(folder)
    state = transformers.RobertaForSequenceClassification(config).state_dict()
    arch = {
        "model_type": str(folder), "model_name": "RobertaForSequenceClassification",
        "tokenizer_name": "RobertaTokenizer", "num_classes": 7,
    }  # fmt: skip
    content = {
        "config": {"dataset": {"args": {"classes": list(LABELS)}}, "arch": {"args": arch}},
        "state_dict": state,
    }
    torch.save(content, folder / "tiny.ckpt")
    return str(folder / "tiny.ckpt")


def test_detoxify_runs_from_a_checkpoint_with_seven_labels(transformers, tmp_path: Path) -> None:
    pytest.importorskip("detoxify", reason="the extra `models` is not installed")
    judge = toxicity_judge(f"detoxify:{tiny_detoxify(transformers, tmp_path)}")
    found = judge.scores(["hello there", "you are bad"] * 40)
    assert len(found) == 80
    assert set(found[0].labels) == set(LABELS)
    assert found[0].labels == pytest.approx(judge.scores(["hello there"])[0].labels, abs=1e-4)
    assert judge.name == "detoxify:tiny.ckpt"
    with pytest.raises(InputError, match="no Detoxify checkpoint"):
        toxicity_judge("detoxify:nowhere.ckpt").scores(["a"])


@pytest.mark.skipif(
    find_packaged_model() is None, reason="the package with the MiniLM weights is not installed"
)
def test_the_packaged_sentence_model_knows_synonyms() -> None:
    pytest.importorskip("sentence_transformers", reason="the extra `models` is not installed")
    judge = similarity_judge()
    assert isinstance(judge, EmbeddingSimilarity)
    near, far = judge.scores([("a doctor", "a physician"), ("a doctor", "a bicycle")])
    assert near > 0.7
    assert far < 0.5
    assert judge.tokens("a doctor") == 2
    assert judge.name == "sentence-transformers:all-MiniLM-L6-v2"


@pytest.mark.skipif(
    find_packaged_model() is None, reason="the package with the MiniLM weights is not installed"
)
def test_toxicity_by_embeddings_is_the_same_in_a_batch_and_leaves_russian_to_the_lexicon() -> None:
    pytest.importorskip("sentence_transformers", reason="the extra `models` is not installed")
    judge = toxicity_judge("embeddings")
    texts = ["You have the brain of a goldfish.", "Ты идиот", "I like trains.", "I like trains."]
    found = judge.scores(texts)
    assert found[0].value > judge.threshold > found[2].value
    assert found[1].labels["insult"] > 0.5
    assert found[2] == found[3]
    for text, one in zip(texts, found, strict=True):
        assert judge.scores([text])[0].value == pytest.approx(one.value, abs=1e-4)
        assert set(one.labels) == set(LABELS)
