"""From the `response` of an interaction to expectations; whatever would test nothing is a problem."""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from du_eval.agents.checks.base import CheckKind, CheckScope, name_kind
from du_eval.agents.checks.evaluate import (
    ANY_OF,
    CHECKS,
    IGNORE_CASE,
    NEGATION,
    CheckName,
    check_name,
    describe_check,
    list_check_names,
)
from du_eval.agents.document import Findings, find_place, plain
from du_eval.agents.model import Expectation
from du_eval.errors import did_you_mean

PARTS = ("text", "structure", "sly_data")
_NULL_HINT = "write the expected value, or remove the line"


class _Spot(Struct, frozen=True):
    """Where in the response we are."""

    part: str
    path: tuple[str, ...] = ()
    ignores_case: bool = False

    def below(self, key: str) -> _Spot:
        return replace(self, path=(*self.path, key))

    @property
    def name(self) -> str:
        return ".".join((self.part, *self.path))


def read_expectations(response: Any, findings: Findings) -> tuple[Expectation, ...]:
    """Return every expectation of a response."""
    return tuple(_Reader(findings).response(response))


class _Reader:
    """Walks down a response; problems go to the findings."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings

    def response(self, node: dict[str, Any]) -> list[Expectation]:
        found: list[Expectation] = []
        for key, value in node.items():
            name = check_name(key)
            if key in PARTS:
                found += self._part(node, key, value)
            elif name and name.name != ANY_OF and CHECKS[name.name].scope is CheckScope.RESPONSE:
                found += self._check(node, key, _Spot("response"))
            elif name:
                message = f"the check '{key}' is placed directly in the response"
                self._findings.at(node, key, message, f"put it under one of {', '.join(PARTS)}")
            else:
                known = (*PARTS, *list_check_names(CheckScope.RESPONSE))
                hint = did_you_mean(key, known) or f"parts: {', '.join(PARTS)}"
                self._findings.at(
                    node, key, f"unknown part '{key}' of a response: it would test nothing", hint
                )
        return found

    def _part(self, node: dict[str, object], key: str, value: object) -> list[Expectation]:
        if isinstance(value, dict):
            return self._level(node, key, _Spot(key))
        hint = f"write {key}: {{ value: ... }} or another check" if value is not None else _NULL_HINT
        self._findings.at(
            node, key, f"'{key}' is {name_kind(value)} without a check: it would test nothing", hint
        )
        return []

    def _level(self, parent: Any, key: str | int, spot: _Spot) -> list[Expectation]:
        """Read the checks and the deeper levels of an object."""
        node: dict[str, Any] = parent[key]
        modifier = [name for name in node if name.lower() == IGNORE_CASE and isinstance(node[name], bool)]
        if modifier:
            spot = replace(spot, ignores_case=node[modifier[0]])
        rest = [name for name in node if name not in modifier]
        if not rest:
            message = f"there is no check under '{spot.name}': it would test nothing"
            self._findings.at(parent, key, message, "add a check, such as keywords, or remove it")
        found: list[Expectation] = []
        for name in rest:
            is_deeper = isinstance(node[name], dict) and not _takes(name, node[name])
            if is_deeper and check_name(name) and not _has_check(node[name]):
                message = f"the check '{name}' has an object that it cannot use: it would test nothing"
                self._findings.at(node, name, message, _object_hint(name))
            elif is_deeper:
                found += self._level(node, name, replace(spot, ignores_case=False).below(name))
            else:
                found += self._check(node, name, spot)
        return found

    def _check(self, node: dict[str, Any], key: str, spot: _Spot) -> list[Expectation]:
        name = check_name(key)
        if name is None:
            known = list_check_names(CheckScope.VALUE)
            hint = (
                did_you_mean(key, known)
                or f"checks: {', '.join(known[: len(known) // 2])}; each also with not_"
            )
            self._findings.at(node, key, f"unknown check '{key}' of '{spot.name}'", hint)
            return []
        if name.name == ANY_OF:
            return self._any_of(node, key, spot, name)
        check = CHECKS[name.name]
        if check.scope is CheckScope.RESPONSE and spot.part != "response":
            self._findings.at(
                node, key, f"the check '{key}' is about the whole response", "put it next to 'text'"
            )
            return []
        value = node[key]
        several = isinstance(value, list) and not check.takes_list(value)
        if several and not value:
            self._findings.at(node, key, f"the list of '{key}' is empty: it would test nothing", _NULL_HINT)
        return [
            expectation
            for item in (value if several else [value])
            if (expectation := self._one(node, key, spot, (check, name, item))) is not None
        ]

    def _one(
        self, node: dict[str, object], key: str, spot: _Spot, what: tuple[CheckKind, CheckName, object]
    ) -> Expectation | None:
        check, name, item = what
        try:
            expected = check.prepare(plain(item))
        except ValueError as error:
            self._findings.at(node, key, f"the check '{key}' of '{spot.name}': {error}")
            return None
        if name.name == "keywords" and item == "":
            which = "fails for" if name.negated else "holds for"
            self._findings.warn(
                node, key, f"an empty keyword {which} every text", "write the word to look for"
            )
        return self._expectation(node, key, spot, name, expected)

    def _expectation(
        self, node: dict[str, object], key: str, spot: _Spot, name: CheckName, expected: object
    ) -> Expectation:
        file, line = find_place(node, key, self._findings.file)
        words = describe_check(name, expected)
        return Expectation(
            spot.part, spot.path, name.name, expected, name.negated, spot.ignores_case, words, file, line
        )

    def _any_of(self, node: dict[str, object], key: str, spot: _Spot, name: CheckName) -> list[Expectation]:
        value = node[key]
        if not isinstance(value, list) or not value:
            self._findings.at(node, key, f"'{key}' needs a list of alternatives", "write any_of: [a, b]")
            return []
        alternatives = []
        for index, item in enumerate(value):
            if isinstance(item, dict):
                alternatives.append(tuple(self._level(value, index, spot)))
            elif (
                one := self._one(node, key, spot, (CHECKS["value"], CheckName("value", negated=False), item))
            ) is not None:
                alternatives.append((one,))
        return [self._expectation(node, key, spot, name, tuple(alternatives))]


def _takes(key: str, value: dict[str, object]) -> bool:
    name = check_name(key)
    return name is not None and name.name != ANY_OF and CHECKS[name.name].takes_object(value)


def _has_check(node: dict[str, object]) -> bool:
    """Return whether an object holds a check at any depth: then its key may be the name of a datum."""
    return any(
        check_name(key) or (isinstance(value, dict) and _has_check(value)) for key, value in node.items()
    )


def _object_hint(key: str) -> str:
    base = key.lower().removeprefix(NEGATION)
    options = CHECKS[base].options if base in CHECKS else frozenset()
    if options:
        return f"its keys are {', '.join(sorted(options))}"
    return f"to compare with a whole object, put it in a list: {key}: [{{...}}]"
