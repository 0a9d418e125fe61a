"""Groups of options: declared once as a class, added to a command as a whole."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import Any, ClassVar, get_origin, get_type_hints


def with_options(*groups: type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add the options of some groups to a command; it gets them as a mapping named `more`."""

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        hints = {
            name: _in_panel(hint, getattr(group, "panel_name", None))
            for group in groups
            for name, hint in get_type_hints(group, include_extras=True).items()
            if get_origin(hint) is not ClassVar
        }
        own = inspect.signature(command, eval_str=True)
        parameters = [parameter for name, parameter in own.parameters.items() if name != "more"]
        added = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=_default(groups, name), annotation=hint
            )
            for name, hint in hints.items()
        ]

        @wraps(command)
        def wrapper(**values: Any) -> None:
            more = {name: values.pop(name) for name in hints}
            command(**values, more=more)

        wrapper.__signature__ = own.replace(parameters=[*parameters, *added])  # type: ignore[attr-defined]
        wrapper.__annotations__ = {p.name: p.annotation for p in (*parameters, *added)} | {"return": None}
        return wrapper

    return decorated


def _in_panel(hint: Any, panel: str | None) -> Any:
    """Return the annotation of an option that stands in a group of the help."""
    for option in getattr(hint, "__metadata__", ()):
        if panel is not None and getattr(option, "rich_help_panel", None) is None:
            option.rich_help_panel = panel
    return hint


def split(more: Mapping[str, Any], *groups: type) -> Iterator[dict[str, Any]]:
    """Yield the values of each group."""
    for group in groups:
        yield {
            name: more[name]
            for name, hint in get_type_hints(group).items()
            if get_origin(hint) is not ClassVar
        }


def _default(groups: tuple[type, ...], name: str) -> object:
    return next((getattr(group, name) for group in groups if hasattr(group, name)), None)
