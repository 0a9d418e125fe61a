"""Break the code in small ways and see whether a test notices: `make mutants`.

Each mutant changes one place of one module in a copy of the project. The tests that import the module run;
where none does, those that import its neighbours, or the folder of tests that mirrors it. A mutant that no
test notices has survived: either a test is missing, or the place does not matter.

    .venv/bin/python scripts/mutants.py    # all modules of the list, ten mutants each
    .venv/bin/python scripts/mutants.py du_eval/runs/outcome.py --sample 50
"""

from __future__ import annotations

import argparse
import ast
import compileall
import copy
import multiprocessing
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).parents[1]
TARGETS = (
    "du_eval/runs/outcome.py", "du_eval/runs/figures.py", "du_eval/runs/matching.py",
    "du_eval/runs/measures.py", "du_eval/runs/gates.py", "du_eval/evaluation/aggregate.py",
    "du_eval/evaluation/judge.py", "du_eval/evaluation/sampling.py", "du_eval/agents/pipeline.py",
    "du_eval/suites/select.py", "du_eval/agents/select.py", "du_eval/runs/schedule.py",
    "du_eval/evaluation/compare.py", "du_eval/evaluation/provenance.py",
    "du_eval/parsers/command_parser.py", "du_eval/parsers/patterns.py",
    "du_eval/statistics", "du_eval/agents/checks", "du_eval/quality/checks",
)  # fmt: skip
"""What decides about commands, outcomes, counts, figures, selections and samples."""

