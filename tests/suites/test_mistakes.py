"""Every mistake in a test file is told with the right line, in words that help."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from du_eval.errors import Problem, SuiteError
from du_eval.evaluation.expectations import ExpectationReader, list_expectation_problems
from du_eval.parsers.command_parser import CommandParser
from du_eval.suites.load import load_suite, read_suite
from du_eval.suites.model import BotStep, StubbedAction
from tests.suites.writing import problems_of, steps, write

KNOWN_STEP_KEYS = "known keys: user, commands, any_of, metadata"


def told(problem: Problem) -> tuple[int, str, str]:
    return problem.line, problem.message, problem.hint


class TestShapes:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("", (1, "a test file is a mapping with the key test_cases", "")),
            ("- a", (1, "a test file is a mapping with the key test_cases", "")),
            ("fixtures: []", (1, "the key 'test_cases' is missing", "")),
            (
                "test_cases:",
                (1, "'test_cases' is empty", "write a value, [] for an empty list, or remove the key"),
            ),
            ("test_cases: []", (1, "'test_cases' is empty", "write at least one entry")),
            ("test_cases: 5", (1, "'test_cases': must be a list, not '5'", "")),
            ("\ntest_case: []", (2, "unknown key 'test_case'", "did you mean 'test_cases'?")),
            (
                "test_cases:\n- a",
                (2, "'test_cases': must be a mapping, not 'a'", ""),
            ),
            ("test_cases:\n- steps: [{bot: x}]", (2, "the key 'test_case' is missing", "")),
            ("test_cases:\n- test_case: a", (2, "the key 'steps' is missing", "")),
            ("test_cases:\n- test_case: a\n  steps: []", (3, "'steps' is empty", "write at least one entry")),
            (
                "test_cases:\n- test_case:\n  steps: [{bot: x}]",
                (2, "'test_case' is empty", "write a value, [] for an empty list, or remove the key"),
            ),
            (
                "test_cases:\n- test_case: a\n  step: [{bot: x}]",
                (3, "unknown key 'step'", "did you mean 'steps'?"),
            ),
            (
                "test_cases:\n- test_case: a\n  steps: [{bot: x}]\n  colour: red",
                (
                    4,
                    "unknown key 'colour'",
                    "known keys: test_case, steps, fixtures, metadata, success_ratio",
                ),
            ),
        ],
    )
    def test_of_the_file_and_its_cases(
        self, tmp_path: Path, text: str, expected: tuple[int, str, str]
    ) -> None:
        assert [told(problem) for problem in problems_of(tmp_path, text)] == [expected]

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("- hello", (4, "a step must be a mapping with one of user, utter, bot, not 'hello'", "")),
            ("- [a]", (4, "a step must be a mapping with one of user, utter, bot, not a list", "")),
            ("- {}", (4, "a step needs one of the keys user, utter, bot", "")),
            (
                "- bot: x\n- usr: hi",
                (5, "a step needs one of the keys user, utter, bot", "did you mean 'user'?"),
            ),
            (
                "- commands: []",
                (
                    4,
                    "these commands belong to no user message",
                    "put them below the key user of the same step",
                ),
            ),
            (
                "- user: a",
                (
                    4,
                    "the user step has no expected commands",
                    "write commands: [] where no command is expected",
                ),
            ),
            ("- user: a\n  commands:", (5, "'commands' is empty", "write [] where no command is expected")),
            (
                "- user: a\n  any_of:",
                (5, "'any_of' is empty", "write a value, [] for an empty list, or remove the key"),
            ),
            ("- user: a\n  any_of: []", (5, "'any_of' is empty", "write at least one entry")),
            ("- user: a\n  comands: []", (5, "unknown key 'comands'", "did you mean 'commands'?")),
            ("- user: a\n  commands: []\n  color: red", (6, "unknown key 'color'", KNOWN_STEP_KEYS)),
            ("- user: a\n  commands: []\n  bot: b", (6, "unknown key 'bot'", KNOWN_STEP_KEYS)),
            (
                "- utter: a\n  text: b",
                (5, "unknown key 'text'", "known keys: utter, bot"),
            ),
            (
                "- user: a\n  commands: []\n  any_of: [[]]",
                (6, "a step has either commands or any_of", "remove one of them"),
            ),
            (
                "- user: a\n  commands: StartFlow(b)",
                (5, "'commands': must be a list, not 'StartFlow(b)'", ""),
            ),
            (
                "- user: a\n  commands:\n  - ChitChat()\n  -",
                (7, "the command is empty", "write a value, [] for an empty list, or remove the key"),
            ),
            (
                "- user: a\n  commands:\n  - ''",
                (6, "the command: must be a string that is not empty, not ''", ""),
            ),
            (
                "- user: a\n  commands:\n  - ChitChat()\n  - SetSlot(a, b: c)",
                (
                    7,
                    "the command is a mapping, not a string: YAML splits it at the colon",
                    'quote it: "SetSlot(a, b: c)"',
                ),
            ),
            (
                "- user: note: this\n  commands: []",
                (
                    4,
                    "not valid YAML: mapping values are not allowed in this context in '- user: note: this'",
                    "HINT",
                ),
            ),
            (
                "- user: {note: this}\n  commands: []",
                (
                    4,
                    "'user' is a mapping, not a string: YAML splits it at the colon",
                    'quote it: "note: this"',
                ),
            ),
            ("- user: [a]\n  commands: []", (4, "'user': must be a string, not a list", "")),
            (
                f"- user: a\n  commands: {'x' * 99}",
                (5, f"'commands': must be a list, not '{'x' * 56}...", ""),
            ),
            (
                "- user: a\n  commands: {a: b}",
                (5, "'commands': must be a list, not a mapping", ""),
            ),
            ("- bot:", (4, "'bot' is empty", "write a value, [] for an empty list, or remove the key")),
            ("- utter: ''", (4, "'utter': must be a string that is not empty, not ''", "")),
        ],
    )
    def test_of_steps(self, tmp_path: Path, text: str, expected: tuple[int, str, str]) -> None:
        (problem,) = problems_of(tmp_path, steps(text))
        line, message, hint = told(problem)
        assert (line, message) == expected[:2]
        assert hint == expected[2] or expected[2] == "HINT"

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("fixtures: 5", (1, "'fixtures': must be a list, not 5")),
            ("fixtures:\n- f", (2, "'fixtures': must be a mapping, not 'f'")),
            ("fixtures:\n- f: 5", (2, "'f': must be a list, not 5")),
            ("fixtures:\n- f:\n  - 5", (3, "'f': must be a mapping, not 5")),
            (
                "fixtures:\n- 1f:\n  - a: 5",
                (2, "'1f': must be a string like ^[A-Za-z_][A-Za-z0-9_-]*$, not '1f'"),
            ),
            ("metadata:\n- m: 5", (2, "'m': must be a mapping, not 5")),
            (
                "stub_custom_actions: []",
                (1, "'stub_custom_actions': must be a mapping, not a list"),
            ),
            ("stub_custom_actions:\n  a: 5", (2, "'a': must be a mapping, not 5")),
            ("stub_custom_actions:\n  a:\n    event: []", (3, "unknown key 'event'")),
            (
                "stub_custom_actions:\n  a:\n    events: 5",
                (3, "'events': must be a list, not 5"),
            ),
            ("stub_custom_actions:\n  a:\n    events:\n    - name: x", (4, "the key 'event' is missing")),
            (
                "stub_custom_actions:\n  a:\n    responses:\n    - hi",
                (4, "'responses': must be a mapping, not 'hi'"),
            ),
        ],
    )
    def test_of_everything_else(self, tmp_path: Path, text: str, expected: tuple[int, str]) -> None:
        problems = problems_of(tmp_path, f"{text}\ntest_cases: [{{test_case: a, steps: [{{bot: x}}]}}]\n")
        assert [told(problem)[:2] for problem in problems] == [expected]

    def test_an_unknown_event_is_told_with_all_known_ones(self, tmp_path: Path) -> None:
        text = "stub_custom_actions:\n  a:\n    events:\n    - event: slott\ntest_cases: [{test_case: a, steps: [{bot: x}]}]\n"
        (problem,) = problems_of(tmp_path, text)
        assert problem.line == 4
        assert "'slot'" in problem.message
        assert "not 'slott'" in problem.message


class TestNames:
    def test_a_fixture_that_is_defined_nowhere(self, tmp_path: Path) -> None:
        text = "fixtures: [{premium: []}]\ntest_cases:\n- test_case: a\n  fixtures:\n  - premum\n  - x\n  steps: [{bot: x}]"
        assert [told(problem) for problem in problems_of(tmp_path, text)] == [
            (5, "fixture 'premum' is not defined anywhere", "did you mean 'premium'?"),
            (6, "fixture 'x' is not defined anywhere", ""),
        ]

    def test_metadata_that_is_defined_nowhere(self, tmp_path: Path) -> None:
        text = (
            "metadata: [{web: {a: 1}}]\ntest_cases:\n- test_case: a\n  metadata: wib\n"
            "  steps:\n  - user: x\n    commands: []\n    metadata: wob"
        )
        assert [told(problem) for problem in problems_of(tmp_path, text)] == [
            (4, "metadata 'wib' is not defined anywhere", "did you mean 'web'?"),
            (8, "metadata 'wob' is not defined anywhere", "did you mean 'web'?"),
        ]


FILES = {
    "first": (
        "test_cases:\n"
        "- test_case: a\n"
        "  fixtures: [nowhere]\n"
        "  steps:\n"
        "  - user: hi\n"
        "    commands:\n"
        "    - StartFlow(a b)\n"
        "    - Cancel()\n"
        "  - usr: hi\n"
    ),
    "second": (
        "test_cases:\n"
        "- test_case: b\n"
        "  steps:\n"
        "  - user: no commands\n"
        "  - user: mapping\n"
        "    commands:\n"
        "    - SetSlot(a, b: c)\n"
        "  - user: two\n"
        "    commands: [ChitChat() CancelFlow()]\n"
        "  - user: more\n"
        "    commands: [please ChitChat()]\n"
        "colour: red\n"
    ),
    "third": "test_cases:\n- test_case: c\n  test_case: d\n  steps: &all\n  - bot: *all\n    utter: *none\n",
}
EXPECTED = [
    ("first.yml", 3, "fixture 'nowhere' is not defined anywhere"),
    (
        "first.yml",
        7,
        "'StartFlow(a b)' is not a valid StartFlow: check its arguments and brackets",
    ),
    (
        "first.yml",
        8,
        "'Cancel()' is not a command in the syntax 'calls'; did you mean 'CancelFlow'?",
    ),
    ("first.yml", 9, "a step needs one of the keys user, utter, bot"),
    ("second.yml", 4, "the user step has no expected commands"),
    ("second.yml", 7, "the command is a mapping, not a string: YAML splits it at the colon"),
    ("second.yml", 9, "'ChitChat() CancelFlow()' contains 2 commands; give each its own entry"),
    ("second.yml", 11, "'please ChitChat()' is more than a command; write only the command"),
    ("second.yml", 12, "unknown key 'colour'"),
    ("third.yml", 3, "the key 'test_case' is given twice (first in line 2)"),
    ("third.yml", 5, "the alias '*all' refers to something that contains it"),
    ("third.yml", 6, "the alias '*none' refers to nothing: there is no '&none' before it"),
]


class TestAllAtOnce:
    def test_twelve_mistakes_in_three_files_give_twelve_messages(self, tmp_path: Path) -> None:
        suite, problems = read_suite([write(tmp_path, **FILES)])
        problems += list_expectation_problems(
            suite, ExpectationReader(CommandParser.default()), lambda _: None
        )
        found = [(Path(problem.file).name, problem.line, problem.message) for problem in sorted(problems)]
        assert found == EXPECTED

    def test_loading_raises_with_all_of_them_sorted(self, tmp_path: Path) -> None:
        with pytest.raises(SuiteError) as caught:
            load_suite([write(tmp_path, **FILES)])
        lines = [(Path(problem.file).name, problem.line) for problem in caught.value.problems]
        assert lines == [
            ("first.yml", 3), ("first.yml", 9), ("second.yml", 4), ("second.yml", 7), ("second.yml", 12),
            ("third.yml", 3), ("third.yml", 5), ("third.yml", 6),
        ]  # fmt: skip

    def test_what_is_right_beside_a_mistake_is_kept_and_checked(self, tmp_path: Path) -> None:
        text = (
            "colour: red\n"
            "fixtures: [{f: [{a: 1}]}, 5]\n"
            "metadata: [{m: {b: 2}}, {n: 5}]\n"
            "stub_custom_actions: {act: {events: [{event: slot}, 5], responses: 5}, other: 5}\n"
            "test_cases:\n"
            "- test_case: c\n"
            "  fixtures: [f, 5, '']\n"
            "  metadata: m\n"
            "  steps:\n"
            "  - utter: utter_x\n"
            "  - bot: hello\n"
            "  - {user: u, any_of: [[Nope()], [ChitChat()], 5]}\n"
            "  - {user: [v]}\n"
        )
        suite, problems = read_suite([write(tmp_path, suite=text)])
        (case,) = suite
        assert {problem.line for problem in problems} == {1, 2, 3, 4, 7, 12, 13}
        assert [fixture.slots for fixture in case.fixtures] == [{"a": 1}]
        assert case.metadata == {"b": 2}
        assert case.stubs == {"act": StubbedAction("act", ({"event": "slot"},))}
        assert case.steps[:2] == (BotStep(10, response="utter_x"), BotStep(11, text="hello"))
        assert [[text for text, _ in group] for group in case.user_steps[0].alternatives] == [
            ["Nope()"],
            ["ChitChat()"],
        ]
        found = list_expectation_problems(suite, ExpectationReader(CommandParser.default()), lambda _: None)
        assert [problem.line for problem in found] == [12]

    def test_what_is_right_in_a_file_with_mistakes_is_still_there(self, tmp_path: Path) -> None:
        suite, _ = read_suite([write(tmp_path, **FILES)])
        assert [(case.name, len(case.steps)) for case in suite] == [("a", 1), ("b", 4)]


_keys = st.sampled_from(
    ("test_cases", "test_case", "steps", "user", "utter", "bot", "commands", "any_of", "metadata", "fixtures",
     "stub_custom_actions", "events", "responses", "event", "x", "a::b", "comands")
)  # fmt: skip
_leaves = st.one_of(st.none(), st.sampled_from(["hi", "StartFlow(a)", "f", "", "m"]), st.integers(0, 3))
_trees = st.recursive(
    _leaves,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_keys, inner, max_size=3)),
    max_leaves=6,
)


def _or_anything(sound: object) -> st.SearchStrategy[object]:
    return st.one_of(st.just(sound), st.just(sound), _trees)


_steps = st.fixed_dictionaries(
    {},
    optional={
        "user": _or_anything("hi"),
        "commands": _or_anything(["A()"]),
        "any_of": _or_anything([["A()"], []]),
        "metadata": _or_anything("m"),
        "utter": _or_anything("utter_x"),
        "bot": _or_anything("hi"),
    },
)
_cases = st.fixed_dictionaries(
    {"test_case": _or_anything("c"), "steps": st.one_of(st.lists(_steps, max_size=3), _trees)},
    optional={"fixtures": _or_anything(["f"]), "metadata": _or_anything("m"), "x": _trees},
)
_stubs = st.dictionaries(
    st.sampled_from(["a", "c::a", "suite.yml::a"]),
    st.one_of(_trees, st.fixed_dictionaries({}, optional={"events": _trees, "responses": _trees})),
    max_size=2,
)
_files = st.one_of(
    _trees,
    st.fixed_dictionaries(
        {"test_cases": st.lists(_cases, max_size=3)},
        optional={
            "fixtures": _or_anything([{"f": [{"a": 1}]}]),
            "metadata": _or_anything([{"m": {"a": 1}}]),
            "stub_custom_actions": st.one_of(_stubs, _trees),
        },
    ),
)


@given(_files)
@settings(deadline=None, max_examples=200)
def test_no_file_of_whatever_shape_raises(tmp_path_factory: pytest.TempPathFactory, content: object) -> None:
    file = tmp_path_factory.getbasetemp() / "any_shape.yml"
    text = json.dumps(content, indent=1)
    file.write_text(text, encoding="utf-8")
    suite, problems = read_suite([file])
    assert len(suite) or problems
    assert all(1 <= problem.line <= text.count("\n") + 1 for problem in problems)
