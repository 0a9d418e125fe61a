"""The tool calls of Rasa's newer engine as a spelling of commands: activate, set_fields, cancel, ..."""

from __future__ import annotations

from du_eval.commands.base import SLOT_NAME, BareCommand, Command
from du_eval.commands.flows import CancelFlow, CannotHandle, ChitChat, SearchAndReply, SetSlot, StartFlow
from du_eval.commands.syntax import Spelling, Syntax


class Complete(BareCommand):
    """Finish the active skill."""

    __slots__ = ()
    name = "complete"
    call = "complete"


class Listen(BareCommand):
    """Wait for the user."""

    __slots__ = ()
    name = "listen"
    call = "listen"


_VALUE = r""""(?:[^"\\]|\\.)*+"|'[^'\n]*+'|[^,(){}"'\n]++"""
_FIELD = rf"""\s*['"]?(?P<name>{SLOT_NAME})['"]?\s*[=:]\s*(?P<value>{_VALUE})(?=\s*[,)}}])"""
_IN_DOMAIN = r"""(?:['"]?in_domain['"]?\s*[=:]\s*)?"""
_SPELLINGS: dict[type[Command], Spelling] = {
    StartFlow: Spelling(
        r"""(?<!\w)activate\(\s*(?:skill\s*[=:]\s*)?['"]?(?P<flow>[\w-]+)['"]?\s*\)""", "activate({flow})"
    ),
    # The fields of one call follow each other without a gap: each gives a command.
    SetSlot: Spelling(rf"(?:(?<!\w)set_fields\(\s*\{{?|\G\s*,){_FIELD}", "set_fields({name}={value})"),
    CancelFlow: Spelling(r"(?<!\w)cancel\(\s*\)", "cancel()"),
    SearchAndReply: Spelling(r"(?<!\w)search_knowledge\([^()\n]*+\)", "search_knowledge()"),
    CannotHandle: Spelling(
        rf"(?<!\w)cannot_help\((?P<reason>)\s*(?:{_IN_DOMAIN}[Tt]rue)?\s*\)", "cannot_help(in_domain=true)"
    ),
    ChitChat: Spelling(rf"(?<!\w)cannot_help\(\s*{_IN_DOMAIN}[Ff]alse\s*\)", "cannot_help(in_domain=false)"),
}
MANTLE = Syntax("mantle", _SPELLINGS, adds=(CannotHandle, Complete, Listen))
