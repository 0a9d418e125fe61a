"""Anchors and aliases of YAML: values that are written once, within limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MOST_VALUES = 1_000_000
"""How many values all aliases of a file may stand for: a few lines can stand for billions."""


MOST_GENERATIONS = 16
"""How often a value that an alias stands for may hold another alias."""


@dataclass(slots=True)
class _Named:
    """A value with a name; while it is not complete, its size is where it began."""

    value: Any
    size: int
    generation: int = 1


class Anchors:
    """The values of one file that have a name."""

    def __init__(self) -> None:
        self._values: dict[str, _Named] = {}
        self._open: dict[int, tuple[str, _Named]] = {}
        self._added = 0
        self.is_used = False

    @property
    def is_exhausted(self) -> bool:
        """Tell whether the aliases so far stand for too much."""
        return self._added > MOST_VALUES

    def name_scalar(self, name: str, value: Any) -> None:
        """Remember a scalar."""
        self.is_used = True
        self._values[name] = _Named(value, 1)

    def begin(self, name: str, node: Any, events: int) -> None:
        """Note that a mapping or list with a name begins, after some events."""
        self.is_used = True
        self._values.pop(name, None)
        self._open[id(node)] = name, _Named(node, events + self._added)

    def end(self, node: Any, events: int) -> None:
        """Remember a mapping or list once it is complete, if it has a name."""
        found = self._open.pop(id(node), None)
        if found is not None:
            name, named = found
            named.size = events + self._added - named.size
            self._values[name] = named

    def resolve(self, name: str) -> tuple[Any, str]:
        """Return what an alias stands for, or why it stands for nothing."""
        if any(name == open_name for open_name, _ in self._open.values()):
            return None, f"the alias '*{name}' stands inside of what it stands for"
        named = self._values.get(name)
        if named is None:
            return None, f"the alias '*{name}' stands for nothing: there is no '&{name}' before it"
        self._added += named.size
        if self.is_exhausted:
            return None, f"the aliases of this file stand for more than {MOST_VALUES:,} values"
        if named.generation > MOST_GENERATIONS:
            return None, f"the alias '*{name}' stands for aliases in aliases, {MOST_GENERATIONS} deep"
        for _, around in self._open.values():
            around.generation = max(around.generation, named.generation + 1)
        return named.value, ""
