import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from du_eval.errors import GeneratorError, InputError, Problem
from du_eval.generators.base import CommandGenerator, Place, Prediction, Request
from du_eval.generators.recorded import RecordedGenerator

AT = Place("suites/bank/a.yml", "a case", step=2, line=14)
KEY: dict[str, Any] = {"test_case": "a case", "step": 2}


def written(folder: Path, records: Any, suffix: str = ".json") -> Path:
    path = folder / f"predictions{suffix}"
    if isinstance(records, str):
        text = records
    elif suffix == ".jsonl":
        text = "\n".join(json.dumps(record) for record in records)
    else:
        text = json.dumps(records, indent=1)
    path.write_text(text, encoding="utf-8")
    return path


def recorded(folder: Path, *records: dict[str, Any]) -> RecordedGenerator:
    return RecordedGenerator(written(folder, list(records)))


def problems(folder: Path, text: str, suffix: str = ".yml") -> list[tuple[int, str]]:
    with pytest.raises(InputError) as caught:
        RecordedGenerator(written(folder, text, suffix))
    assert {Path(problem.file).name for problem in caught.value.problems} == {f"predictions{suffix}"}
    return [(problem.line, problem.message) for problem in caught.value.problems]


def problem(folder: Path, **record: Any) -> Problem:
    with pytest.raises(InputError) as caught:
        recorded(folder, {**KEY, "text": "", **record})
    (found,) = caught.value.problems
    return found


class TestFiles:
    RECORDS = [  # noqa: RUF012 - never changed
        {"test_case": "a case", "step": 1, "text": "StartFlow(a)"},
        {"test_case": "a case", "step": 2, "commands": ["ChitChat()"]},
    ]
    YAML = "- test_case: a case\n  step: 1\n  text: StartFlow(a)\n- test_case: a case\n  step: 2\n  commands:\n  - ChitChat()\n"

    @pytest.mark.parametrize("suffix", [".json", ".jsonl", ".yml", ".yaml", ""])
    def test_records_are_read_from_yaml_json_and_jsonl(self, tmp_path: Path, suffix: str) -> None:
        text = self.YAML if suffix in {".yml", ".yaml", ""} else self.RECORDS
        generator = RecordedGenerator(written(tmp_path, text, suffix))
        assert generator.count == 2
        assert generator.prediction_for(AT) == Prediction(commands=("ChitChat()",))

    @pytest.mark.parametrize("suffix", [".json", ".yml"])
    def test_the_list_may_stand_below_one_key(self, tmp_path: Path, suffix: str) -> None:
        generator = RecordedGenerator(written(tmp_path, {"the [predictions]": self.RECORDS}, suffix))
        assert generator.count == 2

    def test_empty_lines_between_json_lines_are_passed_over(self, tmp_path: Path) -> None:
        text = "\n\n".join(json.dumps(record) for record in self.RECORDS) + "\n\n"
        assert RecordedGenerator(written(tmp_path, text, ".jsonl")).count == 2

    def test_a_byte_order_mark_is_passed_over(self, tmp_path: Path) -> None:
        path = tmp_path / "predictions.json"
        path.write_text(json.dumps(self.RECORDS), encoding="utf-8-sig")
        assert RecordedGenerator(path).count == 2

    @pytest.mark.parametrize("suffix", [".json", ".jsonl", ".yml"])
    def test_a_file_may_hold_no_records(self, tmp_path: Path, suffix: str) -> None:
        assert RecordedGenerator(written(tmp_path, [], suffix)).count == 0

    def test_a_missing_file_is_told(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=r"nowhere.yml: cannot be read: No such file"):
            RecordedGenerator(tmp_path / "nowhere.yml")

    def test_a_file_in_another_encoding_is_told(self, tmp_path: Path) -> None:
        (tmp_path / "p.yml").write_bytes("- ä".encode("latin-1"))
        with pytest.raises(InputError, match=r"p.yml:1: is not UTF-8"):
            RecordedGenerator(str(tmp_path / "p.yml"))


