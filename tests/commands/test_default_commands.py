import pytest

from du_eval.commands import (
    CancelFlow,
    CannotHandle,
    ChitChat,
    Clarify,
    Command,
    ContinueAgent,
    HumanHandoff,
    RepeatLastBotMessages,
    RestartAgent,
    SearchAndReply,
    SetSlot,
    SkipQuestion,
    StartFlow,
    Syntax,
)
from du_eval.commands.foreign import RequestSlot
from du_eval.commands.function_calls import CallFunction
from du_eval.commands.registry import DEFAULT_COMMANDS, FURTHER_COMMANDS
from du_eval.parsers.command_parser import CommandParser
from tests.commands.vocabulary import ALL_COMMANDS

TABLE = [
    # command, name in metrics, calls, phrases, phrases-search, dictionary beside the name
    (StartFlow("f"), "start flow", "StartFlow(f)", "start flow f", "start flow f", {"flow": "f"}),
    (CancelFlow(), "cancel flow", "CancelFlow()", "cancel flow", "cancel flow", {}),
    (
        SetSlot("n", "v"),
        "set slot",
        "SetSlot(n, v)",
        "set slot n v",
        "set slot n v",
        {"name": "n", "value": "v"},
    ),
    (
        Clarify(("a", "b")),
        "clarify",
        "Clarify(a, b)",
        "disambiguate flows a b",
        "disambiguate flows a b",
        {"options": ["a", "b"]},
    ),
    (Clarify(), "clarify", "Clarify()", "disambiguate flows", "disambiguate flows", {"options": []}),
    (ChitChat(), "chitchat", "ChitChat()", "offtopic reply", "offtopic reply", {}),
    (SearchAndReply(), "knowledge", "SearchAndReply()", "provide info", "search and reply", {}),
    (HumanHandoff(), "human handoff", "HumanHandoff()", "hand over", "hand over", {}),
    (SkipQuestion(), "skip question", "SkipQuestion()", "skip question", "skip question", {}),
    (RepeatLastBotMessages(), "repeat", "RepeatLastBotMessages()", "repeat message", "repeat message", {}),
    (ContinueAgent(), "continue agent", "ContinueAgent()", "continue agent", "continue agent", {}),
    (
        RestartAgent("a"),
        "restart agent",
        "RestartAgent(a)",
        "restart agent a",
        "restart agent a",
        {"agent_id": "a"},
    ),
    (CannotHandle(), "cannot handle", "CannotHandle()", "cannot handle", "cannot handle", {"reason": ""}),
    (
        CannotHandle("too_long"),
        "cannot handle",
        "CannotHandle(too_long)",
        "cannot handle too_long",
        "cannot handle too_long",
        {"reason": "too_long"},
    ),
    (
        RequestSlot("n"),
        "request slot",
        "RequestSlot(n)",
        "RequestSlot(n)",
        "RequestSlot(n)",
        {"slot": "n"},
    ),
    (
        CallFunction("f", {"a": "x) {"}),
        "call function",
        'CallFunction(f, {"a": "x) {"})',
        'CallFunction(f, {"a": "x) {"})',
        'CallFunction(f, {"a": "x) {"})',
        {"function": "f", "parameters": '{"a": "x) {"}'},
    ),
]


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row[2])
class TestEachCommand:
    def test_is_called_in_metrics_as_the_official_tool_calls_it(self, row) -> None:
        assert row[0].name == row[1]

    def test_prints_as_a_call(self, row) -> None:
        assert str(row[0]) == row[0].to_dsl() == row[2]

    def test_prints_in_every_built_in_syntax(self, row) -> None:
        syntaxes = (Syntax.CALLS, Syntax.PHRASES, Syntax.PHRASES_SEARCH)
        assert tuple(syntax.print(row[0]) for syntax in syntaxes) == row[2:5]

    def test_is_parsed_from_its_own_text_in_every_built_in_syntax(self, row) -> None:
        for syntax, text in zip((Syntax.CALLS, Syntax.PHRASES, Syntax.PHRASES_SEARCH), row[2:5], strict=True):
            assert CommandParser(ALL_COMMANDS, syntax).parse(text).commands == (row[0],)

    def test_is_read_from_a_plain_text_by_its_class(self, row) -> None:
        assert type(row[0]).from_dsl(row[2]) == row[0]

    def test_has_a_dictionary_form_that_leads_back_to_it(self, row) -> None:
        assert row[0].as_dict() == {"command": row[1], **row[5]}
        assert type(row[0]).from_arguments(row[5]) == row[0]

    def test_is_a_value(self, row) -> None:
        twin = type(row[0]).from_arguments(row[5])
        assert hash(twin) == hash(row[0])
        assert {twin, row[0]} == {row[0]}


