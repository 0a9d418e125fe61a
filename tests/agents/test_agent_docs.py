"""The page on agent cases names everything there is, and its examples load."""

import re
from pathlib import Path

import pytest

from du_eval.agents.checks.evaluate import ANY_OF, CHECKS
from du_eval.agents.connections.base import KINDS
from du_eval.agents.load import CASE_KEYS, INTERACTION_KEYS, load_case

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "agents.md").read_text()


KEYS = {key for kind, keys in KINDS.items() for key in (kind, *keys)}


@pytest.mark.parametrize("name", [*CHECKS, ANY_OF, *CASE_KEYS, *INTERACTION_KEYS, *sorted(KEYS)])
def test_the_page_names(name):
    assert f"`{name}`" in PAGE


@pytest.mark.parametrize("number", range(len(re.findall("```hocon", PAGE))))
def test_its_examples_load(number, tmp_path):
    path = tmp_path / "case.hocon"
    path.write_text(re.findall(r"```hocon\n(.*?)```", PAGE, re.DOTALL)[number])
    assert load_case(path, "case").case.interactions


def test_the_examples_have_every_check_with_its_negation():
    used = set()
    for path in (ROOT / "examples" / "agents").rglob("*.*"):
        if path.suffix in {".hocon", ".yaml", ".json"} and not path.parent.name.startswith("_"):
            for turn in load_case(path, "case").case.interactions:
                used |= {one.name for one in turn.expectations}
    missing = {name for check in [*CHECKS, ANY_OF] for name in (check, f"not_{check}")} - used
    assert missing <= {"not_toxicity_below"}
