"""The command line: a table of commands, of which only the one that is called gets imported."""

from __future__ import annotations

import gc
import inspect
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

import typer

from du_eval.cli.edge import ending_politely, say
from du_eval.cli.grouping import GroupedHelp, GroupedOptions
from du_eval.cli.lists import expanded, with_printed_markdown, with_resume_value, with_trust_first
from du_eval.errors import ExitCode, UntrustedError

COMMANDS: dict[str, tuple[str, str]] = {
    "test": (
        "du_eval.cli.test:test",
        "Run dialogue understanding tests and report the mistakes.",
    ),
    "experiment": (
        "du_eval.cli.experiment:experiment",
        "Compare several models, prompts or settings on one suite, and decide which to ship.",
    ),
    "rescore": ("du_eval.cli.rescore:rescore", "Judge a kept run again, without sending any request."),
    "merge": ("du_eval.cli.rescore:merge", "Join runs, such as shards, into one report."),
    "runs": ("du_eval.cli.runs:app", "List, show and remove kept runs."),
    "cache": ("du_eval.cli.cache:app", "List, prune and clear the cache of answers."),
    "serve-local-model": (
        "du_eval.cli.serve_local_model:serve_local_model",
        "Serve a small real language model on this machine.",
    ),
    "validate": (
        "du_eval.cli.validate:validate",
        "Check suites, assistants, end-to-end tests and agent cases without running them.",
    ),
    "metrics": ("du_eval.cli.metrics:metrics", "Compute dialogue metrics for response files."),
    "e2e": ("du_eval.cli.e2e:e2e", "Run end-to-end tests and report what went wrong."),
    "convert": (
        "du_eval.cli.convert:app",
        "Convert benchmarks or end-to-end tests into suites, or commands into another syntax.",
    ),
    "flows": ("du_eval.cli.flows:flows", "Show the flows, and what a suite never tests."),
    "commands": ("du_eval.cli.commands:commands", "List the commands in each syntax."),
    "schema": ("du_eval.cli.schema:schema", "Print the JSON schema of a kind of file, for editors."),
    "agent": ("du_eval.cli.agent:agent", "Run agent cases (HOCON, YAML or JSON) and report what passed."),
    "assess": ("du_eval.cli.agent:assess", "Run all samples of each case, and group the failures by cause."),
    "lint": ("du_eval.cli.lint:lint", "Look for likely mistakes in a suite, offline."),
    "view": ("du_eval.cli.view:view", "Browse all runs, and watch running ones live."),
    "report": (
        "du_eval.cli.report:report",
        "Write runs as one self-contained HTML page, or one run in another form.",
    ),
    "compare": ("du_eval.cli.compare:compare", "Compare runs step by step: better, worse, or just chance."),
    "sensitivity": (
        "du_eval.cli.sensitivity:sensitivity",
        "Measure how much joint goal accuracy depends on the wording of a schema.",
    ),
    "stress": ("du_eval.cli.stress:stress", "Test with larger and changed catalogues of flows."),
    "gate": ("du_eval.cli.gate:gate", "Fail when a run is worse than a baseline."),
    "selfcheck": (
        "du_eval.cli.selfcheck:selfcheck",
        "Simulate your suite to see how reliable its numbers are.",
    ),
    "plan": ("du_eval.cli.plan:plan", "Plan how many conversations and calls it takes to detect a loss."),
    "verify": (
        "du_eval.cli.verify:verify",
        "Check that a run was not changed and follows from its answers.",
    ),
    "export": ("du_eval.cli.export:export", "Export a run as tables, or as a report in any form."),
    "history": ("du_eval.cli.history:history", "Show how figures changed over the kept runs."),
    "init": ("du_eval.cli.init:init", "Create a new project with tests that pass."),
    "doctor": ("du_eval.cli.doctor:doctor", "Show what is installed and what is missing."),
    "quality": ("du_eval.cli.quality:app", "Test a chatbot as a conversation partner."),
    "protocol": ("du_eval.cli.protocol:app", "Test a persona chatbot against eight criteria."),
    "annotate": (
        "du_eval.cli.annotate:annotate",
        "Label judged replies of a kept run, and correct its rates with the labels.",
    ),
    "judges": ("du_eval.cli.judges:app", "Measure judges on labelled replies."),
    "trust": ("du_eval.cli.trust:trust", "Review and allow what the settings found with a suite would do."),
    "config": ("du_eval.cli.config:app", "Show the effective settings, and where each one comes from."),
}
"""Name -> where the function (or the Typer app of a group) is, and one line of help."""

