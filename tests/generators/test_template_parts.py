"""Templates in parts: remembered where nothing can differ, and never otherwise."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment

from du_eval.generators.templates import PromptTemplate, SharedPart, split_template

FLOWS = [{"name": "order_tea", "description": "order a tea", "slots": []}]
COMMANDS = [{"text": "ChitChat()", "meaning": "small talk", "data": {}}]
SOURCE = """Flows:
{% for flow in available_flows %}{{ flow.name }} {% endfor %}
Say: {{ user_message }}"""


def variables(message: str = "hello", flows: Any = FLOWS) -> dict[str, Any]:
    return {"available_flows": flows, "commands": COMMANDS, "user_message": message}


def kinds(source: str) -> list[bool]:
    return [isinstance(part, SharedPart) for part in split_template(source, Environment())]


def test_what_depends_only_on_shared_variables_is_a_part_of_its_own() -> None:
    assert kinds(SOURCE) == [True, False]


def test_a_remembered_part_keeps_its_text_and_the_rest_changes() -> None:
    template = PromptTemplate("mine", SOURCE)
    first = template.render(variables("one"))
    assert first.endswith("Say: one")
    assert template.render(variables("two")) == first.replace("one", "two")


def test_other_flows_give_another_text() -> None:
    template = PromptTemplate("mine", SOURCE)
    template.render(variables())
    assert "buy_milk" in template.render(variables(flows=[{"name": "buy_milk"}]))


def test_more_lists_than_are_remembered_still_give_their_own_text() -> None:
    template = PromptTemplate("mine", SOURCE)
    for number in range(600):
        assert f"flow_{number} " in template.render(variables(flows=[{"name": f"flow_{number}"}]))


@pytest.mark.parametrize(
    "source",
    [
        "{% set name = 'x' %}{{ name }}{{ user_message }}",
        "{% if commands %}{% set name = 'x' %}{% endif %}{{ name }}{{ user_message }}",
        "{% macro say(x) %}{{ x }}{% endmacro %}{{ say(user_message) }}",
        "{% with x = 1 %}{{ x }}{% endwith %}{{ user_message }}",
    ],
)
def test_a_template_whose_statements_depend_on_each_other_stays_whole(source: str) -> None:
    assert kinds(source) == [False]


@pytest.mark.parametrize("source", ["{{ available_flows | random }}", "{{ lipsum() }}"])
def test_chance_is_not_remembered(source: str) -> None:
    assert kinds(source) == [False]


@pytest.mark.parametrize("name", ["calls", "json", "tools"])
def test_our_own_templates_have_a_part_to_remember(name: str) -> None:
    template = PromptTemplate.own(name)
    assert any(isinstance(part, SharedPart) for part in template._parts)


PIECES = st.sampled_from(
    [
        "text\n",
        "{{ user_message }}",
        "  {% for flow in available_flows %}\n- {{ flow.name }}\n{% else %}none{% endfor %}\n",
        "{%- if commands %} c {% endif -%}\n",
        "{% if user_message %}m{% endif %}",
        "{# note #}\n",
        "{% for c in commands %}{{ c['text'] }}{{ user_message }}{% endfor %}",
    ]
)


@given(st.lists(PIECES, max_size=6))
def test_the_parts_together_say_what_the_whole_says(pieces: list[str]) -> None:
    source = "".join(pieces)
    environment = Environment(trim_blocks=True, lstrip_blocks=True)
    whole = environment.from_string(source).render(variables())
    parts = split_template(source, environment)
    assert "".join(part.render(variables()) for part in parts) == whole


def test_an_error_in_a_part_names_the_template(tmp_path: Path) -> None:
    file = tmp_path / "mine.jinja2"
    file.write_text("{{ available_flows.nothing.here }}", encoding="utf-8")
    with pytest.raises(Exception, match=r"mine\.jinja2 cannot be rendered"):
        PromptTemplate.of_file(str(file)).render(variables())
