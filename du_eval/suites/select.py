"""Which cases run: paths with case names, expressions, and what is left out."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from du_eval.errors import ConfigError, NothingSelectedError, SuiteError, did_you_mean
from du_eval.suites.model import TestSuite

_TOKEN = re.compile(
    r"""(?P<mark>[()])|"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<word>[^\s()"']+)|(?P<open>["'])"""
)
_MOST_NOTS = 100


class Target(Struct, frozen=True):
    """A path, and the case in it that alone is wanted."""

    path: str
    case: str | None = None


def parse_target(argument: str) -> Target:
    """Split `path::case name`; the path is the shortest beginning that exists."""
    position = argument.find("::")
    while position >= 0:
        if Path(argument[:position]).exists():
            return Target(argument[:position], argument[position + 2 :])
        position = argument.find("::", position + 2)
    path, mark, case = argument.partition("::")
    return Target(path, case if mark else None)


class NamedCase(Protocol):
    """A case of any kind that stands in a file under a name."""

    @property
    def file(self) -> str:
        """The file."""
        ...

    @property
    def name(self) -> str:
        """The name."""
        ...

    @property
    def id(self) -> str:
        """Both."""
        ...


N = TypeVar("N", bound=NamedCase)
T = TypeVar("T")


def select_cases(
    suite: TestSuite, targets: Sequence[Target], expression: str = "", deselected: Iterable[str] = ()
) -> TestSuite:
    """Return the cases of a suite that are wanted."""
    return TestSuite(pick_cases(suite.cases, targets, expression, deselected), suite.warnings)


def pick_cases(
    found: Sequence[N], targets: Sequence[Target], expression: str = "", deselected: Iterable[str] = ()
) -> tuple[N, ...]:
    """Return the cases that are wanted; raise where a name leads nowhere or nothing is left."""
    _check_names(found, targets)
    _check_deselected(found, deselected := tuple(deselected))
    wanted = compile_expression(expression)
    cases = tuple(
        case
        for case in found
        if _is_targeted(case, targets)
        and wanted(case.id)
        and not any(_is_meant(case, name) for name in deselected)
    )
    if not cases:
        raise NothingSelectedError(f"no test case is left to run, of {len(found)} found")
    return cases


def _is_targeted(case: NamedCase, targets: Sequence[Target]) -> bool:
    return any(_is_in(case.file, target.path) and target.case in {None, case.name} for target in targets)


def _is_in(file: str, path: str) -> bool:
    return Path(file) == Path(path) or Path(path) in Path(file).parents


def _is_meant(case: NamedCase, name: str) -> bool:
    """Tell whether a case is meant by a case name, a path, or path::case."""
    if name in {case.name, case.id}:
        return True
    target = parse_target(name)
    if target.case is not None:
        return case.name == target.case and (not target.path or _ends_with(case.file, target.path))
    return _is_in(case.file, name)


def _ends_with(file: str, path: str) -> bool:
    """Tell whether a file is this path, lies in it, or has it as its end."""
    parts = Path(path).parts
    return _is_in(file, path) or Path(file).parts[-len(parts) :] == parts


def _check_names(suite: Sequence[NamedCase], targets: Sequence[Target]) -> None:
    for target in targets:
        names = [case.name for case in suite if _is_in(case.file, target.path)]
        if target.case is not None and target.case not in names:
            hint = did_you_mean(target.case, names) or "du-eval validate --list shows the cases"
            raise SuiteError(f"no test case '{target.case}' in {target.path} ({hint})")


def _check_deselected(suite: Sequence[NamedCase], deselected: Iterable[str]) -> None:
    for name in deselected:
        if not any(_is_meant(case, name) for case in suite):
            near = did_you_mean(name, [case.name for case in suite])
            raise SuiteError(f"--deselect {name!r} matches no test case{f' ({near})' if near else ''}")


def compile_expression(expression: str) -> Callable[[str], bool]:
    """Return a test for names: words that they hold in any case, joined by and, or, not and brackets."""
    if not expression.strip():
        return lambda _: True
    words: list[str] = []
    tokens = [_translate(match, words) for match in _TOKEN.finditer(expression.rstrip())]
    if "?" in tokens:
        raise SuiteError(f"-k cannot be read: an unclosed quote in {expression!r}")
    try:
        # Words are numbered, so that what is left has the form of an expression of Python.
        tree = ast.parse(" ".join(tokens) if tokens.count("not") <= _MOST_NOTS else "", mode="eval").body
        _holds(tree, words, "")
    except (SyntaxError, ValueError) as error:
        raise SuiteError(
            f"-k cannot be read: {expression!r} (join words with and, or, not and brackets, "
            "e.g. 'cancel and not skip'; quote names with spaces)"
        ) from error
    return lambda name: _holds(tree, words, name.casefold())


def _translate(match: re.Match[str], words: list[str]) -> str:
    """Return an operator or bracket as Python has it, and the number of a word."""
    kind, text = str(match.lastgroup), match[str(match.lastgroup)]
    if kind == "open":
        return "?"
    if kind == "mark" or (kind == "word" and text.lower() in {"and", "or", "not"}):
        return text.lower()
    words.append(text.casefold())
    return str(len(words) - 1)


def _holds(node: ast.expr, words: Sequence[str], name: str) -> bool:
    """Tell whether an expression is true of a name; raise ValueError where it is none of ours."""
    match node:
        case ast.BoolOp(op=operator, values=parts):
            found = [_holds(part, words, name) for part in parts]
            return all(found) if isinstance(operator, ast.And) else any(found)
        case ast.UnaryOp(op=ast.Not(), operand=part):
            return not _holds(part, words, name)
        case ast.Constant(value=int(number)):
            return words[number] in name
    raise ValueError("not a valid expression")


_SHARD = re.compile(r"\s*(\d+)\s*/\s*(\d+)\s*")


def name_part(shard: str | None, sample: int | None = None, chosen: Sequence[str] = ()) -> str:
    """Return which part of a suite the settings ask for; joined shards stand beside each other."""
    shards = shard.split(",") if shard else []
    parts = [f"the cases of {' '.join(chosen)}"] if chosen else []
    parts += [f"{len(shards)} of {shards[0].partition('/')[2]} shards"] if shards else []
    return " and ".join([*parts, *([f"a sample of {sample} cases"] if sample else [])])


def take_shard(cases: Sequence[T], shard: str) -> tuple[T, ...]:
    """Return every n-th case, starting with the i-th, for a shard `i/n`: together they are all."""
    match = _SHARD.fullmatch(shard)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise ConfigError(
            f"--shard {shard!r} is not a valid part: write i/n, such as 1/4 for the first of four"
        )
    found = tuple(cases[int(match[1]) - 1 :: int(match[2])])
    if not found:
        raise NothingSelectedError(
            f"no test case is left to run: --shard {shard} of {len(cases)} cases is empty"
        )
    return found


def draw_cases(suite: TestSuite, count: int, seed: int) -> TestSuite:
    """Return some cases drawn at random, in the order of the suite; the same seed draws the same."""
    if count >= len(suite):
        return suite
    # Not for secrets: the draw must be repeatable.
    numbers = sorted(random.Random(seed).sample(range(len(suite)), count))  # noqa: S311
    return replace(suite, cases=tuple(suite.cases[number] for number in numbers))


def only(suite: TestSuite, ids: Collection[str]) -> TestSuite:
    """Return the cases with these ids."""
    return replace(suite, cases=tuple(case for case in suite if case.id in ids))


def with_first(suite: TestSuite, ids: Collection[str]) -> TestSuite:
    """Return all cases, those with these ids first."""
    return replace(suite, cases=tuple(sorted(suite, key=lambda case: case.id not in ids)))
