"""Texts come in many forms, and every one gives the same lines."""

from __future__ import annotations

import gzip
import io
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from du_eval.corpus.lexicon import Lexicon
from du_eval.corpus.load import CorpusReader, list_frequent_words, load, read_vocabulary, write_vocabulary
from du_eval.corpus.reading import Tokeniser
from du_eval.corpus.settings import STANDARD, Files
from du_eval.corpus.vector_files import Lookup, VectorCache, read_vectors
from du_eval.errors import InputError
from du_eval.parsers.inputs import text_blocks


def read(path: Path, tokeniser: Tokeniser | None = None) -> list[list[str]]:
    lexicon = Lexicon()
    texts = CorpusReader(lexicon, tokeniser or Tokeniser()).texts(str(path), "responses")
    words = lexicon.words
    ends = texts.starts.tolist()
    return [[words[n] for n in texts.ids[a:b]] for a, b in pairwise(ends)]


@pytest.mark.parametrize(
    "text", ["a b\n\nc\n", "a b\r\n\r\nc\r\n", "a b\r\rc\r", "a b\n\nc", "\ufeffa b\n\nc\n"]
)
def test_line_ends_of_all_systems_give_the_same_lines(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.txt").write_bytes(text.encode())
    assert read(tmp_path / "x.txt") == [["a", "b"], [], ["c"]]


def test_gzip_is_recognised_by_content(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_bytes(gzip.compress(b"a b\nc\n"))
    assert read(tmp_path / "x.txt") == [["a", "b"], ["c"]]


def test_standard_input_is_a_file_like_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.BufferedReader(io.BytesIO(b"a\nb c\n"))
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=stream))
    assert list(text_blocks("-")) == ["a\nb c\n"]


def test_blocks_end_where_lines_end_however_large_the_file(tmp_path: Path) -> None:
    line = "wörd " * 400 + "\n"
    (tmp_path / "x.txt").write_text(line * 2000)
    assert read(tmp_path / "x.txt") == [["wörd"] * 400] * 2000


def test_a_text_that_is_not_utf8_is_reported_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_bytes(b"good\nb\xff\n")
    with pytest.raises(InputError, match=r"x\.txt:2: is not UTF-8"):
        read(tmp_path / "x.txt")


def test_a_broken_archive_is_the_users_problem_not_a_crash(tmp_path: Path) -> None:
    (tmp_path / "x.gz").write_bytes(gzip.compress(b"a b\n" * 1000)[:-12])
    with pytest.raises(InputError, match="cannot be read"):
        read(tmp_path / "x.gz")


