import inspect
import re

import pytest

from du_eval import errors
from du_eval.errors import (
    ExitCode,
    GeneratorError,
    InputError,
    MissingExtraError,
    Problem,
    SuiteError,
    did_you_mean,
)

CLASSES = {
    name: member
    for name, member in vars(errors).items()
    if inspect.isclass(member) and issubclass(member, Exception)
}


def drawn_tree() -> dict[str, str]:
    """Return each class of the drawing with the class that it hangs from."""
    parents: dict[str, str] = {}
    above: list[tuple[int, str]] = []
    for line in inspect.getdoc(errors).split("\n"):
        found = re.match(r"([│├└─ ]*)(\w+Error)\b", line)
        if found:
            depth, name = len(found.group(1)), found.group(2)
            above = [(other, parent) for other, parent in above if other < depth]
            parents[name] = above[-1][1] if above else "Exception"
            above.append((depth, name))
    return parents


class TestTheTree:
    def test_the_drawing_shows_every_class_below_its_parent(self) -> None:
        assert drawn_tree() == {name: member.__base__.__name__ for name, member in CLASSES.items()}

    @pytest.mark.parametrize("name", CLASSES)
    def test_the_exit_codes_of_the_drawing_are_those_of_the_classes(self, name: str) -> None:
        line = next(line for line in errors.__doc__.split("\n") if re.search(rf"\b{name}\b", line))
        code = re.search(r"exit code (\d)", line)
        assert code is None or CLASSES[name].exit_code == int(code.group(1))

    def test_each_error_of_the_input_ends_with_the_code_for_input(self) -> None:
        codes = {name: member.exit_code for name, member in CLASSES.items() if issubclass(member, InputError)}
        assert {name for name, code in codes.items() if code is not ExitCode.INPUT} == {
            "NothingSelectedError"
        }

    def test_a_generator_without_an_answer_does_not_end_the_run_as_wrong_input(self) -> None:
        assert GeneratorError.exit_code is ExitCode.ERRORED


class TestProblems:
    @pytest.mark.parametrize(
        ("problem", "text"),
        [
            (Problem("a.yml", 3, "wrong", "do this"), "a.yml:3: wrong (do this)"),
            (Problem("a.yml", 3, "wrong"), "a.yml:3: wrong"),
            (Problem("a.yml", 0, "wrong"), "a.yml: wrong"),
            (Problem("", 0, "wrong"), "wrong"),
        ],
    )
    def test_a_problem_says_where_what_and_what_to_do(self, problem: Problem, text: str) -> None:
        assert str(problem) == text

    def test_problems_are_sorted_by_file_and_line(self) -> None:
        problems = [Problem("b", 1, "x"), Problem("a", 10, "x"), Problem("a", 9, "x")]
        assert [(problem.file, problem.line) for problem in sorted(problems)] == [
            ("a", 9),
            ("a", 10),
            ("b", 1),
        ]

    def test_an_error_may_be_given_a_text_a_problem_or_many(self) -> None:
        problem = Problem("a.yml", 3, "wrong")
        assert InputError("wrong").problems == (Problem("", 0, "wrong"),)
        assert InputError(problem).problems == (problem,)
        assert str(SuiteError(iter([problem, problem]))) == "a.yml:3: wrong\na.yml:3: wrong"

    def test_a_missing_package_is_told_with_the_command_that_installs_it(self) -> None:
        assert str(MissingExtraError("torch", "models")).endswith("pip install 'du-eval[models]'")


class TestNearWords:
    def test_the_closest_words_are_named_as_they_are_spelled(self) -> None:
        assert did_you_mean("cancelflw", ["StartFlow", "CancelFlow"]) == "did you mean 'CancelFlow'?"

    def test_several_close_words_are_named(self) -> None:
        assert did_you_mean("flow_c", ["flow_a", "flow_b"]) == "did you mean 'flow_b' or 'flow_a'?"

    def test_a_word_like_no_other_gives_no_hint(self) -> None:
        assert did_you_mean("xyz", ["StartFlow"]) == did_you_mean("xyz", []) == ""
