from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from du_eval.errors import NothingSelectedError, SuiteError
from du_eval.suites.load import load_suite
from du_eval.suites.model import TestCase, TestSuite
from du_eval.suites.select import Target, compile_expression, parse_target, select_cases

NAMES = {"a.yml": ["transfer", "cancel a transfer"], "deep/b.yml": ["transfer", "skip::later", "b::c"]}


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TestSuite:
    """Return a suite of two files, read from the working directory."""
    monkeypatch.chdir(tmp_path)
    Path("tests/deep").mkdir(parents=True)
    for file, names in NAMES.items():
        cases = "".join(f"- {{test_case: '{name}', steps: [{{bot: hi}}]}}\n" for name in names)
        Path("tests", file).write_text(f"test_cases:\n{cases}", encoding="utf-8")
    return load_suite(["tests"])


def ids(suite: TestSuite, *paths: str, expression: str = "", deselected: tuple[str, ...] = ()) -> list[str]:
    targets = [parse_target(path) for path in paths or ("tests",)]
    return [case.id for case in select_cases(suite, targets, expression, deselected)]


ALL = [f"tests/{file}::{name}" for file, names in NAMES.items() for name in names]


class TestPaths:
    def test_a_folder_means_all_of_it(self, suite: TestSuite) -> None:
        assert ids(suite) == ids(suite, "tests/") == ids(suite, ".") == ALL

    def test_a_file_means_its_cases(self, suite: TestSuite) -> None:
        assert ids(suite, "tests/a.yml") == ALL[:2]

    def test_a_case_is_chosen_by_its_name_in_a_path(self, suite: TestSuite) -> None:
        assert ids(suite, "tests/a.yml::transfer") == ALL[:1]
        assert ids(suite, "tests/a.yml::cancel a transfer") == ALL[1:2]

    def test_a_name_in_a_folder_means_each_case_of_that_name(self, suite: TestSuite) -> None:
        assert ids(suite, "tests::transfer") == [ALL[0], ALL[2]]

    def test_a_name_may_hold_colons(self, suite: TestSuite) -> None:
        assert ids(suite, "tests/deep/b.yml::skip::later") == ALL[3:4]
        assert ids(suite, "tests::b::c") == ALL[4:]

    def test_several_paths_add_up_in_the_order_of_the_suite(self, suite: TestSuite) -> None:
        assert ids(suite, "tests::b::c", "tests/a.yml::transfer", "tests/a.yml") == [*ALL[:2], ALL[4]]

    def test_warnings_are_kept(self, suite: TestSuite) -> None:
        warned = TestSuite(suite.cases, ("careful",))
        assert select_cases(warned, [Target("tests")]).warnings == ("careful",)

    def test_an_unknown_name_is_refused_with_near_ones(self, suite: TestSuite) -> None:
        with pytest.raises(
            SuiteError, match=r"no test case 'tranfer' in tests/a.yml \(did you mean 'transfer'"
        ):
            ids(suite, "tests/a.yml::tranfer")

    def test_a_name_of_another_file_is_refused(self, suite: TestSuite) -> None:
        with pytest.raises(
            SuiteError, match=r"no test case 'b::c' in tests/a.yml \(du-eval validate --list shows the cases"
        ):
            ids(suite, "tests/a.yml::b::c")

    @pytest.mark.parametrize(
        ("argument", "target"),
        [
            ("nowhere.yml", Target("nowhere.yml")),
            ("nowhere.yml::a::b", Target("nowhere.yml", "a::b")),
            ("nowhere.yml::", Target("nowhere.yml", "")),
        ],
    )
    def test_a_path_that_does_not_exist_ends_at_the_first_colons(self, argument: str, target: Target) -> None:
        assert parse_target(argument) == target

    def test_a_path_may_hold_colons(self, tmp_path: Path) -> None:
        (tmp_path / "a::b.yml").touch()
        assert parse_target(f"{tmp_path}/a::b.yml::case") == Target(f"{tmp_path}/a::b.yml", "case")