def test_the_mark_of_line_ends_may_occur_in_the_text(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("a \ue00b\ue00b\ue00b\nb\n")
    assert [len(line) for line in read(tmp_path / "x.txt")] == [2, 1]


@pytest.mark.parametrize(
    ("tokeniser", "words"),
    [
        (Tokeniser(), ["Don't", "pay", "3.50,", "well-known", "東京!"]),
        (Tokeniser(lowercase=True), ["don't", "pay", "3.50,", "well-known", "東京!"]),
        (Tokeniser("punctuation"), ["Don't", "pay", "3.50", ",", "well-known", "東京", "!"]),
        (Tokeniser("unicode"), ["Don't", "pay", "3.50", ",", "well", "-", "known", "東", "京", "!"]),
    ],
)
def test_tokenisers_set_words_apart(tmp_path: Path, tokeniser: Tokeniser, words: list[str]) -> None:
    (tmp_path / "x.txt").write_text("Don't pay 3.50, well-known 東京!\n")
    assert read(tmp_path / "x.txt", tokeniser) == [words]


def test_conversations_give_responses_sources_and_targets(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(
        '{"turns": [{"speaker": "user", "text": "hi"}, {"speaker": "bot", "text": "a", "target": "b"},'
        ' {"speaker": "bot", "text": "c"}]}\n'
        '{"source": "s", "response": "r", "target": "t"}\n'
    )
    reader = CorpusReader(Lexicon(), Tokeniser(), keep_lines=True)
    (file,) = load(Files((str(path),)), reader, STANDARD).files
    assert file.dialogues.responses.lines == ("a c", "r")
    assert file.dialogues.source is not None
    assert file.dialogues.source.lines == ("hi", "s")
    assert file.dialogues.target is not None
    assert file.dialogues.target.lines == ("b", "t")


def test_chats_and_journals_of_runs_are_conversations_too(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(
        '{"messages": [{"role": "system", "content": "be kind"}, {"role": "user", "content": "hi"},'
        ' {"role": "assistant", "content": "hello"}]}\n'
        '{"file": "a.yml", "case": "x", "step": 1, "sample": 1, "prediction": {"text": "StartFlow(x)"}}\n'
        '{"case": "x", "step": 2, "prediction": {"commands": ["A()", "B()"]}}\n'
    )
    found = CorpusReader(Lexicon(), Tokeniser(), keep_lines=True).conversations(str(path))
    assert found.responses.lines == ("hello", "StartFlow(x)", "A(); B()")


def test_all_faulty_records_are_reported_at_once(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(
        '{"response": "fine"}\nnot json\n{"turns": [{"speaker": "cat", "text": "x"}]}\n{"error": "timeout"}\n'
    )
    with pytest.raises(InputError) as caught:
        read(path)
    assert [problem.line for problem in caught.value.problems] == [2, 3, 4]


@pytest.mark.parametrize(
    "text",
    [
        "a 0.5 -1.25\nb 2.0 3.0\n",
        "2 2\na 0.5 -1.25\nb 2.0 3.0\n",
        "a 0.5 -1.25 \n\nb 2 3e0 \nnew york 1 2\n",
        "a\t0.5\t-1.25\r\nb\t2.0\t3.0\r\n",
    ],
)
def test_vectors_are_read_with_or_without_header_blank_lines_and_odd_words(tmp_path: Path, text: str) -> None:
    (tmp_path / "v.txt").write_bytes(text.encode())
    found = read_vectors(str(tmp_path / "v.txt"), Lookup(["a", "b", "new", "missing"]))
    assert dict(zip(found.words, found.matrix.tolist(), strict=True)) == {"a": [0.5, -1.25], "b": [2.0, 3.0]}


def test_compressed_vectors_and_a_numpy_pair_give_the_same(tmp_path: Path) -> None:
    (tmp_path / "v.vec.gz").write_bytes(gzip.compress(b"a 0.5 -1.25\nb 2.0 3.0\n"))
    np.save(tmp_path / "w.npy", np.array([[0.5, -1.25], [2.0, 3.0]]))
    (tmp_path / "w.vocab").write_text("a\nb\n")
    for name in ("v.vec.gz", "w.npy"):
        assert read_vectors(str(tmp_path / name), Lookup(["b"])).matrix.tolist() == [[2.0, 3.0]]


def test_a_vector_of_the_wrong_size_is_reported_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text("a 0.5 1.0\nb 2.0\nc 1.0 x\n")
    with pytest.raises(InputError) as caught:
        read_vectors(str(tmp_path / "v.txt"), Lookup(["a", "b", "c"]))
    assert [problem.line for problem in caught.value.problems] == [2, 3]


def test_vectors_that_hold_no_number_are_an_error_in_either_form(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text("a 0.5 1.0\nb nan 3.0\nc 1.0 inf\n")
    np.save(tmp_path / "w.npy", np.array([[0.5, 1.0], [np.nan, 3.0], [1.0, np.inf]]))
    (tmp_path / "w.vocab").write_text("a\nb\nc\n")
    for name in ("v.txt", "w.npy"):
        assert read_vectors(str(tmp_path / name), Lookup(["a"])).matrix.tolist() == [[0.5, 1.0]]
        with pytest.raises(InputError) as caught:
            read_vectors(str(tmp_path / name), Lookup(["a", "b", "c"]))
        assert ["'b'" in p.message or "'c'" in p.message for p in caught.value.problems] == [True, True]


def test_a_numpy_matrix_without_words_says_what_it_looked_for(tmp_path: Path) -> None:
    np.save(tmp_path / "w.npy", np.zeros((2, 2)))
    with pytest.raises(InputError, match=r"looked for w\.txt"):
        read_vectors(str(tmp_path / "w.npy"), Lookup(["a"]))


def test_the_cache_answers_without_the_file_until_a_new_word_or_a_new_file_comes(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    path.write_text("a 0.5 1.0\nb 2.0 3.0\n")
    cache = VectorCache(tmp_path / "cache")
    read_bytes: list[int] = []

    def count(_name: str, size: int) -> None:
        read_bytes.append(size)

    assert cache.read(str(path), Lookup(["a", "x"]), count).words == ("a",)
    assert cache.read(str(path), Lookup(["x", "a"]), count).matrix.tolist() == [[0.5, 1.0]]
    assert len(read_bytes) == 1
    assert set(cache.read(str(path), Lookup(["b"]), count).words) == {"a", "b"}
    path.write_text("a 9.0 9.0\n\n")
    assert cache.read(str(path), Lookup(["a"]), count).matrix.tolist() == [[9.0, 9.0]]


def test_a_damaged_cache_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    path.write_text("a 0.5 1.0\n")
    cache = VectorCache(tmp_path / "cache")
    cache.read(str(path), Lookup(["a"]))
    (kept,) = (tmp_path / "cache").iterdir()
    kept.write_bytes(b"torn")
    assert cache.read(str(path), Lookup(["a"])).matrix.tolist() == [[0.5, 1.0]]


def test_a_vocabulary_comes_from_training_in_order_of_first_occurrence(tmp_path: Path) -> None:
    lexicon = Lexicon(["z"])
    words = list_frequent_words(lexicon.texts("b a b\nc a\n"), lexicon, minimum=2)
    assert words == ["b", "a"]
    write_vocabulary(tmp_path / "v.txt", words)
    assert read_vocabulary(str(tmp_path / "v.txt")) == {"a", "b"}


def test_presence_alone_is_answered_without_vectors_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    path.write_text("a 0.5 1.0\nb 2.0 3.0\n")
    cache = VectorCache(tmp_path / "cache")
    for _ in range(2):
        found = cache.read(str(path), Lookup(["a"], ["b", "x"]))
        assert (found.words, found.present) == (("a",), frozenset({"b"}))
    assert cache.read(str(path), Lookup(["b"])).words == ("a", "b")
