"""Predictions that were recorded before, replayed from a file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from math import isfinite
from pathlib import Path, PurePosixPath
from typing import Any

from msgspec import Struct

from du_eval.errors import GeneratorError, InputError, Problem, did_you_mean
from du_eval.generators.base import Place, Prediction, Request
from du_eval.parsers.text_files import read_text_file
from du_eval.parsers.tool_calls import is_command_data
from du_eval.parsers.yaml_parser import YamlList, YamlMap, parse_yaml

_KEYS = ("test_case", "file", "step", "line", "text", "commands", "components", "latency_seconds")
_FORMS = {
    "text": "a string",
    "commands": "a list of commands, each a string (quoted if it contains ': ') or a mapping with a command",
    "components": "a mapping from component to a list of commands, or to a string",
}
_NUMBER = re.compile(r"0*[1-9][0-9]{0,8}")
_ITEM = re.compile(r"[^\s,]")


class _Record(Struct, frozen=True):
    """One recorded answer, and the step it belongs to."""

    path: tuple[str, ...]
    """The parts of its file's path, or of the end of it; none where it fits every file."""
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
        found = self._closest(place)
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

    def _closest(self, place: Place) -> list[_Record]:
        """Return the records of a step; where several fit, those that say most about their file."""
        by_step = self._by_step.get((place.case, place.step), [])
        by_line = self._by_line.get((place.case, place.line), [])
        parts = _parts(place.file)
        fitting = [r for r in by_step + by_line if not r.path or parts[-len(r.path) :] == r.path]
        most = max((len(record.path) for record in fitting), default=0)
        return [record for record in fitting if len(record.path) == most]

    def _add(self, data: Any, at: int, problems: list[Problem]) -> None:
        found = [data] if isinstance(data, Problem) else list(_record_problems(data, self.path, at))
        problems.extend(found)
        if found:
            return
        record = _Record(_parts(data.get("file") or ""), _prediction(data), at)
        key, index = ("step", self._by_step) if data.get("step") is not None else ("line", self._by_line)
        index.setdefault((data["test_case"], int(data[key])), []).append(record)
        self.count += 1


@lru_cache(maxsize=65_536)
def _parts(file: str) -> tuple[str, ...]:
    return PurePosixPath(Path(file).as_posix()).parts


def _records_in(path: Path) -> Iterator[tuple[Any, int]]:
    """Yield the records of a YAML, JSON or JSONL file, or the problems in their place, with their lines."""
    file = str(path)
    text = read_text_file(path)
    if path.suffix == ".jsonl":
        yield from _json_lines(text, file)
    elif path.suffix == ".json":
        records = _listed(_json(text, file, 1), file)
        yield from zip(records, _lines_of_items(text, len(records)), strict=True)
    else:
        records = _listed(parse_yaml(text, file, keeps_calls=True).root, file)
        yield from zip(records, records.lines, strict=True)


def _json_lines(text: str, file: str) -> Iterator[tuple[Any, int]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield _json(line, file, number), number
            except InputError as error:
                yield error.problems[0], number


def _json(text: str, file: str, line: int) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        at = line + getattr(error, "lineno", 1) - 1
        raise InputError(Problem(file, at, f"not valid JSON: {error}")) from error


def _lines_of_items(text: str, count: int) -> Iterator[int]:
    """Yield the line of each item of the list in a JSON text that is known to be valid."""
    try:
        yield from list(_find_items(text, count))
    except ValueError:
        # The same key twice: the list that counts is not the first one.
        yield from [1] * count


def _find_items(text: str, count: int) -> Iterator[int]:
    decoder = json.JSONDecoder()
    after_key = 0 if text.lstrip().startswith("[") else decoder.raw_decode(text, text.index('"'))[1]
    position = text.index("[", after_key) + 1
    line = 1 + text.count("\n", 0, position)
    for _ in range(count):
        item = _ITEM.search(text, position)
        if item is None:
            raise ValueError("the list has ended")
        start = item.start()
        line += text.count("\n", position, start)
        yield line
        _, position = decoder.raw_decode(text, start)
        line += text.count("\n", start, position)


def _listed(data: object, file: str) -> Any:
    if isinstance(data, Mapping) and len(data) == 1:
        data = next(iter(data.values()))
    if not isinstance(data, list):
        raise InputError(
            Problem(file, 1, "recorded predictions are a list of records", "one record per user step")
        )
    return data


def _record_problems(data: object, file: str, at: int) -> Iterator[Problem]:
    if not isinstance(data, Mapping):
        message = "a record is a mapping with test_case, step or line, and text, commands or components"
        yield Problem(file, at, message)
        return
    lines = data.lines if isinstance(data, YamlMap) else {}
    for key in data:
        if key not in _KEYS:
            yield Problem(file, lines.get(key, at), f"unknown key '{key}'", did_you_mean(str(key), _KEYS))
    if not isinstance(data.get("test_case"), str):
        yield Problem(file, lines.get("test_case", at), "the record has no test_case")
    if not isinstance(data.get("file"), str | None):
        yield Problem(file, at, "'file' is not a path")
    number = str(data["step"] if data.get("step") is not None else data.get("line"))
    if not _NUMBER.fullmatch(number):
        yield Problem(file, at, "the record needs step (from 1, among the user steps) or line")
    if not _is_seconds(data.get("latency_seconds")):
        yield Problem(file, lines.get("latency_seconds", at), "'latency_seconds' is not a number of seconds")
    yield from (Problem(file, *found) for found in _answer_problems(data, lines, at))


def _is_seconds(value: Any) -> bool:
    try:
        return value is None or (isfinite(float(value)) and float(value) >= 0)
    except (TypeError, ValueError, OverflowError):
        return False


def _answer_problems(
    data: Mapping[str, object], lines: Mapping[str, int], at: int
) -> Iterator[tuple[int, str, str]]:
    given = [key for key in _FORMS if data.get(key) is not None]
    if len(given) != 1:
        yield at, "the record needs one of text, commands, components", f"it has {', '.join(given) or 'none'}"
        return
    key = given[0]
    for line in _wrong_lines(key, data[key], lines.get(key, at)):
        yield line, f"'{key}' has the wrong format", _FORMS[key]


def _wrong_lines(key: str, value: object, at: int) -> Iterator[int]:
    """Yield the lines of what does not have the right form."""
    if key == "components" and isinstance(value, Mapping):
        lines = value.lines if isinstance(value, YamlMap) else {}
        for name, commands in value.items():
            if not isinstance(commands, str):
                yield from _wrong_lines("commands", commands or [], lines.get(name, at))
    elif key == "commands" and isinstance(value, list):
        places = value.lines if isinstance(value, YamlList) else [at] * len(value)
        for command, line in zip(value, places, strict=True):
            if not isinstance(command, str) and not is_command_data(command):
                yield line
    elif key != "text" or not isinstance(value, str):
        yield at


def _prediction(data: Mapping[str, Any]) -> Prediction:
    latency = data.get("latency_seconds")
    seconds = float(latency) if latency is not None else None
    if data.get("text") is not None:
        return Prediction(text=data["text"], latency_seconds=seconds)
    if data.get("commands") is not None:
        return Prediction(commands=tuple(data["commands"]), latency_seconds=seconds)
    components = {
        name: commands if isinstance(commands, str) else tuple(commands or ())
        for name, commands in data["components"].items()
    }
    return Prediction(components=components, latency_seconds=seconds)
