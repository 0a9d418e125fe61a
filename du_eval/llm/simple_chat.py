"""A thin client of OpenAI-compatible chat endpoints."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from du_eval.errors import AgentError

_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
_DEFAULT_URL = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """Which model, where, and with how much patience."""

    model: str
    base_url: str = _DEFAULT_URL
    api_key: str = field(default="", repr=False)
    temperature: float | None = None
    timeout_seconds: float = 60.0
    attempts: int = 3
    pause_seconds: float = 0.5

    def using(self, model: str | None) -> ChatOptions:
        """Return the options for another model."""
        return replace(self, model=model) if model else self


def options_from(environment: Mapping[str, str], model: str, base_url: str | None = None) -> ChatOptions:
    """Return options with the key and the address that the environment holds."""
    url = base_url or environment.get("OPENAI_BASE_URL") or _DEFAULT_URL
    return ChatOptions(model, url.rstrip("/"), environment.get("OPENAI_API_KEY", ""))


def options_from_environment(model: str, base_url: str | None = None) -> ChatOptions:
    """Return options with the key and the address of this process's environment."""
    return options_from(os.environ, model, base_url)


class OpenAIChat:
    """Asks a chat model; opens a connection at the first question and keeps it until it is closed."""

    def __init__(self, options: ChatOptions) -> None:
        self.options = options
        self._session: Any = None

    async def complete(self, messages: Sequence[Mapping[str, str]]) -> str:
        """Return the text of the answer, after a few attempts where the trouble may pass."""
        reason = ""
        for attempt in range(self.options.attempts):
            if attempt:
                pause = self.options.pause_seconds * 2 ** (attempt - 1)
                await asyncio.sleep(pause * (1 + random.random()))  # noqa: S311
            answer, reason, may_pass = await self._attempt(messages)
            if answer is not None:
                return answer
            if not may_pass:
                break
        raise AgentError(
            f"the model '{self.options.model}' at {self.options.base_url} gave no answer: {reason}"
        )

    async def aclose(self) -> None:
        """Close the connection."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _attempt(self, messages: Sequence[Mapping[str, str]]) -> tuple[str | None, str, bool]:
        import aiohttp  # noqa: PLC0415

        body: dict[str, object] = {"model": self.options.model, "messages": [dict(one) for one in messages]}
        if self.options.temperature is not None:
            body["temperature"] = self.options.temperature
        try:
            async with self._opened().post(
                f"{self.options.base_url}/chat/completions", json=body
            ) as response:
                if response.status != 200:
                    told = (await response.text())[:200]
                    return None, f"status {response.status}: {told}", response.status in _RETRIED
                return _text_of(await response.json(content_type=None)), "the answer holds no text", False
        except TimeoutError:
            return None, f"nothing came within {self.options.timeout_seconds:g} s", True
        except aiohttp.ClientError as error:
            return None, str(error) or type(error).__name__, True
        except ValueError:
            return None, "the answer is not JSON", False

    def _opened(self) -> Any:
        import aiohttp  # noqa: PLC0415

        if self._session is None:
            headers = {"Authorization": f"Bearer {self.options.api_key}"} if self.options.api_key else {}
            timeout = aiohttp.ClientTimeout(total=self.options.timeout_seconds)
            self._session = aiohttp.ClientSession(headers=headers, timeout=timeout)
        return self._session


def _text_of(answer: Any) -> str | None:
    try:
        text = answer["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError):
        return None
    return text if isinstance(text, str) else None
