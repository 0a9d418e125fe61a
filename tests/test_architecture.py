"""What must hold for the code as a whole."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import typer

import du_eval
from du_eval.cli.main import COMMANDS, load_command

HEAVY = (
    "sklearn",
    "torch",
    "transformers",
    "sentence_transformers",
    "detoxify",
    "numpy",
    "scipy",
    "pydantic",
    "yaml",
    "platformdirs",
    "du_eval.trust.consent",
)


def modules_after(code: str) -> set[str]:
    script = f"{code}\nimport sys\nprint('MODULES', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.rpartition("MODULES")[2].split())


def test_a_command_does_not_collect_garbage_at_its_end() -> None:
    script = "import atexit, gc; atexit.register(lambda: print('frozen', gc.get_freeze_count() > 1000))"
    found = subprocess.run(
        [sys.executable, "-c", f"{script}; from du_eval.cli.__main__ import start; start()", "--version"],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert (found.returncode, found.stdout.split()[-2:]) == (0, ["frozen", "True"])


def test_every_public_name_can_be_had_and_is_listed_in_order() -> None:
    assert du_eval.__all__ == sorted(du_eval.__all__)
    for name in du_eval.__all__:
        assert getattr(du_eval, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError):
        du_eval.no_such_name  # noqa: B018


@pytest.mark.parametrize("arguments", [["--help"], []])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    loaded = modules_after(
        f"from du_eval.cli.main import main\ntry:\n    main({arguments!r})\nexcept SystemExit:\n    pass"
    )
    assert not [name for name in HEAVY if name in loaded]


NOT_FOR_TESTS = (
    "numpy", "sklearn", "scipy", "aiohttp", "jinja2", "jsonschema", "rich.console", "xlsxwriter", "urllib.request",
    "du_eval.assistants.engine.engine", "du_eval.assistants.python_actions", "du_eval.assembly.networked",
    "du_eval.corpus", "du_eval.endtoend", "du_eval.quality", "du_eval.protocol", "du_eval.agents",
    "du_eval.experiments.record", "du_eval.generators.baseline", "du_eval.reports.renderers.page",
    "du_eval.runs.comparison", "du_eval.statistics.sequential", "du_eval.settings.reading",
    "du_eval.assistants.load", "du_eval.assistants.expressions", "du_eval.runs.correcting",
    "du_eval.cli.agent", "du_eval.cli.experiment", "du_eval.viewer",
)  # fmt: skip
"""What a test of a plain function, with nothing else asked for, has no use for: loading it takes time."""


def test_testing_a_function_loads_only_what_it_needs(tmp_path: Path) -> None:
    (tmp_path / "suite.yml").write_text(
        "test_cases: [{test_case: a, steps: [{user: hello, commands: [ChitChat()]}]}]\n"
    )
    words = ["test", str(tmp_path), "-g", "builtins:repr", "--runs-dir", str(tmp_path / "runs")]
    loaded = modules_after(
        f"from du_eval.cli.main import main\ntry:\n    main({words!r})\nexcept SystemExit:\n    pass"
    )
    assert "du_eval.evaluation.pipeline" in loaded
    assert not [name for name in NOT_FOR_TESTS if name in loaded]


def test_importing_the_package_imports_nothing_heavy() -> None:
    assert not [name for name in HEAVY if name in modules_after("import du_eval")]


def test_the_help_line_of_each_command_is_the_first_of_its_function() -> None:
    for name, line in COMMANDS.items():
        found = load_command(name)
        assert isinstance(found, typer.Typer) or found.__doc__.strip().split("\n")[0] == line


def test_no_module_is_longer_than_three_hundred_lines() -> None:
    long = {
        str(path): count
        for path in Path(du_eval.__file__).parent.rglob("*.py")
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > 300
    }
    assert not long


def test_each_public_class_has_a_name_of_its_own() -> None:
    names = Counter(
        node.name
        for path in Path(du_eval.__file__).parent.rglob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert not [name for name, count in names.items() if count > 1]


def test_no_field_of_a_struct_is_read_from_its_class() -> None:
    # A struct's class has descriptors where a dataclass has the defaults, and types do not show it.
    trees = {
        path: ast.parse(path.read_text(encoding="utf-8"))
        for path in Path(du_eval.__file__).parent.rglob("*.py")
    }
    nodes = [(path, node) for path, tree in trees.items() for node in ast.walk(tree)]
    fields = {
        node.name: {
            one.target.id
            for one in node.body
            if isinstance(one, ast.AnnAssign) and "ClassVar" not in ast.unparse(one.annotation)
        }
        for _, node in nodes
        if isinstance(node, ast.ClassDef) and any(ast.unparse(base) == "Struct" for base in node.bases)
    }
    read = [
        f"{path.name}:{node.lineno} {ast.unparse(node)}"
        for path, node in nodes
        if isinstance(node, ast.Attribute) and node.attr in fields.get(ast.unparse(node.value), ())
    ]
    assert (len(fields) > 500, read) == (True, [])


def test_no_code_outside_compat_asks_for_the_name_of_another_tool() -> None:
    folder = Path(du_eval.__file__).parent
    names = {"rasa", "emely", "dialog-eval", "neuro-san"}
    found = {
        f"{path.relative_to(folder)}:{node.lineno}"
        for path in folder.rglob("*.py")
        if path.parent.name != "compat"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Compare)
        and any(isinstance(one, ast.Constant) and one.value in names for one in ast.walk(node))
    }
    generators = {"assembly/networked.py", "trust/effects.py"}  # there, rasa is a generator
    assert {place.partition(":")[0] for place in found} <= generators


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_every_module_that_the_story_of_the_tree_names_exists(page: str) -> None:
    package = Path(du_eval.__file__).parent
    text = (package.parent / page).read_text(encoding="utf-8")
    named = {name for name in re.findall(r"`([a-z_/]+/[a-z_]+\.py)`", text) if "<" not in name}
    assert named
    assert not [
        name for name in named if not any((root / name).exists() for root in (package, package.parent))
    ]


def test_every_folder_has_a_row_in_the_story_of_the_tree() -> None:
    package = Path(du_eval.__file__).parent
    text = (package.parent / "docs/architecture.md").read_text(encoding="utf-8")
    folders = [path.parent.name for path in package.glob("*/__init__.py")]
    assert not [name for name in folders if f"| `{name}/` |" not in text]


_LOAD = """
import pathlib, runpy, sys
for file in map(pathlib.Path, sys.argv[1:]):
    sys.path.insert(0, str(file.parent))
    runpy.run_path(str(file), run_name="loaded")
"""


@pytest.mark.parametrize("folder", ["benchmarks", "scripts"])
def test_benchmarks_and_scripts_use_names_that_exist(folder: str) -> None:
    files = sorted(str(file) for file in Path(folder).glob("*.py"))
    assert files
    subprocess.run([sys.executable, "-c", _LOAD, *files], check=True, env={**os.environ, "PYTHONPATH": "."})
