import json
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from du_eval.commands import (
    CancelFlow,
    ChitChat,
    Clarify,
    Command,
    HumanHandoff,
    SearchAndReply,
    SetSlot,
    Spelling,
    StartFlow,
    Syntax,
    default_commands,
)
from du_eval.compat.rasa_parser import RasaCommandParser
from du_eval.errors import CommandReadError, PatternTimeoutError
from du_eval.parsers.command_parser import CommandParser, ParsedCommands
from tests.commands.vocabulary import ALL_COMMANDS, SYNTAXES
from tests.growth import assert_grows_evenly

CALLS = CommandParser.default()
PHRASES = CommandParser(default_commands(), Syntax.PHRASES)
PARSERS: dict[str, CommandParser | RasaCommandParser] = {
    **{syntax.name: CommandParser(ALL_COMMANDS, syntax) for syntax in SYNTAXES},
    **{f"official {syntax.name}": RasaCommandParser(ALL_COMMANDS, syntax) for syntax in SYNTAXES},
}


def command(pattern: str, reads: Any = None) -> type[Command]:
    """Return a custom command with a pattern; `reads` is its from_dsl."""
    members = {
        "to_dsl": lambda self: "Custom()",
        "from_dsl": classmethod(reads or (lambda cls, dsl: cls())),
        "regex_pattern": staticmethod(lambda: pattern),
    }
    return type("Custom", (Command,), members)


class TestCalls:
    @pytest.mark.parametrize("text", [None, "", " ", "\n\r\n"])
    def test_no_text_holds_no_commands(self, text: str | None) -> None:
        assert CALLS.parse(text) == ParsedCommands()

    def test_commands_in_a_line_come_in_text_order(self) -> None:
        found = CALLS.parse("SetSlot(a, 1), StartFlow(f) CancelFlow() and SetSlot(b, 2)")
        assert found == ParsedCommands((SetSlot("a", "1"), StartFlow("f"), CancelFlow(), SetSlot("b", "2")))

    def test_a_repeated_command_is_found_twice(self) -> None:
        assert CALLS.parse("ChitChat() ChitChat()").commands == (ChitChat(), ChitChat())

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_lines_may_end_in_any_way(self, end: str) -> None:
        assert CALLS.parse(f"ChitChat(){end}CancelFlow()").commands == (ChitChat(), CancelFlow())

    @pytest.mark.parametrize(
        "text",
        ["StartFlow( 'f' )", 'StartFlow("f")', "StartFlow('f\")", "StartFlow(f )", "StartFlow(\tf)"],
    )
    def test_quotes_and_blanks_around_an_id_do_not_matter(self, text: str) -> None:
        assert CALLS.parse(text) == ParsedCommands((StartFlow("f"),))

    @pytest.mark.parametrize(
        "text", ["Clarify(a, b)", "Clarify(b; a)", "Clarify(['a', \"b\"])", "Clarify(a and b)"]
    )
    def test_options_may_be_listed_in_any_way(self, text: str) -> None:
        assert CALLS.parse(text) == ParsedCommands((Clarify(("a", "b")),))

    @pytest.mark.parametrize(
        "text",
        ["startflow(f)", "StartFlow()", "StartFlow(a b)", "StartFlow(f", "MyStartFlow(f)", "CancelFlow(x)"],
    )
    def test_what_has_another_form_is_no_command_and_is_kept(self, text: str) -> None:
        found = CALLS.parse(text)
        assert (found.commands, found.unparsed) == ((), (text,))

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("SetSlot(a, foo (bar))", "foo (bar)"),
            ("SetSlot(a, foo (bar (baz)) end)", "foo (bar (baz)) end"),
            ("SetSlot(a, x, y)", "x, y"),
            ('SetSlot(a, "closing ) inside")', "closing ) inside"),
            ("SetSlot(a, 'closing ) inside')", "closing ) inside"),
            ("SetSlot( 'a' ,b)", "b"),
            ("SetSlot(a, :) )", ":"),
            ("SetSlot(a,)", None),
            ("SetSlot(a, ())", "()"),
        ],
    )
    def test_a_value_ends_at_the_bracket_that_closes_the_call(self, text: str, value: str | None) -> None:
        assert CALLS.parse(text).commands == (SetSlot("a", value),)

    def test_a_value_does_not_swallow_the_next_command(self) -> None:
        found = CALLS.parse("SetSlot(a, 1), SetSlot(b, 2)")
        assert found.commands == (SetSlot("a", "1"), SetSlot("b", "2"))

    def test_an_open_bracket_in_a_value_does_not_swallow_the_next_command(self) -> None:
        found = CALLS.parse("SetSlot(a, :( ), SetSlot(b, 2)")
        assert found.commands == (SetSlot("a", ":("), SetSlot("b", "2"))


