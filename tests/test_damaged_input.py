"""Readers under random and damaged input: each gives a value or an error for people, whatever it is fed."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from du_eval.assembly.activities import Kinds
from du_eval.cli.main import main
from du_eval.corpus.vector_files import Lookup, read_vectors
from du_eval.errors import DuEvalError, InputError, Problem
from du_eval.generators.http import compile_path
from du_eval.parsers.text_files import read_text_file
from du_eval.runs.annotation import read_annotations
from du_eval.runs.manifest import Manifest
from du_eval.runs.report import decode_run
from tests.readers import READERS

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
    except DuEvalError as error:
        return (Problem("", 0, str(error)),)
    return ()


@pytest.mark.parametrize("name", READERS)
def test_a_reader_gives_a_value_or_an_error_that_names_the_file(
    tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    reader = READERS[name]
    path = tmp_path_factory.mktemp("damaged") / reader.file
    for valid in (*reader.others, reader.valid):
        path.write_bytes(valid)
        assert reader.read(path)

    # The same examples each time: `make fuzz` looks for new ones.
    @settings(max_examples=40, database=None, deadline=None, derandomize=True)
    @given(damaged(reader.valid))
    def check(content: bytes) -> None:
        path.write_bytes(content)
        assert all(problem.message for problem in refusals(lambda: reader.read(path)))

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

    @settings(max_examples=60, database=None, derandomize=True)
    @given(damaged(valid))
    def check(content: bytes) -> None:
        problems = refusals(lambda: decode_run(content, "run.json", kinds))
        assert {problem.file for problem in problems} <= {"run.json"}

    check()


def test_a_run_with_one_wrong_value_is_read_or_refused(kept: Path) -> None:
    kinds = Kinds()
    valid = (kept / "run.json").read_bytes()
    values = st.sampled_from([None, -1, 1e308, True, "", "x", [], {}, [[]], {"a": 1}])

    @settings(max_examples=100, database=None, derandomize=True)
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

    @settings(max_examples=100, database=None, derandomize=True)
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


def test_json_that_is_nested_too_deeply_is_a_damaged_line(tmp_path: Path) -> None:
    file = tmp_path / "labels.jsonl"
    file.write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(InputError, match=r"labels\.jsonl:1: not an annotation"):
        read_annotations(file)


def test_a_header_of_thousands_of_digits_is_no_header_of_vectors(tmp_path: Path) -> None:
    file = tmp_path / "words.vec"
    file.write_text("1 " + "9" * 5_000 + "\ncat 1.0\n", encoding="utf-8")
    assert read_vectors(str(file), Lookup(["cat"])).words == ("cat",)


@pytest.mark.parametrize("filler", ["\n" * 1_000_000, (" " * 2_000 + "-\n") * 500], ids=["lines", "spaces"])
def test_what_a_file_is_about_is_found_in_one_pass(tmp_path: Path, filler: str) -> None:
    (tmp_path / "s.yml").write_text(filler + "test_cases: []\n", encoding="utf-8")
    with pytest.raises(SystemExit) as end:  # each line was looked for from each other line: hours
        main(["validate", str(tmp_path / "s.yml")])
    assert end.value.code


def test_a_long_line_of_brackets_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "s.yml").write_text("test_cases:\n- " + "[a" * 150_000, encoding="utf-8")
    began = time.process_time()  # each bracket was followed to the end of the line: hours
    with pytest.raises(SystemExit):
        main(["validate", str(tmp_path / "s.yml")])
    assert time.process_time() - began < 30


def test_an_error_that_quotes_something_huge_is_cut(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "s.yml").write_text(
        "test_cases:\n- test_case: a\n  steps: [{user: a, metadata: " + "z" * 300_000 + "}]", encoding="utf-8"
    )
    with pytest.raises(SystemExit):
        main(["validate", str(tmp_path / "s.yml")])
    told = capsys.readouterr().err
    assert "more characters" in told
    assert len(told) < 10_000


def test_a_run_whose_head_is_of_another_kind_is_refused() -> None:
    content = READERS["run"].valid.replace(b'"head":{"kind":"test"', b'"head":{"kind":"other"')
    (problem,) = refusals(lambda: decode_run(content, "run.json", Kinds()))
    assert problem.message.endswith("its head is of another kind")


@pytest.mark.parametrize("value", [b"1e999", b"{}", b"true"])
def test_a_labelled_reply_that_is_no_text_is_refused(tmp_path: Path, value: bytes) -> None:
    reader = READERS["labelled"]
    (tmp_path / "l.jsonl").write_bytes(reader.valid.replace(b'"reply": "Clara"', b'"reply": ' + value))
    (problem,) = refusals(lambda: reader.read(tmp_path / "l.jsonl"))
    assert problem.message == "reply: not a string"


def test_a_polarity_that_is_a_list_is_refused(tmp_path: Path) -> None:
    reader = READERS["protocol"]
    assert b'"Damn!": negative' in reader.valid
    (tmp_path / "p.yml").write_bytes(reader.valid.replace(b'"Damn!": negative', b'"Damn!": [negative]'))
    (problem,) = refusals(lambda: reader.read(tmp_path / "p.yml"))
    assert problem.message == "'polarity.Damn!' must be a string"


@pytest.mark.parametrize("text", ["x[", "{", "[1"])
def test_an_answer_that_is_a_text_with_brackets_is_that_text(text: str) -> None:
    assert compile_path("$")(text) == [text]  # it was read as JSON once more


@pytest.mark.parametrize("name", [b'"service_name": "Boats_1"', b'"name": "day"', b'"name": "Find"'])
def test_a_service_whose_names_are_no_texts_is_refused(tmp_path: Path, name: bytes) -> None:
    reader = READERS["services"]
    assert name in reader.valid
    changed = reader.valid.replace(name, name.partition(b":")[0] + b": {}")
    (tmp_path / "schema.json").write_bytes(changed)
    (problem,) = refusals(lambda: reader.read(tmp_path / "schema.json"))
    assert "this is not a schema of services" in problem.message


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"usage": {"prompt_tokens": 1}', b'"usage": "x"'),
        (b'"commands": [{"command": "start flow", "flow": "a"}]', b'"commands": true'),
        (b'"latency": 0.1', b'"latency": ' + b"9" * 400),
    ],
)
def test_an_answer_of_a_rasa_server_in_another_form_is_refused(
    tmp_path: Path, old: bytes, new: bytes
) -> None:
    reader = READERS["answer-rasa"]
    assert old in reader.valid
    (tmp_path / "a.json").write_bytes(reader.valid.replace(old, new))
    assert refusals(lambda: reader.read(tmp_path / "a.json"))
