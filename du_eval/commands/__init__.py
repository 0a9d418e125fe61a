"""The vocabulary: what a command is, which ones there are, and how they are spelled."""

from du_eval.commands.base import Command, MatchedText
from du_eval.commands.flows import (
    CancelFlow,
    CannotHandle,
    ChitChat,
    Clarify,
    ContinueAgent,
    HumanHandoff,
    RepeatLastBotMessages,
    RestartAgent,
    SearchAndReply,
    SetSlot,
    SkipQuestion,
    StartFlow,
)
from du_eval.commands.registry import CommandRegistry, build_registry, default_commands
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
    "build_registry",
    "default_commands",
]
