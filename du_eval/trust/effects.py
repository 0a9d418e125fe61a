"""What settings do besides choosing: run code, contact hosts, send variables, touch files elsewhere."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

HARMLESS = frozenset(
    {
        "paths", "assistant", "output_mode", "reasoning", "temperature", "max_tokens", "timeout", "deadline",
        "max_answer_bytes", "max_answer_characters", "max_attempts", "requests_per_minute",
        "tokens_per_minute", "prices", "cache", "answer_path", "samples", "success_ratio", "all_samples",
        "max_calls", "max_cost", "max_error_rate", "maxfail", "last_failed", "failed_first", "shard",
        "sample", "journal", "resume", "retry_errors", "label", "perturb", "levels", "perturb_history",
        "against", "batch", "alpha", "margin", "fail_under", "max_errors", "syntax", "suite_syntax", "match",
        "remove_default_commands", "check_flows", "concurrency", "select", "deselect", "output",
        "output_prompt", "skip_validation", "history", "strict_bot", "goals", "seed", "json_output", "quiet",
        "connection", "gist_votes", "gist_threshold", "neuro_san_compat", "verbose", "race", "watch",
        "strict_output", "responses", "source", "target", "train_source", "train_target", "vocab",
        "vocab_min_count", "vectors", "bleu_smoothing", "kl_added", "tokeniser", "lowercase", "confidence",
        "interval", "t_value", "baseline", "resamples", "form", "engine", "workers",
        "conversations", "prompts", "language", "start", "opening", "bot_memory", "tester_memory", "details",
        "probabilities", "reply_tests", "max_sets", "longest_memory", "by_level", "keyboard", "p_synonym",
        "n_aug", "facts", "packaged_facts", "thresholds", "show", "gates", "name", "save_conversations",
        "load", "analyse", "compat", "dialogues", "blocks", "plan", "judge_votes", "timeout_seconds",
    }
)  # fmt: skip
"""Settings that only choose: numbers, names of our own, and files that are read on this machine."""
READING = frozenset(
    {
        "paths", "assistant", "against", "syntax", "suite_syntax", "responses", "source", "target", "facts",
        "train_source", "train_target", "vocab", "vectors", "baseline", "load", "resume", "plan", "generator",
    }
)  # fmt: skip
"""Settings that name what is read: files of this machine need no consent, addresses do."""
_READ_FILES = READING - {"against", "baseline", "generator", "resume"}
"""Those of them that name files and nothing else."""
JUDGING = frozenset({"additional_commands", "actions", "action_endpoint"})
"""Settings with effects that are used where answers are judged, or suites checked."""
WRITING = frozenset(
    {
        "output_file",
        "html",
        "junitxml",
        "markdown",
        "runs_dir",
        "transcripts",
        "folder",
        "save_folder",
        "save_vocab",
    }
)
"""Settings that say where files are written."""
OUR_SECTIONS = frozenset({"", "test", "e2e", "quality", "protocol", "agent", "metrics"})
"""The sections of files in which a setting has the meaning that we give it; at the top there is none."""
NOTHING: frozenset[str] = frozenset()
_HOST, _CODE = "sends requests there, with your key if one is set", "runs Python code of this name"
_VARIABLE = "sends the value of this environment variable"
_OUR_BOTS = frozenset({"echo", "forgetful", "persona", "small-talk", "predefined", "user"})
_OUR_JUDGES = frozenset(
    {
        "", "auto", "tfidf", "offline", "rules", "spans", "lexicon", "similarity", "answers", "yes_no",
        "coherence", "toxicity", "stutter", "repeated_questions", "protocol", "gist", "1",
    }
)  # fmt: skip
"""Bots and judges that neither run foreign code nor ask anybody, and the roles that they play."""
_SENT_FILES = frozenset({"prompt", "body", "system_prompt"})


class Effect(Struct, frozen=True, order=True):
    """One thing that settings would do."""

    setting: str
    value: str
    does: str

    def __str__(self) -> str:
        return f"{self.setting}: {self.value} ({self.does})"


class FoundSettings(Struct, frozen=True):
    """Settings of a file that nobody named."""

    path: Path
    values: Mapping[str, Any]

    @property
    def effects(self) -> tuple[Effect, ...]:
        """What they would do, but for choosing."""
        given = {name: value for name, value in self.values.items() if value not in (None, "", [], {})}
        found = {effect for name, value in given.items() for effect in self._find(name, value)}
        if found:  # what is read may go where they lead
            found |= {effect for name, value in given.items() for effect in self._find_read(name, value)}
        return tuple(sorted(found))

    def _find(self, name: str, value: object) -> Iterator[Effect]:
        section, _, key = name.rpartition(".")
        # A section of another package's activity may mean anything by our names.
        known = key if section in OUR_SECTIONS else name
        if known in READING and "://" in str(value):
            does = "reads from this address, with your credentials if there are any"
        elif known in HARMLESS:
            return
        else:
            does = _TABLE.get(known, _explain_unknown)(value, self.path.parent)
        if does:
            yield Effect(name, _show(value), does)

    def _find_read(self, name: str, value: object) -> Iterator[Effect]:
        folder = self.path.parent
        section, _, key = name.rpartition(".")
        places = value if isinstance(value, list) else [value]
        is_ours = section in OUR_SECTIONS and key in _READ_FILES
        if is_ours and "://" not in str(value) and any(_leads_out(one, folder) for one in places):
            yield Effect(name, _show(value), "reads from outside this folder what others may be sent")


def _show(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def digest_effects(effects: tuple[Effect, ...]) -> str:
    """Return the hash that consent is pinned to: another effect is another hash, a harmless change is not."""
    content = json.dumps([[one.setting, one.value] for one in effects], ensure_ascii=True)
    return hashlib.sha256(content.encode()).hexdigest()


Explain = Callable[[Any, Path], str]


def _say(words: str) -> Explain:
    return lambda value, folder: words  # noqa: ARG005 - whatever the value is


def _explain_unknown(value: object, folder: Path) -> str:  # noqa: ARG001 - whatever the value is
    return "is not known to be harmless"


def _explain_generator(value: object, folder: Path) -> str:  # noqa: ARG001 - wherever the file is
    name = str(value)
    if name == "baseline" or name.startswith("recorded:"):
        return ""
    if name in {"llm", "rasa", "http"} or "://" in name:
        return "asks over the network"
    return _CODE


def _explain_commands(value: object, folder: Path) -> str:  # noqa: ARG001 - wherever the file is
    paths = value if isinstance(value, list) else [value]
    return _CODE if any("." in str(path) or ":" in str(path) for path in paths) else ""


def _explain_embedding(value: object, folder: Path) -> str:  # noqa: ARG001 - wherever the file is
    return "" if str(value) in {"none", "auto", "tfidf", "lexicon"} else "loads this model"


def _explain_bot(value: object, folder: Path) -> str:
    options = value if isinstance(value, Mapping) else {"type": value}
    if str(options.get("type")) not in _OUR_BOTS:
        return "talks to this bot: runs its code, or sends requests"
    return _explain_sent(options.get("file", options.get("argument", "")), folder)


def _explain_metrics(value: object, folder: Path) -> str:  # noqa: ARG001 - wherever the file is
    return _CODE if ":" in str(value) else ""


def _explain_judges(value: object, folder: Path) -> str:  # noqa: ARG001 - wherever the file is
    named = value.values() if isinstance(value, Mapping) else [value]
    is_ours = all(set(re.split(r"[>,=]", str(one))) <= _OUR_JUDGES for one in named)
    return "" if is_ours else "asks or loads these judges: models, or code of this name"


def _explain_written(value: object, folder: Path) -> str:
    places = value if isinstance(value, list) else [value]
    return "" if all(_is_inside(place, folder) for place in places) else "writes outside this folder"


def _explain_sent(value: object, folder: Path) -> str:
    # A text is the suite's own; a name that leads to a file elsewhere is somebody else's.
    try:
        is_file = "\n" not in str(value) and Path(str(value)).is_file()
    except (OSError, ValueError):
        return ""
    return "sends a file from outside this folder" if is_file and not _is_inside(value, folder) else ""


def _is_inside(value: object, folder: Path) -> bool:
    """Tell whether a place is below the folder of the file that names it.

    The working directory is not good enough: it may be somebody's home.
    """
    try:
        place = Path(str(value)).resolve()
    except (OSError, ValueError):
        return False
    return place.is_relative_to(folder.resolve())


def _leads_out(value: object, folder: Path) -> bool:
    """Tell whether what is read may lie elsewhere, from the folder or the working directory."""
    start = Path(re.split(r"[*?\[]", str(value))[0])
    try:
        is_here = start.exists()
    except (OSError, ValueError):
        is_here = False
    return not _is_inside(folder / start, folder) or (is_here and not _is_inside(start, folder))


_TABLE: Mapping[str, Explain] = {
    "additional_commands": _explain_commands,
    "actions": _say(_CODE),
    "generator": _explain_generator,
    "embedding": _explain_embedding,
    "similarity": _explain_embedding,
    "toxicity": _explain_embedding,
    "agents": _say(_CODE),
    "scripts": _say(_CODE),
    "metrics": _explain_metrics,
    "judge": _say("loads this model"),
    "causal_model": _say("loads this model"),
    "checks": _say(_CODE),
    "bot": _explain_bot,
    "tester": _explain_bot,
    "judges": _explain_judges,
    "server": _say(_HOST),
    "ray_address": _say("does the work on these machines"),
    "allow_env": _say("lets case files read environment variables"),
    **dict.fromkeys(("ca", "certificate", "private_key"), _say("is used for https connections")),
    "model": _say("asks this model, with your key"),
    "judge_model": _say("asks this model, with your key"),
    "base_url": _say(_HOST),
    "judge_base_url": _say(_HOST),
    "url": _say(_HOST),
    "action_endpoint": _say("calls this address"),
    "parameters": _say("are sent with each request"),
    "headers": _say("are sent with each request, with the variables in them"),
    "api_key_env": _say(_VARIABLE),
    "token_env": _say(_VARIABLE),
    "jwt_env": _say(_VARIABLE),
    "settings": _say("a run that was started elsewhere names the hosts to contact and the code to run"),
    **dict.fromkeys(WRITING, _explain_written),
    **dict.fromkeys(_SENT_FILES, _explain_sent),
}
SENSITIVE = frozenset(_TABLE)
"""Settings that may have effects."""
