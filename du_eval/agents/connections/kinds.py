"""The ways to reach an agent, and what a case may say about each of them."""

from __future__ import annotations

from collections.abc import Mapping

GROUP = "du_eval.agent_connections"
"""The entry points under which packages offer connections of their own."""
DIRECT, HTTP, HTTPS = "direct", "http", "https"
SERVER_KEYS = ("host", "port", "base_path", "ca_file", "certificate", "private_key")
_MODEL_KEYS = ("url", "model", "instructions", "parameters", "api_key_env")
KINDS: Mapping[str, tuple[str, ...]] = {
    DIRECT: (),
    HTTP: SERVER_KEYS,
    HTTPS: SERVER_KEYS,
    "openai": _MODEL_KEYS,
    "openai-responses": _MODEL_KEYS,
    "a2a": ("url", "api_key_env"),
    "mcp": ("url", "argument", "api_key_env"),
    "langgraph": ("url", "api_key_env"),
    "langserve": ("url", "input_key", "api_key_env"),
    "json": ("url", "body", "answer", "structure", "remember", "api_key_env"),
}
"""Each kind with the keys that it understands."""


def find_kinds() -> dict[str, tuple[str, ...] | None]:
    """Return the kinds that there are; one from another package understands keys that only it knows."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - it takes time that most runs do not need

    return {**{entry.name: None for entry in entry_points(group=GROUP)}, **KINDS}
