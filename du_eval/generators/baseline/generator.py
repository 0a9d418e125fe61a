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
        self._deciders: dict[str, tuple[Assistant, Decider]] = {}

    async def generate(self, request: Request) -> Prediction:
        """Return the commands for a message; the same message in the same state gets the same ones."""
        return Prediction(commands=self._decider(request.assistant).commands(request))

    def _decider(self, assistant: Assistant) -> Decider:
        """Return what was built for an assistant; assistants without flows share one."""
        from du_eval.generators.baseline.decision import Decider  # noqa: PLC0415 - loads scikit-learn when used

        key = assistant.path or (str(id(assistant)) if assistant.flows else "")
        known, decider = self._deciders.get(key, (None, None))
        if decider is None or (known is not assistant and assistant.flows):
            decider = Decider(assistant)
            self._deciders[key] = (assistant, decider)
        return decider
