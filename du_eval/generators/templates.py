"""Prompt templates: our own and the user's, rendered in a sandbox."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jinja2 import FileSystemLoader, TemplateError, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from du_eval.errors import GeneratorError, InputError, Problem
from du_eval.generators.template_parts import parts_of
from du_eval.parsers.text_files import read_text_file

OWN_PROMPTS = Path(__file__).parent / "prompts"


class _Loud(Undefined):
    """A missing variable: false in a condition, an error where it would be printed."""

    __str__ = __iter__ = __len__ = Undefined._fail_with_undefined_error


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _escaped(value: Any) -> str:
    """Return a text as it stands between the quotes of a JSON text."""
    return _json(str(value))[1:-1]


def _environment(folder: Path) -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        loader=FileSystemLoader([folder, OWN_PROMPTS]),
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
            self._parts = parts_of(source, _environment(folder))
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
