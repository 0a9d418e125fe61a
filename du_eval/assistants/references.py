"""Whether what flows refer to exists; says nothing where it cannot be sure."""

from __future__ import annotations

from collections.abc import Iterator

from du_eval.assistants.model import Assistant, Flow
from du_eval.assistants.reading import cite_rule
from du_eval.assistants.steps import Collect, FlowStep, StepKind, walk_steps
from du_eval.errors import Problem, did_you_mean

_BUILT_IN = frozenset(
    {
        "utter_ask_continue_interrupted_flow_confirmation",
        "utter_ask_interrupted_flow_to_continue",
        "utter_ask_rephrase",
        "utter_ask_still_there",
        "utter_boolean_slot_rejection",
        "utter_can_do_something_else",
        "utter_cannot_handle",
        "utter_categorical_slot_rejection",
        "utter_corrected_previous_input",
        "utter_default",
        "utter_float_slot_rejection",
        "utter_flow_continue_interrupted",
        "utter_free_chitchat_response",
        "utter_human_handoff_not_available",
        "utter_inform_code_change",
        "utter_inform_hangup",
        "utter_no_knowledge_base",
        "utter_no_relevant_answer_found",
        "utter_not_corrected_previous_input",
        "utter_skip_question_answer",
    }
)


def is_built_in(response: str) -> bool:
    """Tell whether a response comes with every assistant."""
    return response in _BUILT_IN or response.endswith("_rasa")


def find_broken_references(
    assistant: Assistant, agents: frozenset[str], *, has_domain: bool
) -> Iterator[Problem]:
    """Yield a problem for every slot, response or flow that a user flow names and nobody defines."""
    yield from _shared_intents(assistant)
    called = {name for flow in assistant.flows.values() for name in flow.calls}
    for flow in assistant.flows.values():
        yield from _misplaced_links(flow, is_called=flow.id in called)
        for step in walk_steps(flow.steps):
            yield from _flow_problems(assistant, flow, step, agents)
            # A pattern may use the slots and responses that come with every assistant.
            if has_domain and not flow.is_pattern:
                yield from _domain_problems(assistant, flow, step)


def find_silent_rejections(assistant: Assistant) -> Iterator[Problem]:
    """Yield a warning for every rejection that names a response nobody defines: the bot says nothing then."""
    for flow in assistant.user_flows:
        for collect in flow.collects:
            for rejection in collect.rejections:
                if rejection.utter and not _is_sayable(assistant, rejection.utter):
                    message = (
                        f"the flow '{flow.id}' rejects with '{rejection.utter}', which no domain file defines"
                    )
                    hint = did_you_mean(rejection.utter, assistant.responses)
                    yield cite_rule(flow.file, collect.line, message, hint, "rejection-is-defined")


def _shared_intents(assistant: Assistant) -> Iterator[Problem]:
    first: dict[str, Flow] = {}
    for flow in assistant.flows.values():
        for intent in flow.intents:
            if intent in first:
                message = f"the intent '{intent}' starts both '{first[intent].id}' and '{flow.id}'"
                hint = "an intent may start one flow"
                yield cite_rule(flow.file, flow.line, message, hint, "intent-starts-one-flow")
            first.setdefault(intent, flow)


def _misplaced_links(flow: Flow, *, is_called: bool) -> Iterator[Problem]:
    for step in walk_steps(flow.steps):
        if step.kind is StepKind.LINK and is_called:
            message = f"the flow '{flow.id}' is called by another one, so it cannot link to '{step.target}'"
            hint = "link from the flow that calls it"
            yield cite_rule(flow.file, step.line, message, hint, "called-flow-returns")
        is_pattern = step.kind in {StepKind.LINK, StepKind.CALL} and step.target.startswith("pattern_")
        if is_pattern and not flow.is_pattern and step.target != "pattern_human_handoff":
            message = f"the flow '{flow.id}' has a {step.kind} to '{step.target}'"
            hint = "pattern_human_handoff is the only pattern that may be named"
            yield cite_rule(flow.file, step.line, message, hint, "pattern-is-not-named")


def _flow_problems(
    assistant: Assistant, flow: Flow, step: FlowStep, agents: frozenset[str]
) -> Iterator[Problem]:
    if step.kind not in {StepKind.LINK, StepKind.CALL} or step.is_external or not step.target:
        return
    known = step.target in assistant.flows or step.target.startswith("pattern_") or step.target in agents
    if not known:
        what = "no flow" if step.kind is StepKind.LINK else "no flow and no agent"
        message = f"the flow '{flow.id}' has a {step.kind} to '{step.target}', which is {what}"
        hint = did_you_mean(step.target, (*assistant.flows, *agents))
        yield cite_rule(flow.file, step.line, message, hint, "target-exists")


def _domain_problems(assistant: Assistant, flow: Flow, step: FlowStep) -> Iterator[Problem]:
    if step.collect:
        yield from _collect_problems(assistant, flow, step.collect)
    elif _is_utter(step) and not _is_sayable(assistant, step.target):
        message = f"the flow '{flow.id}' says '{step.target}', which no domain file defines"
        hint = did_you_mean(step.target, assistant.responses)
        yield cite_rule(flow.file, step.line, message, hint, "response-is-defined")


def _collect_problems(assistant: Assistant, flow: Flow, collect: Collect) -> Iterator[Problem]:
    slot = assistant.slots.get(collect.slot)
    if slot is None:
        message = f"the flow '{flow.id}' collects the slot '{collect.slot}', which no domain file defines"
        hint = did_you_mean(collect.slot, assistant.slots)
        yield cite_rule(flow.file, collect.line, message, hint, "slot-is-defined")
        return
    is_asked = _is_sayable(assistant, collect.question) or collect.asking_action in assistant.actions
    if not is_asked and slot.initial_value is None:
        message = f"nothing asks for the slot '{collect.slot}' of the flow '{flow.id}'"
        hint = (
            f"add the response '{collect.question}' or the action '{collect.asking_action}' to the domain, "
            "or give the slot an initial_value"
        )
        yield cite_rule(flow.file, collect.line, message, hint, "collect-has-question")


def _is_utter(step: FlowStep) -> bool:
    return step.kind is StepKind.ACTION and step.target.startswith("utter_")


def _is_sayable(assistant: Assistant, name: str) -> bool:
    return name in assistant.responses or name in assistant.actions or is_built_in(name) or "{" in name
