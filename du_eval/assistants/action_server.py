"""Custom actions that run on an action server, asked over HTTP."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException
from typing import Any

from du_eval.assistants.actions import ActionCall, ActionError, ActionResult
from du_eval.assistants.sdk import write_tracker
from du_eval.errors import ConfigError
from du_eval.trust.secrets import hide_credentials, hide_secrets, split_credentials

_LONGEST_ANSWER = 10_000_000


class _Staying(urllib.request.HTTPRedirectHandler):
    """Goes nowhere else than it was told: a redirect is an answer like any other refusal."""

    def redirect_request(self, *_: object, **__: object) -> None:
        """Return no request."""


_OPENER = urllib.request.build_opener(_Staying)


class ActionServer:
    """Runs actions by `POST <endpoint>`, as action servers of CALM assistants expect it."""

    def __init__(self, endpoint: str, timeout_seconds: float = 10.0) -> None:
        if not endpoint.startswith(("http://", "https://")):
            shown = hide_credentials(endpoint)
            raise ConfigError(f"'{shown}' is not an action endpoint; write http://host:port/webhook")
        self._address = split_credentials(endpoint)
        self.endpoint = self._address.url
        self._timeout_seconds = timeout_seconds

    def run(self, call: ActionCall) -> ActionResult | None:
        """Ask the server; None where it does not know the action."""
        try:
            answer = self._posted(_body(call))
        except urllib.error.HTTPError as error:
            with error:
                if error.code == 404:
                    return None
                detail = hide_secrets(error.read(500).decode("utf-8", "replace"), self._address.secrets)
            raise ActionError(f"{self.endpoint} answered {error.code}: {detail}") from error
        except (OSError, HTTPException, ValueError, RecursionError) as error:
            raise ActionError(f"{self.endpoint} did not answer: {error}") from error
        if not isinstance(answer, Mapping):
            raise ActionError(f"{self.endpoint} answered with something that is not a JSON object")
        return ActionResult(_listed(answer.get("events")), _listed(answer.get("responses")))

    def _posted(self, body: Mapping[str, object]) -> Any:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._address.header:
            headers["Authorization"] = self._address.header
        request = urllib.request.Request(  # noqa: S310 - the scheme was checked
            self.endpoint, data=json.dumps(body, default=str).encode(), headers=headers, method="POST"
        )
        with _OPENER.open(request, timeout=self._timeout_seconds) as response:
            text = response.read(_LONGEST_ANSWER).decode("utf-8", "replace")
            return json.loads(hide_secrets(text, self._address.secrets))


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
