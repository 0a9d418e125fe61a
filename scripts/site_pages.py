"""Hooks of MkDocs: pages made from the program itself, Markdown twins of all pages, and llms.txt."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import typer
from mkdocs.structure.files import File, Files

import du_eval
from du_eval.assembly.schemas import SCHEMAS, find_schema
from du_eval.cli.grouping import GROUPS
from du_eval.cli.main import COMMANDS, build_app

_ROW = re.compile(r"(?<!\\)\|")
_NO_SENTENCE = ("|", "```", "#", "-", "!", "<")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are made from the program, and those of single metrics and errors."""
    docs = Path(config.docs_dir)
    pages = {
        **make_command_pages(),
        **make_metric_pages((docs / "metrics.md").read_text(encoding="utf-8")),
        **make_error_pages((docs / "errors.md").read_text(encoding="utf-8")),
        "reference/settings.md": make_settings_page(),
        "reference/schemas.md": make_schemas_page(),
        "reference/python.md": make_python_page(),
    }
    for name, text in pages.items():
        files.append(File.generated(config, name, content=text))
    return files


def on_post_build(config: Any) -> None:
    """Write each page as Markdown beside its HTML, and the list of all pages for language models."""
    site, lines = Path(config.site_dir), [f"# {config.site_name}", "", f"> {config.site_description}"]
    for name, text in _TEXTS.items():
        twin = site / name
        twin.parent.mkdir(parents=True, exist_ok=True)
        twin.write_text(text, encoding="utf-8")
    sections = dict(_list_sections(config.nav))
    listed = {name for names in sections.values() for name in names}
    sections["Optional"] = sorted(_TEXTS.keys() - listed)
    for title, names in sections.items():
        lines += ["", f"## {title}", "", *(_describe_page(name) for name in names)]
    (site / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _list_sections(nav: list[dict[str, Any]]) -> Iterator[tuple[str, list[str]]]:
    """Yield the titles of the navigation, each with its pages."""
    for entry in nav:
        for title, pages in entry.items():
            yield (
                title,
                [pages] if isinstance(pages, str) else [name for one in pages for name in one.values()],
            )


def _describe_page(name: str) -> str:
    """Return the title of a page with its link, and its first sentence."""
    lines = _TEXTS[name].splitlines()
    title = next((line[2:] for line in lines if line.startswith("# ")), name)
    rest = re.split(r"\n\s*\n|\n(?=#|\||```)", _TEXTS[name].partition("\n")[2].strip())[0]
    told = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(rest.split()))
    first = re.split(r"(?<=[.?!:]) (?=[A-Z])", told)[0].rstrip(":")
    return f"- [{title}]({name})" + (f": {first}" if first and not first.startswith(_NO_SENTENCE) else "")


