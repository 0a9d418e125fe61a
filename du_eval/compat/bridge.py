"""The imports of Rasa that command classes and generators use, where Rasa itself is not installed.

Modules that a user names may say `from rasa.dialogue_understanding.commands import Command`, as Rasa's
documentation shows it. Where Rasa is installed, it is used, and only gets the documented names that it lacks.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from types import ModuleType
from typing import Any

from du_eval import commands
from du_eval.commands.base import Command
from du_eval.commands.registry import DEFAULT_COMMANDS
from du_eval.compat.policies import parse_commands as parse_own

_COMMANDS = "rasa.dialogue_understanding.commands"
_PARSER = "rasa.dialogue_understanding.generator.command_parser"
_OFFICIAL_NAMES = {
    "ChitChatAnswerCommand": commands.ChitChat,
    "KnowledgeAnswerCommand": commands.SearchAndReply,
    "RepeatBotMessagesCommand": commands.RepeatLastBotMessages,
}
_CLASSES: tuple[type[Command], ...] = (
    *DEFAULT_COMMANDS,
    commands.CannotHandle,
    commands.ContinueAgent,
    commands.RestartAgent,
)


def parse_commands(
    actions: str | None,
    flows: object = None,
    is_handle_flows_prompt: bool = False,  # noqa: FBT001, FBT002, ARG001 - Rasa has it in this place
    additional_commands: Sequence[type] | None = None,
    default_commands_to_remove: Sequence[type] | None = None,
    **options: Any,
) -> list[Command]:
    """Return the commands of an answer, called as in Rasa and by its rules."""
    removed = [*(default_commands_to_remove or ()), *(options.get("remove_default_commands") or ())]
    return parse_own(
        actions,
        flow_names(flows),
        additional_commands=additional_commands or (),
        remove_default_commands=removed,
        policy="rasa",
        clarify_options_optional=bool(options.get("clarify_options_optional")),
    )


def flow_names(flows: Any) -> Iterable[str] | None:
    """Return the names of flows, given as such or as a list of flows of Rasa."""
    names = getattr(flows, "user_flow_ids", None)
    if names is not None:
        return [str(name) for name in names]
    return None if flows is None else [str(getattr(flow, "id", flow)) for flow in flows]


def _command_names() -> dict[str, object]:
    own = {command.__name__: command for command in _CLASSES}
    official = {f"{name}Command": command for name, command in own.items()} | _OFFICIAL_NAMES
    return {"Command": Command, **own, **official}


class DialogueStateTracker:
    """A name for annotations."""


class FlowsList:
    """A name for annotations."""


def _contents() -> Mapping[str, Callable[[], Mapping[str, object]]]:
    """Return what each module holds; modules in between are empty."""
    return {
        _COMMANDS: _command_names,
        f"{_COMMANDS}.command": lambda: {"Command": Command},
        _PARSER: lambda: {"parse_commands": parse_commands},
        "rasa.shared.core.trackers": lambda: {"DialogueStateTracker": DialogueStateTracker},
        "rasa.shared.core.flows": lambda: {"FlowsList": FlowsList},
    }


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of the bridge, after all others looked for them in vain."""

    def find_spec(
        self,
        name: str,
        path: object = None,  # noqa: ARG002 - the protocol
        target: object = None,  # noqa: ARG002 - the protocol
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the module of a name, if the bridge has it or something below it."""
        contents = _contents()
        if not any(known == name or known.startswith(f"{name}.") for known in contents):
            return None
        is_package = name not in contents or any(known.startswith(f"{name}.") for known in contents)
        return importlib.machinery.ModuleSpec(name, self, is_package=is_package)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:  # noqa: ARG002
        """Leave that to Python."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Fill a module."""
        contents = _contents().get(module.__name__)
        vars(module).update(contents() if contents else {})


def open_bridge() -> None:
    """Make the imports work from now on: also those inside of functions that are called later."""
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return
    spec = importlib.util.find_spec("rasa")
    if spec is None or spec.loader is None:  # not installed, or a stand-in for custom actions
        sys.meta_path.append(_Finder())
        return
    with suppress(ImportError):
        _complete(importlib.import_module(_COMMANDS))


def _complete(module: ModuleType) -> None:
    """Give Rasa's own module the names that its documentation uses: CancelFlow is its CancelFlowCommand."""
    for command in _CLASSES:
        official = [name for name, ours in _OFFICIAL_NAMES.items() if ours is command]
        for name in (f"{command.__name__}Command", *official):
            found = getattr(module, name, None)
            if found is not None and not hasattr(module, command.__name__):
                setattr(module, command.__name__, found)
