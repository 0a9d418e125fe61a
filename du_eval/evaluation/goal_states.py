"""The state of a dialogue by service: what commands make of it, and which services a user step is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from du_eval.assistants.coercion import coerced
from du_eval.assistants.model import BOOL, CATEGORICAL, Assistant, Slot
from du_eval.commands.base import Command
from du_eval.commands.benchmarks import RequestSlot
from du_eval.commands.flows import CancelFlow, StartFlow
from du_eval.commands.slots import SetSlot
from du_eval.evaluation.goal_scores import NO_INTENT, GoalFrame

WHOLE = ""
"""The one service of an assistant whose files do not tell services apart."""


@dataclass(frozen=True)
class ServiceMap:
    """Which service each flow and slot belongs to."""

    flows: Mapping[str, str] = field(default_factory=dict)
    slots: Mapping[str, Slot] = field(default_factory=dict)
    of_slots: Mapping[str, str] = field(default_factory=dict)
    categorical: frozenset[str] = frozenset()

    @classmethod
    def of(cls, assistant: Assistant | None) -> ServiceMap:
        """Return the services of an assistant: files of flows and of slots that share their names, or one."""
        if assistant is None:
            return cls()
        flows = {flow.id: Path(flow.file).stem for flow in assistant.user_flows}
        slots = {slot.name: Path(slot.file).stem for slot in assistant.slots.values()}
        is_apart = len(set(flows.values())) > 1 and set(slots.values()) <= set(flows.values())
        kinds = {slot.name for slot in assistant.slots.values() if slot.type in {CATEGORICAL, BOOL}}
        if not is_apart:
            return cls(slots=assistant.slots, categorical=frozenset(kinds))
        return cls(flows, assistant.slots, slots, frozenset(kinds))

    @property
    def is_apart(self) -> bool:
        """Tell whether there is more than one service."""
        return bool(self.flows)

    def of_command(self, command: Command) -> str | None:
        """Return the service that a command is about; None where it is about none."""
        if isinstance(command, StartFlow):
            return self.flows.get(command.flow, WHOLE)
        if isinstance(command, SetSlot | RequestSlot):
            return self.of_slots.get(command.slot, WHOLE)
        return None

    def text_of(self, slot: str, value: str) -> str:
        """Return a value as its slot holds it."""
        known = self.slots.get(slot)
        return str(coerced(known, value)) if known else value


@dataclass(frozen=True)
class GoalState:
    """Where a dialogue stands in each service."""

    services: ServiceMap
    frames: Mapping[str, GoalFrame] = field(default_factory=dict)
    active: str | None = None
    """The service whose flow was started last."""

    def frame(self, service: str) -> GoalFrame:
        """Return the state of a service."""
        return self.frames.get(service, GoalFrame())

    def after(self, alternatives: Sequence[Sequence[Command]]) -> GoalState:
        """Return the state after a user step; the first list drives, the others add values that are right."""
        frames = {service: replace(frame, requested=()) for service, frame in self.frames.items()}
        active = self.active
        commands = alternatives[0] if alternatives else ()
        if active is not None and any(isinstance(command, CancelFlow) for command in commands):
            frames[active] = replace(frames.get(active, GoalFrame()), intent=NO_INTENT)
        for command in commands:
            service = self.services.of_command(command)
            if service is None:
                continue
            frame = frames.get(service, GoalFrame())
            if isinstance(command, StartFlow):
                frames[service], active = replace(frame, intent=command.flow), service
            elif isinstance(command, RequestSlot):
                frames[service] = replace(frame, requested=(*frame.requested, command.slot))
            elif isinstance(command, SetSlot):
                values = self._values(command.slot, alternatives)
                kept = {slot: known for slot, known in frame.slots.items() if slot != command.slot}
                frames[service] = replace(frame, slots=kept | ({command.slot: values} if values else {}))
        return GoalState(self.services, frames, active)

    def _values(self, slot: str, alternatives: Iterable[Sequence[Command]]) -> tuple[str, ...]:
        found = (
            self.services.text_of(slot, command.value)
            for commands in alternatives
            for command in commands
            if isinstance(command, SetSlot) and command.slot == slot and command.value is not None
        )
        return tuple(dict.fromkeys(found))

    @property
    def _is_open(self) -> bool:
        return self.active is not None and self.frame(self.active).intent != NO_INTENT

    def asked_about(self, commands: Sequence[Command]) -> tuple[str, ...]:
        """Return the services that a user step with these gold commands is about.

        Those that a command names; where another service is started, also the one that is left open; where
        nothing is named, the last one.
        """
        if not self.services.is_apart:
            return (WHOLE,)
        named = [service for command in commands if (service := self.services.of_command(command))]
        is_left = any(isinstance(command, StartFlow) for command in commands) and self._is_open
        here = [self.active] if self.active is not None and (is_left or not named) else []
        return tuple(dict.fromkeys([*here, *named]))
