"""Agent networks of the installed neuro-san package, inside this process."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from du_eval.errors import PluginError

_FACTORY = "neuro_san.client.agent_session_factory"


def open_session(agent: str, *, use_direct: bool, metadata: Mapping[str, str]) -> Any:
    """Return a session with an agent network; its manifest is found as neuro-san finds it."""
    try:
        factory = import_module(_FACTORY).AgentSessionFactory()
    except ImportError as error:
        what = f"nothing says what the agent '{agent}' is without a server"
        raise PluginError(f"{what}, and neuro-san, which might know, is not installed") from error
    try:
        return factory.create_session("direct", agent, use_direct=use_direct, metadata=dict(metadata))
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise PluginError(
            f"neuro-san has no agent network '{agent}' ({reason}); is AGENT_MANIFEST_FILE set?"
        ) from error
