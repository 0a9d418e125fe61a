"""The test bench for dialogue understanding."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "Assistant": "du_eval.assistants.model",
    "CancelFlow": "du_eval.commands",
    "CannotHandle": "du_eval.commands",
    "ChitChat": "du_eval.commands",
    "Clarify": "du_eval.commands",
    "Command": "du_eval.commands",
    "CommandGenerator": "du_eval.generators.base",
    "CommandParser": "du_eval.parsers.command_parser",
    "CommandRegistry": "du_eval.commands",
    "ContinueAgent": "du_eval.commands",
    "DuEvalError": "du_eval.errors",
    "Evaluator": "du_eval.evaluation.pipeline",
    "FinishedRun": "du_eval.api",
    "HumanHandoff": "du_eval.commands",
    "Prediction": "du_eval.generators.base",
    "RepeatLastBotMessages": "du_eval.commands",
    "Request": "du_eval.generators.base",
    "RestartAgent": "du_eval.commands",
    "RunComparison": "du_eval.api",
    "SearchAndReply": "du_eval.commands",
    "SetSlot": "du_eval.commands",
    "SkipQuestion": "du_eval.commands",
    "StartFlow": "du_eval.commands",
    "Syntax": "du_eval.commands",
    "default_commands": "du_eval.commands",
    "list_runs": "du_eval.api",
    "load_assistant": "du_eval.assistants.load",
    "load_suite": "du_eval.suites.load",
    "parse_commands": "du_eval.compat.policies",
    "read_run": "du_eval.api",
    "run": "du_eval.api",
}

__all__ = [
    "Assistant",
    "CancelFlow",
    "CannotHandle",
    "ChitChat",
    "Clarify",
    "Command",
    "CommandGenerator",
    "CommandParser",
    "CommandRegistry",
    "ContinueAgent",
    "DuEvalError",
    "Evaluator",
    "FinishedRun",
    "HumanHandoff",
    "Prediction",
    "RepeatLastBotMessages",
    "Request",
    "RestartAgent",
    "RunComparison",
    "SearchAndReply",
    "SetSlot",
    "SkipQuestion",
    "StartFlow",
    "Syntax",
    "__version__",
    "default_commands",
    "list_runs",
    "load_assistant",
    "load_suite",
    "parse_commands",
    "read_run",
    "run",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that importing the package stays quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'du_eval' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