class TestPhrases:
    @pytest.mark.parametrize(
        "text",
        [
            "start flow f",
            "- start flow f",
            "1. start flow 'f'",
            "3)\tstart flow f",
            "*** `start flow f`",
            '--> "start flow f"',
            "```start flow f```",
        ],
    )
    def test_marks_around_a_phrase_do_not_matter(self, text: str) -> None:
        assert PHRASES.parse(text) == ParsedCommands((StartFlow("f"),))

    @pytest.mark.parametrize(
        "text", ["I will start flow f", "Start flow f", "start  flow f", "restart flow f"]
    )
    def test_a_phrase_behind_words_or_spelled_otherwise_is_kept_as_text(self, text: str) -> None:
        assert PHRASES.parse(text) == ParsedCommands((), (text,))

    @pytest.mark.parametrize("text", ["cancel flow", "cancel flow.", "'cancel flow'!", "cancel flow `"])
    def test_a_phrase_alone_may_end_a_sentence(self, text: str) -> None:
        assert PHRASES.parse(text) == ParsedCommands((CancelFlow(),))

    def test_a_value_reaches_to_the_end_of_the_line(self) -> None:
        assert PHRASES.parse("set slot a one, two (three).").commands == (SetSlot("a", "one, two (three)."),)

    @pytest.mark.parametrize("value", ["foo (bar)", "x, y", "it's", "[a]", "é!"])
    def test_a_value_is_printed_without_quotes_where_it_survives(self, value: str) -> None:
        assert Syntax.PHRASES.print(SetSlot("a", value)) == f"set slot a {value}"

    def test_a_value_ends_before_the_next_phrase(self) -> None:
        found = PHRASES.parse("set slot a one, two; start flow f, and cancel flow")
        assert found == ParsedCommands((SetSlot("a", "one, two"), StartFlow("f"), CancelFlow()))

    def test_words_behind_a_flow_are_kept(self) -> None:
        assert PHRASES.parse("start flow f because") == ParsedCommands((StartFlow("f"),), ("because",))

    @pytest.mark.parametrize(
        "text", ["disambiguate flows a b", "disambiguate flows a and b", 'disambiguate flows "b", a']
    )
    def test_options_may_be_listed_in_any_way(self, text: str) -> None:
        assert PHRASES.parse(text) == ParsedCommands((Clarify(("a", "b")),))

    def test_the_two_sets_of_phrases_differ_in_one(self) -> None:
        search = CommandParser(default_commands(), Syntax.PHRASES_SEARCH)
        assert (
            PHRASES.parse("provide info").commands
            == search.parse("search and reply").commands
            == (SearchAndReply(),)
        )
        assert PHRASES.parse("search and reply").commands == search.parse("provide info").commands == ()


