"""The command line: a table of commands, of which only the one that is called gets imported."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

import typer

from du_eval.cli.edge import ending_politely, guard_command, say
from du_eval.cli.grouping import GROUPS, GroupedHelp, GroupedOptions, WholeHelp
from du_eval.cli.lists import expand_lists, with_printed_markdown, with_resume_value, with_trust_first
from du_eval.errors import ExitCode, UntrustedError

COMMANDS: Mapping[str, str] = {name: line for group in GROUPS.values() for name, line in group.items()}
"""All commands, each with its line of help."""
_HOMES = {"merge": "rescore", "assess": "agent", "selfcheck": "plan"}
"""Commands that stand in the module of another one."""
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
    for name in COMMANDS:
        if chosen and name not in chosen and not completed:
            continue
        wanted = name in arguments or name in completed
        _register(app, name, load_command(name) if wanted else _listed(name))
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
            assert command.callback is not None, "it was made of a function"
            command.help = command.help or _laid_out(command.callback)
            command.callback = guard_command(command.callback)
            command.cls = GroupedOptions
        target.callback()(_stand_in)  # so that a group with a single command stays a group
        app.add_typer(target, name=name, cls=WholeHelp, help=COMMANDS[name], no_args_is_help=True)
    else:
        app.command(name, help=_laid_out(target), cls=GroupedOptions)(guard_command(target))


def _laid_out(function: Callable[..., Any] | None) -> str:
    """Return the help of a function, its examples one below the other: a mark keeps them unwrapped."""
    text, title, examples = inspect.cleandoc(getattr(function, "__doc__", "") or "").partition(_EXAMPLES)
    lines = [line for line in examples.splitlines() if line.strip()]
    return "\n".join([text, "\b", title.strip(), *lines]) if title else text


def load_command(name: str) -> Any:
    """Return the function of a command, or the application of a group of commands."""
    word = name.replace("-", "_")
    module = import_module(f"du_eval.cli.{_HOMES.get(word, word)}")
    return getattr(module, "app", None) or getattr(module, word)


def _listed(name: str) -> Callable[[], None]:
    def stand_in() -> None: ...

    stand_in.__doc__ = COMMANDS[name]
    return stand_in


def _stand_in() -> None: ...


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
    words = with_resume_value(expand_lists(sys.argv[1:] if arguments is None else arguments))
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
        say("This is a bug in du-eval. Set DU_EVAL_DEBUG=1 to see where it happened.")
        sys.exit(4)
