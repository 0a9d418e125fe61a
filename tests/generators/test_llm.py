"""A chat model as a generator."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from du_eval.assistants.load import load_assistant
from du_eval.assistants.model import Assistant, DialogueState
from du_eval.commands import Syntax, build_registry, default_commands
from du_eval.commands.base import Command
from du_eval.conversation import Conversation, Speaker, Turn
from du_eval.errors import EndpointError, GeneratorError, InputError
from du_eval.generators.base import Place, Prediction, Request
from du_eval.generators.llm import LlmGenerator, OutputMode, PromptSetting, find_own_prompt
from du_eval.generators.templates import PromptTemplate
from du_eval.generators.vocabulary import build_context, list_commands_for_prompt, list_tools
from du_eval.llm.client import ScriptedChat
from du_eval.llm.messages import ChatAnswer, ChatRequest
from du_eval.parsers.command_parser import CommandParser

BANK = Path(__file__).parents[2] / "examples" / "bank"


@pytest.fixture(scope="module")
def bank() -> Assistant:
    return load_assistant(BANK)


def request_in(bank: Assistant, sample: int = 1) -> Request:
    flow = next(flow for flow in bank.user_flows if len(bank.list_collects(flow.id)) > 1)
    slots = [collect.slot for collect in bank.list_collects(flow.id)]
    history = Conversation((Turn(Speaker.USER, "hello\nthere"), Turn(Speaker.BOT, "", "utter_greet")))
    state = DialogueState(flow.id, slots[1], {slots[0]: "something"}, (flow.id,))
    return Request("the last\nmessage", history, state, assistant=bank, place=Place(sample=sample))


def asked(
    answer: ChatAnswer | EndpointError,
    request: Request,
    mode: OutputMode = OutputMode.TEXT,
    **settings: object,
) -> tuple[Prediction, ChatRequest]:
    chat = ScriptedChat([answer])
    parser = CommandParser(default_commands(), Syntax.CALLS)
    generator = LlmGenerator(
        chat, "m", PromptSetting(find_own_prompt(mode, "calls"), None, mode), parser, **settings
    )  # type: ignore[arg-type]
    return asyncio.run(generator.generate(request)), chat.requests[0]


def test_a_template_gets_the_variables_that_such_templates_expect(bank: Assistant) -> None:
    request = request_in(bank)
    context = build_context(request)
    flow = next(flow for flow in context["available_flows"] if flow["name"] == request.state.active_flow)
    assert {"name", "description", "slots"} <= flow.keys()
    assert {"name", "description", "allowed_values"} == flow["slots"][0].keys()
    assert context["current_flow"] == request.state.active_flow
    assert context["current_slot"] == request.state.asked_slot
    assert {"name", "value", "type", "allowed_values", "description"} == context["flow_slots"][0].keys()
    assert "something" in [slot["value"] for slot in context["flow_slots"]]
    assert "undefined" in [slot["value"] for slot in context["flow_slots"]]
    assert context["current_conversation"] == "USER: hello there\nAI: (utter_greet)\nUSER: the last message"
    assert context["user_message"] == "the last message"


def test_only_the_last_twenty_turns_are_shown() -> None:
    turns = tuple(Turn(Speaker.USER, str(number)) for number in range(30))
    lines = build_context(Request("now", Conversation(turns)))["current_conversation"].splitlines()
    assert (len(lines), lines[0], lines[-1]) == (20, "USER: 11", "USER: now")


@pytest.mark.parametrize(
    ("syntax", "expected"),
    [
        (Syntax.CALLS, "StartFlow(flow_name)"),
        (Syntax.PHRASES, "start flow flow_name"),
        (Syntax.PHRASES_SEARCH, "search and reply"),
    ],
)
def test_there_is_a_prompt_for_each_syntax_that_spells_its_commands(
    bank: Assistant, syntax: Syntax, expected: str
) -> None:
    context = build_context(request_in(bank)) | {
        "commands": list_commands_for_prompt(default_commands(), syntax)
    }
    text = find_own_prompt(OutputMode.TEXT, syntax.name).render(context)
    assert expected in text
    assert all(flow.id in text for flow in bank.user_flows if flow.is_startable)
    assert "the last message" in text
    assert "something" in text


@pytest.mark.parametrize("syntax", [Syntax.CALLS, Syntax.PHRASES, Syntax.PHRASES_SEARCH])
def test_what_a_prompt_shows_as_commands_is_read_back_as_commands(syntax: Syntax) -> None:
    parser = CommandParser(default_commands(), syntax)
    for command in list_commands_for_prompt(default_commands(), syntax):
        (read,) = parser.parse(command["text"]).commands
        assert read.name == command["name"]


def test_prompts_work_without_an_assistant() -> None:
    for mode in OutputMode:
        context = build_context(Request("hi")) | {
            "commands": list_commands_for_prompt(default_commands(), Syntax.CALLS)
        }
        assert "hi" in find_own_prompt(mode, "calls").render(context)


class OrderPizza(Command):
    """The user orders a pizza."""

    def to_dsl(self) -> str:
        return "Pizza()"

    @classmethod
    def from_dsl(cls, dsl: str) -> OrderPizza:
        return cls()

    @staticmethod
    def regex_pattern() -> str:
        return r"Pizza\(\)"


def test_custom_commands_are_explained_by_their_docstring() -> None:
    told = list_commands_for_prompt(build_registry([OrderPizza]), Syntax.CALLS)[-1]
    assert (told["text"], told["meaning"]) == ("Pizza()", "The user orders a pizza.")


def test_text_is_left_to_the_parser_and_everything_about_the_call_is_kept(bank: Assistant) -> None:
    answer = ChatAnswer("StartFlow(x)", (), 10, 2, 0.5, 0.01, 3)
    prediction, request = asked(answer, request_in(bank, sample=4), parameters={"temperature": 0.3}, seed=7)
    assert (prediction.text, prediction.commands) == ("StartFlow(x)", None)
    (prompt,) = prediction.prompts
    assert (prompt.prompt_tokens, prompt.completion_tokens, prompt.cost, prompt.retries) == (10, 2, 0.01, 3)
    assert (prompt.answer, prediction.latency_seconds) == ("StartFlow(x)", 0.5)
    assert request.parameters == {"temperature": 0.3, "seed": 10}
    assert request.sample == 4


def call_of(name: str, arguments: str) -> dict[str, object]:
    return {"id": "1", "type": "function", "function": {"name": name, "arguments": arguments}}


def test_tool_calls_become_commands_and_broken_ones_stay_visible(bank: Assistant) -> None:
    calls = (call_of("StartFlow", '{"flow": "a"}'), call_of("SetSlot", "{broken"), call_of("Fly", "{}"))
    prediction, request = asked(ChatAnswer(tool_calls=calls), request_in(bank), OutputMode.TOOLS)
    assert prediction.commands is not None
    first, *others = prediction.commands
    assert first == calls[0]
    assert all(isinstance(other, str) for other in others)
    names = [tool["function"]["name"] for tool in request.parameters["tools"]]
    assert {"StartFlow", "SetSlot", "Clarify"} <= set(names)


def test_tools_name_the_flows_that_exist() -> None:
    (start,) = [
        tool for tool in list_tools(default_commands(), ["a", "b"]) if tool["function"]["name"] == "StartFlow"
    ]
    assert start["function"]["parameters"]["properties"]["flow"]["enum"] == ["a", "b"]


def test_json_becomes_commands_and_what_is_no_json_is_parsed_as_text(bank: Assistant) -> None:
    text = '{"commands": [{"command": "set slot", "name": "a", "value": "b"}, "StartFlow(x)", {"command": "fly"}]}'
    prediction, request = asked(ChatAnswer(text), request_in(bank), OutputMode.JSON)
    assert prediction.commands == (
        {"command": "set slot", "name": "a", "value": "b"},
        "StartFlow(x)",
        '{"command": "fly"}',
    )
    assert request.parameters["response_format"] == {"type": "json_object"}
    prediction, _ = asked(ChatAnswer("StartFlow(x)"), request_in(bank), OutputMode.JSON)
    assert (prediction.text, prediction.commands) == ("StartFlow(x)", None)


def test_no_answer_is_an_error_of_the_step(bank: Assistant) -> None:
    with pytest.raises(GeneratorError, match="down"):
        asked(EndpointError("down"), request_in(bank))


def test_a_template_with_a_mistake_names_its_place(tmp_path: Path) -> None:
    (tmp_path / "p.jinja2").write_text("fine\n{% if %}")
    with pytest.raises(InputError, match=r"p.jinja2:2: not a valid template"):
        PromptTemplate.of_file(str(tmp_path / "p.jinja2"))
    with pytest.raises(InputError, match="cannot be read"):
        PromptTemplate.of_file(str(tmp_path / "none.jinja2"))


def test_a_missing_variable_is_false_in_conditions_and_an_error_in_the_text() -> None:
    assert PromptTemplate("t", "{% if nothing %}x{% else %}y{% endif %}").render({}) == "y"
    with pytest.raises(GeneratorError, match="'nothing' is undefined"):
        PromptTemplate("t", "{{ nothing }}").render({})


@pytest.mark.parametrize(
    "source",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ x.append(1) }}",
        "{{ x.__init__.__globals__ }}",
        "{% for i in range(10**9) %}{% endfor %}",
    ],
)
def test_templates_run_in_a_sandbox(source: str) -> None:
    with pytest.raises(GeneratorError):
        PromptTemplate("t", source).render({"x": []})


def test_a_template_includes_nothing_by_a_link_that_leads_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("key")
    (tmp_path / "downloaded").mkdir()
    (tmp_path / "downloaded" / "part.jinja2").symlink_to(tmp_path / "secret")
    (tmp_path / "downloaded" / "p.jinja2").write_text("{% include 'part.jinja2' %}")
    template = PromptTemplate.of_file(str(tmp_path / "downloaded" / "p.jinja2"))
    with pytest.raises(GeneratorError, match=r"'part\.jinja2' is outside the template's folder"):
        template.render({})


def test_a_template_may_include_others_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "part.jinja2").write_text("part of {{ x | to_json_escaped_string }}")
    (tmp_path / "p.jinja2").write_text("{% include 'part.jinja2' %}")
    assert PromptTemplate.of_file(str(tmp_path / "p.jinja2")).render({"x": 'a "b"'}) == 'part of a \\"b\\"'
