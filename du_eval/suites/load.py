"""From files to a suite: find, read, check, and report every problem at once."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from pydantic import ValidationError

from du_eval.errors import InputError, Problem, SuiteError, did_you_mean
from du_eval.parsers.text_files import list_yaml_files, read_text_file
from du_eval.parsers.yaml_parser import YamlDocument, YamlList, YamlMap, parse_yaml
from du_eval.statistics.success import SuccessRatio
from du_eval.suites.fixtures import (
    TYPED_KEYS,
    find_stubs,
    inherit_fixtures,
    list_fixtures_in,
    list_idle_stubs,
)
from du_eval.suites.model import (
    NOTHING,
    BotStep,
    ExpectedText,
    Fixture,
    Step,
    TestCase,
    TestSuite,
    UserStep,
)
from du_eval.suites.problems import is_end_to_end, list_problems, prune_file, step_problems
from du_eval.suites.schema import SUITE_FILE

_LOOKS_LIKE_SUITE = re.compile(r"^[\"']?(?:test_?cases?|tests?)[\"']?\s*:", re.MULTILINE)
_HINTS = {
    "dialogue_understanding_tests": "name a suite, or make an example project with: du-eval init",
    "du": "`rasa test du PATH` is `du-eval test PATH` here",
}
"""What to do where these do not exist: the usual folder of suites, and a word of the official command."""
_E2E = "run it with du-eval e2e, or turn it into a suite with du-eval convert e2e"


class _File(Struct, frozen=True):
    """A checked file, and the names that it defines for all."""

    path: str
    root: YamlMap
    fixtures: Mapping[str, Fixture] = field(default_factory=dict)
    metadata: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    inherited: Mapping[str, Fixture] = field(default_factory=dict)
    """Fixtures of the conftest files in its folder and above; the nearest one wins."""

    def needs_others(self) -> bool:
        """Tell whether a case refers to a fixture or to metadata that this file does not define."""
        for case in self.root["test_cases"]:
            used_fixtures = case.get("fixtures") or ()
            if any(name not in self.fixtures and name not in self.inherited for name in used_fixtures):
                return True
            used = [case.get("metadata"), *(step.get("metadata") for step in case["steps"])]
            if any(name is not None and name not in self.metadata for name in used):
                return True
        return False


class _Findings(Struct, frozen=True):
    """What is wrong, and what may surprise."""

    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)


def load_suite(paths: Iterable[str | Path]) -> TestSuite:
    """Return all cases of files and folders; raise SuiteError with every problem of every file."""
    suite, problems = read_suite(paths)
    if problems:
        raise SuiteError(sorted(problems))
    return suite


def read_suite(paths: Iterable[str | Path]) -> tuple[TestSuite, list[Problem]]:
    """Return what can be used of files and folders, and every problem in them."""
    findings = _Findings()
    with _paused_garbage_collection():
        cases = _all_cases(_test_files(paths, findings.problems), findings)
    return TestSuite(cases, tuple(str(warning) for warning in sorted(findings.warnings))), findings.problems


def _all_cases(paths: Iterable[tuple[Path, bool]], findings: _Findings) -> tuple[TestCase, ...]:
    """Build the cases file by file; only files that use names of other files wait until all are read."""
    names = _Names()
    by_file: list[list[TestCase]] = []
    waiting: list[tuple[int, _File]] = []
    for path, named in paths:
        file = _read(path, named, findings)
        if file is not None:
            names.add(file)
            is_alone = not file.needs_others()
            by_file.append(list(_cases(file, names, findings)) if is_alone else [])
            if not is_alone:
                waiting.append((len(by_file) - 1, file))
    for index, file in waiting:
        by_file[index] = list(_cases(file, names, findings))
    return tuple(case for cases in by_file for case in cases)


@contextmanager
def _paused_garbage_collection() -> Iterator[None]:
    """Spare the collector the walk over a tree that is all alive: a third of the loading time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            # All that was made goes to the oldest generation unseen, else the first walk would see it all.
            gc.freeze()
            gc.unfreeze()
            gc.enable()


def _test_files(paths: Iterable[str | Path], problems: list[Problem]) -> Iterator[tuple[Path, bool]]:
    """Yield each file once, and whether it was named itself; note the paths that lead nowhere."""
    seen: set[Path] = set()
    for path in map(Path, paths):
        if not path.exists():
            problems.append(Problem("", 0, f"no such file or folder: {path}", _HINTS.get(path.name, "")))
        named = path.exists() and not path.is_dir()
        for file in [path] if named else list_yaml_files(path):
            if file not in seen:
                seen.add(file)
                yield file, named


def _read(path: Path, named: bool, findings: _Findings) -> _File | None:  # noqa: FBT001
    """Return a checked file, or None where it is no test file or cannot be read."""
    try:
        document = _parsed(path, named)
    except InputError as error:
        findings.problems.extend(error.problems)
        return None
    if document is None:
        return None
    findings.warnings.extend(document.warnings)
    return _checked(document.root, str(path), findings)