_TEXTS: dict[str, str] = {}
"""Page -> its Markdown; MkDocs hands pages to its hooks one at a time."""


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Keep the Markdown of a page for its twin."""
    _TEXTS[page.file.src_uri] = markdown
    return markdown


def make_command_pages() -> dict[str, str]:
    """Return a page for each command, and the one that lists them by what they are for."""
    root: Any = typer.main.get_command(build_app(["--help", *COMMANDS]))
    pages, lines = {}, ["# The command line", "", "`du-eval COMMAND --help` says the same at the terminal."]
    for title, names in GROUPS.items():
        lines += ["", f"## {title}", "", "| command | what it does |", "|---|---|"]
        for name in names:
            pages[f"reference/command-line/{name}.md"] = "\n".join(
                _describe_command(name, root.commands[name])
            )
            lines.append(f"| [`{name}`](command-line/{name}.md) | {COMMANDS[name]} |")
    return {"reference/command-line.md": "\n".join(lines) + "\n", **pages}


def _describe_command(name: str, command: Any, level: int = 1) -> Iterator[str]:
    yield f"{'#' * level} `du-eval {name}`\n"
    text, _, examples = (command.help or "").partition("\b")
    yield text.strip() + "\n"
    if examples.strip():
        yield "```bash"
        yield from (line.strip() for line in examples.splitlines() if line.strip().startswith("du-eval"))
        yield "```\n"
    for child, found in sorted(getattr(command, "commands", {}).items()):
        yield from _describe_command(f"{name} {child}", found, level + 1)
    if not hasattr(command, "commands"):
        yield from _list_options(command, level + 1)


def _list_options(command: Any, level: int) -> Iterator[str]:
    context = typer.Context(command)
    panels: dict[str, list[tuple[str, str]]] = {}
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            panel = getattr(parameter, "rich_help_panel", None)
            panels.setdefault(panel if isinstance(panel, str) else "Options", []).append(record)
    for title, rows in panels.items():
        yield f"{'#' * level} {title}\n"
        yield "| option | meaning |\n|---|---|"
        yield from (f"| `{_cell(option)}` | {_cell(meaning)} |" for option, meaning in rows)
        yield ""


def make_settings_page() -> str:
    """Return the settings of du-eval.yaml as a table for each section."""
    schema = find_schema("config")
    text = "# Settings\n\nWhat `du-eval.yaml` may hold; `du-eval config show` prints what holds, and why.\n\n"
    return text + "\n".join(_tabulate_schema(schema)) + "\n"


def make_schemas_page() -> str:
    """Return the schemas of all files that people write."""
    parts = ["# Schemas\n\n`du-eval schema NAME -o FILE` writes a JSON schema for your editor.\n"]
    for name in SCHEMAS:
        text = json.dumps(find_schema(name), indent=1, ensure_ascii=False)
        parts.append(f'## `{name}`\n\n??? note "The schema"\n\n    ```json\n{_indent(text)}\n    ```\n')
    return "\n".join(parts)


def make_python_page() -> str:
    """Return the public names of the package with their signatures and docstrings."""
    parts = ["# Names of the package\n\nEverything that `import du_eval` offers.\n"]
    for name in du_eval.__all__:
        found = getattr(du_eval, name)
        if callable(found):
            parts.append(
                f"## `{name}`\n\n```python\n{name}{_read_signature(found)}\n```\n\n{inspect.getdoc(found)}\n"
            )
    return "\n".join(parts)


def make_metric_pages(text: str) -> dict[str, str]:
    """Return a page for each metric of the table in the documentation, and their list."""
    table = [line for line in text.splitlines() if line.startswith("| ")]
    start = next(number for number, line in enumerate(table) if line.startswith("| metric |"))
    titles = _split_row(table[start])
    pages, lines = (
        {},
        ["# Metrics\n", "One page each; [Corpus metrics](../metrics.md) says how to compute them.\n"],
    )
    for row in table[start + 1 :]:
        cells = _split_row(row)
        if len(cells) == len(titles):
            name = cells[0].split(",")[0].split(" …")[0].strip()
            facts = [
                f"| {title} | {cell or '–'} |" for title, cell in zip(titles[1:], cells[1:], strict=True)
            ]
            pages[f"reference/metrics/{name}.md"] = (
                "\n".join([f"# {cells[0]}\n", facts[0], "|---|---|", *facts[1:], "\n"])
                + f"```console\n$ du-eval metrics responses.txt{_name_inputs(row)} --metrics {name}\n```\n\n"
                "Inputs, intervals and comparison: [Corpus metrics](../../metrics.md).\n"
            )
            lines.append(f"- [{cells[0]}](metrics/{name}.md)")
    return {"reference/metrics.md": "\n".join(lines) + "\n", **pages}


_INPUTS = {
    "source": "--source source.txt",
    "target": "--target target.txt",
    "training": "--train-target training.txt",
    "vocabulary": "--vocab words.txt",
    "vectors": "--vectors vectors.txt",
    "`--judge`": "--judge MODEL",
    "`--causal-model`": "--causal-model MODEL",
}
"""What the table says that a metric needs -> the option that gives it."""


def _name_inputs(row: str) -> str:
    """Return the options without which a metric is not computed."""
    needs = _split_row(row)[3].split(", ")
    return "".join(f" {option}" for need, option in _INPUTS.items() if need in needs)


def make_error_pages(text: str) -> dict[str, str]:
    """Return a page for each section of the page of errors."""
    sections = re.split(r"^## ", re.sub(r"\]\((?=\w)", "](../../", text), flags=re.MULTILINE)[1:]
    ending = "\n\n[All errors](../../errors.md)\n"
    return {
        f"reference/errors/{section.splitlines()[0]}.md": f"# {section.rstrip()}{ending}"
        for section in sections
    }


def _tabulate_schema(schema: Mapping[str, Any]) -> Iterator[str]:
    definitions = schema.get("$defs", {})
    yield "| setting | default | meaning |\n|---|---|---|"
    sections = []
    for name, field in schema["properties"].items():
        inner = definitions.get(str(field.get("$ref", "")).rpartition("/")[2])
        if inner is not None and "properties" in inner:
            sections.append((name, inner))
        else:
            default = json.dumps(field.get("default"), ensure_ascii=False)
            yield f"| `{name}` | `{_cell(default)}` | {_cell(field.get('description', ''))} |"
    for name, inner in sections:
        yield f"\n## `{name}:`\n"
        yield from _tabulate_schema({**inner, "$defs": definitions})


def _read_signature(found: Any) -> str:
    try:
        return str(inspect.signature(found))
    except ValueError:
        return "(...)"


def _split_row(row: str) -> list[str]:
    return [cell.strip() for cell in _ROW.split(row)[1:-1]]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


def _indent(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())
