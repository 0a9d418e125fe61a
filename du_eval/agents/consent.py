"""What agent cases would do with secrets: a case that was found names no variable without consent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from du_eval.agents.model import AgentCase
from du_eval.trust.consent import require_consent
from du_eval.trust.effects import FoundSettings
from du_eval.trust.reading import find_place

_HERE = frozenset({"localhost", "127.0.0.1", "::1"})


def find_case_settings(case: AgentCase) -> FoundSettings:
    """Return what a case would send of the environment, and where to."""
    values = {
        "api_key_env": [
            f"{connection.options['api_key_env']} to {connection.url}"
            for connection in case.connections
            if connection.options.get("api_key_env") and not _is_here(connection.url or "")
        ]
    }
    return FoundSettings(Path(case.file), values)


def require_case_consent(
    cases: Iterable[AgentCase], named: Iterable[str], environment: Mapping[str, str]
) -> None:
    """Raise for the first case with secrets that is not named itself, and that the user did not agree to."""
    given = {find_place(path.partition("::")[0]) for path in named}
    for case in cases:
        if find_place(case.file) not in given:
            require_consent(find_case_settings(case), environment)


def _is_here(url: str) -> bool:
    try:
        return urlsplit(url).hostname in _HERE
    except ValueError:
        return False
