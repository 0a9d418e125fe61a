"""`du-eval init`: a new project whose tests pass at once."""

from __future__ import annotations

from typing import Annotated

import typer

from du_eval.cli.edge import out

FILES = {
    "du-eval.yaml": "du-eval.yaml",
    "tests/contacts.yml": "contacts.yml",
    "assistant/domain.yml": "domain.yml",
    "assistant/data/flows.yml": "flows.yml",
    ".github/workflows/du-eval.yml": "workflow.yml",
    ".gitignore": "gitignore",
}
"""Where each file of the template goes."""
SCHEMA_FILES = {"du-eval.schema.json": "suite", "du-eval.config.schema.json": "config"}
"""The schemas to which the header lines of the template lead."""


def init(
    folder: Annotated[str, typer.Argument(help="Folder of the project; created if it does not exist.")] = ".",
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
) -> None:
    """Create a new project with tests that pass.

    Writes a test suite, a small assistant, the settings, a workflow for GitHub and the schemas for editors.

    Examples:
      du-eval init my_project

      cd my_project && du-eval test

    """
    from importlib.resources import files
    from pathlib import Path

    from du_eval.assembly.schemas import find_schema
    from du_eval.errors import InputError, Problem
    from du_eval.reports.files import json_text, write

    template = files("du_eval.cli") / "project"
    contents = {name: (template / source).read_text(encoding="utf-8") for name, source in FILES.items()}
    contents |= {name: json_text(find_schema(kind)) for name, kind in SCHEMA_FILES.items()}
    root = Path(folder)
    if (root / ".gitignore").exists():  # the user's own; never overwritten
        del contents[".gitignore"]
    existing = [root / name for name in contents if (root / name).exists()]
    if existing and not force:
        hint = "use --force to overwrite it"
        raise InputError([Problem(str(path), 0, "this file already exists", hint) for path in existing])
    for name, text in contents.items():
        write(root / name, text)
        out(f"{root / name}\n")
    where = "" if folder == "." else f"cd {folder} && "
    out(f"\nNow try: {where}du-eval test --html report.html\n")
