"""`du-eval commands`: the vocabulary in each syntax."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from du_eval.cli.edge import out
from du_eval.cli.generated import Given, with_settings
from du_eval.settings.commands import TestSettings

if TYPE_CHECKING:
    from du_eval.commands.base import Command
    from du_eval.commands.syntax import Syntax as CommandSyntax


@with_settings(TestSettings, "syntax", "additional_commands", "remove_default_commands")
def commands(
    patterns: Annotated[bool, typer.Option("--patterns", help="Show the regular expressions.")] = False,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    *,
    given: Given,
) -> None:
    """List the commands in each syntax.

    Examples:
      du-eval commands

      du-eval commands --syntax phrases --patterns

    """
    from du_eval.assembly import build_parser, settle
    from du_eval.commands.registry import FURTHER_COMMANDS
    from du_eval.commands.syntax import BUILT_IN_SYNTAXES
    from du_eval.trust.effects import JUDGING

    parser = build_parser(settle(TestSettings, given, os.environ, uses=JUDGING).config)
    shown = [parser.syntax] if "syntax" in given else list(BUILT_IN_SYNTAXES.values())
    known = list(parser.registry)
    further = [command for command in FURTHER_COMMANDS if command not in known]
    rows = [_row(command, shown, patterns=patterns, is_on=command in known) for command in [*known, *further]]
    out({"commands": rows} if json_output else _text(rows))


def _row(
    command: type[Command], syntaxes: list[CommandSyntax], *, patterns: bool, is_on: bool
) -> dict[str, object]:
    row: dict[str, object] = {
        "class": command.__name__,
        "name": command.name,
        "understood": is_on,
        "description": (command.__doc__ or "").strip().split("\n")[0],
        "spelling": {syntax.name: _example(command, syntax) for syntax in syntaxes},
    }
    if patterns:
        row["pattern"] = {syntax.name: syntax.find_pattern(command) for syntax in syntaxes}
    return row


def _example(command: type[Command], syntax: CommandSyntax) -> str:
    samples: dict[str, tuple[object, ...]] = {
        "StartFlow": ("flow",),
        "SetSlot": ("slot", "value"),
        "Clarify": (("flow_a", "flow_b"),),
        "RestartAgent": ("agent",),
    }
    parent = next((kind.__name__ for kind in command.__mro__ if kind.__name__ in samples), "")
    try:
        return syntax.print(command(*samples.get(parent, ())))
    except TypeError:
        return f"(pattern: {syntax.find_pattern(command)})"


def _text(rows: list[dict[str, object]]) -> str:
    lines: list[str] = []
    for row in rows:
        note = "" if row["understood"] else "  [off: add it with --additional-commands]"
        lines.append(f"{row['class']} ({row['name']}){note}")
        lines.append(f"    {row['description']}")
        for title in ("spelling", "pattern"):
            table = row.get(title)
            if isinstance(table, dict):
                lines += [f"    {name:15} {text}" for name, text in table.items()]
    return "\n".join(lines) + "\n"
