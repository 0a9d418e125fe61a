"""Help in groups: commands by what they are for, options by what they concern."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from typer.core import TyperCommand, TyperGroup

GROUPS: Mapping[str, tuple[str, ...]] = {
    "Run": ("test", "experiment", "e2e", "quality", "protocol", "agent", "assess", "metrics", "stress"),
    "Read results": ("view", "report", "compare", "gate", "history", "export", "runs"),
    "Judge again": ("rescore", "verify", "merge", "annotate", "judges", "sensitivity", "selfcheck", "plan"),
    "Write and check tests": ("init", "validate", "lint", "flows", "commands", "convert", "schema"),
    "Set up": ("doctor", "config", "trust", "cache", "serve-local-model"),
}
"""The commands by what they are for, the most used first."""
OTHERS = "Other"


class GroupedHelp(TyperGroup):
    """Lists commands in groups."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each group of commands; what is in none comes last."""
        known = {name for names in GROUPS.values() for name in names}
        rest = tuple(name for name in self.list_commands(ctx) if name not in known)
        for title, names in {**GROUPS, OTHERS: rest}.items():
            found = [(name, command) for name in names if (command := self.get_command(ctx, name))]
            rows = [(name, command.get_short_help_str(90)) for name, command in found if not command.hidden]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


class GroupedOptions(TyperCommand):
    """Lists options in groups: those of the command itself first."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words without making converters for the many options that are not among them."""
        given, *_ = self.make_parser(ctx).parse_args(list(args))
        everything = self.params
        used = [
            one
            for one in everything
            if one.required or one.default is not None or given.get(one.name) not in (None, ())
        ]
        if ctx.resilient_parsing or not {*given} <= {one.name for one in everything}:
            return super().parse_args(ctx, args)  # completion, or --help, which shows all of them
        self.params = used
        try:
            rest = super().parse_args(ctx, args)
        finally:
            self.params = everything
        ctx.params = {one.name: ctx.params.get(one.name) for one in everything}
        return rest

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each group of options."""
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                panel = "Arguments" if parameter.param_type_name == "argument" else _find_panel(parameter)
                sections.setdefault(panel, []).append(record)
        for title in sorted(sections, key=lambda title: title != "Arguments"):
            if sections[title]:
                with formatter.section(title):
                    formatter.write_dl(sections[title])


def _find_panel(parameter: object) -> str:
    panel: Any = getattr(parameter, "rich_help_panel", None)
    return panel if isinstance(panel, str) else "Options"
