"""From files to end-to-end cases; every problem of every file at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct, field

from du_eval.assistants.actions import ActionResult
from du_eval.assistants.model import Assistant
from du_eval.assistants.reading import Reader
from du_eval.assistants.references import is_built_in
from du_eval.endtoend.assertion_parts import read_assertions
from du_eval.endtoend.model import EndToEndCase, ExpectedReply, SlotExpectation, SlotStep, Step, UserMessage
from du_eval.errors import InputError, Problem, SuiteError, did_you_mean
from du_eval.parsers.text_files import list_yaml_files, read_text_file
from du_eval.parsers.yaml_parser import YamlMap, parse_yaml, read_scalar
from du_eval.suites.fixtures import list_idle_stubs
from du_eval.suites.model import PLACEHOLDER

_KEYS = ("fixtures", "metadata", "stub_custom_actions", "test_cases")
_CASE_KEYS = ("test_case", "steps", "fixtures", "metadata")
_STEP_KEYS = ("user", "bot", "utter", "slot_was_set", "slot_was_not_set")
_USER_KEYS = ("user", "metadata", "assertions", "assertion_order_enabled")
_LOOKS_LIKE_SUITE = re.compile(r"^[\"']?test_cases[\"']?\s*:", re.MULTILINE)
_TYPED = frozenset({"fixtures", "metadata", "stub_custom_actions"})


class EndToEndSuite(Struct, frozen=True):
    """All cases, and what may surprise their author."""

    cases: tuple[EndToEndCase, ...]
    warnings: tuple[str, ...] = ()


class _File(Struct, frozen=True):
    path: str
    root: YamlMap
    reader: Reader
    fixtures: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    metadata: Mapping[str, Mapping[str, object]] = field(default_factory=dict)


def load_end_to_end(paths: Iterable[str | Path]) -> EndToEndSuite:
    """Return all cases of files and folders; raise SuiteError with every problem."""
    problems: list[Problem] = []
    warnings: list[str] = []
    files = list(_files(paths, problems))
    cases = [case for file in files for case in _cases(file, files, warnings)]
    problems.extend(problem for file in files for problem in file.reader.problems)
    if problems:
        raise SuiteError(sorted(set(problems)))
    return EndToEndSuite(tuple(cases), tuple(warnings))


def list_unknown_names(
    cases: Iterable[EndToEndCase], assistant_of: Callable[[str], Assistant | None]
) -> Iterator[str]:
    """Yield a warning for each slot, flow and response of cases that the assistant of their file lacks.

    What must not happen never happens to something that does not exist: such a check would always pass.
    """
    for case in cases:
        assistant = assistant_of(case.file)
        if assistant is not None:
            yield from _list_unknown(case, assistant)


def _list_unknown(case: EndToEndCase, assistant: Assistant) -> Iterator[str]:
    for line, kind, name in dict.fromkeys(_list_names(case)):
        known = {"slot": assistant.slots, "flow": assistant.flows, "response": assistant.responses}[kind]
        is_own = name.startswith("pattern_") or (kind == "response" and is_built_in(name))
        if known and name not in known and not is_own:
            hint = did_you_mean(name, known)
            yield f"{case.file}:{line}: the assistant has no {kind} '{name}'{f' ({hint})' if hint else ''}"


def _list_names(case: EndToEndCase) -> Iterator[tuple[int, str, str]]:
    for step in case.steps:
        if isinstance(step, SlotStep):
            yield step.line, "slot", step.slot.name
        elif isinstance(step, ExpectedReply) and step.response and step.response != PLACEHOLDER:
            yield step.line, "response", step.response
        for one in step.assertions if isinstance(step, UserMessage) else ():
            yield from ((one.line, "slot", slot.name) for slot in one.slots)
            yield from ((one.line, "flow", flow) for flow in one.flows)
            if one.name and one.kind in {"bot_uttered", "bot_did_not_utter"}:
                yield one.line, "response", one.name


def _files(paths: Iterable[str | Path], problems: list[Problem]) -> Iterator[_File]:
    for path in map(Path, paths):
        if not path.exists():
            raise SuiteError(f"no such file or folder: {path}")
        is_named = not path.is_dir()
        for file in [path] if is_named else list_yaml_files(path):
            try:
                loaded = _file(file, is_named=is_named)
            except InputError as error:
                problems.extend(error.problems)
                continue
            if loaded is not None:
                yield loaded


def _file(path: Path, *, is_named: bool) -> _File | None:
    text = read_text_file(path)
    if not is_named and not _LOOKS_LIKE_SUITE.search(text):
        return None
    root = parse_yaml(text, str(path), typed=_TYPED).root
    if not isinstance(root, YamlMap):
        raise SuiteError(Problem(str(path), 1, "a test file is a mapping with the key test_cases"))
    reader = Reader(str(path))
    _refuse_unknown(root, _KEYS, "the file", reader)
    if "test_cases" not in root:
        reader.refuse(1, "the key 'test_cases' is missing")
    return _File(str(path), root, reader, _fixtures(root, reader), _named(root, "metadata", reader))


def _refuse_unknown(node: YamlMap, known: tuple[str, ...], what: str, reader: Reader) -> None:
    for key in node:
        if key not in known:
            hint = did_you_mean(key, known) or "choose from " + ", ".join(known)
            reader.refuse(node.lines[key], f"{what} has the unknown key '{key}'", hint)


def _fixtures(root: YamlMap, reader: Reader) -> dict[str, Mapping[str, object]]:
    found: dict[str, Mapping[str, object]] = {}
    items = reader.items(root, "fixtures")
    for item, line in zip(items, items.lines, strict=True):
        entry = reader.as_mapping(item, line, "a fixture")
        for name in entry:
            slots: dict[str, object] = {}
            for slot in reader.items(entry, name):
                slots.update(slot if isinstance(slot, YamlMap) else {})
            found.setdefault(name, slots)
    return found


def _named(root: YamlMap, key: str, reader: Reader) -> dict[str, Mapping[str, object]]:
    items = reader.items(root, key)
    found: dict[str, Mapping[str, object]] = {}
    for item, line in zip(items, items.lines, strict=True):
        for name, value in reader.as_mapping(item, line, f"an item of '{key}'").items():
            found.setdefault(name, value if isinstance(value, Mapping) else {})
    return found


def _cases(file: _File, files: list[_File], warnings: list[str]) -> Iterator[EndToEndCase]:
    reader = file.reader
    items = reader.items(file.root, "test_cases")
    named = [str(item.get("test_case", "")) for item in items if isinstance(item, YamlMap)]
    stubs = reader.mapping(file.root, "stub_custom_actions")
    warnings.extend(str(warning) for warning in list_idle_stubs(file.path, stubs, named))
    for item, line in zip(items, items.lines, strict=True):
        node = reader.as_mapping(item, line, "a test case")
        _refuse_unknown(node, _CASE_KEYS, "the test case", reader)
        name = reader.text(node, "test_case")
        if not name:
            reader.refuse(line, "the test case has no name", "write - test_case: name")
        steps = _steps(node, file, files, warnings)
        if not any(isinstance(step, UserMessage) for step in steps):
            reader.refuse(line, f"the test case '{name}' has no user step")
        names = [(str(text), at) for text, at in _listed(node, "fixtures", reader)]
        metadata = reader.text(node, "metadata")
        yield EndToEndCase(
            name,
            file.path,
            line,
            steps,
            {text: _found(text, "fixtures", at, file, files) for text, at in names},
            _found(metadata, "metadata", node.lines.get("metadata", line), file, files) if metadata else {},
            metadata,
            _stubs(file, name),
        )


def _listed(node: YamlMap, key: str, reader: Reader) -> Iterator[tuple[object, int]]:
    items = reader.items(node, key)
    yield from zip(items, items.lines, strict=True)


def _found(name: str, kind: str, line: int, file: _File, files: list[_File]) -> Mapping[str, object]:
    """Return what a name stands for: in this file, or else in the first one that defines it."""
    for other in (file, *files):
        table = other.fixtures if kind == "fixtures" else other.metadata
        if name in table:
            return table[name]
    what = "fixture" if kind == "fixtures" else "metadata"
    known = file.fixtures if kind == "fixtures" else file.metadata
    file.reader.refuse(line, f"{what} '{name}' is not defined anywhere", did_you_mean(name, known))
    return {}


def _stubs(file: _File, case: str) -> dict[str, ActionResult]:
    """Return the stubs that hold for a case: those of the case before those of the file."""
    scopes = ("", Path(file.path).name, case.replace(" ", "_"))
    ranked: dict[str, tuple[int, ActionResult]] = {}
    for key, value in file.reader.mapping(file.root, "stub_custom_actions").items():
        scope, _, action = key.rpartition("::")
        rank = scopes.index(scope) if scope in scopes else -1
        if rank >= 0 and rank >= ranked.get(action, (-1, None))[0] and isinstance(value, YamlMap):
            events, responses = (
                tuple(
                    file.reader.as_mapping(one, line, f"an item of '{kind}'")
                    for one, line in _listed(value, kind, file.reader)
                )
                for kind in ("events", "responses")
            )
            ranked[action] = (rank, ActionResult(events, responses))
    return {action: result for action, (_, result) in ranked.items()}


def _steps(node: YamlMap, file: _File, files: list[_File], warnings: list[str]) -> tuple[Step, ...]:
    steps: list[Step] = []
    for item, line in _listed(node, "steps", file.reader):
        step = file.reader.as_mapping(item, line, "a step")
        kinds = [kind for kind in _STEP_KEYS if kind in step]
        if len(kinds) != 1:
            many = f"has {' and '.join(kinds)} at once" if kinds else f"needs one of {', '.join(_STEP_KEYS)}"
            file.reader.refuse(line, f"the step {many}")
        elif kinds[0] == "user":
            steps.extend(_user_step(step, file, files, warnings))
        else:
            steps.extend(_check_steps(step, kinds[0], file.reader))
    return tuple(steps)


def _user_step(step: YamlMap, file: _File, files: list[_File], warnings: list[str]) -> Iterator[UserMessage]:
    reader = file.reader
    _refuse_unknown(step, _USER_KEYS, "the user step", reader)
    text = reader.text(step, "user").strip()
    if not text:
        warnings.append(f"{file.path}:{step.line}: the user message is empty: the step is left out")
        return
    assertions = read_assertions(step, reader)
    if "assertion_order_enabled" in step and not assertions:
        reader.refuse(step.lines["assertion_order_enabled"], "there are no assertions to keep in order")
    name = reader.text(step, "metadata")
    metadata = _found(name, "metadata", step.lines.get("metadata", step.line), file, files) if name else {}
    ordered = read_scalar(reader.text(step, "assertion_order_enabled")) is True
    yield UserMessage(text, step.line, metadata, name, assertions, ordered)


def _check_steps(step: YamlMap, kind: str, reader: Reader) -> Iterator[ExpectedReply | SlotStep]:
    _refuse_unknown(step, (kind,), f"the step '{kind}'", reader)
    if kind == "bot":
        yield ExpectedReply(step.line, text=reader.text(step, "bot"))
    elif kind == "utter":
        yield ExpectedReply(step.line, response=reader.text(step, "utter"))
    else:
        for item, line in _listed(step, kind, reader):
            for slot in _slot_expectations(item):
                yield SlotStep(line, slot, is_set=kind == "slot_was_set")


def _slot_expectations(item: object) -> Iterator[SlotExpectation]:
    if not isinstance(item, YamlMap):
        yield SlotExpectation(str(item))
        return
    for name, value in item.items():
        shown = None if value is None or value == "null" else str(value)
        yield SlotExpectation(name, shown, has_value=True)
