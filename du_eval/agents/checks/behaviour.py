"""Checks of shape, of time and money, and of the tools that were called."""

from __future__ import annotations

import json
from typing import Any

from msgspec import Struct, field

from du_eval.agents.checks.base import (
    CheckFinding,
    CheckKind,
    CheckScope,
    InapplicableError,
    Subject,
    name_kind,
    number,
    show_value,
    text,
)


class ToolExpectation(Struct, frozen=True):
    """A tool, the arguments it must be given, and how often."""

    name: str
    params: dict[str, Any] = field(default_factory=dict)
    times: int | None = None

    def __str__(self) -> str:
        given = f" with {show_value(self.params)}" if self.params else ""
        often = "" if self.times is None else f" {self.times} times"
        return f"'{self.name}'{given}{often}"


def _fits_schema(subject: Subject, expected: dict[str, object]) -> CheckFinding:
    from jsonschema import Draft202012Validator  # noqa: PLC0415
    from referencing import Registry  # noqa: PLC0415

    value = subject.value
    if isinstance(value, str) and expected.get("type") != "string":
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise InapplicableError(f"the text {show_value(value)} is not JSON") from error
    nothing_to_fetch: Registry[object] = Registry()
    validator = Draft202012Validator(expected, registry=nothing_to_fetch)
    first = next(
        iter(sorted(validator.iter_errors(value), key=lambda error: list(map(str, error.path)))), None
    )
    if first is None:
        return CheckFinding(holds=True)
    where = ".".join(str(step) for step in first.absolute_path)
    return CheckFinding(False, f"{first.message}" + (f" (at {where})" if where else ""))  # noqa: FBT003


def _schema(raw: object) -> object:
    from jsonschema import Draft202012Validator, SchemaError  # noqa: PLC0415

    if not isinstance(raw, dict) or not raw:
        raise ValueError(f"needs a JSON schema that is not empty, not {name_kind(raw)}")
    plain = json.loads(json.dumps(raw))
    if "http" in json.dumps(_references(plain)):
        raise ValueError("a schema may not refer to the network; write the definition under $defs")
    try:
        Draft202012Validator.check_schema(plain)
    except SchemaError as error:
        raise ValueError(f"the schema is not valid: {error.message}") from error
    return plain


def _references(node: object) -> list[object]:
    if isinstance(node, dict):
        own = [node["$ref"]] if "$ref" in node else []
        return own + [found for value in node.values() for found in _references(value)]
    return [found for item in node for found in _references(item)] if isinstance(node, list) else []


def _positive(raw: object) -> float:
    limit = number(raw)
    if limit <= 0:
        raise ValueError("needs a number above 0")
    return limit


def _quick(subject: Subject, expected: float) -> CheckFinding:
    return CheckFinding(subject.seconds < expected, f"it took {subject.seconds:.3f} s")


def _cheap(subject: Subject, expected: float) -> CheckFinding:
    cost = subject.reply.usage.cost if subject.reply.usage else None
    if cost is None:
        raise InapplicableError("the server does not report a cost")
    return CheckFinding(cost < expected, f"it cost {cost:g}")


def _called(subject: Subject, expected: ToolExpectation) -> CheckFinding:
    calls = subject.reply.tools
    fitting = [
        call for call in calls if call.name == expected.name and _includes(call.params, expected.params)
    ]
    names = ", ".join(f"'{call.name}' with {show_value(dict(call.params))}" for call in calls)
    detail = f"the agent called {names}" if names else "the agent called no tools"
    enough = bool(fitting) if expected.times is None else len(fitting) == expected.times
    return CheckFinding(enough, detail)


def _includes(params: Any, wanted: dict[str, Any]) -> bool:
    return all(key in params and params[key] == value for key, value in wanted.items())


def _tool(raw: object) -> ToolExpectation:
    if not isinstance(raw, dict):
        return ToolExpectation(text(raw))
    params, times = raw.get("params", {}), raw.get("times")
    if not isinstance(params, dict):
        raise ValueError(f"needs 'params' to be an object, not {name_kind(params)}")  # noqa: TRY004
    if times is not None and (not isinstance(times, int) or isinstance(times, bool) or times < 0):
        raise ValueError("needs 'times' to be a whole number of at least 0")
    return ToolExpectation(text(raw.get("name")), dict(params), times)


BEHAVIOUR_CHECKS = (
    CheckKind(
        "json_schema", lambda _: "to match the schema", _fits_schema, prepare=_schema, takes_any_object=True
    ),
    CheckKind(
        "latency_below",
        lambda e: f"to come within {e:g} s",
        _quick,
        prepare=_positive,
        scope=CheckScope.RESPONSE,
        takes_missing=True,
    ),
    CheckKind(
        "cost_below",
        lambda e: f"to cost less than {e:g}",
        _cheap,
        prepare=_positive,
        scope=CheckScope.RESPONSE,
        takes_missing=True,
        needs_messages=True,
    ),
    CheckKind(
        "tool_called",
        lambda e: f"to call the tool {e}",
        _called,
        prepare=_tool,
        scope=CheckScope.RESPONSE,
        options=frozenset({"name", "params", "times"}),
        takes_missing=True,
        needs_messages=True,
    ),
)
