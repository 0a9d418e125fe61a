"""Findings of the schema, said so that the author of a test file understands them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from du_eval.errors import Problem, did_you_mean
from du_eval.parsers.yaml_parser import YamlList, YamlMap, line_at
from du_eval.settings.words import tell_mistake
from du_eval.suites.schema import SHAPES, SUITE_FILE

_TAGS = {"user step", "utter step", "bot step"}
_EXPECTATIONS = ("commands", "any_of")
_CHECKS = frozenset({"assertions", "slot_was_set", "slot_was_not_set", "bot", "utter"})


def list_problems(error: ValidationError, root: object, file: str) -> list[Problem]:
    """Return a problem for each finding, with its line."""
    findings = error.errors(include_url=False)
    misspelt = [found["loc"] for found in findings if found["type"] == "extra_forbidden"]
    return [
        _problem(found, root, file)
        for found in findings
        if found["type"] != "missing" or not _is_misspelt(found["loc"], misspelt)
    ]


def _is_misspelt(missing: tuple[Any, ...], unknown: list[tuple[Any, ...]]) -> bool:
    """Tell whether a missing key is there under a name like it: one mistake, one message."""
    return any(loc[:-1] == missing[:-1] and did_you_mean(str(loc[-1]), [str(missing[-1])]) for loc in unknown)


def _problem(found: Any, root: Any, file: str) -> Problem:
    path = _path(found)
    line = line_at(root, path)
    message, hint = _explain(found, path, _parent(root, path))
    return Problem(file, line, message, hint)


def _path(found: Any) -> tuple[str | int, ...]:
    return tuple(part for part in found["loc"] if part not in _TAGS and part != "[key]")


def prune_file(root: YamlMap) -> YamlMap:
    """Return a file's content, changed in place, without the parts that do not have the right shape."""
    while True:
        try:
            SUITE_FILE.validate_python(root)
        except ValidationError as error:
            found = error.errors(include_url=False)
            paths = [_path(one) for one in found if one["type"] != "too_short"]
        else:
            return root
        if not paths:  # lists that are only too short do no harm, and what stands beside them is checked, too
            return root
        places = {(id(holder), key): (holder, key) for holder, key in (_holder(root, path) for path in paths)}
        if any(holder is None for holder, _ in places.values()):
            root.clear()
            root["test_cases"] = YamlList(root.line)
            return root
        for holder, key in sorted(places.values(), key=_from_last):
            del holder[key]
            if isinstance(key, int):
                del holder.lines[key]


def _from_last(place: tuple[Any, Any]) -> int:
    """Return a key that puts later items of lists before earlier ones."""
    return -place[1] if isinstance(place[1], int) else 0


def _holder(root: Any, path: tuple[Any, ...]) -> tuple[Any, Any]:
    """Return what holds a part, and under which key; of a part that is missing, what lacks it."""
    holder, node, last = None, root, None
    for part in path:
        inside = part in node if isinstance(node, dict) else isinstance(node, list) and part < len(node)
        if not inside:
            break
        holder, node, last = node, node[part], part
    return holder, last


def _explain(found: Any, path: tuple[str | int, ...], parent: Any) -> tuple[str, str]:
    kind, key = found["type"], path[-1] if path else ""
    if kind == "extra_forbidden":
        return f"unknown key '{key}'", _near_keys(str(key), found["loc"], parent)
    if kind == "missing":
        return f"the key '{key}' is missing", ""
    if kind.startswith("union_tag"):
        return _step_without_kind(found["input"])
    if found["input"] is None:
        return f"{_place(path)} is empty", _hint_for_empty(path)
    if kind in {"string_type", "string_sub_type"} and isinstance(found["input"], Mapping):
        return _mapping_for_text(path, found["input"])
    if kind == "too_short":
        return f"{_place(path)} is empty", "write at least one entry"
    return f"{_place(path)}: {tell_mistake([found], _shown(found['input']))}", ""


def _hint_for_empty(path: tuple[str | int, ...]) -> str:
    if path and path[-1] == "commands":
        return "write [] where no command is expected"
    return "write a value, [] for an empty list, or remove the key"


def _near_keys(key: str, loc: tuple[object, ...], parent: object) -> str:
    tag = next((part for part in reversed(loc[:-1]) if part in SHAPES), "")
    known = [
        name for name in SHAPES[tag].__annotations__ if not isinstance(parent, dict) or name not in parent
    ]
    return did_you_mean(key, known) or "known keys: " + ", ".join(SHAPES[tag].__annotations__)


def _step_without_kind(step: object) -> tuple[str, str]:
    if not isinstance(step, Mapping):
        return f"a step must be a mapping with one of user, utter, bot, not {_shown(step)}", ""
    near = next((hint for key in step if (hint := did_you_mean(str(key), ("user", "utter", "bot")))), "")
    if "commands" in step:
        return (
            "these commands belong to no user message",
            near or "put them below the key user of the same step",
        )
    return "a step needs one of the keys user, utter, bot", near


def _mapping_for_text(path: tuple[str | int, ...], value: Mapping[str, object]) -> tuple[str, str]:
    written = "; ".join(f"{key}: {'' if inner is None else inner}" for key, inner in value.items())
    message = f"{_place(path)} is a mapping, not a string: YAML splits it at the colon"
    return message, f'quote it: "{written}"'


def _place(path: tuple[str | int, ...]) -> str:
    if len(path) > 1 and path[-2] == "commands":
        return "the command"
    names = [part for part in path if isinstance(part, str)]
    return f"'{names[-1]}'" if names else "the file"


def _shown(value: object) -> str:
    text = (
        repr(value)
        if not isinstance(value, dict | list)
        else ("a mapping" if isinstance(value, dict) else "a list")
    )
    return text if len(text) <= 60 else text[:57] + "..."


def _parent(root: Any, path: tuple[str | int, ...]) -> Any:
    node = root
    for part in path[:-1]:
        try:
            node = node[part]
        except (KeyError, IndexError, TypeError):
            break
    return node


def is_end_to_end(root: Any) -> bool:
    """Tell whether a file has checks of what the bot does, and not a single expected command."""
    keys = {key for step in _list_steps(root) for key in step}
    has_commands = any(did_you_mean(key, _EXPECTATIONS) or key in _EXPECTATIONS for key in keys)
    return "user" in keys and not has_commands and not _CHECKS.isdisjoint(keys)


def step_problems(root: Any, file: str) -> Iterator[Problem]:
    """Yield what the schema cannot say about user steps; parts of the wrong shape are passed over."""
    for step in _list_steps(root):
        if "user" in step and ("commands" in step) is ("any_of" in step):
            yield from _user_step_problems(step, file)


def _list_steps(root: Any) -> Iterator[YamlMap]:
    cases = root.get("test_cases")
    for case in cases if isinstance(cases, list) else ():
        steps = case.get("steps") if isinstance(case, dict) else None
        yield from (step for step in steps if type(step) is YamlMap) if isinstance(steps, list) else ()


def _user_step_problems(step: YamlMap, file: str) -> Iterator[Problem]:
    """Yield the problem of a step that has both kinds of expectations, or none."""
    if "commands" in step:
        yield Problem(
            file, step.lines["any_of"], "a step has either commands or any_of", "remove one of them"
        )
    elif not any(did_you_mean(key, _EXPECTATIONS) for key in step):
        hint = "write commands: [] where no command is expected"
        yield Problem(file, step.line, "the user step has no expected commands", hint)
