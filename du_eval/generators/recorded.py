"""Predictions that were recorded before, replayed from a file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

from du_eval.errors import GeneratorError, InputError, Problem, did_you_mean
from du_eval.generators.base import CommandLike, Place, Prediction, Request
from du_eval.parsers.yaml_parser import YamlList, YamlMap, parse_yaml

_KEYS = ("test_case", "file", "step", "line", "text", "commands", "components", "latency_seconds")
_ANSWERS = ("text", "commands", "components")


@dataclass(frozen=True, slots=True)
class _Record:
    """One recorded answer, and the step it belongs to."""

    file: str
    prediction: Prediction
    at: int


class RecordedGenerator:
    """Gives back recorded predictions; a step without a record is an error."""

    name = "RecordedGenerator"

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)
        self._by_step: dict[tuple[str, int], list[_Record]] = {}
        self._by_line: dict[tuple[str, int], list[_Record]] = {}
        self.count = 0
        problems: list[Problem] = []
        for data, at in _records_in(Path(path)):
            self._add(data, at, problems)
        if problems:
            raise InputError(problems)

    async def generate(self, request: Request) -> Prediction:
        """Return what was recorded for the step."""
        return self.prediction_for(request.place)

    def prediction_for(self, place: Place) -> Prediction:
        """Return what was recorded for a step; raise where there is nothing, or more than one thing."""
        candidates = self._by_step.get((place.case, place.step), []) + self._by_line.get(
            (place.case, place.line), []
        )
        found = [record for record in candidates if _is_file(record.file, place.file)]
        if not found:
            raise GeneratorError(
                f"{self.path} has no record for step {place.step} of '{place.case}' ({place})"
            )
        if len(found) > 1:
            lines = ", ".join(str(record.at) for record in found)
            raise GeneratorError(
                f"{self.path} has {len(found)} records for step {place.step} of '{place.case}' "
                f"(lines {lines}): give each its file"
            )
        return found[0].prediction

    def _add(self, data: Any, at: int, problems: list[Problem]) -> None:
        found = list(_record_problems(data, self.path, at))
        problems.extend(found)
        if found:
            return
        record = _Record(data.get("file") or "", _prediction(data), at)
        key, index = ("step", self._by_step) if data.get("step") is not None else ("line", self._by_line)
        index.setdefault((data["test_case"], int(data[key])), []).append(record)
        self.count += 1


@lru_cache(maxsize=65_536)
def _is_file(recorded: str, file: str) -> bool:
    """Tell whether a recorded path is the file's, or its end; no recorded path fits every file."""
    if not recorded:
        return True
    wanted, given = PurePosixPath(recorded).parts, PurePosixPath(Path(file).as_posix()).parts
    return given[-len(wanted) :] == wanted


def _records_in(path: Path) -> Iterator[tuple[Any, int]]:
    """Yield the records of a YAML, JSON or JSONL file, with their lines."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            Problem(str(path), 0, f"the recorded predictions cannot be read: {error}")
        ) from error
    if path.suffix == ".jsonl":
        yield from _json_lines(text, str(path))
    elif path.suffix == ".json":
        yield from ((record, 0) for record in _listed(_json(text, str(path), 1), str(path)))
    else:
        root = parse_yaml(text, str(path)).root
        records = _listed(root, str(path))
        lines = records.lines if isinstance(records, YamlList) else [0] * len(records)
        yield from zip(records, lines, strict=True)


def _json_lines(text: str, file: str) -> Iterator[tuple[Any, int]]:
    problems: list[Problem] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield _json(line, file, number), number
            except InputError as error:
                problems.extend(error.problems)
    if problems:
        raise InputError(problems)


def _json(text: str, file: str, line: int) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        at = line + getattr(error, "lineno", 1) - 1
        raise InputError(Problem(file, at, f"not valid JSON: {error}")) from error


def _listed(data: Any, file: str) -> Any:
    if isinstance(data, Mapping) and len(data) == 1:
        data = next(iter(data.values()))
    if not isinstance(data, list):
        raise InputError(
            Problem(file, 1, "recorded predictions are a list of records", "one record a user step")
        )
    return data


def _record_problems(data: Any, file: str, at: int) -> Iterator[Problem]:
    if not isinstance(data, Mapping):
        yield Problem(
            file, at, "a record is a mapping with test_case, step or line, and text, commands or components"
        )
        return
    lines = data.lines if isinstance(data, YamlMap) else {}
    for key in data:
        if key not in _KEYS:
            yield Problem(file, lines.get(key, at), f"unknown key '{key}'", did_you_mean(str(key), _KEYS))
    if not isinstance(data.get("test_case"), str):
        yield Problem(file, at, "the record does not name its test_case")
    number = data.get("step") if data.get("step") is not None else data.get("line")
    if not str(number).isdigit() or int(str(number)) < 1:
        yield Problem(file, at, "the record needs step (from 1, among the user steps) or line")
    given = [key for key in _ANSWERS if data.get(key) is not None]
    if len(given) != 1:
        yield Problem(
            file,
            at,
            "the record needs one of text, commands, components",
            f"it has {', '.join(given) or 'none'}",
        )
    elif not _is_answer(given[0], data[given[0]]):
        yield Problem(
            file, lines.get(given[0], at), f"'{given[0]}' does not have the right form", _FORMS[given[0]]
        )


_FORMS = {
    "text": "a text",
    "commands": "a list of commands, each a text or a mapping",
    "components": "a mapping from component to a list of commands",
}


def _is_answer(key: str, value: Any) -> bool:
    if key == "text":
        return isinstance(value, str)
    if key == "commands":
        return isinstance(value, list) and all(isinstance(command, str | Mapping) for command in value)
    return isinstance(value, Mapping) and all(
        isinstance(commands, str) or _is_answer("commands", commands or []) for commands in value.values()
    )


def _prediction(data: Mapping[str, Any]) -> Prediction:
    latency = data.get("latency_seconds")
    seconds = float(latency) if latency is not None else None
    if data.get("text") is not None:
        return Prediction(text=data["text"], latency_seconds=seconds)
    if data.get("commands") is not None:
        return Prediction(commands=tuple(data["commands"]), latency_seconds=seconds)
    components = {name: _component(commands) for name, commands in data["components"].items()}
    return Prediction(components=components, latency_seconds=seconds)


def _component(commands: Any) -> str | tuple[CommandLike, ...]:
    return commands if isinstance(commands, str) else tuple(commands or ())
