"""Which cases to run: paths, `path::name`, `-k` and `--deselect`; and consent to what they would send."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct

from du_eval.agents.connections.base import find_kinds
from du_eval.agents.document import SUFFIXES
from du_eval.agents.load import load_case
from du_eval.agents.model import AgentCase
from du_eval.errors import InputError, NothingSelectedError, Problem, did_you_mean
from du_eval.suites.select import compile_expression
from du_eval.trust.consent import require_consent
from du_eval.trust.effects import FoundSettings
from du_eval.trust.reading import find_place


class Selection(Struct, frozen=True):
    """What the user asks for."""

    targets: tuple[str, ...]
    keyword: str = ""
    deselected: tuple[str, ...] = ()


class SelectedCases(Struct, frozen=True):
    """The cases to run, and what in their files may not be meant."""

    cases: tuple[AgentCase, ...]
    warnings: tuple[Problem, ...] = ()


def list_unknown_connections(cases: Iterable[AgentCase]) -> list[Problem]:
    """Return a warning for each connection of a kind that nobody offers: it is an error of its case alone."""
    kinds = find_kinds()
    hint = f"known: {', '.join(kinds)}"
    return [
        Problem(
            case.file,
            connection.line,
            f"unknown connection '{connection.kind}': this case will count as errored",
            did_you_mean(connection.kind, list(kinds)) or hint,
        )
        for case in cases
        for connection in case.connections
        if connection.kind not in kinds
    ]


class _Found(Struct, frozen=True):
    """A case file, its name, and whether it was asked for by that name."""

    path: Path
    name: str


def select_cases(selection: Selection, environment: Mapping[str, str] | None = None) -> SelectedCases:
    """Load every selected case; raises with all problems of all files."""
    wanted = compile_expression(selection.keyword)
    problems: list[Problem] = []
    found = [one for target in selection.targets for one in _files_of(target, problems)]
    distinct = {find_place(one.path): one for one in found}
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
    if path.is_dir():
        found = _files_below(path)
    elif path.exists():
        if path.suffix not in SUFFIXES:
            problems.append(
                Problem(place, 0, "not a case file", f"the name must end in {', '.join(SUFFIXES)}")
            )
            return []
        found = [_Found(path, path.stem)]
    else:
        problems.append(Problem(place, 0, "no such file or folder"))
        return []
    if not name:
        return found
    named = [one for one in found if name in {one.name, one.path.stem}]
    if not named:
        hint = did_you_mean(name, (one.name for one in found))
        problems.append(Problem(place, 0, f"unknown case '{name}'", hint))
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
        inside = find_place(place) in {find_place(one.path), *find_place(one.path).parents}
        return inside and name in {one.name, one.path.stem}
    return place in {one.name, one.path.stem} or find_place(place) == find_place(one.path)


_HERE = frozenset({"localhost", "127.0.0.1", "::1"})


def find_case_settings(case: AgentCase) -> FoundSettings:
    """Return what a case would send of the environment, and where to."""
    values = {
        "api_key_env": [
            f"{connection.options['api_key_env']} to {connection.url}"
            for connection in case.connections
            if connection.options.get("api_key_env") and not _is_here(connection.url or "")
        ]
    }
    return FoundSettings(Path(case.file), values)


def require_case_consent(
    cases: Iterable[AgentCase], named: Iterable[str], environment: Mapping[str, str]
) -> None:
    """Raise for the first case with secrets that is not named itself, and that the user did not agree to."""
    given = {find_place(path.partition("::")[0]) for path in named}
    for case in cases:
        if find_place(case.file) not in given:
            require_consent(find_case_settings(case), environment)


def _is_here(url: str) -> bool:
    try:
        return urlsplit(url).hostname in _HERE
    except ValueError:
        return False
