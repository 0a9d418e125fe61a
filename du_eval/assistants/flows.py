"""Flows and their steps."""

from __future__ import annotations

from du_eval.assistants.expressions import ConditionSyntaxError, parse_condition
from du_eval.assistants.model import Flow
from du_eval.assistants.reading import Reader, name_kind, read_text
from du_eval.assistants.steps import END, Branch, Collect, FlowStep, Rejection, StepKind, walk_steps
from du_eval.assistants.structure import check_structure
from du_eval.errors import did_you_mean
from du_eval.parsers.yaml_parser import YamlList, YamlMap

_EXTERNAL = frozenset({"mcp_server", "exit_if", "mapping"})
_KINDS = ", ".join(StepKind)
_OWN_ID = "use the id of a step of this flow, or END"


def read_flows(root: YamlMap, reader: Reader) -> tuple[Flow, ...]:
    """Return the flows of a file."""
    flows = reader.mapping(root, "flows")
    return tuple(_flow(flow_id, flows, reader) for flow_id in flows)


def _flow(flow_id: str, flows: YamlMap, reader: Reader) -> Flow:
    line = flows.lines[flow_id]
    node = reader.as_mapping(flows[flow_id], line, f"the flow '{flow_id}'")
    steps = _steps(reader.items(node, "steps", f"'steps' of the flow '{flow_id}'"), reader)
    if isinstance(flows[flow_id], YamlMap):
        _check_parts(flow_id, flows, reader)
    _check_jumps(flow_id, steps, reader)
    check_structure(flow_id, steps, reader)
    found = tuple(walk_steps(steps))
    return Flow(
        id=flow_id,
        description=reader.text(node, "description").strip(),
        name=reader.text(node, "name").strip(),
        guard=_guard(node, reader),
        collects=tuple(step.collect for step in found if step.collect),
        actions=_targets(found, StepKind.ACTION),
        calls=_targets(tuple(step for step in found if not step.is_external), StepKind.CALL),
        links=_targets(found, StepKind.LINK),
        intents=_intents(node, reader),
        always_include_in_prompt=reader.flag(node, "always_include_in_prompt"),
        file=reader.file,
        line=line,
        steps=steps,
        persisted_slots=tuple(read_text(slot) for slot in reader.items(node, "persisted_slots")),
        run_pattern_completed=reader.flag(node, "run_pattern_completed", default=True),
    )


def _check_parts(flow_id: str, flows: YamlMap, reader: Reader) -> None:
    node, line = flows[flow_id], flows.lines[flow_id]
    if not node.get("steps"):
        reader.refuse(line, f"the flow '{flow_id}' has no steps", rule="flow-has-steps")
    if not node.get("description") and not flow_id.startswith("pattern_"):
        hint = "say in a sentence what it is for"
        reader.refuse(line, f"the flow '{flow_id}' has no description", hint, "flow-has-description")


def _targets(steps: tuple[FlowStep, ...], kind: StepKind) -> tuple[str, ...]:
    return tuple(dict.fromkeys(step.target for step in steps if step.kind is kind))


def _guard(node: YamlMap, reader: Reader) -> str | bool | None:
    guard = node.get("if")
    if guard is None or isinstance(guard, bool):
        return guard
    check_condition(node, "if", reader)
    return reader.text(node, "if")


def check_condition(node: YamlMap, key: str, reader: Reader) -> None:
    """Note a condition that cannot be read; one with templates is read when it is needed."""
    text = read_text(node.get(key)) if not isinstance(node.get(key), dict | list) else ""
    if not text or "{{" in text:
        return
    try:
        parse_condition(text)
    except ConditionSyntaxError as error:
        reader.refuse(node.lines[key], str(error), rule="condition-is-readable")


def _intents(node: YamlMap, reader: Reader) -> tuple[str, ...]:
    intents = []
    triggers = reader.items(node, "nlu_trigger")
    for item, line in zip(triggers, triggers.lines, strict=True):
        trigger = reader.as_mapping(item, line, "an item of 'nlu_trigger'")
        intent = trigger.get("intent")
        name = reader.text(intent, "name") if isinstance(intent, YamlMap) else reader.text(trigger, "intent")
        if name:
            intents.append(name)
        elif isinstance(item, YamlMap):
            hint = "write '- intent: name'"
            reader.refuse(line, "an item of 'nlu_trigger' has no intent", hint, "trigger-names-intent")
    return tuple(intents)


def _steps(items: YamlList, reader: Reader) -> tuple[FlowStep, ...]:
    steps = (_step(item, line, reader) for item, line in zip(items, items.lines, strict=True))
    return tuple(step for step in steps if step)