class TestAnswers:
    @pytest.mark.parametrize(
        ("record", "prediction"),
        [
            ({"text": "StartFlow(a)\nhello"}, Prediction(text="StartFlow(a)\nhello")),
            ({"text": ""}, Prediction(text="")),
            ({"commands": ["A()", "B()"]}, Prediction(commands=("A()", "B()"))),
            ({"commands": []}, Prediction(commands=())),
            (
                {"commands": [{"command": "start flow", "flow": "a"}]},
                Prediction(commands=({"command": "start flow", "flow": "a"},)),
            ),
            (
                {"components": {"first": ["A()"], "second": [], "third": None, "fourth": "A()\nB()"}},
                Prediction(components={"first": ("A()",), "second": (), "third": (), "fourth": "A()\nB()"}),
            ),
            ({"text": "A()", "latency_seconds": 1.5}, Prediction(text="A()", latency_seconds=1.5)),
            ({"text": "A()", "latency_seconds": "0"}, Prediction(text="A()", latency_seconds=0.0)),
        ],
    )
    def test_text_commands_and_components_are_given_back(
        self, tmp_path: Path, record: dict[str, Any], prediction: Prediction
    ) -> None:
        assert recorded(tmp_path, {**KEY, **record}).prediction_for(AT) == prediction

    def test_a_request_is_answered_by_its_place(self, tmp_path: Path) -> None:
        generator = recorded(tmp_path, {**KEY, "text": "A()"})
        assert isinstance(generator, CommandGenerator)
        assert asyncio.run(generator.generate(Request("whatever", place=AT))) == Prediction(text="A()")


class TestPlaces:
    @pytest.mark.parametrize(
        "key",
        [
            {"step": 2},
            {"step": "2"},
            {"line": 14},
            {"step": 2, "line": 99},
            {"step": 2, "file": "suites/bank/a.yml"},
            {"step": 2, "file": "./suites/bank/a.yml"},
            {"step": 2, "file": "bank/a.yml"},
            {"line": 14, "file": "a.yml"},
            {"step": 2, "file": None},
        ],
    )
    def test_a_step_is_found_by_number_or_line_and_file(self, tmp_path: Path, key: dict[str, Any]) -> None:
        generator = recorded(tmp_path, {"test_case": "a case", **key, "text": "found"})
        assert generator.prediction_for(AT).text == "found"

    @pytest.mark.parametrize(
        "key",
        [
            {"step": 1},
            {"step": 14},
            {"line": 2},
            {"step": 2, "file": "b.yml"},
            {"step": 2, "file": "ank/a.yml"},
            {"step": 2, "file": "more/suites/bank/a.yml"},
            {"step": 2, "test_case": "another case"},
        ],
    )
    def test_a_step_without_a_record_is_an_error(self, tmp_path: Path, key: dict[str, Any]) -> None:
        generator = recorded(tmp_path, {"test_case": "a case", **key, "text": "lost"})
        with pytest.raises(GeneratorError) as caught:
            generator.prediction_for(AT)
        assert str(caught.value).endswith("has no record for step 2 of 'a case' (suites/bank/a.yml:14)")

    def test_two_records_of_one_step_are_an_error_with_their_lines(self, tmp_path: Path) -> None:
        text = "- {test_case: a case, step: 2, text: x}\n\n- {test_case: a case, line: 14, text: y}\n"
        generator = RecordedGenerator(written(tmp_path, text, ".yml"))
        with pytest.raises(
            GeneratorError, match=r"has 2 records for step 2 of 'a case' \(lines 1, 3\): give each its"
        ):
            generator.prediction_for(AT)

    def test_records_of_different_files_do_not_meet(self, tmp_path: Path) -> None:
        generator = recorded(
            tmp_path,
            {**KEY, "file": "bank/a.yml", "text": "bank"},
            {**KEY, "file": "shop/a.yml", "text": "shop"},
        )
        assert generator.prediction_for(AT).text == "bank"

    def test_the_record_that_says_most_about_its_file_wins(self, tmp_path: Path) -> None:
        general, shorter, longer = (
            {**KEY, **file, "text": text}
            for file, text in (({}, "any"), ({"file": "a.yml"}, "short"), ({"file": "bank/a.yml"}, "long"))
        )
        generator = recorded(tmp_path, shorter, longer, general)
        assert generator.prediction_for(AT).text == "long"
        assert generator.prediction_for(Place("other/a.yml", "a case", 2)).text == "short"
        assert generator.prediction_for(Place("other/b.yml", "a case", 2)).text == "any"