def test_the_table_above_leaves_no_command_out() -> None:
    assert {type(row[0]) for row in TABLE} == {*DEFAULT_COMMANDS, *FURTHER_COMMANDS}


def test_no_two_commands_are_equal() -> None:
    rows = [row[0] for row in TABLE]
    assert [(a, b) for a in rows for b in rows if a == b] == [(command, command) for command in rows]


@pytest.mark.parametrize("command", [StartFlow, RestartAgent, SetSlot])
def test_a_text_of_another_command_is_refused(command: type[Command]) -> None:
    with pytest.raises(ValueError, match=rf"'CancelFlow\(\)' is not a {command.__name__} command"):
        command.from_dsl("CancelFlow()")


@pytest.mark.parametrize("command", [StartFlow, RestartAgent, SetSlot, CannotHandle])
def test_arguments_that_must_be_texts_are_checked(command: type[Command]) -> None:
    with pytest.raises(TypeError, match="must be a string, not 5"):
        command(5)


class TestClarify:
    def test_an_expectation_without_options_accepts_any_options(self) -> None:
        assert Clarify().matches(Clarify(("a", "b")))

    def test_a_prediction_without_options_does_not_meet_an_expectation_with_options(self) -> None:
        assert not Clarify(("a", "b")).matches(Clarify())

    def test_the_order_of_options_does_not_matter(self) -> None:
        assert Clarify(("b", "a")).matches(Clarify(("a", "b")))
        assert Clarify(("b", "a")) == Clarify(("a", "b"))

    def test_repeated_options_count_once_in_a_comparison(self) -> None:
        assert Clarify(("a", "b")).matches(Clarify(("a", "b", "a")))

    @pytest.mark.parametrize("predicted", [("a",), ("a", "b", "c"), ("a", "c")])
    def test_other_options_do_not_match(self, predicted: tuple[str, ...]) -> None:
        assert not Clarify(("a", "b")).matches(Clarify(predicted))

    def test_another_command_never_matches(self) -> None:
        assert not Clarify().matches(CancelFlow())

    def test_a_subclass_fulfils_its_parent_but_not_the_other_way_round(self) -> None:
        special = type("Special", (Clarify,), {})
        assert Clarify().matches(special(("a",)))
        assert not special().matches(Clarify(("a",)))

    def test_equality_knows_no_tolerance(self) -> None:
        assert Clarify() != Clarify(("a", "b"))

    def test_a_text_in_place_of_a_list_is_refused(self) -> None:
        with pytest.raises(TypeError, match="options must be a list, not the string 'transfer'"):
            Clarify("transfer")

    def test_an_option_that_is_no_text_is_refused(self) -> None:
        with pytest.raises(TypeError, match="must be a string, not 5"):
            Clarify(("a", 5))

    @pytest.mark.parametrize("options", [None, [], "", {}])
    def test_no_options_in_a_dictionary_are_no_options(self, options: object) -> None:
        assert Clarify.from_arguments({"options": options}) == Clarify.from_arguments({}) == Clarify()

    def test_options_in_a_dictionary_may_be_one_text(self) -> None:
        assert Clarify.from_arguments({"options": "b, a and c"}) == Clarify(("a", "b", "c"))

    def test_a_number_in_a_dictionary_is_no_list_of_options(self) -> None:
        with pytest.raises(TypeError, match="options must be a list, not 5"):
            Clarify.from_arguments({"options": 5})


class TestMatchingOfAllOthers:
    def test_arguments_must_be_equal(self) -> None:
        assert SetSlot("a", "Adal").matches(SetSlot("a", "Adal"))
        assert not SetSlot("a", "Adal").matches(SetSlot("a", "adal"))
        assert not SetSlot("a", "Adal").matches(SetSlot("b", "Adal"))
        assert not StartFlow("a").matches(StartFlow("A"))

    def test_the_agent_that_is_restarted_matters(self) -> None:
        assert not RestartAgent("a").matches(RestartAgent("b"))

    def test_types_must_be_equal(self) -> None:
        assert not StartFlow("a").matches(RestartAgent("a"))
        assert not CancelFlow().matches(ChitChat())
