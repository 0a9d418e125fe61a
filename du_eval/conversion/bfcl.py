"""The Berkeley Function-Calling Leaderboard into suites: one folder with its functions for each category."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any

from du_eval.commands.function_calls import CallFunction
from du_eval.commands.registry import DEFAULT_COMMANDS
from du_eval.conversion.function_docs import FunctionDoc, read_call, read_doc, write_functions
from du_eval.conversion.json_items import stream_items
from du_eval.conversion.suite_folder import (
    CaseFiles,
    Converted,
    claim_folder,
    render_bot,
    render_user,
    write_yaml,
)
from du_eval.errors import InputError, Problem

_FILE = re.compile(r"BFCL_v\d+_(?P<category>\w+)\.json")
_NOT_ABOUT_CALLS = ("memory", "web_search", "format_sensitivity")
_NAMED = 5
_SETTINGS = {
    "additional_commands": ["CallFunction"],
    "remove_default_commands": [command.__name__ for command in DEFAULT_COMMANDS],
}


@dataclass
class _Category:
    """One file of questions on its way into a folder."""

    name: str
    file: Path
    docs: dict[str, FunctionDoc]
    cases: CaseFiles
    changing: int = 0
    """Entries whose functions change while they go on."""
    unanswerable: int = 0
    """Entries for which any call is right."""
    differing: set[str] = field(default_factory=set)
    """Functions that entries describe differently."""

    def learn(self, functions: Sequence[Mapping[str, Any]]) -> None:
        """Take in the functions of an entry; the first description of a name holds."""
        for item in functions:
            doc = read_doc(item)
            if self.docs.setdefault(doc.id, doc) != doc:
                self.differing.add(doc.id)

    def notes(self) -> Iterator[str]:
        """Yield what was left out, or is not as in the data."""
        if self.changing:
            yield f"{self.name}: {_cases(self.changing)} left out: functions change during the dialogue"
        if self.unanswerable:
            yield f"{self.name}: {_cases(self.unanswerable)} left out: any call is right there"
        if self.differing:
            names = ", ".join(sorted(self.differing)[:_NAMED])
            more = f" and {len(self.differing) - _NAMED} more" if len(self.differing) > _NAMED else ""
            yield f"{self.name}: described in several ways, the first one is taken: {names}{more}"


def _cases(count: int) -> str:
    return f"{count} case{'' if count == 1 else 's'}"


def convert_bfcl(source: Path, folder: Path) -> Converted:
    """Write questions with their possible answers as suites; a folder becomes one suite for each category."""
    files = list(_question_files(source))
    if not files:
        hint = "name the data folder of the leaderboard, or one of its files"
        raise InputError(Problem(str(source), 0, "there are no files BFCL_v*_*.json here", hint))
    claim_folder(folder)
    write_yaml(folder / "du-eval.yaml", _SETTINGS)
    done = [_convert_file(file, name, folder / name) for name, file in files]
    return Converted(
        sum(one.cases.cases for one in done),
        sum(one.cases.steps for one in done),
        sum(one.cases.files for one in done),
        tuple(note for one in done for note in one.notes()),
    )


def _question_files(source: Path) -> Iterator[tuple[str, Path]]:
    for file in sorted(source.glob("BFCL_v*.json")) if source.is_dir() else [source]:
        found = _FILE.fullmatch(file.name)
        if found and not (source.is_dir() and found["category"].startswith(_NOT_ABOUT_CALLS)):
            yield found["category"], file


def _convert_file(file: Path, name: str, folder: Path) -> _Category:
    category = _Category(name, file, dict(_shared_docs(file.parent)), CaseFiles(folder / "tests", name))
    answers = file.parent / "possible_answer" / file.name
    golds = stream_items(answers) if answers.is_file() else iter(())
    for number, (entry, gold) in enumerate(zip_longest(stream_items(file), golds), start=1):
        try:
            if entry is None or (gold is not None and gold["id"] != entry["id"]):
                raise InputError(Problem(str(answers), 0, "the answers do not belong to the questions"))
            _take(category, entry, gold["ground_truth"] if gold else None)
        except (KeyError, TypeError, AttributeError, ValueError, RecursionError, MemoryError) as error:
            item = entry.get("id", number) if isinstance(entry, dict) else number
            message = f"{item}: this is not in the format of the leaderboard: {error!r}"
            raise InputError(Problem(str(file), 0, message)) from error
    category.cases.close()
    if category.cases.cases:
        write_functions(folder, category.docs.values())
    return category


def _shared_docs(folder: Path) -> Iterator[tuple[str, FunctionDoc]]:
    for file in sorted((folder / "multi_turn_func_doc").glob("*.json")):
        for item in stream_items(file):
            doc = read_doc(item)
            yield doc.id, doc


def _take(category: _Category, entry: Mapping[str, Any], truth: Sequence[Any] | None) -> None:
    if entry.get("missed_function"):
        category.changing += 1
        return
    if truth is None and "irrelevance" not in category.name:
        category.unanswerable += 1
        return
    category.learn(entry.get("function", ()))
    turns = entry["question"]
    is_script = bool(truth) and all(isinstance(turn, list) for turn in truth or ())
    expected = list(truth or ()) if is_script else [truth or ()]
    steps = [
        step
        for turn, calls in zip(turns, expected, strict=True)
        for step in _steps(turn, [_command(call, category.docs) for call in calls])
    ]
    category.cases.add(entry["id"], steps)


def _command(call: object, docs: Mapping[str, FunctionDoc]) -> str:
    """Return a gold call as an expected command: a text in Python, or right values by parameter."""
    if isinstance(call, str):
        return read_call(call, docs)
    if not isinstance(call, Mapping) or len(call) != 1:
        raise ValueError(f"{call!r} is no call")
    ((name, parameters),) = call.items()
    return CallFunction(name, parameters, has_alternatives=True).to_dsl()


def _steps(messages: Sequence[Mapping[str, str]], commands: list[str]) -> Iterator[str]:
    """Yield the messages of a turn; the last one of the user is what the calls answer."""
    users = [place for place, message in enumerate(messages) if message["role"] == "user"]
    if not users:
        raise ValueError("a turn has no message of the user")
    before, last = messages[: users[-1]], messages[users[-1]]
    context = [message["content"] for message in before if message["role"] in {"system", "user"}]
    for message in before:
        if message["role"] == "assistant":
            yield render_bot(message["content"])
    yield render_user("\n\n".join([*context, last["content"]]), [commands])
