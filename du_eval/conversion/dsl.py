"""Test files with commands in another spelling: only the commands change, every other character stays."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from difflib import unified_diff
from pathlib import Path
from typing import Any

import yaml
from msgspec import Struct

from du_eval.conversion.rules import Rule, rewrite_command
from du_eval.errors import ConfigError, InputError, Problem, SuiteError
from du_eval.parsers.text_files import list_yaml_files
from du_eval.parsers.yaml_parser import parse_yaml
from du_eval.trust.reading import find_place, read_file

_TEST_FILE = re.compile(r"^[\"']?test_cases[\"']?\s*:", re.MULTILINE)


class Rewritten(Struct, frozen=True):
    """A file in the new spelling."""

    text: str
    changed: int = 0
    unmatched: tuple[Problem, ...] = ()


class _Place(Struct, frozen=True):
    """Where a command stands in the text."""

    start: int
    end: int
    line: int
    text: str
    style: str
    is_in_brackets: bool


def rewrite_file(text: str, file: str, rules: Sequence[Rule]) -> Rewritten:
    """Return a test file in the new spelling; a file without test cases stays as it is."""
    if not _TEST_FILE.search(text):
        return Rewritten(text)
    parse_yaml(text, file)
    pieces: list[str] = []
    unmatched: list[Problem] = []
    position = changed = 0
    for place in _places(text, file):
        new = rewrite_command(place.text, rules)
        if new is None:
            unmatched.append(
                Problem(file, place.line, f"no rule matches '{place.text}'", "it stays as it is")
            )
        elif new != place.text:
            pieces += [text[position : place.start], _written(new, place, text)]
            position, changed = place.end, changed + 1
    return Rewritten("".join([*pieces, text[position:]]), changed, tuple(unmatched))


def _places(text: str, file: str) -> Iterator[_Place]:
    """Yield the commands of a test file in the order of the text."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise SuiteError(Problem(file, 0, f"not valid YAML: {error}")) from error
    for case in _items(_under(root, "test_cases")):
        for step in _items(_under(case, "steps")):
            yield from _commands(_under(step, "commands"))
            for group in _items(_under(step, "any_of")):
                yield from _commands(group)


def _under(node: object, key: str) -> Any:
    pairs = node.value if isinstance(node, yaml.MappingNode) else ()
    return next((value for name, value in pairs if name.value == key), None)


def _items(node: object) -> Sequence[Any]:
    return node.value if isinstance(node, yaml.SequenceNode) else ()


def _commands(node: Any) -> Iterator[_Place]:
    for item in _items(node):
        if isinstance(item, yaml.ScalarNode):
            start, end = item.start_mark, item.end_mark
            yield _Place(
                start.index, end.index, start.line + 1, item.value, item.style or "", bool(node.flow_style)
            )


def _written(new: str, place: _Place, text: str) -> str:
    """Return a command in the quotes that the old one has, or in those that it needs."""
    old = text[place.start : place.end]
    tail = old[len(old.rstrip()) :]
    if place.style == "'":
        return "'" + new.replace("'", "''") + "'"
    if place.style == '"':
        return json.dumps(new, ensure_ascii=False)
    if _is_plain(new, is_in_brackets=place.is_in_brackets):
        return new + tail
    return json.dumps(new, ensure_ascii=False) + tail


def _is_plain(text: str, *, is_in_brackets: bool) -> bool:
    try:
        document = parse_yaml(f"[{text}, x]\n" if is_in_brackets else f"- {text}\n", "")
    except InputError:
        return False
    return bool(document.root == ([text, "x"] if is_in_brackets else [text]))


class RewrittenFile(Struct, frozen=True):
    """One file before and after."""

    source: Path
    target: Path
    old: str
    new: bytes
    changed: int = 0
    unmatched: tuple[Problem, ...] = ()


def rewrite_folder(
    source: Path, target: Path, rules: Sequence[Rule], *, in_place: bool = False
) -> tuple[RewrittenFile, ...]:
    """Return all YAML files below a folder in the new spelling; raise with the problems of all of them."""
    if not source.is_dir():
        raise ConfigError(f"no such folder: {source}")
    here, there = find_place(source), find_place(target)
    if here == there and not in_place:
        raise ConfigError(
            f"the files in {source} would be overwritten; name another folder, or add --in-place"
        )
    if here != there and here in there.parents:
        raise ConfigError(
            f"{target} is inside {source}, so it would be converted as well; name another folder"
        )
    found: list[RewrittenFile] = []
    problems: list[Problem] = []
    for file in list_yaml_files(source):
        try:
            found.append(_file(file, target / file.relative_to(source), rules))
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise SuiteError(sorted(problems))
    return tuple(found)


def _file(source: Path, target: Path, rules: Sequence[Rule]) -> RewrittenFile:
    content = read_file(source)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SuiteError(
            Problem(str(source), 0, f"cannot be read: {error}", "save it as UTF-8 text")
        ) from error
    result: Rewritten = rewrite_file(text, str(source), rules)
    return RewrittenFile(source, target, text, result.text.encode("utf-8"), result.changed, result.unmatched)


def difference(file: RewrittenFile) -> str:
    """Return what changes in a file, as a unified diff."""
    old, new = file.old.splitlines(keepends=True), file.new.decode("utf-8").splitlines(keepends=True)
    return "".join(unified_diff(old, new, str(file.source), str(file.target)))