class TestWhatIsLeftOver:
    def test_prose_around_commands_is_kept_in_order(self) -> None:
        found = CALLS.parse("Sure! StartFlow(f) it is.\nAnything else?\nChitChat()")
        assert found.commands == (StartFlow("f"), ChitChat())
        assert found.unparsed == ("Sure!", "it is.", "Anything else?")

    @pytest.mark.parametrize(
        "text",
        [
            "- ChitChat()",
            "* ChitChat()",
            "• ChitChat()",
            "1. ChitChat()",
            "12) ChitChat()",
            "(3) ChitChat()",
            "> - 4: ChitChat()",
            "`ChitChat()`",
            "'ChitChat()',",
            "ChitChat().",
            "```\nChitChat()\n```",
            "```plaintext\nChitChat()\n```",
            "~~~\nChitChat()\n~~~",
            "```ChitChat()```",
            "**ChitChat()**",
        ],
    )
    def test_bullets_numbers_quotes_and_fences_are_not_kept(self, text: str) -> None:
        assert CALLS.parse(text) == ParsedCommands((ChitChat(),))

    def test_words_that_join_commands_are_not_kept(self) -> None:
        assert CALLS.parse("ChitChat() and then CancelFlow()").unparsed == ()

    def test_a_number_alone_in_a_line_is_kept(self) -> None:
        assert CALLS.parse("42").unparsed == ("42",)

    @pytest.mark.parametrize("syntax", SYNTAXES, ids=lambda syntax: syntax.name)
    @given(
        words=st.lists(
            st.sampled_from(["hello", "wörld", "42x", "StartFlows", "no", "Flow()"]), min_size=1, max_size=5
        )
    )
    @settings(deadline=None, max_examples=50)
    def test_a_line_of_words_is_kept_as_it_is(self, syntax: Syntax, words: list[str]) -> None:
        line = " ".join(words)
        found = CommandParser(ALL_COMMANDS, syntax).parse(line)
        assert (found.commands, found.unparsed) == ((), (line,))


class TestCustomCommands:
    def test_the_longer_of_two_commands_at_one_place_wins(self) -> None:
        longer = command(r"CancelFlow\(\)!")
        parser = CommandParser(default_commands().adding(longer))
        assert parser.parse("CancelFlow()!").commands == (longer(),)
        assert parser.parse("CancelFlow()").commands == (CancelFlow(),)

    def test_a_command_that_takes_its_claim_back_leaves_the_place_to_others(self) -> None:
        shy = command(r"\w+\(\w*\)", lambda cls, dsl: None)
        parser = CommandParser(default_commands().adding(shy))
        found = parser.parse("StartFlow(f) Other(x)")
        assert (found.commands, found.unparsed) == ((StartFlow("f"),), ("Other(x)",))

    def test_a_pattern_that_matches_no_characters_claims_nothing(self) -> None:
        parser = CommandParser(default_commands().adding(command(r"(?=so|StartFlow)")))
        assert parser.parse("so StartFlow(f)") == ParsedCommands((StartFlow("f"),), ("so",))

    def test_what_from_dsl_raises_is_told_with_class_and_text(self) -> None:
        broken = command(r"Broken\(\d\)", lambda cls, dsl: 1 / 0)
        with pytest.raises(
            CommandReadError, match=r"Custom.from_dsl failed on 'Broken\(1\)': ZeroDivisionError"
        ):
            CommandParser(default_commands().adding(broken)).parse("so Broken(1) it is")

    def test_what_is_no_command_is_refused_with_class_and_text(self) -> None:
        wrong = command(r"Wrong\(\)", lambda cls, dsl: str(dsl))
        with pytest.raises(
            CommandReadError, match=r"Custom.from_dsl returned str for 'Wrong\(\)', not a command"
        ):
            CommandParser(default_commands().adding(wrong)).parse("Wrong()")

    def test_a_hostile_pattern_ends_within_seconds(self) -> None:
        parser = CommandParser(default_commands().adding(command(r"^(a|a)+$")))
        with pytest.raises(PatternTimeoutError, match="the pattern of Custom took longer than 1 s on 'aaaa"):
            parser.parse("a" * 80 + "!")

    @pytest.mark.parametrize("pattern", [r"^(a|a)+$", r"^(?:a|aa)+$", r"^(.*?,){25}P"])
    @pytest.mark.parametrize("kind", [CommandParser, RasaCommandParser])
    def test_a_hostile_pattern_is_named(
        self, kind: Any, pattern: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("du_eval.parsers.patterns.TIME_LIMIT_SECONDS", 0.05)
        line = "a" * 80 + "!" + ",a" * 60
        with pytest.raises(PatternTimeoutError, match=f"0.05 s on '{line[:77]}...'") as caught:
            kind(default_commands().adding(command(pattern))).parse(line)
        assert str(caught.value).endswith(f"simplify it: {pattern!r}")

    def test_a_hostile_spelling_does_not_keep_a_command_from_being_printed(self) -> None:
        syntax = Syntax("hostile", {SetSlot: Spelling(r"^put (\w+) ((?:a|aa)+)$", "put {name} {value}")})
        assert syntax.print(SetSlot("x", "a" * 60 + "(!")) == f'put x "{"a" * 60}(!"'


FRAGMENTS = (
    "StartFlow(", "SetSlot(", "Clarify(", "CancelFlow()", "CannotHandle(", "a", "b_c", ", ", ")", "(", "'", '"', "`",
    "```", "```json\n", "~~~", "\n", "\r", "- ", "1. ", "[", "]", "{", "}", '"command"', '"name"', '"arguments"', ":",
    ",", ";", '"start flow"', '"set slot"', '"SetSlot"', '"value"', "null", "1", "true", '"flow"', '"options"',
    "start flow ", "set slot ", "disambiguate flows ", "set ", "clarify", "again <", "and ", "cancel flow", "\\", " ",
    '"function"', '"tool_calls"', "\\u", "d800", "NaN",
)  # fmt: skip
stitched = st.lists(st.sampled_from(FRAGMENTS), max_size=25).map("".join)
_keys = st.sampled_from(
    ("command", "name", "arguments", "parameters", "input", "function", "tool_calls", "commands", "choices", "message",
     "flow", "slot", "value", "options", "reason", "agent_id", "extractor")
)  # fmt: skip
_leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.sampled_from(["x", "start flow", "SetSlot", "clarify", "StartFlow(a)", "{}", "[", "\ud800"]),
)
json_texts = st.recursive(
    _leaves,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(_keys, inner, max_size=4)),
    max_leaves=12,
).map(json.dumps)


