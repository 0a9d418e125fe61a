"""A file says which arms there are; whatever is wrong in it is said at its line, all at once."""

from __future__ import annotations

import pytest

from du_eval.errors import ConfigError
from du_eval.experiments.arms import read_plan, vary


def test_arms_are_all_combinations_and_the_single_ones() -> None:
    text = """
name: which one
paths: [tests]
vary:
  generator: [llm]
  model: [small, large]
  prompt: [prompts/short.jinja2, prompts/long.jinja2]
arms:
  - name: today
    generator: baseline
baseline: today
"""
    plan = read_plan(text, "x.yaml")
    assert [arm.name for arm in plan.arms] == [
        "small, short", "small, long", "large, short", "large, long", "today",
    ]  # fmt: skip
    assert plan.arms[1].values == {"generator": "llm", "model": "small", "prompt": "prompts/long.jinja2"}
    assert (plan.name, plan.baseline, plan.settings) == ("which one", "today", {"paths": ["tests"]})


def test_the_first_arm_is_the_baseline_unless_another_is_named() -> None:
    plan = read_plan("vary:\n  temperature: [0.0, 0.7]\n", "heat.yaml")
    assert (plan.name, plan.baseline) == ("heat", "temperature=0.0")


def test_everything_that_is_wrong_is_said_with_its_line() -> None:
    text = """
pahts: [tests]
baseline: nobody
vary:
  samples: [1, 2]
  modle: [a, b]
arms:
  - generator: baseline
  - name: one
    generator: baseline
  - name: one
    generator: baseline
"""
    with pytest.raises(ConfigError) as error:
        read_plan(text, "x.yaml")
    found = [(problem.line, problem.message) for problem in error.value.problems]
    assert (2, "unknown setting 'pahts'") in found
    assert (3, "baseline: unknown arm 'nobody'") in found
    assert (5, "'samples' must be the same for all arms") in found
    assert (6, "unknown setting 'modle'") in found
    assert (8, "an arm is a mapping with a name and its settings") in found
    assert (11, "there are two arms named 'one'") in found


@pytest.mark.parametrize("text", ["[]", "name: x", "vary: {model: a}", "arms: {a: b}", "start: x\nvary: 3"])
def test_a_file_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        read_plan(text, "x.yaml")


def test_options_that_are_given_several_times_make_arms() -> None:
    assert [arm.name for arm in vary({"model": ["a", "b"], "prompt": ["p.jinja2"]})] == ["a", "b"]
