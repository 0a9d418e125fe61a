"""Actions: responses are said, built-in actions done here, all others by whoever knows them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from du_eval.assistants.actions import ActionCall, ActionError, ActionNotRunError, ActionResult, Setting
from du_eval.assistants.coercion import coerce_value, fits
from du_eval.assistants.conditions import holds
from du_eval.assistants.engine.definition import Definition
from du_eval.assistants.engine.events import ActionExecuted, BotMessage, BotUttered, FlowCancelled, Stopped
from du_eval.assistants.engine.speech import make_message, speak_response
from du_eval.assistants.engine.stack import Frame, find_asking_frame, resume_flow
from du_eval.assistants.engine.state import Recorder
from du_eval.assistants.model import BOOL, FLOAT
from du_eval.assistants.references import is_built_in
from du_eval.assistants.steps import Rejection

_WITHOUT_EFFECT = frozenset(
    {
        "action_block_digression",
        "action_clarify_flows",
        "action_clean_stack",
        "action_continue_digression",
        "action_default_fallback",
        "action_hangup",
        "action_reset_routing",
        "action_session_start",
        "action_unlikely_intent",
    }
)
_CHITCHAT = "action_trigger_chitchat"
_GENERATED = frozenset({"action_trigger_search", _CHITCHAT, "action_send_text"})
_MOST_FOLLOW_UPS = 20
_TYPE_REJECTIONS = {BOOL: "utter_boolean_slot_rejection", FLOAT: "utter_float_slot_rejection"}


class Performer:
    """Performs the actions of one turn."""

    def __init__(self, definition: Definition, recorder: Recorder, setting: Setting) -> None:
        self._definition = definition
        self._recorder = recorder
        self._setting = setting
        self._follow_ups = 0

    def perform(self, name: str, frame: Frame) -> None:
        """Perform an action by its name."""
        if not name:
            return
        if self._definition.is_sayable(name):
            self._recorder.emit(ActionExecuted(name))
            self._say(name, frame)
        elif self._is_replaceable(name) or not self._run_custom(name, frame):
            self._perform_other(name, frame)

    def _is_replaceable(self, name: str) -> bool:
        """Tell whether an action is built in, and the assistant does not define it itself."""
        return name in _BUILT_IN and name not in self._definition.assistant.actions

    def call_out(self, name: str, frame: Frame) -> bool:
        """Let a stub stand for an agent or a tool; return False where there is none."""
        return self._run_custom(name, frame)

    def _run_custom(self, name: str, frame: Frame) -> bool:
        """Run an action of the user's; return False where nobody knows it."""
        try:
            result = self._setting.actions.run(self._call(name))
        except ActionError as error:
            is_gap = isinstance(error, ActionNotRunError)
            what = "was not run" if is_gap else "failed"
            self._recorder.emit(Stopped(f"the custom action '{name}' {what}: {error}", error.trace, is_gap))
            return True
        if result is None:
            return False
        self._recorder.emit(ActionExecuted(name))
        self._take(result, frame)
        return True

    def _call(self, name: str) -> ActionCall:
        state = self._recorder.state
        return ActionCall(
            name,
            slots=self._recorder.scope().slots,
            message=state.message,
            sender=self._setting.sender,
            metadata=self._setting.metadata or {},
            history=self._setting.history,
            active_flow=state.active_flow,
            understood=self._setting.understood,
        )

    def _perform_other(self, name: str, frame: Frame) -> None:
        if name in _BUILT_IN:
            self._recorder.emit(ActionExecuted(name))
            _BUILT_IN[name](self, frame)
        elif name in _GENERATED:
            self._recorder.emit(ActionExecuted(name))
            choices = self._definition.free_responses if name == _CHITCHAT else frozenset[str]()
            self._recorder.emit(BotUttered(BotMessage("", is_generated=True, choices=choices)))
        elif name in _WITHOUT_EFFECT:
            self._recorder.emit(ActionExecuted(name))
        elif name.startswith("utter_"):
            self._recorder.emit(ActionExecuted(name))
            if is_built_in(name):
                self._recorder.emit(BotUttered(BotMessage("", name)))
        elif not name.startswith("validate_") or name in self._definition.assistant.actions:
            reason = f"the effect of the custom action '{name}' is unknown"
            self._recorder.emit(Stopped(reason, is_gap=True))

    def _say(self, name: str, frame: Frame) -> None:
        self._recorder.emit(
            BotUttered(speak_response(self._definition.responses[name], self._recorder.scope(frame)))
        )

    def _take(self, result: ActionResult, frame: Frame) -> None:
        """Say what an action says, then let happen what it makes happen."""
        for data in result.responses:
            message = make_message(data, self._definition.responses, self._recorder.scope(frame))
            self._recorder.emit(BotUttered(message))
        for event in result.events:
            self._let_happen(event, frame)

    def _let_happen(self, event: Mapping[str, object], frame: Frame) -> None:
        kind, name = event.get("event"), str(event.get("name") or "")
        if kind == "slot":
            self._recorder.set_slot(name, event.get("value"))
        elif kind == "bot":
            text = str(event.get("text") or "")
            self._recorder.emit(BotUttered(BotMessage(text, wordings=(text,))))
        elif kind == "reset_slots":
            self._reset_all()
        elif kind == "restart":
            self._restart(frame)
        elif kind == "followup" and name != "action_listen":
            self._follow_up(name, frame)

    def _follow_up(self, name: str, frame: Frame) -> None:
        self._follow_ups += 1
        if self._follow_ups > _MOST_FOLLOW_UPS:
            self._recorder.emit(Stopped(f"the custom action '{name}' keeps calling itself"))
        else:
            self.perform(name, frame)

    def _reset_all(self) -> None:
        for slot in tuple(self._recorder.slots):
            self._recorder.reset_slot(slot)

    def _restart(self, _: Frame) -> None:
        self._reset_all()
        self._recorder.restack(())

    def _repeat(self, _: Frame) -> None:
        """Say the last turn again; a question that is still open is asked again anyway."""
        waiting = find_asking_frame(self._recorder.stack[:-1])
        question = waiting.context.get("utter") if waiting else None
        for message in self._recorder.said_before:
            if question is None or message.response != question:
                self._recorder.emit(BotUttered(message))

    def _cancel(self, frame: Frame) -> None:
        numbers = frame.context.get("canceled_frames")
        cancelled = [
            other for other in self._recorder.stack if isinstance(numbers, list) and other.number in numbers
        ]
        for other in cancelled:
            if other.is_user_flow and not other.is_over:
                step = self._definition.program(other.flow).identify_step(other.step)
                self._recorder.emit(FlowCancelled(other.flow, step))
            self._recorder.put(replace(other, is_over=True, is_cancelled=True))

    def _continue(self, _: Frame) -> None:
        """Put the flow that the user chose on top of the other interrupted ones."""
        chosen = str(self._recorder.value("interrupted_flow_to_continue") or "").casefold()
        stack = self._recorder.stack
        names = {frame.flow.casefold() for frame in stack} | {
            self._definition.name_flow(frame.flow).casefold() for frame in stack
        }
        if chosen in names:
            flow = next(
                frame.flow
                for frame in stack
                if chosen in {frame.flow.casefold(), self._definition.name_flow(frame.flow).casefold()}
            )
            self._recorder.restack((*resume_flow(stack[:-1], flow), stack[-1]))

    def _give_up(self, frame: Frame) -> None:
        """Cancel all flows that were interrupted."""
        numbers = [other.number for other in self._recorder.stack if other.number != frame.number]
        self._cancel(replace(frame, context={"canceled_frames": numbers}))

    def _correct(self, frame: Frame) -> None:
        slots = frame.context.get("corrected_slots")
        for name, value in slots.items() if isinstance(slots, Mapping) else ():
            self._recorder.set_slot(name, value)
        number, step = frame.context.get("reset_frame"), frame.context.get("reset_step")
        stack = self._recorder.stack
        at = next((at for at, other in enumerate(stack) if other.number == number), None)
        if at is None or not isinstance(step, int):
            return
        before = [asked for asked, _ in stack[at].visited].index(step)
        back = replace(stack[at], jump=step, visited=stack[at].visited[:before])
        here = next(place for place, other in enumerate(stack) if other.number == frame.number)
        self._recorder.restack((*stack[:at], back, *stack[here:]))

    def _reject(self, frame: Frame) -> None:
        """Refuse a value that does not fit; what fits is kept in the slot's type."""
        name = str(frame.context.get("collect") or "")
        value = self._recorder.value(name)
        if value is None or name not in self._recorder.slots:
            return
        slot = self._definition.assistant.slots.get(name)
        if slot is not None:
            value = coerce_value(slot, value)
            if not fits(slot, value):
                self._refuse(name, _TYPE_REJECTIONS.get(slot.type, "utter_categorical_slot_rejection"), frame)
                return
            self._recorder.set_slot(name, value)
        rejections = frame.context.get("rejections")
        for rejection in rejections if isinstance(rejections, tuple) else ():
            if _is_violated(rejection, self._recorder, frame):
                self._refuse(name, rejection.utter, frame)
                return

    def _refuse(self, slot: str, utter: str, frame: Frame) -> None:
        self._recorder.set_slot(slot, None)
        self.perform(utter, frame)
        definition = self._definition.assistant.slots.get(slot)
        if definition is not None and definition.refill_utter:
            context = {**frame.context, "utter": definition.refill_utter}
            for other in self._recorder.stack:
                if other.number == frame.number:
                    self._recorder.put(replace(other, context=context))


_BUILT_IN: Mapping[str, Callable[[Performer, Frame], None]] = {
    "action_run_slot_rejections": Performer._reject,
    "action_correct_flow_slot": Performer._correct,
    "action_cancel_flow": Performer._cancel,
    "action_repeat_bot_messages": Performer._repeat,
    "action_restart": Performer._restart,
    "action_continue_interrupted_flow": Performer._continue,
    "action_cancel_interrupted_flows": Performer._give_up,
}


def _is_violated(rejection: object, recorder: Recorder, frame: Frame) -> bool:
    return isinstance(rejection, Rejection) and holds(
        rejection.condition, recorder.scope(frame), on_error=True
    )
