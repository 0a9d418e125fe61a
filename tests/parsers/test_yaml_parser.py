import math

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from du_eval.errors import InputError, Problem
from du_eval.parsers import yaml_parser
from du_eval.parsers.yaml_parser import (
    YamlDocument,
    YamlLimits,
    YamlList,
    YamlMap,
    line_at,
    parse_yaml,
    read_scalar,
)

HINT = "check the indentation, and put texts that contain ': ' or start with one of {[*&!@`%|> in quotes"


@pytest.fixture(params=["CSafeLoader", "SafeLoader"], autouse=True)
def _both_parsers_behind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each test with the parser in C and, where there is no such, in Python."""
    if not hasattr(yaml, request.param):
        pytest.skip("this PyYAML is built without libyaml")
    monkeypatch.setattr(yaml_parser, "_PARSER", getattr(yaml, request.param))


def root(text: str, **options: object) -> object:
    return parse_yaml(text, "f.yml", **options).root


def problems(text: str, **options: object) -> tuple[Problem, ...]:
    with pytest.raises(InputError) as caught:
        parse_yaml(text, "f.yml", **options)
    return caught.value.problems


def found(text: str, **options: object) -> list[tuple[int, str]]:
    return [(problem.line, problem.message) for problem in problems(text, **options)]


def lines_of_problems(text: str, **options: object) -> list[int]:
    """Return the lines of all problems of a text that may have none; let any other error through."""
    try:
        parse_yaml(text, "f.yml", **options)
    except InputError as error:
        return [problem.line for problem in error.problems]
    return []


class TestScalars:
    @pytest.mark.parametrize(
        "written",
        [
            "yes",
            "no",
            "on",
            "off",
            "y",
            "True",
            "null",
            "~",
            "012",
            "1.10",
            "1_000",
            "12:30:45",
            "2024-01-01",
            "=",
            "<<",
            "0x1F",
        ],
    )
    def test_an_unquoted_text_stays_exactly_as_written(self, written: str) -> None:
        assert root(f"user: {written}") == {"user": written}

    @pytest.mark.parametrize("text", ["user:", "user: ", "user: # nothing"])
    def test_an_empty_value_is_none(self, text: str) -> None:
        assert root(text) == {"user": None}

    def test_an_empty_text_in_quotes_is_a_text(self) -> None:
        assert root("user: ''") == {"user": ""}

    def test_blocks_and_folds_are_texts(self) -> None:
        assert root("a: |\n  one\n  two\nb: >\n  one\n  two\n") == {"a": "one\ntwo\n", "b": "one two\n"}

    @pytest.mark.parametrize(
        ("written", "value"),
        [
            ("yes", "yes"),
            ("012", 12),
            ("-7", -7),
            ("+7", 7),
            ("0o17", 15),
            ("0x1F", 31),
            ("1.10", 1.1),
            (".5", 0.5),
            ("1.", 1.0),
            ("1e3", 1000.0),
            ("12:30:45", "12:30:45"),
            ("1_000", "1_000"),
            ("0b1", "0b1"),
            ("=", "="),
            ("true", True),
            ("FALSE", False),
            ("tRUE", "tRUE"),
            ("null", None),
            ("~", None),
            ("", None),
            ("+.Inf", math.inf),
            ("-.inf", -math.inf),
            ("2024-01-01", "2024-01-01"),
            ("٣", "٣"),
            ("9" * 5000, "9" * 5000),
        ],
    )
    def test_a_typed_scalar_follows_the_core_schema_of_yaml_1_2(self, written: str, value: object) -> None:
        assert read_scalar(written) == value
        assert type(read_scalar(written)) is type(value)
        assert root(f"a: {written}", typed=True) == {"a": value}

    def test_not_a_number_is_one(self) -> None:
        assert math.isnan(read_scalar(".nan"))

    def test_a_quoted_scalar_is_never_typed(self) -> None:
        assert root("a: ['1', \"true\", '']", typed=True) == {"a": ["1", "true", ""]}

    def test_only_values_below_the_named_keys_are_typed(self) -> None:
        text = "a: [1, true]\nb:\n  - c: 1\n    a: 2\nd: 1\n"
        assert root(text, typed=("b",)) == {"a": ["1", "true"], "b": [{"c": 1, "a": 2}], "d": "1"}

    def test_a_named_key_below_the_top_does_not_count(self) -> None:
        assert root("a:\n  b: 1\n", typed=("b",)) == {"a": {"b": "1"}}

    def test_keys_are_never_typed(self) -> None:
        assert root("1: a\ntrue: b\n~: c\n", typed=True) == {"1": "a", "true": "b", "~": "c"}

    @pytest.mark.parametrize("mark", ["\x85", "\u2028", "\u2029"])
    @pytest.mark.parametrize("form", ["%s", '"%s"', "'%s'"])
    def test_a_line_separator_of_unicode_is_part_of_a_text(self, mark: str, form: str) -> None:
        text = f"a: {form % f'x{mark}y'}\nb: \ue000\n"
        document = parse_yaml(text, "f.yml")
        assert document.root == {"a": f"x{mark}y", "b": "\ue000"}
        assert document.root.lines == {"a": 1, "b": 2}

    @given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40))
    @settings(deadline=None, max_examples=200)
    def test_a_text_in_quotes_is_read_back(self, text: str) -> None:
        quoted = text.replace("'", "''")
        assert root(f"a: '{quoted}'\nb: c") == {"a": text, "b": "c"}


class TestDocuments:
    @pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "\n\n"])
    def test_an_empty_file_is_none(self, text: str) -> None:
        assert parse_yaml(text, "f.yml") == YamlDocument(None)

    def test_a_file_may_be_one_text(self) -> None:
        assert root("hello") == "hello"

    def test_a_byte_order_mark_is_passed_over(self) -> None:
        assert root("\ufeffa: b") == {"a": "b"}

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_lines_may_end_in_any_way(self, end: str) -> None:
        document = root(end.join(["a: b", "", "c:", "- d", ""]))
        assert document == {"a": "b", "c": ["d"]}
        assert document.lines == {"a": 1, "c": 3}

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_problems_and_warnings_count_lines_of_any_end(self, end: str) -> None:
        assert found(end.join(["a: b", "c: d", "e: @f", ""]))[0][0] == 3
        assert found(end.join(["a: b", "c: d", "e: \x07", ""]))[0][0] == 3
        assert [warning.line for warning in parse_yaml(f"a: b{end}c: d #5{end}", "f.yml").warnings] == [2]

    def test_a_second_document_is_refused_where_it_starts(self) -> None:
        assert found("a: b\n---\nc: d\n") == [(2, "a second YAML document starts here")]

    def test_a_start_and_an_end_of_the_only_document_are_fine(self) -> None:
        assert root("---\na: b\n...\n") == {"a": "b"}


class TestLines:
    TEXT = "\na: b\nlist:\n  - x\n\n  - k: v\n    m:\n      n: o\nflow: {p: q,\n  r: [s,\n    t]}\n"

    def test_each_key_and_item_knows_its_line(self) -> None:
        document = root(self.TEXT)
        assert isinstance(document, YamlMap)
        assert (document.line, document.lines) == (2, {"a": 2, "list": 3, "flow": 9})
        items = document["list"]
        assert isinstance(items, YamlList)
        assert (items.line, items.lines, items[1].line) == (4, [4, 6], 6)
        assert document["flow"]["r"].lines == [10, 11]

    @pytest.mark.parametrize(
        ("path", "line"),
        [
            ((), 2),
            (("a",), 2),
            (("list", 0), 4),
            (("list", 1, "k"), 6),
            (("list", 1, "m", "n"), 8),
            (("list", 1, "missing"), 6),
            (("list", 7), 3),
            (("missing",), 2),
            (("a", "deeper"), 2),
            (("flow", "r", 1), 11),
        ],
    )
    def test_a_path_leads_to_a_line_or_the_closest_above(
        self, path: tuple[str | int, ...], line: int
    ) -> None:
        assert line_at(root(self.TEXT), path) == line

    def test_a_path_into_nothing_leads_to_the_first_line(self) -> None:
        assert line_at(None, ("a", 1)) == 1


class TestWhatIsRefused:
    def test_a_repeated_key(self) -> None:
        assert found("a: 1\nb:\n  c: 1\n  c: 2\na: 3\n") == [
            (4, "the key 'c' is given twice (first in line 3)"),
            (5, "the key 'a' is given twice (first in line 1)"),
        ]

    def test_a_repeated_key_without_values(self) -> None:
        assert found("a:\na:\n") == [(2, "the key 'a' is given twice (first in line 1)")]

    def test_the_same_key_in_two_places_is_fine(self) -> None:
        assert root("a: {k: 1}\nb: {k: 2}\n") == {"a": {"k": "1"}, "b": {"k": "2"}}

    def test_an_alias_without_its_anchor(self) -> None:
        assert found("a: *x\n") == [(1, "the alias '*x' refers to nothing: there is no '&x' before it")]

    def test_an_alias_inside_of_what_it_stands_for(self) -> None:
        assert found("a: &x\n  - *x\n") == [(2, "the alias '*x' refers to something that contains it")]

    def test_a_key_that_stands_for_a_list(self) -> None:
        assert found("a: &x [b]\n*x : c\n") == [(2, "a key must be a plain string")]

    def test_a_bomb_of_aliases_costs_nothing(self) -> None:
        levels = "\n".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 40))
        ((line, message),) = found(f"l0: &l0 [lol]\n{levels}\n")
        assert message == "the aliases of this file expand to more than 1,000,000 values"
        assert line < 10

    def test_aliases_in_aliases_in_aliases(self) -> None:
        levels = "\n".join(f"l{n}: &l{n} [*l{n - 1}]" for n in range(1, 40))
        assert "16 deep" in found(f"l0: &l0 [lol]\n{levels}\n")[0][1]

    @pytest.mark.parametrize("tag", ["!!python/object/apply:os.system", "!!str", "!mine", "!<x>"])
    def test_a_tag(self, tag: str) -> None:
        ((line, message),) = found(f"a: b\nc: {tag} [x]\n")
        assert line == 2
        assert message.startswith("the tag '")

    def test_a_tag_on_a_text(self) -> None:
        assert found("a: !!int 5\n") == [(1, "the tag 'tag:yaml.org,2002:int' is not allowed")]

    @pytest.mark.parametrize("text", ["? [a, b]\n: c\n", "{a: b}: c\n", "[a]: c\n"])
    def test_a_key_that_is_no_text(self, text: str) -> None:
        assert found(text)[0] == (1, "a key must be a plain string")

    def test_all_problems_of_a_file_come_at_once(self) -> None:
        assert [line for line, _ in found("a: *y\nc: !t d\nc: e\nf: *x\n")] == [1, 2, 3, 4]

    @pytest.mark.parametrize("bracket", ["[", "{a: ", "- "])
    def test_nesting_deeper_than_the_limit(self, bracket: str) -> None:
        assert found("x:\n " + bracket * 70)[0] == (2, "nested deeper than 64 levels")

    def test_nesting_down_to_the_limit_is_fine(self) -> None:
        assert root("[" * 64 + "]" * 64)
        assert root("[[a]]", limits=YamlLimits(depth=2)) == [["a"]]
        assert found("[[[a]]]", limits=YamlLimits(depth=2)) == [(1, "nested deeper than 2 levels")]

    def test_more_characters_than_the_limit(self) -> None:
        assert root("a: bcd", limits=YamlLimits(characters=6)) == {"a": "bcd"}
        assert found("a: bcde", limits=YamlLimits(characters=6)) == [
            (1, "the file is longer than 6 characters")
        ]

    def test_more_events_than_the_limit(self) -> None:
        assert found("[a,\nb,\nc]", limits=YamlLimits(events=5)) == [
            (3, "the file holds more than 5 YAML events")
        ]


class TestWhatIsNoYaml:
    @pytest.mark.parametrize(
        ("text", "line", "shown"),
        [
            ("a: b\nc: d: e\n", 2, "c: d: e"),
            ("a: b\nc: @d\n", 2, "c: @d"),
            ("a: b\nc: `d`\n", 2, "c: `d`"),
            ("a: b\n\n c: d\n", 3, "c: d"),
            ("a:\n\t- b\n", 2, "- b"),
            ("a: 'b' c\n", 1, "a: 'b' c"),
        ],
    )
    def test_it_is_told_with_line_text_and_hint(self, text: str, line: int, shown: str) -> None:
        (problem,) = problems(text)
        assert (problem.file, problem.line, problem.hint) == ("f.yml", line, HINT)
        assert problem.message.startswith("not valid YAML: ")
        assert problem.message.endswith(f" in {shown!r}")

    @pytest.mark.parametrize("open_", ['"b', "'b", "[b, c", "{b: c", "[", "[b,"])
    def test_what_is_never_closed_is_told_where_it_opens(self, open_: str) -> None:
        text = f"z: y\na: {open_}\n\n"
        assert found(text) == [(2, f"not valid YAML: a quote or bracket is not closed in {f'a: {open_}'!r}")]

    @pytest.mark.parametrize("character", ["\x00", "\x07", "\x1b", "\x7f", "\ud800", "\ufffe"])
    def test_a_character_that_yaml_refuses_is_named_with_its_line(self, character: str) -> None:
        name = f"U+{ord(character):04X}"
        assert found(f"a: é\nb: c\nd: e{character}f\n") == [
            (3, f"the character {name} is not allowed in YAML")
        ]

    @given(st.text(max_size=60))
    @settings(deadline=None, max_examples=300)
    def test_no_text_raises_anything_else(self, text: str) -> None:
        assert all(line >= 1 for line in lines_of_problems(text, typed=True))

    @given(
        st.lists(
            st.sampled_from(
                [
                    "a",
                    ": ",
                    "- ",
                    "\n",
                    "  ",
                    "[",
                    "]",
                    "{",
                    "}",
                    ",",
                    "'",
                    '"',
                    "#",
                    "&a ",
                    "*a",
                    "!t ",
                    "|",
                    ">",
                    "? ",
                    "---\n",
                    "\t",
                ]
            ),
            max_size=25,
        )
    )
    @settings(deadline=None, max_examples=300)
    def test_no_pile_of_yaml_marks_raises_anything_else(self, pieces: list[str]) -> None:
        text = "".join(pieces)
        end = text.count("\n") + 2  # what YAML adds at the end stands in a line of its own
        assert all(1 <= line <= end for line in lines_of_problems(text))


class TestTextsThatYamlCuts:
    def warnings(self, text: str) -> list[tuple[int, str]]:
        return [(warning.line, warning.message) for warning in parse_yaml(text, "f.yml").warnings]

    def test_a_hash_without_a_blank_behind_it_is_hardly_a_comment(self) -> None:
        assert self.warnings("a: b\nuser: pay #5 now\n") == [
            (2, "the text ends before '#5 now': YAML reads it as a comment")
        ]

    @pytest.mark.parametrize(
        "text", ["- pay #5", "a: pay  #5", "a: #5", "\ufeffa: pay #5", "a: pay #5\r\n", "[pay #5\n]"]
    )
    def test_it_is_noticed_wherever_a_text_stands(self, text: str) -> None:
        assert self.warnings(text) == [(1, "the text ends before '#5': YAML reads it as a comment")]

    def test_a_text_of_several_lines_is_told_where_it_starts(self) -> None:
        assert [line for line, _ in self.warnings("a: one\n  two\n  three #4\nb: c")] == [1]

    @pytest.mark.parametrize(
        "text",
        [
            "a: b # comment",
            "a: b #",
            "a: b ## comment",
            "# comment\na: b",
            "#comment\na: b",
            "a: b\n  #comment\nc: d",
            "a: 'pay #5'",
            'a: "pay #5"',
            "a: pay#5",
            "a: |\n  pay #5\n",
            "a: 'b' #comment",
            "a: # comment",
            "a:\n  - b\n  # comment\n",
        ],
    )
    def test_comments_and_quoted_texts_are_left_alone(self, text: str) -> None:
        assert self.warnings(text) == []

    def test_the_warning_says_what_to_do(self) -> None:
        (warning,) = parse_yaml("a: pay #5", "f.yml").warnings
        assert str(warning) == (
            "f.yml:1: the text ends before '#5': YAML reads it as a comment "
            "(quote the whole text, or put a space after the #)"
        )


def test_a_colon_in_a_command_makes_it_a_mapping() -> None:
    assert root("- SetSlot(time, at: noon)") == [{"SetSlot(time, at": "noon)"}]


class TestAnchors:
    def test_an_alias_stands_for_what_its_anchor_names(self) -> None:
        text = "a: &x b\nc: *x\nd: &y [e, *x]\nf:\n  - *y\n  - {k: *y}\n"
        assert root(text) == {"a": "b", "c": "b", "d": ["e", "b"], "f": [["e", "b"], {"k": ["e", "b"]}]}

    def test_a_name_may_be_given_again(self) -> None:
        assert root("a: &x 1\nb: *x\nc: &x 2\nd: *x\n") == {"a": "1", "b": "1", "c": "2", "d": "2"}

    def test_a_key_may_be_an_alias(self) -> None:
        assert root("a: &x b\n*x : c\n") == {"a": "b", "b": "c"}

    def test_mappings_are_merged_and_own_keys_win(self) -> None:
        text = "a: &x {b: 1, c: 2}\nd:\n  c: 3\n  <<: *x\n"
        assert root(text) == {"a": {"b": "1", "c": "2"}, "d": {"c": "3", "b": "1"}}

    def test_lines_are_those_of_the_anchor(self) -> None:
        document = parse_yaml("a: &x\n  - one\n  - two\nb: *x\n", "f.yml")
        assert document.root["b"].lines == [2, 3]
        assert document.root.lines == {"a": 1, "b": 4}


class TestCallsInBrackets:
    @pytest.mark.parametrize(
        ("text", "items"),
        [
            ("[Clarify(a, b)]", ["Clarify(a, b)"]),
            ("[Clarify(a,b), CancelFlow()]", ["Clarify(a,b)", "CancelFlow()"]),
            (
                "[StartFlow(x), SetSlot(a, b, c), SetSlot(d, )]",
                ["StartFlow(x)", "SetSlot(a, b, c)", "SetSlot(d, )"],
            ),
            ("[SetSlot(é, (ü, 1)), x]", ["SetSlot(é, (ü, 1))", "x"]),
            ("[Clarify(a,\n  b)]", ["Clarify(a,   b)"]),
            ("[Clarify(a, StartFlow(b)]", ["Clarify(a", "StartFlow(b)"]),
            ("[(a, b)]", ["(a", "b)"]),
            ("['Clarify(a', 'b)']", ["Clarify(a", "b)"]),
        ],
    )
    def test_a_call_is_one_item_where_that_is_asked_for(self, text: str, items: list[str]) -> None:
        assert root(f"a: {text}\n", keeps_calls=True) == {"a": items}

    def test_elsewhere_yaml_decides(self) -> None:
        assert root("a: [f(b, c)]\n") == {"a": ["f(b", "c)"]}

    def test_lines_belong_to_items(self) -> None:
        document = parse_yaml("a: [f(b,\n  c),\n  d]\n", "f.yml", keeps_calls=True)
        assert document.root["a"].lines == [1, 3]

    def test_quotes_in_a_call_are_explained(self) -> None:
        (problem,) = problems('commands: [SetSlot(a, "b")]\n')
        assert "put each command in quotes" in problem.hint
