"""From a case file to an AgentCase, or every reason why not."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from du_eval.agents.checks.base import name_kind
from du_eval.agents.checks.evaluate import ANY_OF, CHECKS
from du_eval.agents.connections.base import SERVER_KEYS, find_kinds
from du_eval.agents.document import Findings, find_place, plain, read_tree
from du_eval.agents.expectations import read_expectations
from du_eval.agents.model import (
    DOCUMENTED,
    ONCE,
    AgentCase,
    AgentManner,
    ChatFilter,
    Connection,
    DirectAgent,
    Interaction,
)
from du_eval.errors import InputError, Problem, did_you_mean
from du_eval.plugins import load_own
from du_eval.statistics.success import SuccessRatio

CASE_KEYS = (
    "agent", "connections", "success_ratio", "use_direct", "metadata", "timeout_in_seconds", "interactions",
    "name", "direct", "neuro_san_compat",
)  # fmt: skip
INTERACTION_KEYS = (
    "text", "sly_data", "timeout_in_seconds", "chat_filter", "continue_conversation", "response",
)  # fmt: skip
DIRECT_KEYS = ("python", "instructions", "model")
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_MOST_SAMPLES = 10_000


class LoadedCase(Struct, frozen=True):
    """A case, and what in its file may not be meant."""

    case: AgentCase
    warnings: tuple[Problem, ...] = ()


def load_case(path: Path, name: str, environment: Mapping[str, str] | None = None) -> LoadedCase:
    """Return the case of a file; raises with every problem of the file."""
    tree = read_tree(path, environment)
    findings = Findings(tree.file, warnings=list(tree.warnings))
    if not isinstance(tree.root, dict):
        raise InputError(
            Problem(tree.file, 1, "the file must contain one object, the case", "begin it with agent: ...")
        )
    case = _CaseReader(tree.root, findings).case(name)
    if findings.problems:
        raise InputError(sorted(findings.problems))
    return LoadedCase(case, tuple(findings.warnings))


class _CaseReader:
    """Reads the keys of one case; problems go to the findings."""

    def __init__(self, root: dict[str, Any], findings: Findings) -> None:
        self._root = root
        self._findings = findings

    def case(self, name: str) -> AgentCase:
        root, findings = self._root, self._findings
        findings.refuse_unknown(root, CASE_KEYS, "the case")
        return AgentCase(
            name=self._value(root, "name", str, name) or name,
            file=findings.file,
            agent=self._agent(),
            interactions=self._interactions(),
            connections=self._connections(),
            ratio=self._ratio(),
            use_direct=self._value(root, "use_direct", bool, default=False),
            metadata=self._metadata(),
            timeout_seconds=self._seconds(root),
            direct=self._direct(),
            manner=self._manner(),
            digest=hashlib.sha256(json.dumps(plain(root), sort_keys=True).encode()).hexdigest()[:16],
            line=getattr(root, "line", 1),
        )

    def _manner(self) -> AgentManner:
        is_original = self._value(self._root, "neuro_san_compat", bool, default=False)
        original: AgentManner = load_own("du_eval.compat.neuro_san:NEURO_SAN")
        return original if is_original else DOCUMENTED

    def _value(self, node: dict[str, Any], key: str, kind: type[Any], default: object = None) -> Any:
        """Return a key's value where it has the right kind; null is the same as absent."""
        value = node.get(key)
        if value is None:
            return default
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            words = name_kind(kind()) if kind is not dict else "an object"
            self._findings.at(node, key, f"'{key}' must be {words}, not {name_kind(value)}")
            return default
        return value

    def _agent(self) -> str:
        agent: str = self._value(self._root, "agent", str, "")
        if not agent.strip() and not isinstance(self._root.get("agent"), list | dict | int | float):
            self._findings.at(
                self._root, "agent", "the case does not name an agent", "add agent: the_name_of_the_agent"
            )
        return agent.strip()

    def _ratio(self) -> SuccessRatio:
        written = self._root.get("success_ratio", "1/1")
        try:
            ratio = SuccessRatio.parsed(written if isinstance(written, str) else json.dumps(plain(written)))
        except ValueError as error:
            message = str(error)
        else:
            if ratio.of <= _MOST_SAMPLES:
                return ratio
            message = f"{ratio} takes more than {_MOST_SAMPLES} samples"
        self._findings.at(self._root, "success_ratio", f"success_ratio: {message}")
        return ONCE

    def _seconds(self, node: dict[str, Any]) -> float | None:
        value = node.get("timeout_in_seconds")
        if value is None:
            return None
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not 0 < value <= threading.TIMEOUT_MAX:
            message = f"timeout_in_seconds must be a number above 0, at most {threading.TIMEOUT_MAX:.0f}"
            self._findings.at(node, "timeout_in_seconds", message)
            return None
        return float(value)

    def _metadata(self) -> dict[str, str]:
        node = self._value(self._root, "metadata", dict, {})
        result = {}
        for key, value in node.items():
            if not _HEADER.fullmatch(key):
                self._findings.at(node, key, f"'{key}' cannot be the name of a request header")
            elif isinstance(value, bool):
                result[key] = str(value).lower()
            elif not isinstance(value, str | int | float) or any(ord(char) < 32 for char in str(value)):
                self._findings.at(
                    node, key, f"metadata '{key}' must be a single line of text, not {name_kind(value)}"
                )
            else:
                result[key] = str(value)
        return result

    def _connections(self) -> tuple[Connection, ...]:
        written = self._root.get("connections")
        if written is None:
            return (Connection(),)
        if written == []:
            self._findings.at(
                self._root, "connections", "the list of connections is empty", "leave it out for direct"
            )
        is_list = isinstance(written, list)
        holder, places = (
            (written, enumerate(written)) if is_list else (self._root, [("connections", written)])
        )
        result = tuple(filter(None, (self._connection(holder, key, item) for key, item in places)))
        counts = Counter(connection.name for connection in result)
        for name in sorted(name for name, count in counts.items() if count > 1):
            self._findings.at(
                self._root, "connections", f"the connection '{name}' is given twice", "keep one"
            )
        return result

    def _connection(self, holder: object, key: str | int, item: object) -> Connection | None:
        """Return a connection; one of an unknown kind is kept, and becomes an error of this case alone."""
        node = item if isinstance(item, dict) else {"kind": item}
        kind, kinds = node.get("kind"), find_kinds()
        if not isinstance(kind, str) or not kind.strip():
            hint = f"known: {', '.join(kinds)}"
            self._findings.at(holder, key, f"{json.dumps(plain(kind))} is not a kind of connection", hint)
            return None
        keys = kinds.get(kind)
        if keys is not None:
            self._findings.refuse_unknown(node, ("kind", *keys), f"a connection of the kind '{kind}'")
        _, line = find_place(holder, key, self._findings.file)
        return replace(self._described(kind, node), line=line)

    def _described(self, kind: str, node: dict[str, Any]) -> Connection:
        port = self._value(node, "port", int)
        if port is not None and not 0 < port < 65536:
            self._findings.at(node, "port", f"the port {port} is not valid")
        files = {key: self._beside(node, key) for key in ("ca_file", "certificate", "private_key")}
        texts = {key: self._value(node, key, str) for key in ("host", "base_path", "url")}
        others = {key: plain(node[key]) for key in node if key not in {"kind", "url", *SERVER_KEYS}}
        return Connection(kind, port=port, **texts, **files, options=others, line=getattr(node, "line", 0))

    def _beside(self, node: dict[str, Any], key: str) -> str | None:
        """Return the path of a file that is named relative to the case."""
        name = self._value(node, key, str)
        if name is None:
            return None
        path = Path(self._findings.file).parent / name
        if not path.is_file():
            self._findings.at(
                node, key, f"the file '{name}' does not exist", "names are relative to the case"
            )
        return str(path)

    def _direct(self) -> DirectAgent | None:
        written = self._root.get("direct")
        if written is None:
            return None
        _, line = find_place(self._root, "direct", "")
        if isinstance(written, str):
            return DirectAgent(target=written, line=line)
        if not isinstance(written, dict):
            message = f"'direct' must be a Python path or an object, not {name_kind(written)}"
            self._findings.at(
                self._root, "direct", message, 'write "module:function" or { instructions: ... }'
            )
            return None
        self._findings.refuse_unknown(written, DIRECT_KEYS, "'direct'")
        agent = DirectAgent(
            target=self._value(written, "python", str),
            instructions=self._value(written, "instructions", str),
            model=self._value(written, "model", str),
            line=line,
        )
        if (agent.target is None) == (agent.instructions is None):
            self._findings.at(self._root, "direct", "'direct' needs either 'python' or 'instructions'")
        return agent

    def _interactions(self) -> tuple[Interaction, ...]:
        written = self._root.get("interactions")
        if not isinstance(written, list) or not written:
            message = (
                "the case has no interactions"
                if not written
                else f"'interactions' must be a list, not {name_kind(written)}"
            )
            self._findings.at(self._root, "interactions", message, "add interactions: [ { text: ... } ]")
            return ()
        result = []
        for index, node in enumerate(written):
            if isinstance(node, dict):
                result.append(self._interaction(node))
            else:
                self._findings.at(
                    written, index, f"interaction {index + 1} must be an object, not {name_kind(node)}"
                )
        return tuple(result)

    def _interaction(self, node: dict[str, Any]) -> Interaction:
        self._findings.refuse_unknown(node, INTERACTION_KEYS, "an interaction")
        response = self._value(node, "response", dict, {})
        expectations = read_expectations(response, self._findings)
        sly_data = self._value(node, "sly_data", dict)
        return Interaction(
            text=self._value(node, "text", str),
            sly_data=None if sly_data is None else plain(sly_data),
            timeout_seconds=self._seconds(node),
            chat_filter=self._filter(node, {one.check for one in expectations}),
            continues=self._value(node, "continue_conversation", bool, default=True),
            expectations=expectations,
            line=getattr(node, "line", 0),
        )

    def _filter(self, node: dict[str, Any], checks: set[str]) -> ChatFilter:
        """Return the filter that is written, or else the smallest one that the checks can work with."""
        needing = sorted(name for name in checks - {ANY_OF} if CHECKS[name].needs_messages)
        written = self._value(node, "chat_filter", str)
        if written is None:
            return ChatFilter.MAXIMAL if needing else ChatFilter.MINIMAL
        if written not in set(ChatFilter):
            hint = did_you_mean(written, ChatFilter) or "known: MINIMAL, MAXIMAL"
            self._findings.at(node, "chat_filter", f"unknown chat_filter '{written}'", hint)
            return ChatFilter.MINIMAL
        if written == ChatFilter.MINIMAL and needing:
            message = f"the check '{needing[0]}' needs more than a MINIMAL answer"
            self._findings.at(node, "chat_filter", message, 'write chat_filter: "MAXIMAL", or leave it out')
        return ChatFilter(written)
