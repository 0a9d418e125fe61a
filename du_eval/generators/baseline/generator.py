"""The generator that needs no language model: likeness of words, cues and the forms of values."""

from __future__ import annotations

import json
from collections.abc import Container
from typing import TYPE_CHECKING

from du_eval.assistants.coercion import coerce_value
from du_eval.assistants.model import Slot
from du_eval.commands.flows import SetSlot, StartFlow
from du_eval.commands.function_calls import CallFunction
from du_eval.generators.base import Prediction, Request

if TYPE_CHECKING:
    from du_eval.assistants.model import Assistant
    from du_eval.commands.base import Command
    from du_eval.generators.baseline.decision import Decider
    from du_eval.generators.baseline.ranking import Embedding


class BaselineGenerator:
    """Predicts commands without a language model, as a mark to compare one with."""

    def __init__(
        self, embedding: Embedding | None = None, vocabulary: Container[type[Command]] | None = None
    ) -> None:
        self.name = f"BaselineGenerator+{embedding.name}" if embedding else "BaselineGenerator"
        self._embedding = embedding
        self._vocabulary = vocabulary
        self._deciders: dict[str, tuple[Assistant, Decider]] = {}

    async def generate(self, request: Request) -> Prediction:
        """Return the commands for a message; the same message in the same state gets the same ones."""
        found = self._decider(request.assistant).decide(request)
        if self._vocabulary is not None and CallFunction in self._vocabulary:
            found = _call_functions(found, request.assistant)
        return Prediction(commands=tuple(command for command in found if self._may_say(command)))

    def _may_say(self, command: Command) -> bool:
        return self._vocabulary is None or type(command) in self._vocabulary

    def _decider(self, assistant: Assistant) -> Decider:
        """Return what was built for an assistant; assistants without flows share one."""
        from du_eval.generators.baseline.decision import Decider  # noqa: PLC0415 - loads numpy when used

        key = assistant.path or (str(id(assistant)) if assistant.flows else "")
        known, decider = self._deciders.get(key, (None, None))
        if decider is None or (known is not assistant and assistant.flows):
            decider = Decider(assistant, self._embedding)
            self._deciders[key] = (assistant, decider)
        return decider


def _call_functions(commands: tuple[Command, ...], assistant: Assistant) -> tuple[Command, ...]:
    """Return flows that start, with the slots they fill, as calls of the functions that they stand for."""
    calls: dict[str, dict[str, object]] = {}
    for command in commands:
        if isinstance(command, StartFlow):
            calls[command.flow] = {}
        elif isinstance(command, SetSlot) and calls:
            flow = next(reversed(calls))
            slot = assistant.slots.get(command.slot, Slot(command.slot))
            calls[flow][command.slot.removeprefix(f"{flow}_")] = coerce_value(slot, command.value)
    return tuple(CallFunction(flow, json.dumps(given)) for flow, given in calls.items())
