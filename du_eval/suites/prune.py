"""The usable part of a test file that has problems, so that the rest of it can still be checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from du_eval.parsers.yaml_parser import YamlList, YamlMap


def pruned(root: YamlMap) -> YamlMap:
    """Return a copy of a file's content without the parts that do not have the right shape."""
    kept = _copied(root, ("test_cases", "stub_custom_actions", "fixtures", "metadata"))
    kept["test_cases"] = _kept_items(root.get("test_cases"), _case)
    kept["fixtures"] = _kept_items(root.get("fixtures"), _fixture)
    kept["metadata"] = _kept_items(root.get("metadata"), _metadata)
    stubs = root.get("stub_custom_actions")
    kept["stub_custom_actions"] = {
        name: {key: _kept_items(stub.get(key), _mapping) for key in ("events", "responses")}
        for name, stub in (stubs.items() if isinstance(stubs, YamlMap) else ())
        if isinstance(stub, YamlMap)
    }
    return kept


def _copied(mapping: YamlMap, keys: tuple[str, ...]) -> YamlMap:
    copy = YamlMap(mapping.line)
    copy.lines = dict(mapping.lines)
    copy.update({key: mapping[key] for key in keys if key in mapping})
    return copy


def _kept_items(value: Any, keep: Callable[[Any], Any]) -> YamlList:
    """Return the items that `keep` does not turn into None."""
    kept = YamlList(getattr(value, "line", 0))
    if isinstance(value, YamlList):
        for item, line in zip(value, value.lines, strict=True):
            usable = keep(item)
            if usable is not None:
                kept.append(usable)
                kept.lines.append(line)
    return kept


def _case(case: Any) -> YamlMap | None:
    if not isinstance(case, YamlMap):
        return None
    kept = _copied(case, ("test_case", "metadata"))
    if not isinstance(kept.get("test_case"), str):
        kept["test_case"] = "?"
    if not isinstance(kept.get("metadata"), str):
        kept.pop("metadata", None)
    kept["steps"] = _kept_items(case.get("steps"), _step)
    kept["fixtures"] = _kept_items(case.get("fixtures"), _text)
    return kept


def _step(step: Any) -> YamlMap | None:
    if not isinstance(step, YamlMap):
        return None
    kind = next((kind for kind in ("user", "utter", "bot") if isinstance(step.get(kind), str)), None)
    if kind != "user":
        return _copied(step, (kind,)) if kind else None
    kept = _copied(step, ("user", "metadata"))
    if not isinstance(kept.get("metadata"), str):
        kept.pop("metadata", None)
    if isinstance(step.get("any_of"), YamlList) and not isinstance(step.get("commands"), YamlList):
        kept["any_of"] = _kept_items(step["any_of"], lambda group: _kept_items(group, _text))
    else:
        kept["commands"] = _kept_items(step.get("commands"), _text)
    return kept


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _mapping(value: Any) -> YamlMap | None:
    return value if isinstance(value, YamlMap) else None


def _fixture(entry: Any) -> YamlMap | None:
    sound = isinstance(entry, YamlMap) and all(
        isinstance(slots, YamlList) and all(isinstance(slot, YamlMap) for slot in slots)
        for slots in entry.values()
    )
    return entry if sound else None


def _metadata(entry: Any) -> YamlMap | None:
    sound = isinstance(entry, YamlMap) and all(isinstance(values, YamlMap) for values in entry.values())
    return entry if sound else None
