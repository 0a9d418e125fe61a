"""Which response asks for which slot, and which flow says what."""

from __future__ import annotations

import re
from functools import cached_property

from du_eval.assistants.model import Assistant

_VARIABLE = re.compile(r"\{\{(?:(?!\{\{|\}\}).)*\}\}|\{[^{}]*\}")
_BLANKS = re.compile(r"\s+")


class Questions:
    """An index over the flows and responses of one assistant."""

    def __init__(self, assistant: Assistant) -> None:
        self._assistant = assistant

    def find_slot(self, response: str) -> str | None:
        """Return the slot that a response asks for."""
        if response in self._asked_slots:
            return self._asked_slots[response]
        slot = response.removeprefix("utter_ask_")
        return slot if slot != response and slot in self._assistant.slots else None

    def list_owners(self, slot: str) -> tuple[str, ...]:
        """Return the startable flows that collect a slot, also through flows they call."""
        return self._owners.get(slot, ())

    def list_statements(self, flow: str) -> frozenset[str]:
        """Return the responses that a flow says without asking, also through flows it calls."""
        return self._statements.get(flow, frozenset())

    def is_said_by_flows(self, response: str) -> bool:
        """Tell whether some flow names a response, as an action, a question or a rejection."""
        return response in self._said

    def response_with(self, text: str) -> str | None:
        """Return the response that reads like a literal text, its variables filled in any way."""
        normal = _normal(text)
        if normal in self._exact_texts:
            return self._exact_texts[normal]
        return next((name for parts, name in self._templates if _fits(parts, normal)), None)

    @cached_property
    def _asked_slots(self) -> dict[str, str]:
        slots: dict[str, str] = {}
        for flow in self._assistant.flows.values():
            for collect in flow.collects:
                slots.setdefault(collect.question, collect.slot)
        return slots

    @cached_property
    def _owners(self) -> dict[str, tuple[str, ...]]:
        owners: dict[str, tuple[str, ...]] = {}
        for flow in self._assistant.user_flows:
            for collect in self._assistant.list_collects(flow.id) if flow.is_startable else ():
                owners[collect.slot] = (*owners.get(collect.slot, ()), flow.id)
        return owners

    @cached_property
    def _statements(self) -> dict[str, frozenset[str]]:
        said = {
            flow.id: frozenset(name for name in flow.actions if name.startswith("utter_"))
            for flow in self._assistant.flows.values()
        }
        return {
            flow.id: said[flow.id].union(*(said.get(called, frozenset()) for called in flow.calls))
            for flow in self._assistant.flows.values()
        }

    @cached_property
    def _said(self) -> frozenset[str]:
        flows = self._assistant.flows.values()
        collects = [collect for flow in flows for collect in flow.collects]
        rejected = (rejection.utter for collect in collects for rejection in collect.rejections)
        actions = (action for flow in flows for action in flow.actions)
        return frozenset((*actions, *self._asked_slots, *rejected))

    @cached_property
    def _exact_texts(self) -> dict[str, str]:
        return {text: name for text, name in self._texts() if not _VARIABLE.search(text)}

    @cached_property
    def _templates(self) -> tuple[tuple[list[str], str], ...]:
        found = []
        for text, name in self._texts():
            parts = _VARIABLE.split(text)
            # A text that is nothing but variables would match everything.
            if len(parts) > 1 and any(part.strip(" .,!?") for part in parts):
                found.append((parts, name))
        return tuple(found)

    def _texts(self) -> list[tuple[str, str]]:
        return [
            (_normal(variation.text), response.name)
            for response in self._assistant.responses.values()
            for variation in response.variations
            if variation.text.strip()
        ]


def _normal(text: str) -> str:
    return _BLANKS.sub(" ", text).strip()


def _fits(parts: list[str], text: str) -> bool:
    """Tell whether a text has these parts in order, with something between them and nothing around them."""
    first, *middle, last = parts
    at = len(first)
    if not text.startswith(first):
        return False
    for part in middle:
        found = text.find(part, at + 1)
        if found < 0:
            return False
        at = found + len(part)
    return text.endswith(last) and len(text) - len(last) > at
