"""Taking values out of YAML nodes with the shape they must have, and noting where they have not."""

from __future__ import annotations

from du_eval.errors import Problem
from du_eval.parsers.yaml_parser import YamlList, YamlMap

_KINDS = {dict: "a mapping", list: "a list", str: "a string", bool: "true or false", type(None): "nothing"}


def name_kind(value: object) -> str:
    """Return what a value is, in words."""
    for kind, name in _KINDS.items():
        if isinstance(value, kind):
            return name
    return f"the number {value}"


def read_text(value: object) -> str:
    """Return a scalar as its author wrote it."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def cite_rule(file: str, line: int, message: str, hint: str, rule: str) -> Problem:
    """Return a problem that names the rule it breaks."""
    return Problem(file, line, f"{message} [{rule}]" if rule else message, hint)


class Reader:
    """Reads the nodes of one file; collects the problems that it meets."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []

    def refuse(self, line: int, message: str, hint: str = "", rule: str = "") -> None:
        """Note a problem."""
        self.problems.append(cite_rule(self.file, line, message, hint, rule))

    def warn(self, line: int, message: str, hint: str = "", rule: str = "") -> None:
        """Note something that is most likely a mistake, but does no harm."""
        self.warnings.append(cite_rule(self.file, line, message, hint, rule))

    def as_mapping(self, value: object, line: int, what: str) -> YamlMap:
        """Return a mapping; an empty one, and a problem, for anything else."""
        if isinstance(value, YamlMap):
            return value
        self.refuse(line, f"{what} must be a mapping, not {name_kind(value)}")
        return YamlMap(line)

    def mapping(self, parent: YamlMap, key: str, what: str = "") -> YamlMap:
        """Return the mapping under a key, an empty one if the key is absent or empty."""
        line = parent.lines.get(key, parent.line)
        if parent.get(key) is None:
            return YamlMap(line)
        return self.as_mapping(parent[key], line, what or f"'{key}'")

    def items(self, parent: YamlMap, key: str, what: str = "") -> YamlList:
        """Return the list under a key, an empty one if the key is absent or empty."""
        value = parent.get(key)
        line = parent.lines.get(key, parent.line)
        if isinstance(value, YamlList):
            return value
        if value is not None:
            self.refuse(line, f"{what or repr(key)} must be a list, not {name_kind(value)}")
        return YamlList(line)

    def text(self, parent: YamlMap, key: str, what: str = "") -> str:
        """Return the text under a key, an empty one if the key is absent or empty."""
        value = parent.get(key)
        if isinstance(value, dict | list):
            self.refuse(parent.lines[key], f"{what or repr(key)} must be a string, not {name_kind(value)}")
            return ""
        return read_text(value)

    def flag(self, parent: YamlMap, key: str, *, default: bool = False) -> bool:
        """Return the boolean under a key."""
        value = parent.get(key)
        if value is None or isinstance(value, bool):
            return default if value is None else value
        self.refuse(parent.lines[key], f"'{key}' must be true or false, not {name_kind(value)}")
        return default
