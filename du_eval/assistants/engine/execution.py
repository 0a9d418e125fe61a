"""The loop that takes step after step until the bot waits for the user."""

from __future__ import annotations

from msgspec.structs import replace

from du_eval.assistants.coercion import coerce_value
from du_eval.assistants.conditions import holds
from du_eval.assistants.engine.definition import Definition
from du_eval.assistants.engine.events import FlowCompleted, FlowStarted, StepTaken, Stopped
from du_eval.assistants.engine.performance import Performer
from du_eval.assistants.engine.program import Program, Way
from du_eval.assistants.engine.stack import START, Frame, FrameKind, find_top_user_frame
from du_eval.assistants.engine.state import Recorder
from du_eval.assistants.expressions import render_text
from du_eval.assistants.steps import END, Collect, FlowStep, StepKind

MOST_STEPS = 250
"""More steps in one turn are taken for a circle."""

_COMPLETED, _CONTINUE, _SEARCH = "pattern_completed", "pattern_continue_interrupted", "pattern_search"


class Execution:
    """Runs the open flows of one turn."""

    def __init__(self, definition: Definition, recorder: Recorder, performer: Performer) -> None:
        self._definition = definition
        self._recorder = recorder
        self._performer = performer

    def run(self) -> None:
        """Go on until the bot listens, nothing is open, or nobody knows what comes next."""
        for _ in range(MOST_STEPS):
            if not self._recorder.stack or self._recorder.stopped:
                return
            frame = self._recorder.stack[-1]
            program = self._definition.program(frame.flow)
            way = self._way_on(frame, program)
            if way.target is None:
                if way.line:
                    self._recorder.emit(StepTaken(frame.flow, END, way.line))
                self._end(frame, program)
            elif not self._step(frame, program, way):
                return
        flow = self._recorder.stack[-1].flow if self._recorder.stack else ""
        self._recorder.emit(
            Stopped(f"the flow '{flow}' takes more than {MOST_STEPS} steps without listening")
        )

    def _way_on(self, frame: Frame, program: Program) -> Way:
        if frame.is_over:
            return Way(None, None)
        if frame.jump is not None:
            return Way(None, frame.jump)
        if frame.step == START:
            return Way(None, 0 if program.steps else None)
        scope = None
        for way in program.ways[frame.step]:
            if way.condition is None:
                return way
            scope = scope or self._recorder.scope(frame)
            if holds(way.condition, scope):
                return way
        return Way(None, None)

    def _step(self, frame: Frame, program: Program, way: Way) -> bool:
        """Take a step; return False where the bot listens."""
        assert way.target is not None
        if frame.step == START:
            self._recorder.emit(FlowStarted(frame.flow, frame.context))
        step = program.steps[way.target]
        frame = frame.take_step(way.target)
        self._recorder.put(frame)
        self._recorder.emit(StepTaken(frame.flow, program.identify_step(way.target), way.line or None))
        if step.kind is StepKind.ACTION:
            return self._act(frame, step)
        if step.kind is StepKind.COLLECT and step.collect:
            self._collect(frame, step.collect)
        elif step.kind is StepKind.LINK:
            self._link(frame, step.target)
        elif step.kind is StepKind.CALL:
            return self._call(frame, step)
        for name, value in step.values:
            slot = self._definition.assistant.slots.get(name)
            self._recorder.set_slot(name, coerce_value(slot, value) if slot else value)
        return True

    def _act(self, frame: Frame, step: FlowStep) -> bool:
        name = step.target
        if "{" in name:
            scope = self._recorder.scope(frame)
            name = render_text(name, scope.slots, scope.context)
        name = name.strip()
        if name == "action_listen":
            return False
        self._performer.perform(name, frame)
        return True

    def _collect(self, frame: Frame, collect: Collect) -> None:
        if collect.ask_before_filling and self._recorder.value(collect.slot) is not None:
            self._recorder.set_slot(collect.slot, None)
        if (frame.step, collect.slot) not in frame.visited:
            self._recorder.put(replace(frame, visited=(*frame.visited, (frame.step, collect.slot))))
        slot = self._definition.assistant.slots.get(collect.slot)
        has_action = collect.asking_action in self._definition.assistant.actions
        context: dict[str, object] = {
            **(frame.context if frame.kind is FrameKind.PATTERN else {}),
            "collect": collect.slot,
            "utter": collect.question
            if self._definition.is_sayable(collect.question) or not has_action
            else "",
            "collect_action": collect.asking_action if has_action else "",
            "rejections": (*collect.rejections, *(slot.rejections if slot else ())),
        }
        self._recorder.push("pattern_collect_information", FrameKind.PATTERN, context)

    def _link(self, frame: Frame, target: str) -> None:
        if self._definition.flow(target) is None:
            self._recorder.emit(Stopped(f"the flow '{frame.flow}' links to '{target}', which is not a flow"))
            return
        kind = FrameKind.PATTERN if target.startswith("pattern_") else FrameKind.LINK
        if kind is FrameKind.LINK and frame.kind is FrameKind.INTERRUPT:
            # The digression goes on in the linked flow: only its end leads back to what was interrupted.
            self._recorder.put(replace(frame, kind=FrameKind.LINK))
            kind = FrameKind.INTERRUPT
        elif (
            kind is FrameKind.LINK
            and frame.kind is FrameKind.PATTERN
            and find_top_user_frame(self._recorder.stack)
        ):
            kind = FrameKind.INTERRUPT
        self._recorder.push(target, kind, {}, depth=1)

    def _call(self, frame: Frame, step: FlowStep) -> bool:
        """Call a flow, or the stub of an agent or tool; return False where the agent waits for the user."""
        if not step.is_external and self._definition.flow(step.target) is not None:
            self._recorder.push(step.target, FrameKind.CALL)
            return True
        if not self._performer.call_out(step.target, frame):
            reason = f"the call of '{step.target}' leaves the flows: stub it as you would an action"
            self._recorder.emit(Stopped(reason, is_gap=True))
            return True
        scope = self._recorder.scope(frame)
        if not step.exit_if or any(holds(condition, scope) for condition in step.exit_if):
            return True
        self._recorder.put(replace(frame, jump=frame.step))
        return False

    def _end(self, frame: Frame, program: Program) -> None:
        """Close the topmost flow, and see what its end leads to."""
        self._recorder.restack(self._recorder.stack[:-1])
        if not frame.is_cancelled and not frame.is_over:
            self._recorder.emit(FlowCompleted(frame.flow, program.identify_step(frame.step)))
        if frame.kind is FrameKind.CALL:
            self._remember_questions(frame)
            return
        for slot in self._definition.resettable(frame.flow):
            self._recorder.reset_slot(slot)
        if frame.is_user_flow or frame.flow == _SEARCH:
            self._follow(frame)

    def _remember_questions(self, called: Frame) -> None:
        """Note in the caller what the called flow asked, so that a correction finds the way back."""
        caller = next((frame for frame in reversed(self._recorder.stack) if frame.is_user_flow), None)
        if caller is None:
            return
        asked = tuple(
            (caller.step, slot) for _, slot in called.visited if (caller.step, slot) not in caller.visited
        )
        self._recorder.put(replace(caller, visited=(*caller.visited, *asked)))

    def _follow(self, frame: Frame) -> None:
        stack = self._recorder.stack
        flow = self._definition.flow(frame.flow)
        if not stack:
            if flow is None or flow.run_pattern_completed:
                name = self._definition.name_flow(frame.flow)
                self._recorder.push(_COMPLETED, FrameKind.PATTERN, {"previous_flow_name": name})
            return
        waiting = find_top_user_frame(stack)
        if frame.kind is FrameKind.INTERRUPT and waiting is not None:
            names = [
                self._definition.name_flow(one.flow)
                for one in reversed(stack)
                if one.is_user_flow and not one.is_over and one.kind is not FrameKind.CALL
            ]
            context = {
                "previous_flow_name": names[0],
                "interrupted_flow_names": names,
                "interrupted_flow_options": ", ".join(names),
                "multiple_flows_interrupted": len(names) > 1,
            }
            self._recorder.push(_CONTINUE, FrameKind.PATTERN, context, depth=_linked_patterns(stack))


def _linked_patterns(stack: tuple[Frame, ...]) -> int:
    """Return how many patterns on top of the stack were linked to and have not begun."""
    count = 0
    while (
        count < len(stack) and stack[-1 - count].kind is FrameKind.PATTERN and stack[-1 - count].step == START
    ):
        count += 1
    return count