class TestWrongRecords:
    def test_a_record_that_is_no_mapping(self, tmp_path: Path) -> None:
        message = "a record is a mapping with test_case, step or line, and text, commands or components"
        assert problems(tmp_path, "- a\n- [b]\n") == [(1, message), (2, message)]

    @pytest.mark.parametrize("text", ["", "a: b", "text", "a: []\nb: []"])
    def test_a_file_that_is_no_list(self, tmp_path: Path, text: str) -> None:
        assert problems(tmp_path, text) == [(1, "recorded predictions are a list of records")]

    def test_an_unknown_key(self, tmp_path: Path) -> None:
        found = problem(tmp_path, comands=[])
        assert (found.message, found.hint) == ("unknown key 'comands'", "did you mean 'commands'?")

    @pytest.mark.parametrize("name", [None, 5, ["a"]])
    def test_a_record_without_a_case(self, tmp_path: Path, name: Any) -> None:
        assert problem(tmp_path, test_case=name).message == "the record has no test_case"

    @pytest.mark.parametrize("step", [None, 0, -1, "x", "²", "٣", 1.5, True, [1]])
    def test_a_record_without_a_step_or_line(self, tmp_path: Path, step: Any) -> None:
        message = "the record needs step (from 1, among the user steps) or line"
        assert problem(tmp_path, step=step).message == message

    @pytest.mark.parametrize("seconds", ["soon", -1, [1], "nan", "inf"])
    def test_a_latency_that_is_no_number_of_seconds(self, tmp_path: Path, seconds: Any) -> None:
        assert (
            problem(tmp_path, latency_seconds=seconds).message
            == "'latency_seconds' is not a number of seconds"
        )

    def test_a_file_that_is_no_path(self, tmp_path: Path) -> None:
        assert problem(tmp_path, file=5).message == "'file' is not a path"

    def test_no_answer_or_two(self, tmp_path: Path) -> None:
        none, two = problem(tmp_path, text=None), problem(tmp_path, commands=[])
        assert none.message == two.message == "the record needs one of text, commands, components"
        assert (none.hint, two.hint) == ("it has none", "it has text, commands")

    @pytest.mark.parametrize(
        ("key", "value"),
        [
            ("text", 5),
            ("text", ["a"]),
            ("commands", "A()"),
            ("commands", [5]),
            ("commands", [None]),
            ("commands", {"a": "b"}),
            ("commands", [{"flow": "a"}]),
            ("components", ["A()"]),
            ("components", "A()"),
            ("components", {"a": 5}),
            ("components", {"a": [5]}),
        ],
    )
    def test_an_answer_of_another_form(self, tmp_path: Path, key: str, value: Any) -> None:
        with pytest.raises(InputError) as caught:
            recorded(tmp_path, {**KEY, key: value})
        (found,) = caught.value.problems
        assert found.message == f"'{key}' has the wrong format"
        assert found.hint.startswith("a ")

    def test_a_command_that_yaml_splits_at_its_colon(self, tmp_path: Path) -> None:
        text = "- test_case: a\n  step: 1\n  components:\n    llm:\n    - A()\n    - SetSlot(a, b: c)\n"
        assert problems(tmp_path, text) == [(6, "'components' has the wrong format")]

    def test_lines_in_yaml_are_those_of_the_keys(self, tmp_path: Path) -> None:
        text = "- test_case: a\n  step: 1\n  text: x\n- test_case: a\n  stepp: 2\n  text: x\n  latency_seconds: soon\n"
        assert problems(tmp_path, text) == [
            (5, "unknown key 'stepp'"),
            (4, "the record needs step (from 1, among the user steps) or line"),
            (7, "'latency_seconds' is not a number of seconds"),
        ]

    @pytest.mark.parametrize(("form", "lines"), [("%s", {2, 5, 6}), ('{"a [b]":\n%s}', {3, 6, 7})])
    def test_lines_in_json_are_those_of_the_records(self, tmp_path: Path, form: str, lines: set[int]) -> None:
        text = form % '[\n{"a": [\n1, "}\\n"]},\n\n5, 6,\n{}\n]'
        assert {line for line, _ in problems(tmp_path, text, ".json")} == lines

    def test_lines_in_jsonl_are_counted_and_all_problems_told_at_once(self, tmp_path: Path) -> None:
        text = '{"test_case": "a", "step": 1, "text": ""}\n{broken\n\n5\n[\n'
        found = problems(tmp_path, text, ".jsonl")
        assert [line for line, _ in found] == [2, 4, 5]
        assert found[0][1].startswith("not valid JSON: ")

    def test_json_that_is_not_valid_is_told_with_its_line(self, tmp_path: Path) -> None:
        ((line, message),) = problems(tmp_path, '[\n{"a": 1},\n{,}\n]', ".json")
        assert line == 3
        assert message.startswith("not valid JSON: ")

    def test_json_that_is_nested_too_deep_is_told(self, tmp_path: Path) -> None:
        ((_, message),) = problems(tmp_path, "[" * 100_000, ".json")
        assert message.startswith("not valid JSON: ")

    def test_yaml_that_is_not_valid_is_told_with_its_line(self, tmp_path: Path) -> None:
        ((line, message),) = problems(tmp_path, "- a: b\n- c: @d\n")
        assert line == 2
        assert message.startswith("not valid YAML: ")
