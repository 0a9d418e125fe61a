"""A template in parts: what depends only on the assistant is rendered once and remembered."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from jinja2 import Environment, Template, meta, nodes

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


def parts_of(source: str, environment: Environment) -> tuple[TemplatePart, ...]:
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
