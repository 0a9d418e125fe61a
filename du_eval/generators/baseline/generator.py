"""The generator that needs no model: words, cues and the forms of values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from du_eval.generators.base import Prediction, Request

if TYPE_CHECKING:
    from du_eval.assistants.model import Assistant
    from du_eval.generators.baseline.decision import Decider


class BaselineGenerator:
    """Predicts commands without a language model, as a mark to compare one with."""

    def __init__(self) -> None:
        self._deciders: dict[int, tuple[Assistant, Decider]] = {}

    async def generate(self, request: Request) -> Prediction:
        """Return the commands for a message; the same message in the same state gets the same ones."""
        return Prediction(commands=self._decider(request.assistant).commands(request))

    def _decider(self, assistant: Assistant) -> Decider:
        from du_eval.generators.baseline.decision import Decider  # noqa: PLC0415

        known = self._deciders.get(id(assistant))
        if known is None:
            known = (assistant, Decider(assistant))
            self._deciders[id(assistant)] = known
        return known[1]
