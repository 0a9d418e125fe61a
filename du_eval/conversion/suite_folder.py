"""A folder that a benchmark becomes: an assistant, settings, and test files that are written as they come."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from msgspec import Struct, field

from du_eval.errors import ConfigError

Alternatives = Sequence[Sequence[str]]
"""The command lists of a user step of which one must be predicted."""

_CASES_PER_FILE = 200


class Converted(Struct, frozen=True):
    """What a conversion wrote."""

    cases: int
    steps: int
    files: int
    notes: tuple[str, ...] = ()


_DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class _PlainDumper(_DUMPER):  # type: ignore[misc]
    """Writes equal parts out each time: test files and assistants have no anchors."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - the parent's parameter
        return True


def claim_folder(folder: Path) -> Path:
    """Return a folder to write to; refuse one that holds anything, so that two suites never mix."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigError(f"{folder} is not empty; name another folder with -o, or empty it first")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def write_yaml(path: Path, data: Mapping[str, object]) -> None:
    """Write a YAML file, and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = yaml.dump(dict(data), Dumper=_PlainDumper, sort_keys=False, allow_unicode=True, width=110)
    path.write_text(text, encoding="utf-8")


def quote(text: str) -> str:
    """Return a text as YAML that reads back as it is; half a surrogate pair, unknown to YAML, does not."""
    return "".join(map(_escape, json.dumps(text, ensure_ascii=False)))


def _escape(character: str) -> str:
    if character.isprintable():
        return character
    return "\ufffd" if unicodedata.category(character) == "Cs" else f"\\U{ord(character):08x}"


def render_user(message: str, alternatives: Alternatives) -> str:
    """Return a user step."""
    head = f"      - user: {quote(message)}\n"
    if len(alternatives) == 1:
        return f"{head}        commands: {_listed(alternatives[0])}\n"
    groups = "".join(f"          - {_listed(group)}\n" for group in alternatives)
    return f"{head}        any_of:\n{groups}"


def render_bot(message: str, response: str = "") -> str:
    """Return a bot step; it may name the response that it says in other words."""
    if response:
        return f"      - utter: {response}\n        bot: {quote(message)}\n"
    return f"      - bot: {quote(message)}\n"


def _listed(commands: Iterable[str]) -> str:
    return "[" + ", ".join(map(quote, commands)) + "]"


class CaseFiles(Struct):
    """Writes cases into files of a limited size, each as soon as it is known."""

    folder: Path
    name: str
    cases: int = 0
    steps: int = 0
    files: int = 0
    _pending: list[str] = field(default_factory=list)

    def add(self, name: str, steps: Sequence[str]) -> None:
        """Take in a case with its rendered steps."""
        self._pending.append(f"  - test_case: {quote(name)}\n    steps:\n{''.join(steps)}")
        self.cases += 1
        self.steps += sum(step.startswith("      - user:") for step in steps)
        if len(self._pending) == _CASES_PER_FILE:
            self.close()

    def close(self) -> None:
        """Write what is left."""
        if not self._pending:
            return
        self.files += 1
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{self.name}_{self.files:03}.yml"
        path.write_text("test_cases:\n" + "".join(self._pending), encoding="utf-8")
        self._pending.clear()


_TALK, _LISTEN = "action_trigger_chitchat", "action_listen"
_SILENT = (
    "pattern_search",
    "pattern_continue_interrupted",
    "pattern_clarification",
    "pattern_cannot_handle",
    "pattern_skip_question",
    "pattern_human_handoff",
)


def make_talking_flow(
    name: str, description: str, collects: Sequence[Mapping[str, object]] = ()
) -> dict[str, Any]:
    """Return a flow that says one message a turn, and whose questions only the bot of the file asks."""
    steps: list[dict[str, Any]] = [{"id": "talk", "action": _TALK}, {"action": _LISTEN, "next": "talk"}]
    if collects:
        asked = [*collects[:-1], {**collects[-1], "next": "talk"}]
        never = {"if": f"slots.{asked[0]['collect']} is 'asked by the bot of the file'", "then": asked}
        steps[1]["next"] = [never, {"else": "talk"}]
    return {"name": name, "description": description, "steps": steps}


def make_talking_patterns() -> dict[str, Any]:
    """Return patterns for a bot whose words stand in the test file: one message a turn, whatever it says."""
    return {
        **{name: {"steps": [{"noop": True, "next": "END"}]} for name in _SILENT},
        "pattern_correction": {"steps": [{"action": "action_correct_flow_slot"}]},
        "pattern_cancel_flow": {"steps": [{"action": "action_cancel_flow"}]},
        "pattern_completed": {"steps": [{"action": _TALK}]},
        "pattern_chitchat": {"steps": [{"action": _TALK}]},
    }
