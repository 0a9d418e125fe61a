"""Readers under random and damaged input: each gives a value or an error for people, whatever it is fed."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from du_eval.assembly.activities import Kinds
from du_eval.assembly.settings import config_in
from du_eval.cli.main import main
from du_eval.corpus.conversations import exchanges
from du_eval.corpus.reading import text_blocks
from du_eval.corpus.vector_files import Lookup, read_vectors
from du_eval.errors import InputError, Problem
from du_eval.generators.recorded import RecordedGenerator
from du_eval.parsers.text_files import read_text_file
from du_eval.quality.config import read_config
from du_eval.quality.facts.load import load_facts
from du_eval.quality.store import load_dialogues
from du_eval.runs.journal import Journal, Record
from du_eval.runs.manifest import Manifest
from du_eval.runs.report import decode_run

PIECES = (
    b"\x00",
    b"\xe9",
    b"\xef\xbb\xbf",
    b"\r\n",
    b"\r",
    b"null",
    b"[]",
    b"{}",
    b'""',
    b"-1",
    b"1e999",
    b"NaN",
)
MORE = (
    b"9" * 5000,
    b"[" * 3000,
    b'{"a":' * 3000,
    b"\\ud800",
    b"\xe2\x80\xa8",
    b"{value",
    b"true",
    b"&a *a",
    b"'",
    b":",
)

CONFIG = b"conversations: 3\nbot: echo\nprobabilities: {ML-U3: 0.5}\nchatters: [a, b]\nshow: {binary: true}\np_MLU4TC1: 0.1\n"
FACTS = b"category: QA\npools:\n  boats: [canoe, raft, kayak, barge]\nfacts:\n  - id: 9\n    from: boats\n    questions: [What?]\n"
SETTINGS = b"generator: baseline\npaths: [a, b]\nsamples: 3\nprices: {m: {prompt: 1, completion: 2}}\n"
TOML = b'[tool.du-eval]\ngenerator = "baseline"\npaths = ["a"]\nsamples = 3\n'
RECORDED = b'{"records": [{"test_case": "a", "step": 1, "commands": ["x"], "latency_seconds": 0.5}, {"test_case": "b", "line": 2, "text": "t"}]}'
JOURNAL = (
    b'{"file":"a","case":"b","step":1,"sample":1,"request":"r","outcome":"passed","answer":{"text":"x"}}\n'
    * 2
)
LINES = b'{"turns": [{"speaker": "user", "text": "a"}, {"speaker": "bot", "text": "b"}]}\n{"response": "x", "source": "y"}\n'
VECTORS = b"2 3\na 0.1 0.2 0.3\nb 1 2 3\n"
TALK = (
    b"Hello\nHi\nWhere?\nThere\n- CONFIGURATIONS -\ntest_ids[1010001, 1010001.5]test_ids\n"
    b"test_sets{'MLI1TC1': [{'test': 'QA', 'id': 1, 'directed': False, 'answer': 'x', 'information': ['x'], 'question': ['y']}]}test_sets\n"
    b'test_marks[["answered", "ML-I1", 0, "information", null, null, "", "", null, "", 1], ["empty"]]test_marks'
)
TALK_LINE = b'{"number": 0, "name": "", "exchanges": [{"prompt": "a", "reply": "b", "outcome": "answered", "seconds": 0.1}], "facts": {}}\n'


def damaged(valid: bytes) -> st.SearchStrategy[bytes]:
    """Return random bytes, and valid input with parts cut out, doubled or replaced."""
    cut = st.integers(0, len(valid))
    change = st.tuples(cut, st.integers(0, 40), st.sampled_from(PIECES + MORE) | st.binary(max_size=4))

    def apply(changes: list[tuple[int, int, bytes]]) -> bytes:
        found = valid
        for place, length, piece in changes:
            found = found[:place] + piece + found[place + length :]
        return found

    return st.binary(max_size=60) | st.lists(change, max_size=3).map(apply)


def refusals(read: Callable[[], object]) -> tuple[Problem, ...]:
    """Return why something cannot be read; nothing for what can."""
    try:
        read()
    except InputError as error:
        return error.problems
    return ()


def read_journal(path: Path) -> list[Record]:
    """Return all records of a journal."""
    with closing(Journal.opened(path, writing=False)) as journal:
        return list(journal.records())


Read = Callable[[Path], object]
READERS: dict[str, tuple[str, bytes, Read]] = {
    "settings": ("du-eval.yaml", SETTINGS, lambda path: config_in(path.parent)),
    "pyproject": ("pyproject.toml", TOML, lambda path: config_in(path.parent)),
    "quality settings": ("q.yml", CONFIG, lambda path: read_config(str(path), {})),
    "facts": ("f.yml", FACTS, lambda path: load_facts([str(path)], with_packaged=False)),
    "conversations as text": ("t.txt", TALK, lambda path: load_dialogues([str(path)])),
    "conversations as lines": ("t.jsonl", TALK_LINE, lambda path: load_dialogues([str(path)])),
    "predictions as JSON": ("r.json", RECORDED, RecordedGenerator),
    "predictions as YAML": ("r.yml", RECORDED, RecordedGenerator),
    "corpus lines": ("c.txt", LINES, lambda path: list(text_blocks(str(path)))),
    "corpus conversations": (
        "c.jsonl",
        LINES,
        lambda path: list(exchanges(text_blocks(str(path)), "c.jsonl")),
    ),
    "vectors": ("v.txt", VECTORS, lambda path: read_vectors(str(path), Lookup(["a", "b"]))),
    "journal": ("j.jsonl", JOURNAL, read_journal),
}


@pytest.mark.parametrize("name", READERS)
def test_a_reader_gives_a_value_or_an_error_that_names_the_file(
    tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    file, valid, read = READERS[name]
    path = tmp_path_factory.mktemp("damaged") / file
    path.write_bytes(valid)
    assert read(path)

    @settings(max_examples=60, database=None)
    @given(damaged(valid))
    def check(content: bytes) -> None:
        path.write_bytes(content)
        assert all(problem.message for problem in refusals(lambda: read(path)))

    check()


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a kept run."""
    folder = tmp_path_factory.mktemp("kept")
    cases = Path(__file__).parent.parent / "dialogue_understanding_tests/pizza/cancellations"
    with pytest.raises(SystemExit):
        main(["test", str(cases), "--runs-dir", str(folder), "--no-output"])
    return next(folder.glob("*/manifest.json")).parent


