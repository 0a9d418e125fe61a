"""The tree of a case file with the place of every key, and the problems found in it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from du_eval.errors import InputError, Problem, did_you_mean
from du_eval.parsers.hocon_parser import HoconSources, parse_hocon
from du_eval.parsers.text_files import read_text_file
from du_eval.parsers.yaml_parser import parse_yaml

HOCON_SUFFIXES = (".hocon", ".conf")
YAML_SUFFIXES = (".yaml", ".yml")
SUFFIXES = (*HOCON_SUFFIXES, *YAML_SUFFIXES, ".json")


class Tree(Struct, frozen=True):
    """The content of one file."""

    root: Any
    file: str
    warnings: tuple[Problem, ...] = ()


def read_tree(path: Path, environment: Mapping[str, str] | None = None) -> Tree:
    """Return the content of a HOCON, YAML or JSON file."""
    file = str(path)
    text = read_text_file(path)
    if path.suffix in YAML_SUFFIXES:
        yaml = parse_yaml(text, file, typed=True)
        return Tree(yaml.root, file, yaml.warnings)
    if path.suffix == ".json":
        _refuse_bad_json(text, file)
        return Tree(parse_hocon(text, file).root, file)
    hocon = parse_hocon(text, file, HoconSources(path.parent, environment))
    return Tree(hocon.root, file, hocon.warnings)


def _refuse_bad_json(text: str, file: str) -> None:
    """Check the syntax by the strict rules; the lines then come from the HOCON parser, as JSON is HOCON."""
    try:
        root = json.loads(text, object_pairs_hook=_without_repetition)
    except json.JSONDecodeError as error:
        raise InputError(Problem(file, error.lineno, f"not valid JSON: {error.msg}")) from error
    except (ValueError, RecursionError) as error:
        raise InputError(Problem(file, 1, f"not usable JSON: {error}")) from error
    if not isinstance(root, dict):
        raise InputError(Problem(file, 1, "the file must contain one object", "start with {"))


def _without_repetition(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result: dict[str, object] = {}
    for key, value in pairs:
        if key in result:
            raise ValueError(f"the key '{key}' is given twice in one object")
        result[key] = value
    return result


class Findings(Struct):
    """Problems and warnings, collected while a file is read."""

    file: str
    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)

    def at(self, node: object, key: str | int | None, message: str, hint: str = "") -> None:
        """Note a problem of a key, or of the node itself."""
        file, line = find_place(node, key, self.file)
        self.problems.append(Problem(file, line, message, hint))

    def warn(self, node: object, key: str, message: str, hint: str = "") -> None:
        """Note something that may not be meant."""
        file, line = find_place(node, key, self.file)
        self.warnings.append(Problem(file, line, message, hint))

    def refuse_unknown(self, node: Mapping[str, object], known: Iterable[str], where: str) -> None:
        """Note every key that means nothing."""
        names = tuple(known)
        for key in node:
            if key not in names:
                hint = did_you_mean(key, names) or f"known keys: {', '.join(names)}"
                self.at(node, key, f"unknown key '{key}' in {where}", hint)


def find_place(node: object, key: str | int | None, file: str) -> tuple[str, int]:
    """Return the file and line of a key, or of the node where the key has none."""
    own_file = getattr(node, "file", file)
    line = getattr(node, "line", 1)
    lines = getattr(node, "lines", None)
    if key is None or lines is None:
        return own_file, line
    files = getattr(node, "files", {})
    try:
        return files.get(key, own_file), lines[key]
    except (KeyError, IndexError):
        return own_file, line


def plain(value: object) -> Any:
    """Return a value without its places."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value