def _parsed(path: Path, named: bool) -> YamlDocument | None:  # noqa: FBT001
    """Return the content of a file, or None where a file in a folder is no test file."""
    text = read_text_file(path)
    if not named and not _LOOKS_LIKE_SUITE.search(text):
        return None
    document = parse_yaml(text, str(path), typed=TYPED_KEYS, keeps_calls=True)
    if not isinstance(document.root, YamlMap):
        raise SuiteError(Problem(str(path), 1, "a test file is a mapping with the key test_cases"))
    return document


def _checked(root: YamlMap, file: str, findings: _Findings) -> _File | None:
    """Return a file whose content has the right shape: all of it, or what is left without its problems."""
    if is_end_to_end(root):
        findings.problems.append(Problem(file, 1, "this is an end-to-end test: it expects no commands", _E2E))
        return None
    found = list(step_problems(root, file))
    try:
        SUITE_FILE.validate_python(root)
    except ValidationError as error:
        found += list_problems(error, root, file)
    if found:
        findings.problems.extend(found)
        root = prune_file(root)
    has_fixtures = any(case.get("fixtures") for case in root["test_cases"])
    inherited = inherit_fixtures(Path(file).parent, findings.problems) if has_fixtures else {}
    return _File(file, root, list_fixtures_in(root), _metadata(root), inherited)


def _metadata(root: YamlMap) -> dict[str, Mapping[str, object]]:
    found: dict[str, Mapping[str, object]] = {}
    for entry in root.get("metadata") or ():
        for name, values in entry.items():
            found.setdefault(name, dict(values))
    return found


class _Names:
    """Fixtures and metadata of all files by name."""

    def __init__(self) -> None:
        self.fixtures: dict[str, list[Fixture]] = {}
        self.metadata: dict[str, list[Mapping[str, object]]] = {}

    def add(self, file: _File) -> None:
        for name, fixture in file.fixtures.items():
            self.fixtures.setdefault(name, []).append(fixture)
        for name, values in file.metadata.items():
            self.metadata.setdefault(name, []).append(values)


class _Lookup(Struct, frozen=True):
    """Finds what a file refers to by name, and notes what it cannot find."""

    file: _File
    names: _Names
    problems: list[Problem]

    def fixture(self, name: str, line: int) -> Fixture | None:
        own = {**self.file.inherited, **self.file.fixtures} if self.file.inherited else self.file.fixtures
        found = self._find(name, line, own, self.names.fixtures, "fixture")
        return found if isinstance(found, Fixture) else None

    def metadata(self, name: str | None, line: int) -> Mapping[str, object]:
        if name is None:
            return NOTHING
        found = self._find(name, line, self.file.metadata, self.names.metadata, "metadata")
        return found if isinstance(found, Mapping) else NOTHING

    def _find(
        self, name: str, line: int, own: Mapping[str, object], others: Mapping[str, list[Any]], kind: str
    ) -> Any:
        if name in own:
            return own[name]
        found = others.get(name, [])
        if found and all(definition == found[0] for definition in found):
            return found[0]
        message = (
            f"{kind} '{name}' is not defined anywhere"
            if not found
            else f"{kind} '{name}' is defined differently elsewhere"
        )
        hint = did_you_mean(name, others) if not found else "define it in this file"
        self.problems.append(Problem(self.file.path, line, message, hint))
        return None


def _cases(file: _File, names: _Names, findings: _Findings) -> Iterator[TestCase]:
    lookup = _Lookup(file, names, findings.problems)
    stubs = file.root.get("stub_custom_actions") or {}
    seen: dict[str, int] = {}
    cases = file.root["test_cases"]
    findings.warnings.extend(list_idle_stubs(file.path, stubs, [case["test_case"] for case in cases]))
    for case, line in zip(cases, cases.lines, strict=True):
        name = case["test_case"]
        if name in seen:
            message = f"a second case is called '{name}' (first in line {seen[name]})"
            findings.warnings.append(Problem(file.path, line, message, "give it a name of its own"))
        seen.setdefault(name, line)
        fixture_lines = getattr(case.get("fixtures"), "lines", ())
        fixtures = (
            lookup.fixture(fixture, at)
            for fixture, at in zip(case.get("fixtures") or (), fixture_lines, strict=True)
        )
        metadata = lookup.metadata(case.get("metadata"), case.lines.get("metadata", line))
        yield TestCase(
            name=name,
            file=file.path,
            line=line,
            steps=tuple(
                _step(step, at, metadata, lookup)
                for step, at in zip(case["steps"], case["steps"].lines, strict=True)
            ),
            fixtures=tuple(fixture for fixture in fixtures if fixture is not None),
            metadata=metadata,
            stubs=find_stubs(name, file.path, stubs) if stubs else {},
            success_ratio=SuccessRatio.parsed(case["success_ratio"]) if "success_ratio" in case else None,
        )


def _step(step: YamlMap, line: int, metadata: Mapping[str, object], lookup: _Lookup) -> Step:
    if "user" not in step:
        return BotStep(line, step.get("bot"), step.get("utter"))
    commands = step.get("commands")
    groups = (commands,) if commands is not None else step.get("any_of", (YamlList(line),))
    alternatives = tuple([tuple(map(ExpectedText, group, group.lines)) for group in groups])
    own = step.get("metadata")
    if own is not None:
        metadata = {**metadata, **lookup.metadata(own, step.lines["metadata"])}
    return UserStep(step["user"], alternatives, line, metadata)