class TestExpressions:
    @pytest.mark.parametrize(
        ("expression", "chosen"),
        [
            ("cancel", [1]),
            ("CANCEL", [1]),
            ("transfer and not cancel", [0, 2]),
            ("cancel or skip", [1, 3]),
            ("not transfer", [3, 4]),
            ("not not transfer", [0, 1, 2]),
            ("deep and (transfer or skip)", [2, 3]),
            ("not (transfer or skip)", [4]),
            ("a.yml", [0, 1]),
            ("'cancel a'", [1]),
            ('"a transfer" or skip::later', [1, 3]),
            ("cancel or transfer and deep", [1, 2]),
            ("   ", [0, 1, 2, 3, 4]),
        ],
    )
    def test_words_are_looked_for_in_path_and_name(
        self, suite: TestSuite, expression: str, chosen: list[int]
    ) -> None:
        assert ids(suite, expression=expression) == [ALL[index] for index in chosen]

    def test_a_word_in_quotes_is_never_an_operator(self) -> None:
        assert compile_expression("'and'")("sand")
        assert not compile_expression("'not'")("sand")

    @pytest.mark.parametrize(
        "expression",
        [
            "and",
            "a and",
            "or b",
            "not",
            "(a",
            "a)",
            "()",
            "a b",
            "a (b)",
            "a and or b",
            "'open",
            "not " * 500 + "a",
            "(" * 500,
        ],
    )
    def test_what_cannot_be_read_is_refused_with_an_example(self, expression: str) -> None:
        with pytest.raises(SuiteError, match="-k cannot be read: "):
            compile_expression(expression)

    @given(
        st.text("ab ()'\"", max_size=15)
        | st.lists(st.sampled_from(["a", "and", "or", "not", "(", ")"])).map(" ".join)
    )
    @settings(deadline=None, max_examples=200)
    def test_any_text_is_read_or_refused(self, expression: str) -> None:
        try:
            test = compile_expression(expression)
        except SuiteError:
            return
        assert test("name") in {True, False}

    @given(st.text("abc", max_size=3), st.text("abc", max_size=6))
    @settings(deadline=None)
    def test_not_turns_every_answer_round(self, word: str, name: str) -> None:
        assert compile_expression(f"not '{word}'")(name) is not compile_expression(f"'{word}'")(name)


class TestDeselecting:
    @pytest.mark.parametrize(
        ("name", "gone"),
        [
            ("cancel a transfer", [1]),
            ("transfer", [0, 2]),
            ("b::c", [4]),
            ("tests/a.yml::transfer", [0]),
            ("a.yml::transfer", [0]),
            ("deep/b.yml::skip::later", [3]),
            ("tests/deep::transfer", [2]),
            ("tests/deep", [2, 3, 4]),
            ("tests/a.yml", [0, 1]),
            ("::transfer", [0, 2]),
        ],
    )
    def test_a_case_goes_by_name_path_or_both(self, suite: TestSuite, name: str, gone: list[int]) -> None:
        kept = [case for index, case in enumerate(ALL) if index not in gone]
        assert ids(suite, deselected=(name,)) == kept

    def test_several_names_add_up(self, suite: TestSuite) -> None:
        assert ids(suite, deselected=("transfer", "b::c")) == [ALL[1], ALL[3]]

    def test_a_name_that_matches_nothing_is_refused_with_near_ones(self, suite: TestSuite) -> None:
        with pytest.raises(
            SuiteError, match=r"--deselect 'tranfer' matches no test case \(did you mean 'transfer'"
        ):
            ids(suite, deselected=("tranfer",))

    def test_a_name_like_no_other_is_refused(self, suite: TestSuite) -> None:
        with pytest.raises(SuiteError, match=r"--deselect 'xyz' matches no test case$"):
            ids(suite, deselected=("xyz",))


class TestNothingLeft:
    def test_it_is_told_with_the_number_of_cases(self, suite: TestSuite) -> None:
        with pytest.raises(NothingSelectedError, match="no test case is left to run, of 5 found"):
            ids(suite, expression="nowhere")

    def test_an_empty_suite_leaves_nothing(self) -> None:
        with pytest.raises(NothingSelectedError, match="of 0 found"):
            select_cases(TestSuite(()), [Target(".")])


def test_a_path_is_no_beginning_of_a_word() -> None:
    case = TestCase("c", "tests2/a.yml", 1, ())
    with pytest.raises(NothingSelectedError):
        select_cases(TestSuite((case,)), [Target("tests")])