def test_a_damaged_run_is_read_or_refused(kept: Path) -> None:
    valid = (kept / "run.json").read_bytes()
    kinds = Kinds()
    assert decode_run(valid, "run.json", kinds).cases

    @settings(max_examples=60, database=None)
    @given(damaged(valid))
    def check(content: bytes) -> None:
        problems = refusals(lambda: decode_run(content, "run.json", kinds))
        assert {problem.file for problem in problems} <= {"run.json"}

    check()


def test_a_run_with_one_wrong_value_is_read_or_refused(kept: Path) -> None:
    kinds = Kinds()
    valid = (kept / "run.json").read_bytes()
    values = st.sampled_from([None, -1, 1e308, True, "", "x", [], {}, [[]], {"a": 1}])

    @settings(max_examples=100, database=None)
    @given(st.lists(st.integers(0, 50), min_size=1, max_size=6), values)
    def check(way: list[int], value: object) -> None:
        data = json.loads(valid)
        _replace(data, way, value)
        problems = refusals(lambda: decode_run(json.dumps(data).encode(), "run.json", kinds))
        assert {problem.file for problem in problems} <= {"run.json"}

    check()


def _replace(data: object, way: list[int], value: object) -> None:
    """Put a value somewhere into data: each number of the way chooses a branch."""
    for number, choice in enumerate(way, 1):
        keys = (
            list(data) if isinstance(data, dict) else list(range(len(data))) if isinstance(data, list) else []
        )
        if not keys:
            return
        key = keys[choice % len(keys)]
        assert isinstance(data, dict | list)
        if number == len(way) or not isinstance(data[key], dict | list):
            data[key] = value
            return
        data = data[key]


def test_a_damaged_manifest_is_read_or_refused(kept: Path, tmp_path: Path) -> None:
    valid = (kept / "manifest.json").read_bytes()
    path = tmp_path / "manifest.json"

    @settings(max_examples=100, database=None)
    @given(damaged(valid))
    def check(content: bytes) -> None:
        path.write_bytes(content)
        assert {problem.file for problem in refusals(lambda: Manifest.from_file(path))} <= {str(path)}

    check()


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"\xef\xbb\xbfa\r\nb", "a\nb"),
        (b"a\rb\r\n", "a\nb\n"),
        (b"a\x00b", "a\x00b"),
        ("é\u2028".encode(), "é\u2028"),
    ],
)
def test_marks_and_line_ends_of_other_systems_are_understood(
    tmp_path: Path, content: bytes, text: str
) -> None:
    (tmp_path / "a.txt").write_bytes(content)
    assert read_text_file(tmp_path / "a.txt") == text


def test_latin_1_is_refused_with_line_and_advice(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"plain\ncaf\xe9\n")
    with pytest.raises(
        InputError, match=r"a.txt:2: is not UTF-8: the byte 0xe9 \(convert the file to UTF-8\)"
    ):
        read_text_file(tmp_path / "a.txt")
