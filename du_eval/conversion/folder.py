"""A folder of test files in another spelling: what is read, what is written, and what changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from du_eval.conversion.dsl import Rewritten, rewritten_file
from du_eval.conversion.rules import Rule
from du_eval.errors import ConfigError, InputError, Problem, SuiteError

_SUFFIXES = frozenset({".yml", ".yaml"})


@dataclass(frozen=True, slots=True)
class RewrittenFile:
    """One file before and after."""

    source: Path
    target: Path
    old: str
    new: bytes
    changed: int = 0
    unmatched: tuple[Problem, ...] = ()


def rewritten_folder(
    source: Path, target: Path, rules: Sequence[Rule], *, in_place: bool = False
) -> tuple[RewrittenFile, ...]:
    """Return all YAML files below a folder in the new spelling; raise with the problems of all of them."""
    if not source.is_dir():
        raise ConfigError(f"there is no folder {source}")
    here, there = source.resolve(), target.resolve()
    if here == there and not in_place:
        raise ConfigError(
            f"the files in {source} would be written over; name another folder, or add --in-place"
        )
    if here != there and here in there.parents:
        raise ConfigError(
            f"{target} lies inside {source}, so it would be converted, too; name another folder"
        )
    found: list[RewrittenFile] = []
    problems: list[Problem] = []
    for file in sorted(path for path in source.rglob("*") if path.suffix in _SUFFIXES and path.is_file()):
        try:
            found.append(_file(file, target / file.relative_to(source), rules))
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise SuiteError(sorted(problems))
    return tuple(found)


def _file(source: Path, target: Path, rules: Sequence[Rule]) -> RewrittenFile:
    content = source.read_bytes()
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SuiteError(
            Problem(str(source), 0, f"cannot be read: {error}", "save it as UTF-8 text")
        ) from error
    result: Rewritten = rewritten_file(text, str(source), rules)
    return RewrittenFile(source, target, text, result.text.encode("utf-8"), result.changed, result.unmatched)


def difference(file: RewrittenFile) -> str:
    """Return what changes in a file, as a unified diff."""
    old, new = file.old.splitlines(keepends=True), file.new.decode("utf-8").splitlines(keepends=True)
    return "".join(unified_diff(old, new, str(file.source), str(file.target)))
