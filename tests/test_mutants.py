"""The tool that breaks the code breaks it in every way it promises, and nothing else."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from scripts.mutants import TARGETS, choose, find_modules, find_mutants, find_tests, is_noticed

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("source", "changes"),
    [
        ("x = a == b", ["x = a != b"]),
        ("x = a < b", ["x = a <= b"]),
        ("x = a and b", ["x = a or b"]),
        ("x = a + b", ["x = a - b"]),
        ("x = 1", ["x = 2"]),
        ("x = True", ["x = False"]),
        ("x = max(a)", ["x = min(a)"]),
        ("x = b if a else c", ["x = b if not a else c"]),
        ("def f():\n    return a", ["def f():\n    return None"]),
        ("def f():\n    return None", []),
        ("x: Literal[1] = a", []),
        ("'A docstring of 1 line.'", []),
        ("class C(Struct, frozen=True):\n    x = a", []),
    ],
)
def test_each_place_is_broken_in_one_way(source: str, changes: list[str]) -> None:
    assert [mutant.source for mutant in find_mutants(source)] == changes


def test_mutants_are_drawn_by_seed_and_can_be_parsed() -> None:
    module = Path("du_eval/runs/outcome.py")
    once, again = (list(choose([module], 2, seed)) for seed in (1, 1))
    assert once == again
    for _, mutant in once:
        ast.parse(mutant.source)
    assert len(list(choose([module], 1000, 0))) >= 4


def test_the_tests_of_a_module_are_those_that_import_it() -> None:
    found = find_tests(Path("du_eval/runs/outcome.py"), ROOT / "tests")
    assert "tests/runs/test_outcome.py" in found
    assert "tests/runs" not in found


def test_a_module_that_no_test_imports_is_tested_by_the_folder_of_its_kind() -> None:
    assert find_tests(Path("du_eval/runs/deep/nowhere.py"), ROOT / "tests") == ["tests/runs"]


def test_neighbours_of_a_module_stand_for_it() -> None:
    found = find_tests(Path("du_eval/runs/nowhere.py"), ROOT / "tests")
    assert "tests/runs/test_outcome.py" in found


def test_simulations_are_left_out() -> None:
    *_, option, names = find_tests(Path("du_eval/statistics/counts.py"), ROOT / "tests")
    assert option == "-k"
    assert "not statsmodels" in names


def test_every_target_is_there() -> None:
    assert all((ROOT / name).exists() for name in TARGETS)
    assert find_modules(["du_eval/runs/outcome.py"]) == [Path("du_eval/runs/outcome.py")]
    assert find_modules(["du_eval/nowhere.py"]) == []


def test_a_mutant_is_noticed_where_a_test_fails_and_the_module_is_as_before(tmp_path: Path) -> None:
    (tmp_path / "adding.py").write_text("def add(a, b):\n    return a + b\n", encoding="utf-8")
    (tmp_path / "test_adding.py").write_text(
        "from adding import add\n\n\ndef test_it():\n    assert add(2, 2) == 4\n", encoding="utf-8"
    )
    for source, is_killed in (
        ("def add(a, b):\n    return a * b\n", False),
        ("def add(a, b):\n    return a - b\n", True),
    ):
        assert is_noticed(tmp_path, Path("adding.py"), source, ["test_adding.py"]) is is_killed
    assert (tmp_path / "adding.py").read_text(encoding="utf-8").endswith("return a + b\n")
