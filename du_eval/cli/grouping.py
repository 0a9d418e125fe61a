"""Help in groups: commands by what they are for, options by what they concern."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from typer.core import TyperCommand, TyperGroup

GROUPS: Mapping[str, Mapping[str, str]] = {
    "Run": {
        "test": "Run dialogue understanding tests and report the mistakes.",
        "experiment": "Compare several models, prompts or settings on one suite, and decide which to ship.",
        "e2e": "Run end-to-end tests and report what went wrong.",
        "quality": "Test a chatbot as a conversation partner.",
        "protocol": "Test a persona chatbot against eight criteria.",
        "agent": "Run agent cases (HOCON, YAML or JSON) and report what passed.",
        "assess": "Run all samples of each case, and group the failures by cause.",
        "metrics": "Compute dialogue metrics for response files.",
        "stress": "Test with larger and changed catalogues of flows.",
    },
    "Read results": {
        "view": "Browse all runs, and watch running ones live.",
        "report": "Write runs as one self-contained HTML page, or one run in another format.",
        "compare": "Compare runs step by step: better, worse, or just chance.",
        "gate": "Fail when a run is worse than a baseline.",
        "history": "Show how figures changed over the kept runs.",
        "export": "Export a run as tables, or as a report in any format.",
        "runs": "List, show and remove kept runs.",
    },
    "Judge again": {
        "rescore": "Judge the kept answers of a run again, without asking for new ones.",
        "verify": "Check that a run was not changed and follows from its answers.",
        "merge": "Merge runs, such as shards, into one report.",
        "annotate": "Label judged replies of a kept run, and correct its rates with the labels.",
        "judges": "Measure judges on labelled replies.",
        "sensitivity": "Measure how much joint goal accuracy depends on the wording of a schema.",
        "selfcheck": "Simulate your suite to see how reliable its numbers are.",
        "plan": "Plan how many conversations and calls it takes to detect a loss.",
    },
    "Write and check tests": {
        "init": "Create a new project with tests that pass.",
        "validate": "Check suites, assistants, end-to-end tests and agent cases without running them.",
        "lint": "Look for likely mistakes in a suite, offline.",
        "flows": "Show the flows, and what a suite never tests.",
        "commands": "List the commands in each syntax.",
        "convert": "Convert benchmarks or end-to-end tests into suites, or commands into another syntax.",
        "schema": "Print the JSON schema of a kind of file, for editors.",
    },
    "Set up": {
        "doctor": "Show what is installed and what is missing.",
        "config": "Show the effective settings, and where each one comes from.",
        "trust": "Review and allow what the settings found with a suite would do.",
        "cache": "List, prune and clear the cache of answers.",
        "serve-local-model": "Serve a small real language model on this machine.",
    },
}
"""The commands by what they are for, the most used first, each with its line of help."""
OTHERS = "Other"
_LONGEST = 120
"""Of a line of help, in characters."""


class WholeHelp(TyperGroup):
    """Lists commands, each with its whole line of help."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section with all commands."""
        self.write_section(ctx, formatter, "Commands", self.list_commands(ctx))

    def write_section(self, ctx: Any, formatter: Any, title: str, names: Iterable[str]) -> None:
        """Write a section with those of the commands that exist; none where there are none."""
        found = [(name, command) for name in names if (command := self.get_command(ctx, name))]
        rows = [(name, command.get_short_help_str(_LONGEST)) for name, command in found if not command.hidden]
        if rows:
            with formatter.section(title):
                formatter.write_dl(rows)


class GroupedHelp(WholeHelp):
    """Lists commands in groups."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each group of commands; what is in none comes last."""
        known = {name for names in GROUPS.values() for name in names}
        rest = tuple(name for name in self.list_commands(ctx) if name not in known)
        for title, names in {**GROUPS, OTHERS: rest}.items():
            self.write_section(ctx, formatter, title, names)


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
