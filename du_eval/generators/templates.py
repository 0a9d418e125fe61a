"""Prompt templates: our own and the user's, rendered in a sandbox."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from jinja2 import (
    Environment,
    FileSystemLoader,
    Template,
    TemplateError,
    TemplateNotFound,
    Undefined,
    meta,
    nodes,
)
from jinja2.sandbox import ImmutableSandboxedEnvironment

from du_eval.errors import GeneratorError, InputError, Problem
from du_eval.parsers.text_files import read_text_file

SHARED = frozenset({"available_flows", "commands", "is_repeat_command_enabled"})
"""Variables that most requests of a run have in common, as the very same objects."""

_REMEMBERED = 256
_INDEPENDENT = (nodes.Output, nodes.For, nodes.If)
_BINDING = (nodes.Assign, nodes.AssignBlock, nodes.Include, nodes.Import, nodes.FromImport, nodes.Macro)


class TemplatePart:
    """A piece of a template that needs the variables of one request."""

    def __init__(self, template: Template) -> None:
        self._template = template
        # One dictionary instead of a chain of them: each rendering copies it.
        template.globals = dict(template.globals)

    def render(self, variables: dict[str, Any]) -> str:
        """Return the text for some variables."""
        return self._template.render(variables)


class SharedPart(TemplatePart):
    """A piece that needs only shared variables: for the same objects it has the same text."""

    def __init__(self, template: Template, names: frozenset[str]) -> None:
        super().__init__(template)
        self._names = tuple(sorted(names))
        self._texts: dict[tuple[int, ...], tuple[tuple[object, ...], str]] = {}

    def render(self, variables: dict[str, Any]) -> str:
        """Return the text for some variables, from memory where they are known."""
        values = tuple(map(variables.get, self._names))
        key = tuple(map(id, values))
        if key not in self._texts:
            if len(self._texts) >= _REMEMBERED:
                self._texts.clear()
            # The values are kept with the text, so that no other ones can get their identity.
            self._texts[key] = (values, super().render(variables))
        return self._texts[key][1]


def split_template(source: str, environment: Environment) -> tuple[TemplatePart, ...]:
    """Return the parts of a template, in order; statements that depend on each other are one part."""
    tree = environment.parse(source)
    if not all(isinstance(node, _INDEPENDENT) for node in tree.body) or any(tree.find_all(_BINDING)):
        return (TemplatePart(environment.from_string(source)),)
    return tuple(_grouped(tree, environment))


def _grouped(tree: nodes.Template, environment: Environment) -> Iterator[TemplatePart]:
    for is_shared, group in groupby(tree.body, lambda node: _is_shared(node, environment)):
        piece = _template_of(list(group), environment)
        template = environment.from_string(piece)
        if is_shared:
            yield SharedPart(template, frozenset(meta.find_undeclared_variables(piece)))
        else:
            yield TemplatePart(template)


def _is_shared(node: nodes.Node, environment: Environment) -> bool:
    if any(node.find_all(nodes.Call)) or any(found.name == "random" for found in node.find_all(nodes.Filter)):
        return False
    return meta.find_undeclared_variables(_template_of([node], environment)) <= SHARED


def _template_of(body: list[nodes.Node], environment: Environment) -> nodes.Template:
    tree = nodes.Template(body, lineno=1)
    tree.set_environment(environment)
    return tree


OWN_PROMPTS = Path(__file__).parent / "prompts"


class _Loud(Undefined):
    """A missing variable: false in a condition, an error where it would be printed."""

    __str__ = __iter__ = __len__ = Undefined._fail_with_undefined_error


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _escaped(value: object) -> str:
    """Return a text as it stands between the quotes of a JSON text."""
    return _json(str(value))[1:-1]


class _FolderLoader(FileSystemLoader):
    """Finds templates in folders, but not by a link that leads elsewhere: what is included is sent away."""

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        """Return the text of a template, where it is, and whether it has changed."""
        found = super().get_source(environment, template)
        place = Path(found[1]).resolve()
        if not any(place.is_relative_to(Path(folder).resolve()) for folder in self.searchpath):
            raise TemplateNotFound(template, f"'{template}' is outside the template's folder")
        return found


def _environment(folder: Path) -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        loader=_FolderLoader([folder, OWN_PROMPTS]),
        undefined=_Loud,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        autoescape=False,
    )
    environment.filters["json"] = _json
    environment.filters["to_json_escaped_string"] = _escaped
    return environment


class PromptTemplate:
    """A template that was checked when it was loaded."""

    def __init__(self, name: str, source: str, folder: Path = OWN_PROMPTS) -> None:
        self.name = name
        self.source = source
        self._is_plain = not any(mark in source for mark in ("{{", "{%", "{#"))
        try:
            self._parts = split_template(source, _environment(folder))
        except TemplateError as error:
            line = getattr(error, "lineno", 0) or 0
            raise InputError(Problem(name, line, f"not a valid template: {error.message}")) from error
        except (ValueError, RecursionError, SyntaxError) as error:
            # What the template language takes for valid may still be too much for Python.
            raise InputError(Problem(name, 0, f"not a valid template: {error}")) from error

    @classmethod
    def own(cls, name: str) -> PromptTemplate:
        """Return one of the templates that come with du-eval."""
        file = OWN_PROMPTS / f"{name}.jinja2"
        return cls(file.name, file.read_text(encoding="utf-8"))

    @classmethod
    def of_file(cls, path: str) -> PromptTemplate:
        """Return the template in a user's file; it may include others of its folder."""
        return cls(path, read_text_file(path), Path(path).parent)

    def render(self, variables: dict[str, Any]) -> str:
        """Return the text for some variables; what goes wrong is an error of the step."""
        if self._is_plain:
            return self.source.strip()
        try:
            return "".join(part.render(variables) for part in self._parts).strip()
        except TemplateError as error:
            raise GeneratorError(f"the template {self.name} cannot be rendered: {error.message}") from error
        except Exception as error:
            raise GeneratorError(
                f"the template {self.name} cannot be rendered: {type(error).__name__}: {error}"
            ) from error
