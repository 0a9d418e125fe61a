"""The settings of the original tests by their own names: what each of them is called here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

_SWITCHES = {
    "is_MLP1TC1": "ML-P1", "is_MLI2TC1": "ML-I2", "is_MLI3TC1": "ML-I3", "is_MLA6TC1": "ML-A6",
    "is_analyze_question_freq": "ML-A7", "is_MLA7TC1": "ML-A7",
}  # fmt: skip
_SHOWN = {"show_interpret": "interpretations", "show_detailed": "details", "show_binary": "binary"}
_READERS = {
    "pipeline": "distilbert/distilbert-base-cased-distilled-squad",
    "bert-squad": "google-bert/bert-large-uncased-whole-word-masking-finetuned-squad",
}
_RENAMED = {
    "max_runs": "conversations",
    "conversation_length": "prompts",
    "convarray_init": "start",
    "prev_conv_memory_chatter1": "tester_memory",
    "prev_conv_memory_chatter2": "bot_memory",
    "is_save_conversation": "save_conversations",
    "is_analyze_conversation": "analyse",
    "save_conv_folder": "save_folder",
    "save_analysis_name": "name",
    "maxlength_MLI1TC1": "longest_memory",
    "array_ux_test_cases": "by_level",
}
_FLAGS = ("init_conv_randomly", "is_affect", "is_load_conversation")
DOCUMENT_PATTERNS = {"^p_ML": {"type": "number"}, "^maxsets_ML": {"type": "integer"}}
"""The JSON schema of settings that the document has once for each test."""
_LINES = {"tester": "predefined_conv_chatter1", "bot": "predefined_conv_chatter2"}


def in_our_names(data: Mapping[str, object], reply_tests: tuple[str, ...]) -> dict[str, object]:
    """Return settings with each name of the document replaced by ours; what is written our way wins."""
    given = dict(data)
    for rewrite in (_renamed, _by_test, _nested, _chatters, _opening, _loading):
        given = rewrite(given)
    switched = {code: given.pop(name) for name, code in _SWITCHES.items() if name in given}
    if switched:
        given.setdefault("reply_tests", [code for code in reply_tests if switched.get(code, True)])
    return given


def list_document_properties(ours: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of the document's names, given the properties of our settings."""
    known = {
        name: {**ours[key], "description": f"The document's name of {key}."} for name, key in _RENAMED.items()
    }
    switches = {key: {"type": "boolean"} for key in (*_SWITCHES, *_SHOWN, *_FLAGS)}
    texts = {key: {"type": "string"} for key in ("QA_model", "affect", "topic", "load_conv_folder")}
    lists = {key: {"type": "array", "items": {"type": "string"}} for key in ("chatters", *_LINES.values())}
    numbers = {key: {"type": "number"} for key in ("threshold_sem_sim_tests", "knob")}
    return {**known, **switches, **texts, **lists, **numbers}


def _renamed(given: dict[str, object]) -> dict[str, object]:
    found = {key: value for key, value in given.items() if key not in _RENAMED}
    for name, ours in _RENAMED.items():
        if name in given:
            found.setdefault(ours, given[name])
    return found


def _by_test(given: dict[str, Any]) -> dict[str, Any]:
    """Gather `p_MLU3TC1` and `maxsets_MLU3TC1` of all tests."""
    found = dict(given)
    for prefix, ours in (("p_ML", "probabilities"), ("maxsets_ML", "max_sets")):
        names = [name for name in found if name.startswith(prefix)]
        values = {name.split("_", 1)[1]: found.pop(name) for name in names}
        if values:
            found[ours] = {**values, **found.get(ours, {})}
    return found


def _nested(given: dict[str, Any]) -> dict[str, Any]:
    """Put single values where they belong: `show`, `thresholds` and `judges`."""
    found = dict(given)
    moves: list[tuple[str, str, str, Callable[[Any], Any]]] = [
        *((name, "show", key, lambda value: value) for name, key in _SHOWN.items()),
        ("threshold_sem_sim_tests", "thresholds", "answers", lambda value: value),
        ("QA_model", "judges", "answers", lambda value: _READERS.get(value, value)),
    ]
    for name, group, key, read in moves:
        if name in found:
            found[group] = {key: read(found.pop(name)), **found.get(group, {})}
    return found


def _chatters(given: dict[str, Any]) -> dict[str, Any]:
    """Read `chatters: [tester, bot]` with the predefined lines of either."""
    found = dict(given)
    named = dict(zip(("tester", "bot"), found.pop("chatters", ()), strict=False))
    counts = []
    for side, lines in _LINES.items():
        said = found.pop(lines, None)
        if named.get(side) == "predefined" and said is not None:
            counts.append(len(said))
            found.setdefault(side, {"type": "predefined", "lines": list(said)})
        elif side in named:
            found.setdefault(side, named[side])
    if counts:
        found["prompts"] = min(counts)
    return found


def _opening(given: dict[str, Any]) -> dict[str, Any]:
    """Read how conversations begin; a feeling counts only where `is_affect` says so, as in the document."""
    found = dict(given)
    opening: dict[str, Any] = {}
    if "init_conv_randomly" in found:
        opening["random"] = found.pop("init_conv_randomly")
    is_affect, affect = found.pop("is_affect", False), found.pop("affect", None)
    if is_affect:
        opening["affect"] = affect or "anger"
    if "knob" in found:
        opening["intensity"] = found.pop("knob")
    if "topic" in found:
        opening["topic"] = found.pop("topic")
    if opening:
        found["opening"] = {**opening, **found.get("opening", {})}
    return found


def _loading(given: dict[str, object]) -> dict[str, object]:
    found = dict(given)
    is_loaded, folder = found.pop("is_load_conversation", False), found.pop("load_conv_folder", "")
    if is_loaded:
        found.setdefault("load", folder)
    return found
