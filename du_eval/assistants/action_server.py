"""Custom actions that run on an action server, asked over HTTP."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any

from du_eval.assistants.actions import ActionCall, ActionError, ActionResult
from du_eval.assistants.sdk import write_tracker
from du_eval.errors import ConfigError

_LONGEST_ANSWER = 10_000_000


class ActionServer:
    """Runs actions by `POST <endpoint>`, as action servers of CALM assistants expect it."""

    def __init__(self, endpoint: str, timeout_seconds: float = 10.0) -> None:
        if not endpoint.startswith(("http://", "https://")):
            raise ConfigError(f"'{endpoint}' is not an action endpoint; write http://host:port/webhook")
        self.endpoint = endpoint
        self._timeout_seconds = timeout_seconds

    def run(self, call: ActionCall) -> ActionResult | None:
        """Ask the server; None where it does not know the action."""
        try:
            answer = self._posted(_body(call))
        except urllib.error.HTTPError as error:
            with error:
                if error.code == 404:
                    return None
                detail = error.read(500).decode("utf-8", "replace")
            raise ActionError(f"{self.endpoint} answered {error.code}: {detail}") from error
        except (OSError, ValueError, RecursionError) as error:
            raise ActionError(f"{self.endpoint} did not answer: {error}") from error
        if not isinstance(answer, Mapping):
            raise ActionError(f"{self.endpoint} answered with something that is not a JSON object")
        return ActionResult(_listed(answer.get("events")), _listed(answer.get("responses")))

    def _posted(self, body: Mapping[str, object]) -> Any:
        request = urllib.request.Request(  # noqa: S310 - the scheme was checked
            self.endpoint,
            data=json.dumps(body, default=str).encode(),
            headers={"Content-Type": "application/json", "Accept": "application/json"},
            method="POST",
        )
        with urllib.request.urlopen(request, timeout=self._timeout_seconds) as response:  # noqa: S310
            return json.loads(response.read(_LONGEST_ANSWER))


def _listed(items: object) -> tuple[Mapping[str, object], ...]:
    return tuple(item for item in items if isinstance(item, Mapping)) if isinstance(items, list) else ()


def _body(call: ActionCall) -> dict[str, object]:
    return {
        "next_action": call.name,
        "sender_id": call.sender,
        "tracker": write_tracker(call),
        "domain": {},
        "version": "3.12",
    }