_EXAMPLES = "Examples:\n"
EPILOG = (
    f"\b\n{_EXAMPLES}  du-eval init my_project\n  du-eval test\n  du-eval test my_tests -g recorded:run.jsonl"
)


def build_app(arguments: Sequence[str]) -> typer.Typer:
    """Return the application: the command that comes first, or all (those not named are only listed)."""
    app = typer.Typer(
        name="du-eval",
        cls=GroupedHelp,
        help="The test bench for dialogue understanding.",
        epilog=EPILOG,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    completed = _completed_words(os.environ)
    chosen = COMMANDS.keys() & arguments[:1]
    for name, (target, help_line) in COMMANDS.items():
        if chosen and name not in chosen and not completed:
            continue
        wanted = name in arguments or name in completed
        _register(app, name, _load(target) if wanted else _listed(help_line))
    command = next((word for word in arguments if not word.startswith("-")), "")
    if command and command not in COMMANDS:
        from du_eval.cli.plugged import find_plugged

        plugged = find_plugged(command)
        if plugged is not None:
            app.command(command)(plugged)
    return app


def _completed_words(environment: Mapping[str, str]) -> list[str]:
    """Return the words of a line that a shell wants completed."""
    if not any(variable.startswith("_DU_EVAL") for variable in environment):
        return []
    return [*environment.get("COMP_WORDS", "").split(), *environment.get("_TYPER_COMPLETE_ARGS", "").split()]


def _print_version(wanted: bool) -> None:
    if wanted:
        from du_eval import __version__

        print(__version__)
        raise typer.Exit


def _root(
    version: bool = typer.Option(
        False, "--version", help="Print the version.", callback=_print_version, is_eager=True
    ),
    trust: bool = typer.Option(
        False, "--trust", help="For this call, allow what the settings found with a suite would do."
    ),
) -> None:
    del version  # its callback has answered
    if trust:
        from du_eval.trust.consent import VARIABLE

        os.environ[VARIABLE] = "1"


def _register(app: typer.Typer, name: str, target: Any) -> None:
    if isinstance(target, typer.Typer):
        for command in target.registered_commands:
            command.help = command.help or _laid_out(command.callback)
            command.cls = GroupedOptions
        app.add_typer(target, name=name)
    else:
        app.command(name, help=_laid_out(target), cls=GroupedOptions)(target)


def _laid_out(function: Callable[..., Any] | None) -> str:
    """Return the help of a function, its examples one below the other: a mark keeps them unwrapped."""
    text, title, examples = inspect.cleandoc(getattr(function, "__doc__", "") or "").partition(_EXAMPLES)
    lines = [line for line in examples.splitlines() if line.strip()]
    return "\n".join([text, "\b", title.strip(), *lines]) if title else text


def _load(target: str) -> Any:
    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)


def _listed(help_line: str) -> Callable[[], None]:
    def stand_in() -> None: ...

    stand_in.__doc__ = help_line
    return stand_in


def _call(words: Sequence[str]) -> None:
    """Run a command; where it needs consent, ask for it at a terminal, and run the command again."""
    try:
        build_app(words)(args=words, prog_name="du-eval")
    except UntrustedError as error:
        from du_eval.cli.trust import ask_consent

        if not ask_consent(error):
            sys.exit(error.exit_code)
        build_app(words)(args=words, prog_name="du-eval")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; a bug ends in one line and exit code 4, the traceback on request."""
    # Nearly everything that a command makes lives until its end: looking for garbage that often is wasted.
    gc.set_threshold(50_000, 20, 20)
    words = with_resume_value(expanded(sys.argv[1:] if arguments is None else arguments))
    words = with_trust_first(with_printed_markdown(words))
    if words[:1] == ["test"]:
        from du_eval.compat.flags import answer_flag

        if answer := answer_flag(words[1:]):
            print(f"error: {answer}", file=sys.stderr)
            sys.exit(2)
    try:
        with ending_politely():
            _call(words)
    except KeyboardInterrupt:
        sys.exit(ExitCode.INTERRUPTED)
    except Exception as error:
        if os.environ.get("DU_EVAL_DEBUG"):
            raise
        say(f"internal error: {type(error).__name__}: {error}")
        say("This is a bug in du-eval; DU_EVAL_DEBUG=1 shows where it happened.")
        sys.exit(4)
