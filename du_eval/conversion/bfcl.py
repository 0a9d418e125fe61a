"""The Berkeley Function-Calling Leaderboard into suites: one folder with its functions for each category."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from msgspec import Struct, convert, field

from du_eval.commands.function_calls import CallFunction
from du_eval.commands.registry import DEFAULT_COMMANDS
from du_eval.conversion.json_items import stream_items
from du_eval.conversion.service_schema import spell_words
from du_eval.conversion.suite_folder import (
    CaseFiles,
    Converted,
    claim_folder,
    make_talking_flow,
    make_talking_patterns,
    render_bot,
    render_user,
    write_yaml,
)
from du_eval.errors import InputError, Problem, tell_count

_TYPES = {"boolean": "bool", "integer": "float", "float": "float", "number": "float", "array": "list"}


class FunctionDoc(Struct, frozen=True):
    """A function that may be called."""

    name: str
    description: str = ""
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The name without dots and other signs."""
        return re.sub(r"\W+", "_", self.name)


def read_doc(item: Mapping[str, Any]) -> FunctionDoc:
    """Return a function from its description; raise a ValueError if its parts are of other types."""
    parameters = (item.get("parameters") or {}).get("properties") or {}
    if not all(isinstance(one.get("enum") or [], list) for one in parameters.values()):
        raise ValueError("an `enum` is not a list")
    described = {"name": item["name"], "description": item.get("description", ""), "parameters": parameters}
    return convert(described, FunctionDoc)


def read_call(text: str, docs: Mapping[str, FunctionDoc]) -> str:
    """Return a call in Python as a command; values without a name get the name of their place."""
    call = _parse_call(text)
    name = ast.unparse(call.func)
    doc = docs.get(name.replace(".", "_")) or docs.get(name.rpartition(".")[2])
    names = list(doc.parameters) if doc else []
    if len(call.args) > len(names):
        raise ValueError(f"'{text}' has more values than the description of {name} has parameters")
    given = {place: ast.literal_eval(value) for place, value in zip(names, call.args, strict=False)}
    given |= {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords if keyword.arg}
    return CallFunction(doc.id if doc else name, _json(given)).to_dsl()


def _parse_call(text: str) -> ast.Call:
    try:
        call: ast.expr | None = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        call = None
    if isinstance(call, ast.Call):
        return call
    raise ValueError(f"'{text}' is not a function call")


def _json(value: object) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _json(inner) for key, inner in value.items()}
    return [_json(inner) for inner in value] if isinstance(value, list | tuple | set) else value


def write_functions(folder: Path, docs: Iterable[FunctionDoc]) -> None:
    """Write functions as an assistant: each a flow, each of its parameters a slot."""
    slots: dict[str, Any] = {}
    flows: dict[str, Any] = {}
    for doc in docs:
        collects = []
        for name, parameter in doc.parameters.items():
            slot = re.sub(r"\W+", "_", f"{doc.id}_{name}")
            slots[slot] = _slot(parameter)
            about = str(parameter.get("description", "")).strip() or spell_words(name)
            collects.append({"collect": slot, "description": about})
        about = doc.description.strip() or spell_words(doc.name)
        flows[doc.id] = make_talking_flow(spell_words(doc.name), about, collects)
    responses = {f"utter_ask_{slot}": [{"text": f"{spell_words(slot)}?"}] for slot in slots}
    write_yaml(
        folder / "domain.yml", {"slots": slots, "responses": responses or {"utter_hello": [{"text": "Hi"}]}}
    )
    write_yaml(folder / "data" / "flows.yml", {"flows": flows})
    write_yaml(folder / "data" / "patterns.yml", {"flows": make_talking_patterns()})


def _slot(parameter: Mapping[str, Any]) -> dict[str, Any]:
    kind = str(parameter.get("type", "string")).lower()
    values = [str(value) for value in parameter.get("enum") or () if value is not None]
    mappings = {"mappings": [{"type": "from_llm"}]}
    if values and kind == "string":
        return {"type": "categorical", "values": values, **mappings}
    return {"type": _TYPES.get(kind, "text" if kind == "string" else "any"), **mappings}


_FILE = re.compile(r"BFCL_v\d+_(?P<category>\w+)\.json")
_NOT_ABOUT_CALLS = ("memory", "web_search", "format_sensitivity")
_NAMED = 5
_MISFITS = (KeyError, TypeError, AttributeError, ValueError, RecursionError, MemoryError)
_SETTINGS = {
    "additional_commands": ["CallFunction"],
    "remove_default_commands": [command.__name__ for command in DEFAULT_COMMANDS],
}


class _Category(Struct):
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

    def learn(self, functions: Sequence[Mapping[str, object]]) -> None:
        """Take in the functions of an entry; the first description of a name holds."""
        for item in functions:
            doc = read_doc(item)
            if self.docs.setdefault(doc.id, doc) != doc:
                self.differing.add(doc.id)

    def notes(self) -> Iterator[str]:
        """Yield what was left out, or is not as in the data."""
        if self.changing:
            changing = tell_count(self.changing, "case")
            yield f"{self.name}: {changing} left out: functions change during the dialogue"
        if self.unanswerable:
            yield f"{self.name}: {tell_count(self.unanswerable, 'case')} left out: any call would be correct"
        if self.differing:
            names = ", ".join(sorted(self.differing)[:_NAMED])
            more = f" and {len(self.differing) - _NAMED} more" if len(self.differing) > _NAMED else ""
            yield f"{self.name}: described in several ways, of which the first is used: {names}{more}"


def convert_bfcl(source: Path, folder: Path) -> Converted:
    """Write questions with their possible answers as suites; a folder becomes one suite for each category."""
    files = list(_question_files(source))
    if not files:
        hint = "name the data folder of the leaderboard, or one of its files"
        raise InputError(Problem(str(source), 0, "no BFCL_v*_*.json files here", hint))
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
        except _MISFITS as error:
            item = entry.get("id", number) if isinstance(entry, dict) else number
            raise _misfit(file, str(item), error) from error
    category.cases.close()
    if category.cases.cases:
        write_functions(folder, category.docs.values())
    return category


def _misfit(file: Path, item: str, error: Exception) -> InputError:
    return InputError(
        Problem(str(file), 0, f"{item}: this is not in the format of the leaderboard: {error!r}")
    )


def _shared_docs(folder: Path) -> Iterator[tuple[str, FunctionDoc]]:
    for file in sorted((folder / "multi_turn_func_doc").glob("*.json")):
        for number, item in enumerate(stream_items(file), start=1):
            try:
                doc = read_doc(item)
            except _MISFITS as error:
                raise _misfit(file, str(number), error) from error
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
        raise ValueError(f"{call!r} is not a call")
    ((name, parameters),) = call.items()
    return CallFunction(name, parameters, has_alternatives=True).to_dsl()


def _steps(messages: Sequence[Mapping[str, str]], commands: list[str]) -> Iterator[str]:
    """Yield the messages of a turn; the last one of the user is what the calls answer."""
    users = [place for place, message in enumerate(messages) if message["role"] == "user"]
    if not users:
        raise ValueError("a turn has no user message")
    before, last = messages[: users[-1]], messages[users[-1]]
    context = [message["content"] for message in before if message["role"] in {"system", "user"}]
    for message in before:
        if message["role"] == "assistant":
            yield render_bot(message["content"])
    yield render_user("\n\n".join([*context, last["content"]]), [commands])
