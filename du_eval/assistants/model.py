"""The static side of an assistant: flows, slots and responses."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from du_eval.assistants.steps import Collect, FlowStep, Rejection

__all__ = [
    "ANY",
    "BOOL",
    "CATEGORICAL",
    "FLOAT",
    "LIST",
    "SLOT_TYPES",
    "TEXT",
    "Assistant",
    "Button",
    "Collect",
    "Flow",
    "Response",
    "ResponseVariation",
    "Slot",
]

TEXT, BOOL, FLOAT, CATEGORICAL, LIST, ANY = "text", "bool", "float", "categorical", "list", "any"
SLOT_TYPES = (TEXT, BOOL, FLOAT, CATEGORICAL, LIST, ANY)
_NOT_SAID = frozenset({"controlled", "custom"})
"""Mappings that leave a slot to actions and flows."""


class Slot(Struct, frozen=True):
    """A slot of the domain."""

    name: str
    type: str = ANY
    values: tuple[str, ...] = ()
    initial_value: object = None
    mappings: tuple[str, ...] = ("from_llm",)
    file: str = ""
    line: int = 0
    entities: tuple[str, ...] = ()
    """The entities that fill the slot, for a slot with `from_entity`."""
    rejections: tuple[Rejection, ...] = ()
    """When a value is refused wherever the slot is filled (`validation`)."""
    refill_utter: str = ""
    """The response that asks again after such a refusal."""

    @property
    def is_filled_by_model(self) -> bool:
        """Tell whether a command may set the slot."""
        return "from_llm" in self.mappings

    @property
    def is_filled_by_actions_only(self) -> bool:
        """Tell whether nothing that a user says may set the slot."""
        return bool(self.mappings) and _NOT_SAID.issuperset(self.mappings)


class Button(Struct, frozen=True):
    """A choice that a response offers."""

    title: str
    payload: str


class ResponseVariation(Struct, frozen=True):
    """One wording of a response."""

    text: str = ""
    buttons: tuple[Button, ...] = ()
    conditions: tuple[tuple[str, object], ...] = ()
    """Slots and the values they must have for this wording."""
    predicate: str = ""
    """The condition for this wording, where it is written as one text."""


class Response(Struct, frozen=True):
    """What the bot may say under one name."""

    name: str
    variations: tuple[ResponseVariation, ...] = ()
    file: str = ""
    line: int = 0

    @property
    def text(self) -> str:
        """The first wording."""
        return self.variations[0].text if self.variations else ""


class Flow(Struct, frozen=True):
    """A flow as far as understanding needs it: what it is about and what it asks."""

    id: str
    description: str = ""
    name: str = ""
    guard: str | bool | None = None
    collects: tuple[Collect, ...] = ()
    actions: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    intents: tuple[str, ...] = ()
    always_include_in_prompt: bool = False
    file: str = ""
    line: int = 0
    steps: tuple[FlowStep, ...] = ()
    persisted_slots: tuple[str, ...] = ()
    run_pattern_completed: bool = True

    @property
    def readable_name(self) -> str:
        """The name for people."""
        return self.name or self.id

    @property
    def is_pattern(self) -> bool:
        """Tell whether this repairs conversations instead of serving the user."""
        return self.id.startswith("pattern_")

    @property
    def is_startable(self) -> bool:
        """Tell whether a user may start the flow, as far as the file alone can tell."""
        return not self.is_pattern and self.guard is not False


class Assistant(Struct, frozen=True):
    """Flows and domain, merged from all files."""

    path: str = ""
    flows: Mapping[str, Flow] = field(default_factory=dict)
    slots: Mapping[str, Slot] = field(default_factory=dict)
    responses: Mapping[str, Response] = field(default_factory=dict)
    actions: frozenset[str] = frozenset()
    examples: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What users may say, by intent."""
    entity_values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What the examples mark as values, by entity."""
    synonyms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Other wordings of a value."""
    agents: frozenset[str] = frozenset()
    """Agents that flows may call."""
    warnings: tuple[str, ...] = ()
    """What is most likely a mistake in the files, but lets the assistant run."""

    @property
    def user_flows(self) -> tuple[Flow, ...]:
        """The flows that are not repair patterns, in file order."""
        return tuple(flow for flow in self.flows.values() if not flow.is_pattern)

    def list_collects(self, flow_id: str) -> tuple[Collect, ...]:
        """Return what a flow asks, including the flows it calls."""
        found: dict[str, Collect] = {}
        seen: set[str] = set()
        waiting = [flow_id]
        while waiting:
            current = waiting.pop(0)
            if current in seen or current not in self.flows:
                continue
            seen.add(current)
            for collect in self.flows[current].collects:
                found.setdefault(collect.slot, collect)
            waiting.extend(self.flows[current].calls)
        return tuple(found.values())

    def slot_asked_by(self, response: str) -> str | None:
        """Return the slot that a response asks for."""
        for flow in self.flows.values():
            for collect in flow.collects:
                if collect.question == response:
                    return collect.slot
        slot = response.removeprefix("utter_ask_")
        return slot if slot != response and slot in self.slots else None


class DialogueState(Struct, frozen=True):
    """What is known before the user speaks."""

    active_flow: str | None = None
    asked_slot: str | None = None
    slots: Mapping[str, object] = field(default_factory=dict)
    flow_stack: tuple[str, ...] = ()
    """Flows that are open, the active one last."""
    is_replayed: bool = False
    """True where an engine followed the dialogue; else the state is worked out from what was said."""
