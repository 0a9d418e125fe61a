import textwrap
from pathlib import Path

import pytest

from du_eval.assistants.load import load_assistant
from du_eval.errors import AssistantError

DOMAIN = "slots:\n  a: {type: text}\nresponses:\n  utter_ask_a: [{text: A?}]\n  utter_x: [{text: X}]\nactions: [act]\n"


def problems(tmp_path: Path, flows: str) -> list[str]:
    (tmp_path / "domain.yml").write_text(DOMAIN, encoding="utf-8")
    text = "flows:\n" + textwrap.indent(textwrap.dedent(flows), "  ")
    (tmp_path / "flows.yml").write_text(text, encoding="utf-8")
    with pytest.raises(AssistantError) as caught:
        load_assistant(tmp_path)
    return [f"{problem.line}: {problem.message}" for problem in caught.value.problems]


STEPS = {
    "do not end with an 'else'": """
        f:
          description: d
          steps:
            - collect: a
              next:
                - if: slots.a
                  then: END
        """,
    "the last step of a branch": """
        f:
          description: d
          steps:
            - collect: a
              next:
                - if: slots.a
                  then:
                    - action: utter_x
                - else: END
        """,
    "two steps with the id 'x'": """
        f:
          description: d
          steps:
            - id: x
              collect: a
            - id: x
              action: act
        """,
    "'END' cannot be the id": """
        f:
          description: d
          steps:
            - id: END
              collect: a
        """,
    "can never be reached": """
        f:
          description: d
          steps:
            - collect: a
              next: END
            - action: utter_x
        """,
    "a branch of the flow 'f' is empty": """
        f:
          description: d
          steps:
            - collect: a
              next:
                - if: slots.a
                  then: []
                - else: END
        """,
    "a link of the flow 'f' has a 'next'": """
        f:
          description: d
          steps:
            - link: g
              next: END
        g:
          description: d
          steps:
            - action: utter_x
        """,
    "a noop of the flow 'f' has no 'next'": """
        f:
          description: d
          steps:
            - noop: true
            - action: utter_x
        """,
    "so it cannot link to": """
        f:
          description: d
          steps:
            - call: g
        g:
          description: d
          steps:
            - link: h
        h:
          description: d
          steps:
            - action: utter_x
        """,
    "has a link to 'pattern_search'": """
        f:
          description: d
          steps:
            - link: pattern_search
        """,
    "the intent 'go' starts both 'f' and 'g'": """
        f:
          description: d
          nlu_trigger: [{intent: go}]
          steps:
            - action: utter_x
        g:
          description: d
          nlu_trigger: [{intent: go}]
          steps:
            - action: utter_x
        """,
    "the condition 'slots.a =' cannot be read": """
        f:
          description: d
          steps:
            - collect: a
              next:
                - if: slots.a =
                  then: END
                - else: END
        """,
    "an 'else' of the flow 'f' is not the last branch": """
        f:
          description: d
          steps:
            - collect: a
              next:
                - else: END
                - if: slots.a
                  then: END
        """,
}


@pytest.mark.parametrize("message", STEPS)
def test_a_flow_that_does_not_hang_together_is_refused_with_its_line(message: str, tmp_path: Path) -> None:
    found = problems(tmp_path, STEPS[message])
    assert any(message in problem for problem in found), found
    assert all(int(problem.split(":")[0]) > 1 for problem in found)


def test_a_link_to_the_human_handoff_is_allowed(tmp_path: Path) -> None:
    (tmp_path / "domain.yml").write_text(DOMAIN, encoding="utf-8")
    flows = "flows:\n  f:\n    description: d\n    steps:\n      - link: pattern_human_handoff\n"
    (tmp_path / "flows.yml").write_text(flows, encoding="utf-8")
    assert load_assistant(tmp_path).flows["f"].links == ("pattern_human_handoff",)
