"""The vocabulary: what a command is, which ones there are, and how they are spelled."""

from du_eval.commands.base import Command, MatchedText
from du_eval.commands.flows import CancelFlow, Clarify, ContinueAgent, RestartAgent, StartFlow
from du_eval.commands.registry import CommandRegistry, default_commands, registry_of
from du_eval.commands.replies import (
    CannotHandle,
    ChitChat,
    HumanHandoff,
    RepeatLastBotMessages,
    SearchAndReply,
    SkipQuestion,
)
from du_eval.commands.slots import SetSlot
from du_eval.commands.syntax import Spelling, Syntax

__all__ = [
    "CancelFlow",
    "CannotHandle",
    "ChitChat",
    "Clarify",
    "Command",
    "CommandRegistry",
    "ContinueAgent",
    "HumanHandoff",
    "MatchedText",
    "RepeatLastBotMessages",
    "RestartAgent",
    "SearchAndReply",
    "SetSlot",
    "SkipQuestion",
    "Spelling",
    "StartFlow",
    "Syntax",
    "default_commands",
    "registry_of",
]
