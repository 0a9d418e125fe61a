"""What the engine knows about an assistant: its flows as programs, with the built-in patterns beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cache, cached_property
from importlib.resources import files

from msgspec.structs import replace

from du_eval.assistants.domain import read_domain
from du_eval.assistants.engine.program import Program, compile_flow
from du_eval.assistants.flows import read_flows
from du_eval.assistants.model import Assistant, Collect, Flow, Response
from du_eval.assistants.reading import Reader
from du_eval.assistants.steps import StepKind, walk_steps
from du_eval.parsers.yaml_parser import parse_yaml


class PatternVersion(StrEnum):
    """Which patterns come with every assistant; the values are the versions that brought them."""

    TELLING = "3.7"
    """The bot says with which flow it goes on."""
    CONFIRMING = "3.14"
    """The bot asks whether, or with which flow, to go on."""


_REJECTIONS = frozenset(
    {"utter_boolean_slot_rejection", "utter_float_slot_rejection", "utter_categorical_slot_rejection"}
)
_FILES = {
    PatternVersion.TELLING: "default_patterns.yml",
    PatternVersion.CONFIRMING: "confirming_patterns.yml",
}


@cache
def build_default_patterns(version: PatternVersion = PatternVersion.TELLING) -> Assistant:
    """Return the patterns, slots and responses that come with every assistant of a version."""
    name = _FILES[version]
    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    root, reader = parse_yaml(text, name, typed=True).root, Reader(name)
    flows = {flow.id: flow for flow in read_flows(root, reader)}
    domain = read_domain(root, reader)
    if version is PatternVersion.TELLING:
        return Assistant(name, flows, domain.slots, domain.responses)
    older = build_default_patterns()
    return Assistant(name, {**older.flows, **flows}, domain.slots, {**older.responses, **domain.responses})


def choose_patterns(assistant: Assistant, named: Iterable[str] = ()) -> PatternVersion:
    """Return the version that an assistant, or the responses which its tests name, belong to.

    Nothing in the files of an assistant says its version: what only newer ones know gives it away.
    """
    newer = build_default_patterns(PatternVersion.CONFIRMING)
    only_newer = set(newer.responses) - set(build_default_patterns().responses)
    if assistant.agents or only_newer.intersection((*assistant.responses, *named)):
        return PatternVersion.CONFIRMING
    return PatternVersion.TELLING


class Definition:
    """An assistant with everything that is worked out once and used in each turn."""

    def __init__(self, assistant: Assistant, version: PatternVersion | None = None) -> None:
        defaults = build_default_patterns(version or choose_patterns(assistant))
        self.assistant = replace(assistant, slots={**defaults.slots, **assistant.slots})
        self.responses: Mapping[str, Response] = {**defaults.responses, **assistant.responses}
        self._flows = {**defaults.flows, **assistant.flows}
        self._programs: dict[str, Program] = {}
        self._collects: dict[str, dict[str, Collect]] = {}
        self._resettable: dict[str, tuple[str, ...]] = {}

    @cached_property
    def initial_slots(self) -> dict[str, object]:
        """All slots with the values they start with."""
        return {name: slot.initial_value for name, slot in self.assistant.slots.items()}

    @cached_property
    def named(self) -> frozenset[str]:
        """The responses and actions that flows and patterns name."""
        flows = self._flows.values()
        found = {name for flow in flows for name in flow.actions}
        for collect in (collect for flow in flows for collect in flow.collects):
            found.update((collect.question, collect.asking_action))
            found.update(rejection.utter for rejection in collect.rejections)
        for slot in self.assistant.slots.values():
            found.update((slot.refill_utter, f"validate_{slot.name}"))
            found.update(rejection.utter for rejection in slot.rejections)
        return frozenset(found) | _REJECTIONS

    @cached_property
    def free_responses(self) -> frozenset[str]:
        """The assistant's own responses that no flow says: a model may choose among them."""
        return frozenset(self.assistant.responses) - self.named

    def flow(self, flow_id: str) -> Flow | None:
        """Return a flow, be it built in."""
        return self._flows.get(flow_id)

    def name_flow(self, flow_id: str) -> str:
        """Return the name of a flow for people."""
        flow = self._flows.get(flow_id)
        return flow.readable_name if flow else flow_id

    def program(self, flow_id: str) -> Program:
        """Return the steps of a flow."""
        if flow_id not in self._programs:
            self._programs[flow_id] = compile_flow(self._flows[flow_id])
        return self._programs[flow_id]

    def collects(self, flow_id: str) -> Mapping[str, Collect]:
        """Return what a flow asks, by slot, including the flows it calls."""
        if flow_id not in self._collects:
            found = self.assistant.list_collects(flow_id)
            if not found and flow_id in self._flows:
                found = self._flows[flow_id].collects
            self._collects[flow_id] = {collect.slot: collect for collect in found}
        return self._collects[flow_id]

    def resettable(self, flow_id: str) -> tuple[str, ...]:
        """Return the slots that are forgotten when a flow ends."""
        if flow_id not in self._resettable:
            self._resettable[flow_id] = self._find_resettable(flow_id)
        return self._resettable[flow_id]

    def _find_resettable(self, flow_id: str) -> tuple[str, ...]:
        flow = self._flows[flow_id]
        asked = [slot for slot, collect in self.collects(flow_id).items() if collect.reset_after_flow_ends]
        kept = {slot for slot, collect in self.collects(flow_id).items() if not collect.reset_after_flow_ends}
        written = [
            name
            for step in walk_steps(flow.steps)
            if step.kind is StepKind.SET_SLOTS
            for name, _ in step.values
            if name not in kept
        ]
        return tuple(slot for slot in dict.fromkeys((*asked, *written)) if slot not in flow.persisted_slots)

    def is_sayable(self, name: str) -> bool:
        """Tell whether there is a response of this name."""
        return name in self.responses