@pytest.mark.parametrize("name", PARSERS)
@given(st.one_of(st.text(), stitched, json_texts))
@settings(deadline=None, max_examples=150)
def test_no_text_makes_a_parser_raise(name: str, text: str) -> None:
    parser = PARSERS[name]
    found = parser.parse(text)
    for read in found.commands if isinstance(found, ParsedCommands) else found:
        assert isinstance(read, Command)
        assert isinstance(parser.syntax.print(read), str)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["hello", "StartFlow(a)", "wörld", "SetSlot(a, b c)"]), st.sampled_from(" \n")
        ),
        max_size=8,
    )
)
@settings(deadline=None, max_examples=200)
def test_every_word_that_is_no_command_is_kept(pieces: list[tuple[str, str]]) -> None:
    found = CALLS.parse("".join(piece + separator for piece, separator in pieces))
    assert " ".join(found.unparsed).split() == [word for word, _ in pieces if "(" not in word]
    assert len(found.commands) == sum("(" in word for word, _ in pieces)


REPEATED = (
    "-", " ", "(", "[", "{", '"', "'", "\\", "`", ",", "a", "\t", "0", "()", "```", "1. ", ", and ", "SetSlot(a, ",
    'SetSlot(a, "', "SetSlot(a, '\\", "SetSlot(a, (", "SetSlot(a, (x)", "SetSlot(a, b)", "Clarify(a ", "StartFlow( ",
    "StartFlow(x)", "CannotHandle( ", "start flow ", "set slot a b, ", ', set slot a "', "disambiguate flows a ",
    "```\n", "```json\n[", "\n", '["', '{"a":', "CancelFlow(   ", 'set slot a b "',
)  # fmt: skip


def _parse_repeated(parser: Any, fragment: str, size: int) -> None:
    parser.parse((fragment * size)[:size])


@pytest.mark.parametrize("name", PARSERS)
def test_long_repetitions_are_parsed_in_time(name: str) -> None:
    parser = PARSERS[name]
    for fragment in REPEATED:
        assert_grows_evenly(partial(_parse_repeated, parser, fragment), 5_000, fragment)
    parser.parse("```\n" + " " * 30_000)
    parser.parse("SetSlot(a, " + "(" * 15_000 + ")" * 15_000 + ")")


def test_a_parser_answers_for_its_patterns() -> None:
    assert [pattern.command for pattern in CALLS.patterns] == list(default_commands())
    assert CALLS.patterns[0].find_first("StartFlow(a) StartFlow(b)").group("flow") == "a"
    assert CALLS.patterns[0].find_first("nothing") is None


def test_parsing_again_gives_the_same_answer() -> None:
    assert (
        CALLS.parse("HumanHandoff() now")
        == CALLS.parse("HumanHandoff() now")
        == ParsedCommands((HumanHandoff(),), ("now",))
    )
