"""What each command does to the stack and the slots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from du_eval.assistants.coercion import coerce_value
from du_eval.assistants.conditions import holds
from du_eval.assistants.engine.cleanup import Correction, Effective
from du_eval.assistants.engine.definition import Definition
from du_eval.assistants.engine.events import CommandIgnored, Stopped
from du_eval.assistants.engine.stack import Frame, FrameKind, Stack, find_active_chain, resume_flow
from du_eval.assistants.engine.state import EngineState, Recorder
from du_eval.assistants.model import Collect
from du_eval.commands.base import Command
from du_eval.commands.flows import (
    CancelFlow,
    CannotHandle,
    ChitChat,
    Clarify,
    ContinueAgent,
    HumanHandoff,
    RepeatLastBotMessages,
    SearchAndReply,
    SetSlot,
    SkipQuestion,
    StartFlow,
)

_PATTERNS: dict[type[Command], str] = {
    ChitChat: "pattern_chitchat",
    SearchAndReply: "pattern_search",
    HumanHandoff: "pattern_human_handoff",
    RepeatLastBotMessages: "pattern_repeat_bot_messages",
}


class Effects:
    """Lets the commands of one message take effect."""

    def __init__(self, definition: Definition, before: EngineState, recorder: Recorder) -> None:
        self._definition = definition
        self._before = before
        self._recorder = recorder
        self._started: tuple[str, ...] = ()

    def apply(self, commands: Sequence[Effective]) -> None:
        """Run the commands from the last to the first, so that the first ends on top."""
        self._started = tuple(command.flow for command in commands if isinstance(command, StartFlow))
        if not find_active_chain(self._before.stack):
            starting = [command for command in commands if isinstance(command, StartFlow)]
            commands = [*(command for command in commands if not isinstance(command, StartFlow)), *starting]
        for command in reversed(commands):
            self._run(command)

    def _run(self, command: Effective) -> None:
        if isinstance(command, Correction):
            self._correct(command)
        elif isinstance(command, StartFlow):
            self._start(command)
        elif isinstance(command, SetSlot):
            self._set(command)
        elif isinstance(command, CancelFlow):
            self._cancel(command)
        elif isinstance(command, Clarify):
            names = [self._definition.name_flow(option) for option in command.options]
            self._pattern("pattern_clarification", {"names": names, "flows": list(command.options)})
        elif isinstance(command, CannotHandle):
            self._pattern("pattern_cannot_handle", {"reason": command.reason})
        elif isinstance(command, SkipQuestion):
            self._skip(command)
        elif isinstance(command, ContinueAgent):
            self._ignore(command, "the flow continues where it was waiting")
        else:
            self._plain(command)

    def _plain(self, command: Command) -> None:
        for kind, pattern in _PATTERNS.items():
            if isinstance(command, kind):
                self._pattern(pattern, {})
                return
        self._recorder.emit(
            Stopped(f"the effect of the command {command.to_dsl()} on the dialogue is unknown")
        )

    def _pattern(self, pattern: str, context: Mapping[str, object]) -> None:
        self._recorder.push(pattern, FrameKind.PATTERN, context)

    def _ignore(self, command: Command, reason: str) -> None:
        self._recorder.emit(CommandIgnored(command, reason))

    def _start(self, command: StartFlow) -> None:
        flow = self._definition.assistant.flows.get(command.flow)
        if flow is None or flow.is_pattern:
            self._ignore(command, f"there is no flow '{command.flow}' that a user could start")
        elif flow.guard is not None and not holds(flow.guard, self._recorder.scope()):
            self._ignore(command, f"the guard of the flow '{flow.id}' does not hold")
        elif any(frame.flow == flow.id and not frame.is_over for frame in self._recorder.stack):
            self._recorder.restack(resume_flow(self._recorder.stack, flow.id))
        else:
            was_active = find_active_chain(self._before.stack)
            self._recorder.push(flow.id, FrameKind.INTERRUPT if was_active else FrameKind.REGULAR)

    def _skip(self, command: SkipQuestion) -> None:
        if find_active_chain(self._before.stack):
            self._pattern("pattern_skip_question", {})
        else:
            self._ignore(command, "there is no question to skip")

    def _set(self, command: SetSlot) -> None:
        slot = self._definition.assistant.slots[command.slot]
        value = coerce_value(slot, command.value)
        is_asked = command.slot == self._before.asked_slot
        if self._recorder.value(slot.name) == value and not is_asked:
            self._ignore(command, "the slot already has this value")
        elif not is_asked and not self._is_wanted(slot.name):
            self._ignore(command, f"no open flow asks for '{slot.name}', or only right before it is filled")
        else:
            self._recorder.set_slot(slot.name, value)
            if slot.rejections and not is_asked:
                utter = slot.refill_utter or f"utter_ask_{slot.name}"
                self._pattern(
                    "pattern_validate_slot",
                    {"collect": slot.name, "utter": utter, "rejections": slot.rejections},
                )

    def _is_wanted(self, slot: str) -> bool:
        active = (frame.flow for frame in find_active_chain(self._before.stack))
        collects = [self._definition.collects(flow).get(slot) for flow in active]
        if any(collect and not collect.ask_before_filling for collect in collects):
            return True
        return any(slot in self._definition.collects(flow) for flow in self._started)

    def _cancel(self, command: CancelFlow) -> None:
        chain = find_active_chain(self._before.stack)
        if not chain:
            self._ignore(command, "there is no flow to cancel")
            return
        at = [frame.number for frame in self._before.stack].index(chain[0].number)
        numbers = [frame.number for frame in self._before.stack[at:]]
        name = self._definition.name_flow(chain[0].flow)
        self._pattern("pattern_cancel_flow", {"canceled_name": name, "canceled_frames": numbers})

    def _correct(self, correction: Correction) -> None:
        self._recorder.restack(_without_correction(self._recorder.stack))
        names = dict(correction.slots)
        chain = find_active_chain(self._recorder.stack)
        frame, step = _earliest(chain, names)
        collects = [self._collect(chain, name) for name in names]
        self._pattern(
            "pattern_correction",
            {
                "corrected_slots": names,
                "is_reset_only": all(
                    collect is not None and collect.ask_before_filling for collect in collects
                ),
                "reset_frame": frame.number if frame else None,
                "reset_step": step,
            },
        )

    def _collect(self, chain: Stack, slot: str) -> Collect | None:
        return next(
            (found for frame in chain if (found := self._definition.collects(frame.flow).get(slot))), None
        )


def _earliest(chain: Stack, slots: Mapping[str, object]) -> tuple[Frame | None, int | None]:
    """Return the earliest step that asked for one of the slots, and its frame."""
    for frame in chain:
        for step, slot in frame.visited:
            if slot in slots:
                return frame, step
    return None, None


def _without_correction(stack: Stack) -> Stack:
    """Return the stack without a correction that is still being confirmed."""
    for at in range(len(stack) - 1, -1, -1):
        if stack[at].is_user_flow:
            break
        if stack[at].flow == "pattern_correction":
            return stack[:at]
    return stack
