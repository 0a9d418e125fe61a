"""What the engine knows about an assistant: its flows as programs, with the built-in patterns beside them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property
from importlib.resources import files

from du_eval.assistants.domain import read_domain
from du_eval.assistants.engine.program import Program, compiled
from du_eval.assistants.flows import read_flows
from du_eval.assistants.model import Assistant, Collect, Flow, Response
from du_eval.assistants.reading import Reader
from du_eval.assistants.steps import StepKind, walked
from du_eval.parsers.yaml_parser import parse_yaml

_PATTERNS_FILE = "default_patterns.yml"


@cache
def default_patterns() -> Assistant:
    """Return the patterns and responses that come with every assistant."""
    text = files(__package__).joinpath(_PATTERNS_FILE).read_text(encoding="utf-8")
    root, reader = parse_yaml(text, _PATTERNS_FILE, typed=True).root, Reader(_PATTERNS_FILE)
    flows = {flow.id: flow for flow in read_flows(root, reader)}
    return Assistant(_PATTERNS_FILE, flows, responses=read_domain(root, reader).responses)


class Definition:
    """An assistant with everything that is worked out once and used in each turn."""

    def __init__(self, assistant: Assistant) -> None:
        self.assistant = assistant
        defaults = default_patterns()
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
    def free_responses(self) -> frozenset[str]:
        """The assistant's own responses that no flow says: a model may choose among them."""
        flows = self._flows.values()
        said = {name for flow in flows for name in flow.actions}
        collects = [collect for flow in flows for collect in flow.collects]
        said.update(collect.question for collect in collects)
        said.update(rejection.utter for collect in collects for rejection in collect.rejections)
        return frozenset(self.assistant.responses) - said

    def flow(self, flow_id: str) -> Flow | None:
        """Return a flow, be it built in."""
        return self._flows.get(flow_id)

    def name_of(self, flow_id: str) -> str:
        """Return the name of a flow for people."""
        flow = self._flows.get(flow_id)
        return flow.readable_name if flow else flow_id

    def program(self, flow_id: str) -> Program:
        """Return the steps of a flow."""
        if flow_id not in self._programs:
            self._programs[flow_id] = compiled(self._flows[flow_id])
        return self._programs[flow_id]

    def collects(self, flow_id: str) -> Mapping[str, Collect]:
        """Return what a flow asks, by slot, including the flows it calls."""
        if flow_id not in self._collects:
            found = self.assistant.collects_of(flow_id)
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
            for step in walked(flow.steps)
            if step.kind is StepKind.SET_SLOTS
            for name, _ in step.values
            if name not in kept
        ]
        return tuple(slot for slot in dict.fromkeys((*asked, *written)) if slot not in flow.persisted_slots)

    def is_sayable(self, name: str) -> bool:
        """Tell whether there is a response of this name."""
        return name in self.responses