_SIMULATED = (
    "as_often_as", "evens_out", "also_when", "power", "statsmodels", "half_of", "test_any", "whatever",
    "true", "truth", "most_runs", "macro_f1", "ordinary",
)  # fmt: skip
_QUICK = ("-k", " and ".join(f"not {name}" for name in _SIMULATED))
"""Statistics without what takes simulated runs."""
_SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
}  # fmt: skip
_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}
_SECONDS = 300
_EXAMPLES = 20
"""How many examples hypothesis draws: what fewer examples overlook needs a test of its own."""
_PYTEST = ("-q", "-rfE", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning")
_PROCESSES = multiprocessing.get_context("forkserver")
_LIBRARIES = ["pytest", "hypothesis", "numpy", "scipy.stats", "scipy.optimize", "pydantic", "aiohttp"]
_PROCESSES.set_forkserver_preload(_LIBRARIES)  # loaded once, and not again for each mutant
_SKIPPED = (".git", ".venv*", "__pycache__", ".mypy_cache", ".ruff_cache", ".hypothesis", ".pytest_cache")


@dataclass(frozen=True)
class Ran:
    """How a run of pytest ended, and what it printed."""

    exit_code: int
    output: str


@dataclass(frozen=True)
class Mutant:
    """One changed place of a module."""

    line: int
    change: str
    source: str


def find_mutants(source: str) -> Iterator[Mutant]:
    """Yield a mutant for each place and way in which the source can be broken."""
    tree = ast.parse(source)
    return (break_at(tree, place, way) for place, way in list_places(tree))


def list_places(tree: ast.AST) -> list[tuple[int, int]]:
    """Return the nodes that can be broken, by their number, each with the number of a way."""
    skipped = set(_nodes_without_effect(tree))
    return [
        (place, way)
        for place, node in enumerate(ast.walk(tree))
        if id(node) not in skipped
        for way in range(len(_broken(node)))
    ]


def break_at(tree: ast.AST, place: int, way: int) -> Mutant:
    """Return the mutant of one place and way."""
    changed = copy.deepcopy(tree)
    target = next(node for number, node in enumerate(ast.walk(changed)) if number == place)
    before = ast.unparse(target)
    _put(target, _broken(target)[way])
    change = f"{_short(before)}  ->  {_short(ast.unparse(target))}"
    return Mutant(getattr(target, "lineno", 0), change, ast.unparse(changed))


def _nodes_without_effect(tree: ast.AST) -> Iterator[int]:
    """Yield annotations, docstrings, and what decorators and classes are told: they decide about nothing."""
    for node in ast.walk(tree):
        parts: list[ast.AST] = []
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            parts += node.decorator_list
        if isinstance(node, ast.ClassDef):
            parts += node.keywords
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns:
            parts.append(node.returns)
        if isinstance(node, ast.AnnAssign | ast.arg) and node.annotation:
            parts.append(node.annotation)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            parts.append(node.value)
        for part in parts:
            yield from (id(one) for one in ast.walk(part))


def _broken(node: ast.AST) -> list[dict[str, object]]:
    """Return the ways to break a node, each as the fields that change."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _SWAPPED:
        return [{"ops": [_SWAPPED[type(node.ops[0])](), *node.ops[1:]]}]
    if isinstance(node, ast.BoolOp | ast.BinOp) and type(node.op) in _SWAPPED:
        return [{"op": _SWAPPED[type(node.op)]()}]
    if isinstance(node, ast.If | ast.IfExp):
        return [{"test": ast.UnaryOp(ast.Not(), node.test)}]
    if isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
        return [{"value": ast.Constant(None)}]
    if isinstance(node, ast.Constant):
        return _broken_constant(node.value)
    if isinstance(node, ast.Name) and node.id in _CALLS:
        return [{"id": _CALLS[node.id]}]
    return []


def _broken_constant(value: object) -> list[dict[str, object]]:
    if isinstance(value, bool):
        return [{"value": not value}]
    return [{"value": value + 1}] if isinstance(value, int | float) else []


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _put(node: ast.AST, fields: dict[str, object]) -> None:
    for name, value in fields.items():
        setattr(node, name, value)


def _short(text: str) -> str:
    first = text.splitlines()[0]
    return first if len(first) <= 60 else f"{first[:57]}..."


def find_tests(module: Path, tests: Path) -> list[str]:
    """Return the test files that import a module, else those of its neighbours, else its folder."""
    name = ".".join(module.with_suffix("").parts)
    parent, _, last = name.rpartition(".")
    texts = {
        path: path.read_text(encoding="utf-8")
        for path in sorted(tests.rglob("test_*.py"))
        if "parity" not in path.parts
    }
    found = [tests / module.parts[1]]
    for ways in ((f"{name} import", f"import {name}", f"from {parent} import {last}"), (f"from {parent}.",)):
        if importing := [path for path, text in texts.items() if any(way in text for way in ways)]:
            found = importing
            break
    quick = _QUICK if module.parts[1] == "statistics" else ()
    return [*(str(path.relative_to(tests.parent)) for path in found), *quick]


def run_tests(copied: Path, tests: Sequence[str], *, writes_bytecode: bool = False) -> Ran | None:
    """Run tests in a copy of the project, in a process with pytest loaded; return None where they hang."""
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as output:
        process = _PROCESSES.Process(
            target=_run_pytest,
            args=(copied, [*_PYTEST, *tests], output.name),
            kwargs={"writes_bytecode": writes_bytecode},
        )
        process.start()
        process.join(_SECONDS)
        if process.exitcode is None:
            process.kill()
            process.join()
            return None
        return Ran(process.exitcode, output.read())


def _run_pytest(copied: Path, arguments: list[str], output: str, *, writes_bytecode: bool) -> None:
    with Path(output).open("w", encoding="utf-8") as file:
        os.dup2(file.fileno(), sys.stdout.fileno())
        os.dup2(file.fileno(), sys.stderr.fileno())
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which servers of processes ignore
    os.chdir(copied)
    os.environ["PYTHONPATH"] = str(copied)
    sys.path.insert(0, str(copied))  # before the project itself
    sys.dont_write_bytecode = not writes_bytecode
    settings.register_profile("mutants", max_examples=_EXAMPLES)
    settings.load_profile("mutants")  # what tests do not say themselves
    sys.exit(int(pytest.main(arguments)))


def choose_tests(copied: Path, module: Path) -> list[str]:
    """Return the arguments for pytest: the tests of a module without those that fail anyway."""
    tests = find_tests(module, copied / "tests")
    done = run_tests(copied, tests, writes_bytecode=True)
    if done is None:
        raise SystemExit(f"the tests of {module} take more than {_SECONDS} s")
    failing = re.findall(r"^(?:FAILED|ERROR) (\S+)", done.output, re.MULTILINE)
    if done.exit_code and not failing:
        raise SystemExit(f"the tests of {module} cannot be run:\n{done.output[-2000:]}")
    if failing:
        print(f"left out, since they fail without a mutant: {', '.join(failing)}", flush=True)
    return ["-x", *tests, *(f"--deselect={test}" for test in failing)]


def is_noticed(copied: Path, module: Path, mutant: str, tests: Sequence[str]) -> bool:
    """Tell whether a test fails, crashes or hangs with the mutant."""
    target = copied / module
    original = target.read_text(encoding="utf-8")
    target.write_text(mutant, encoding="utf-8")
    try:
        done = run_tests(copied, tests)
    finally:
        target.write_text(original, encoding="utf-8")
    return done is None or done.exit_code != 0


@dataclass(frozen=True)
class Tried:
    """What became of one mutant."""

    module: Path
    mutant: Mutant
    is_killed: bool


def choose(modules: Sequence[Path], sample: int, seed: int) -> Iterator[tuple[Path, Mutant]]:
    """Yield mutants of each module, drawn by seed, in the order of lines."""
    for module in modules:
        tree = ast.parse((ROOT / module).read_text(encoding="utf-8"))
        places = list_places(tree)
        draw = random.Random(f"{seed} {module}")  # noqa: S311
        mutants = [break_at(tree, *place) for place in draw.sample(places, min(sample, len(places)))]
        yield from ((module, mutant) for mutant in sorted(mutants, key=lambda one: one.line))


def try_all(chosen: Sequence[tuple[Path, Mutant]], minutes: float) -> Iterator[Tried]:
    """Yield what became of each mutant, until the time is up."""
    end = time.monotonic() + minutes * 60
    with tempfile.TemporaryDirectory() as folder:
        copied = Path(folder) / "project"
        shutil.copytree(ROOT, copied, ignore=shutil.ignore_patterns(*_SKIPPED))
        compileall.compile_dir(copied / "du_eval", quiet=2)  # once, not again for each mutant
        for module, mutants in groupby(chosen, key=lambda one: one[0]):
            tests = choose_tests(copied, module)
            for _, mutant in mutants:
                if time.monotonic() > end:
                    return
                yield Tried(module, mutant, is_noticed(copied, module, mutant.source, tests))


def find_modules(names: Sequence[str]) -> list[Path]:
    """Return the modules below files and folders."""
    paths = [ROOT / name for name in names]
    found = [one for path in paths for one in (sorted(path.rglob("*.py")) if path.is_dir() else [path])]
    return [path.relative_to(ROOT) for path in found if path.name != "__init__.py" and path.exists()]


def describe(module: Path, tried: Sequence[Tried]) -> str:
    """Return a row of a table, and a line for each survivor."""
    killed = sum(one.is_killed for one in tried)
    lines = [f"| `{module}` | {len(tried)} | {killed} | {killed / len(tried):.0%} |"]
    lines += [f"    {module}:{one.mutant.line}: {one.mutant.change}" for one in tried if not one.is_killed]
    return "\n".join(lines)


def main() -> None:
    """Try mutants, and print the score of each module with the survivors."""
    parser = argparse.ArgumentParser(
        description="Break the code in small ways and see whether a test notices."
    )
    parser.add_argument("targets", nargs="*", help="modules or folders (default: those that decide)")
    parser.add_argument("--sample", type=int, default=10, help="mutants per module (10)")
    parser.add_argument("--seed", type=int, default=0, help="which mutants are drawn (0)")
    parser.add_argument("--minutes", type=float, default=60, help="stop after this time (60)")
    options = parser.parse_args()
    modules = find_modules(options.targets or TARGETS)
    chosen = list(choose(modules, options.sample, options.seed))
    print(f"{len(chosen)} mutants of {len(modules)} modules")
    print("| module | mutants | killed | score |\n|---|---|---|---|")
    done: list[Tried] = []
    for module, tried in groupby(try_all(chosen, options.minutes), key=lambda one: one.module):
        mine = list(tried)
        print(describe(module, mine), flush=True)
        done += mine
    print(f"{sum(one.is_killed for one in done)} of {len(done)} mutants killed ({len(chosen)} chosen)")


if __name__ == "__main__":
    main()
