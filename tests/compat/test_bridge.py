"""Modules that import from Rasa run without it, and with it."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from du_eval import CancelFlow, StartFlow
from du_eval.compat.bridge import parse_commands

IMPORTS = """
from typing import List, Optional
from rasa.shared.core.flows import FlowsList
from rasa.shared.core.trackers import DialogueStateTracker
from rasa.dialogue_understanding.commands import Command
"""
RASA = """
from abc import ABC, abstractmethod

class Command(ABC):
    @classmethod
    @abstractmethod
    def command(cls): ...

    @abstractmethod
    def run_command_on_tracker(self, tracker, all_flows, original_tracker): ...

class CancelFlowCommand(Command):
    @classmethod
    def command(cls):
        return "cancel flow"

    @classmethod
    def from_dsl(cls, match, **kwargs):
        return cls()

    def run_command_on_tracker(self, tracker, all_flows, original_tracker):
        return []

    def __eq__(self, other):
        return isinstance(other, CancelFlowCommand)
"""
"""A stand-in for the installed package: its base class asks for more than the document shows."""


@pytest.fixture
def listings(parity_data: Path) -> list[str]:
    """The Python listings of the document, as they are."""
    text = (parity_data / "seeds" / "rasa_dialogue_understanding_tests.md").read_text(encoding="utf-8")
    found = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(found) == 4
    return found


@pytest.fixture(params=["without Rasa", "with Rasa"])
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == "with Rasa":
        package = tmp_path / "rasa" / "dialogue_understanding" / "commands"
        package.mkdir(parents=True)
        for folder in (package, package.parent, package.parent.parent):
            (folder / "__init__.py").write_text("", encoding="utf-8")
        (package / "__init__.py").write_text(RASA, encoding="utf-8")
    return tmp_path


def run_suite(folder: Path, module: str, expected: str, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "my_module.py").write_text(module, encoding="utf-8")
    suite = f"test_cases:\n- test_case: a\n  steps:\n  - user: hello\n    commands: [{expected}]\n"
    (folder / "suite.yml").write_text(suite, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", "du_eval.cli", "test", "suite.yml", "--no-output", *options],
        cwd=folder, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


@pytest.mark.parity
def test_the_listing_of_a_new_command_runs(listings: list[str], project: Path) -> None:
    module = listings[0] + '\n\ndef answer(request):\n    return "Test()"\n'
    options = ("-g", "my_module:answer", "--additional-commands", "my_module.TestCommand")
    done = run_suite(project, module, "Test()", *options)
    assert done.returncode == 0, done.stderr


@pytest.mark.parity
def test_the_listing_of_a_changed_default_command_runs(listings: list[str], project: Path) -> None:
    module = listings[2] + '\n\ndef answer(request):\n    return "Cancel()"\n'
    options = (
        "--additional-commands",
        "my_module.CustomCancelFlow",
        "--remove-default-commands",
        "CancelFlow",
    )
    done = run_suite(project, module, "Cancel()", "-g", "my_module:answer", *options)
    assert done.returncode == 0, done.stderr


@pytest.mark.parity
@pytest.mark.parametrize(("number", "text"), [(0, "Test()"), (2, "Cancel()")])
def test_the_listings_of_a_generator_run(listings: list[str], tmp_path: Path, number: int, text: str) -> None:
    method = textwrap.indent(listings[number + 1], "    ")
    module = (
        f"{IMPORTS}\n{listings[number]}\n\nclass Generator:\n{method}\n"
        f"    def generate(self, request):\n        return self.parse_commands('{text}', None, None)\n"
    )
    name = {0: "TestCommand", 2: "CustomCancelFlow"}[number]
    options = ("-g", "my_module:Generator", "--additional-commands", f"my_module.{name}")
    removed = ("--remove-default-commands", "CancelFlow") if number else ()
    done = run_suite(tmp_path, module, text, *options, *removed)
    assert done.returncode == 0, done.stderr + done.stdout


def test_what_the_bridge_does_not_have_is_told(tmp_path: Path) -> None:
    done = run_suite(tmp_path, "import rasa.core.agent\n", "ChitChat()", "-g", "my_module:answer")
    assert done.returncode == 2
    assert "'my_module' imports 'rasa.core', which is not installed" in done.stderr


def test_nothing_is_bridged_where_no_module_is_named(tmp_path: Path) -> None:
    code = "import importlib.util, du_eval.cli.main; assert importlib.util.find_spec('rasa') is None"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, timeout=60, check=True)


@pytest.mark.parametrize("order", [("provide_sdk()", "open_bridge()"), ("open_bridge()", "provide_sdk()")])
def test_stand_ins_for_actions_and_the_bridge_do_not_hide_each_other(order: tuple[str, str]) -> None:
    code = "\n".join(
        [
            "from du_eval.assistants.sdk import provide_sdk",
            "from du_eval.compat.bridge import open_bridge",
            *order,
            "from rasa.dialogue_understanding.commands import Command",
            "from rasa.shared.utils.io import read_json_file",
            "from rasa_sdk import Action",
        ]
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_bridged_parser_takes_its_arguments_in_the_places_of_the_original() -> None:
    assert parse_commands("CancelFlow()\nStartFlow(a)", ["a"], False, None, [CancelFlow]) == [StartFlow("a")]
