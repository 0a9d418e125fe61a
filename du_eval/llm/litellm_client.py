"""Providers that do not speak the common protocol, through the optional package litellm."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from types import ModuleType

from msgspec import Struct, field
from msgspec.structs import replace

from du_eval.errors import MissingExtraError
from du_eval.llm.messages import ChatAnswer, ChatRequest, find_problem, read_answer
from du_eval.llm.persistence import AttemptFailure, Persistence, classify_status
from du_eval.llm.purse import Price, Purse, ignore
from du_eval.trust.secrets import hide_secrets


class LiteLlmClient(Struct):
    """Asks whatever litellm knows; keys come from the variables that litellm reads."""

    persistence: Persistence = field(default_factory=Persistence)
    price: Price | None = None
    on_cost: Callable[[float], None] = ignore
    """Told what each answered call cost, where that is known."""
    purse: Purse = field(default_factory=Purse)
    base_url: str = ""
    """An endpoint of one's own, handed to litellm."""
    library: ModuleType | None = None

    async def complete(self, request: ChatRequest) -> ChatAnswer:
        """Return the answer to a request."""
        return await self.purse.buy(request, self.price, self.on_cost, lambda: self._ask(request))

    async def _ask(self, request: ChatRequest) -> ChatAnswer:
        answer, retries = await self.persistence.answer(
            lambda: self._exchange(request), f"litellm, {request.model}"
        )
        return replace(answer, retries=retries)

    async def close(self) -> None:
        """Leave the connections to litellm, which keeps them for the process."""

    async def _exchange(self, request: ChatRequest) -> ChatAnswer | AttemptFailure:
        library = self.library = self.library or load_litellm()
        clock = self.persistence.clock
        start = clock.now()
        timeout = self.persistence.policy.timeout_seconds
        try:
            address = {"api_base": self.base_url} if self.base_url else {}
            found = await library.acompletion(
                **request.body(), **address, timeout=timeout, num_retries=0, max_retries=0
            )
            data = found.model_dump()
        except Exception as error:
            # Every provider has exceptions of its own here, without a common parent.
            return self._failure(error)
        problem = find_problem(data)
        return (
            AttemptFailure(problem)
            if problem
            else replace(read_answer(data), latency_seconds=clock.now() - start)
        )

    def _failure(self, error: Exception) -> AttemptFailure:
        status = int(getattr(error, "status_code", 0) or 500)
        headers = getattr(getattr(error, "response", None), "headers", None) or {}
        message = hide_secrets(str(error), self.persistence.secrets)[:300]
        return classify_status(status, message, str(getattr(error, "code", "") or ""), headers)


def load_litellm() -> ModuleType:
    """Return the package, kept from looking up a price list on the network while it is imported."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    try:
        litellm = import_module("litellm")
    except ImportError as error:
        raise MissingExtraError("litellm", "litellm") from error
    vars(litellm)["suppress_debug_info"] = True
    return litellm
