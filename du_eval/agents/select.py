"""Which cases to run: paths, `path::name`, `-k` expressions and `--deselect`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from du_eval.agents.document import SUFFIXES
from du_eval.agents.load import load_case
from du_eval.agents.model import AgentCase
from du_eval.errors import InputError, NothingSelectedError, Problem, did_you_mean

_TOKEN = re.compile(r"\s*(\(|\)|[^\s()]+)")


@dataclass(frozen=True, slots=True)
class Selection:
    """What the user asks for."""

    targets: tuple[str, ...]
    keyword: str = ""
    deselected: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SelectedCases:
    """The cases to run, and what in their files may not be meant."""

    cases: tuple[AgentCase, ...]
    warnings: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class _Found:
    """A case file, its name, and whether it was asked for by that name."""

    path: Path
    name: str


def select_cases(selection: Selection, environment: Mapping[str, str] | None = None) -> SelectedCases:
    """Load every selected case; raises with all problems of all files."""
    wanted = keyword_matcher(selection.keyword)
    problems: list[Problem] = []
    found = [one for target in selection.targets for one in _files_of(target, problems)]
    distinct = {one.path.resolve(): one for one in found}
    chosen = [
        one
        for one in distinct.values()
        if wanted(f"{one.name} {one.path}") and not any(_fits(one, out) for out in selection.deselected)
    ]
    cases: list[AgentCase] = []
    warnings: list[Problem] = []
    for one in chosen:
        try:
            loaded = load_case(one.path, one.name, environment)
        except InputError as error:
            problems += error.problems
            continue
        cases.append(loaded.case)
        warnings += loaded.warnings
    if problems:
        raise InputError(problems)
    if not cases:
        raise NothingSelectedError("no case is left to run: check the paths, -k and --deselect")
    return SelectedCases(tuple(cases), tuple(warnings))


def _files_of(target: str, problems: list[Problem]) -> list[_Found]:
    place, _, name = target.partition("::")
    path = Path(place)
    if path.is_file():
        if path.suffix not in SUFFIXES:
            problems.append(
                Problem(place, 0, "not a case file", f"the name must end in {', '.join(SUFFIXES)}")
            )
            return []
        found = [_Found(path, path.stem)]
    elif path.is_dir():
        found = _files_below(path)
    else:
        problems.append(Problem(place, 0, "there is no such file or folder"))
        return []
    if not name:
        return found
    named = [one for one in found if name in {one.name, one.path.stem}]
    if not named:
        hint = did_you_mean(name, (one.name for one in found))
        problems.append(Problem(place, 0, f"there is no case '{name}'", hint))
    return named


def _files_below(folder: Path) -> list[_Found]:
    """Return the case files of a folder; names that start with a dot or an underscore are parts of others."""
    found = []
    for path in sorted(folder.rglob("*")):
        inner = path.relative_to(folder)
        if path.suffix in SUFFIXES and path.is_file() and not any(part[0] in "._" for part in inner.parts):
            found.append(_Found(path, inner.with_suffix("").as_posix()))
    return found


def _fits(one: _Found, wanted: str) -> bool:
    place, _, name = wanted.partition("::")
    if name:
        inside = Path(place).resolve() in {one.path.resolve(), *one.path.resolve().parents}
        return inside and name in {one.name, one.path.stem}
    return place in {one.name, one.path.stem} or Path(place).resolve() == one.path.resolve()


class _Matcher:
    """A compiled `-k` expression."""

    def __init__(self, tokens: list[str], expression: str) -> None:
        self._tokens = tokens
        self._expression = expression
        self._at = 0
        self._text = ""

    def __call__(self, text: str) -> bool:
        self._text, self._at = text.casefold(), 0
        result = self._any()
        if self._at != len(self._tokens):
            raise self._error()
        return result

    def _next(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _any(self) -> bool:
        result = self._all()
        while self._next() == "or":
            self._at += 1
            result = self._all() or result
        return result

    def _all(self) -> bool:
        result = self._one()
        while self._next() == "and":
            self._at += 1
            result = self._one() and result
        return result

    def _one(self) -> bool:
        word = self._next()
        self._at += 1
        if word == "not":
            return not self._one()
        if word == "(":
            result = self._any()
            if self._next() != ")":
                raise self._error()
            self._at += 1
            return result
        if word in {"", ")", "and", "or"}:
            raise self._error()
        return word.casefold() in self._text

    def _error(self) -> InputError:
        return InputError(f"-k '{self._expression}' is not an expression: use words, and, or, not, ( and )")


def keyword_matcher(expression: str) -> _Matcher | _Everything:
    """Return a predicate for an expression of words with and, or, not and parentheses."""
    if not expression.strip():
        return _Everything()
    matcher = _Matcher(_TOKEN.findall(expression), expression)
    matcher("")
    return matcher


class _Everything:
    """The predicate of no expression."""

    def __call__(self, text: str) -> bool:
        return text is not None