def _step(item: object, line: int, reader: Reader) -> FlowStep | None:
    node = reader.as_mapping(item, line, "a step")
    kinds = [kind for kind in StepKind if kind in node]
    if len(kinds) != 1:
        if isinstance(item, YamlMap):
            count = "several kinds at once" if kinds else "no kind"
            message = f"the step has {count}: exactly one of {_KINDS} is needed"
            reader.refuse(line, message, rule="one-kind-a-step")
        return None
    kind = kinds[0]
    named = kind not in {StepKind.SET_SLOTS, StepKind.NOOP}
    target = reader.text(node, kind.value).strip() if named else ""
    if named and not target and not isinstance(node[kind], dict | list):
        reader.refuse(line, f"the step '{kind}' has no value", rule="step-names-target")
    return FlowStep(
        kind=kind,
        target=target,
        id=reader.text(node, "id").strip(),
        collect=_collect(target, node, line, reader) if kind is StepKind.COLLECT and target else None,
        values=_values(node, reader) if kind is StepKind.SET_SLOTS else (),
        next=_next(node, reader),
        is_external=kind is StepKind.CALL and not _EXTERNAL.isdisjoint(node),
        exit_if=tuple(read_text(item) for item in reader.items(node, "exit_if")),
        line=line,
    )


def _collect(slot: str, node: YamlMap, line: int, reader: Reader) -> Collect:
    return Collect(
        slot=slot,
        description=reader.text(node, "description").strip(),
        utter=reader.text(node, "utter"),
        ask_before_filling=reader.flag(node, "ask_before_filling"),
        force_slot_filling=reader.flag(node, "force_slot_filling"),
        line=line,
        reset_after_flow_ends=reader.flag(node, "reset_after_flow_ends", default=True),
        rejections=read_rejections(node, reader),
    )


def read_rejections(node: YamlMap, reader: Reader) -> tuple[Rejection, ...]:
    """Return the rejections of a collect step, or of the validation of a slot."""
    items = reader.items(node, "rejections")
    found = []
    for item, line in zip(items, items.lines, strict=True):
        rejection = reader.as_mapping(item, line, "a rejection")
        check_condition(rejection, "if", reader)
        found.append(Rejection(reader.text(rejection, "if"), reader.text(rejection, "utter")))
    return tuple(found)


def _values(node: YamlMap, reader: Reader) -> tuple[tuple[str, object], ...]:
    items = reader.items(node, "set_slots")
    pairs: list[tuple[str, object]] = []
    for item, line in zip(items, items.lines, strict=True):
        pairs.extend(reader.as_mapping(item, line, "an item of 'set_slots'").items())
    return tuple(pairs)


def _next(node: YamlMap, reader: Reader) -> str | tuple[Branch, ...] | None:
    if not isinstance(node.get("next"), YamlList):
        return reader.text(node, "next") or None
    branches = node["next"]
    return tuple(_branch(item, line, reader) for item, line in zip(branches, branches.lines, strict=True))


def _branch(item: object, line: int, reader: Reader) -> Branch:
    node = reader.as_mapping(item, line, "a branch of 'next'")
    if "else" in node:
        return Branch(None, _branch_target(node, "else", reader), line)
    if isinstance(item, YamlMap) and ("if" not in node or "then" not in node):
        reader.refuse(line, "a branch of 'next' needs 'if' and 'then', or 'else'", rule="branch-is-complete")
    check_condition(node, "if", reader)
    return Branch(reader.text(node, "if"), _branch_target(node, "then", reader), line)


def _branch_target(node: YamlMap, key: str, reader: Reader) -> str | tuple[FlowStep, ...]:
    value = node.get(key)
    if isinstance(value, YamlList):
        return _steps(value, reader)
    if isinstance(value, YamlMap):
        message = f"'{key}' must be a step id or a list of steps, not {name_kind(value)}"
        reader.refuse(node.lines[key], message, rule="branch-is-complete")
        return END
    return read_text(value) or END


def _check_jumps(flow_id: str, steps: tuple[FlowStep, ...], reader: Reader) -> None:
    """Note every jump to a step that the flow does not have; ids that Rasa makes up start with a number."""
    found = tuple(walk_steps(steps))
    ids = {step.id for step in found} | {END}
    for step in found:
        for target, line in _jumps(step):
            if target not in ids and not target[:1].isdigit():
                message = f"the flow '{flow_id}' jumps to the step '{target}', which it does not have"
                hint = did_you_mean(target, ids - {""}) or _OWN_ID
                reader.refuse(line, message, hint, "jump-to-known-step")


def _jumps(step: FlowStep) -> tuple[tuple[str, int], ...]:
    if isinstance(step.next, tuple):
        return tuple((branch.target, branch.line) for branch in step.next if isinstance(branch.target, str))
    return ((step.next, step.line),) if step.next else ()
